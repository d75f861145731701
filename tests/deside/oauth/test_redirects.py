"""Where codes may be sent: what may be registered, what counts as registered, and what comes into the query."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.clock import Clock
from tests.deside.oauth.serving import served

from accord.deside.oauth.hosts import is_loopback, public_url
from accord.deside.oauth.redirects import (
    MOST_TOGETHER,
    MOST_URIS,
    check_redirect_uri,
    is_registered,
    redirect_uris,
    with_query,
)
from accord.deside.oauth.refusals import OAuthError
from accord.engine import Database

ANYWHERE = [
    "https://a.example/callback",
    "https://a.example",
    "https://a.example:8443/x?y=z&w=%20",
    "https://xn--bcher-kva.example/",
    "https://192.0.2.1/",
    "https://[2001:db8::1]:8443/cb",
    "HTTPS://A.example/",
    "https://a-b.c-d./",
]
AT_HOME = [
    "http://127.0.0.1:3100/callback",
    "http://127.0.0.1/",
    "http://127.255.255.254:1/",
    "http://localhost:5000/oauth/callback",
    "http://sub.localhost:5000/",
    "http://localhost./",
    "http://[::1]:8080/callback",
    "https://localhost/",
]
NOWHERE = [
    "",
    "callback",
    "/callback",
    "//a.example/x",
    "https:",
    "https:///x",
    "https:/a.example",
    "https://",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\tscript:alert(1)",
    " javascript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "ftp://a.example/",
    "cursor://anysphere.cursor-retrieval/callback",
    "com.example.app:/callback",
    "urn:ietf:wg:oauth:2.0:oob",
    "http://a.example/",
    "http://192.0.2.1/",
    "http://0.0.0.0:3000/",
    "http://10.0.0.1/",
    "http://localhost.evil.example/",
    "http://127.0.0.1.evil.example/",
    "http://evil.example#@127.0.0.1/",
    "http://127.0.0.1@evil.example/",
    "http://127.0.0.1\\@evil.example/",
    "http://evil.example\\.localhost/",
    "https://user@a.example/",
    "https://user:password@a.example/",
    "https://a.example/#fragment",
    "https://a.example/#",
    "https://a.example/ x",
    "https://a.example/\n",
    "https://a.example/\r\nset-cookie: a=b",
    "https://a.example/<script>",
    'https://a.example/"',
    "https://ä.example/",
    "https://a.example/ü",
    "https://a.example:0/",
    "https://a.example:65536/",
    "https://a.example:port/",
    "https://[::1/",
    "https://[::1]x/",
    "https://[v1.a]/",
    "https://*.example/",
    "https://a%2eexample/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://127.1/",
    "https://a.example." + "x" * 2040,
]


@pytest.mark.parametrize("uri", [*ANYWHERE, *AT_HOME])
def test_https_and_this_machine_may_be_registered_in_local_mode(uri: str) -> None:
    assert check_redirect_uri(uri, production=False) == uri


@pytest.mark.parametrize("uri", ANYWHERE)
def test_https_may_be_registered_in_production(uri: str) -> None:
    assert check_redirect_uri(uri, production=True) == uri


@pytest.mark.parametrize("uri", [*AT_HOME, *NOWHERE])
def test_all_else_is_refused_in_production(uri: str) -> None:
    with pytest.raises(OAuthError, match="invalid_redirect_uri"):
        check_redirect_uri(uri, production=True)


@pytest.mark.parametrize("uri", NOWHERE)
def test_all_else_is_refused_in_local_mode(uri: str) -> None:
    with pytest.raises(OAuthError, match="invalid_redirect_uri"):
        check_redirect_uri(uri, production=False)


@pytest.mark.parametrize("value", [None, "", {}, [], [1], [None], [["https://a.example/"]], ["https://a.example/"] * 2])
def test_what_is_no_list_of_different_uris_is_refused(value: object) -> None:
    with pytest.raises(OAuthError, match="invalid_redirect_uri"):
        redirect_uris(value, production=False)


def test_there_are_only_so_many() -> None:
    uris = [f"https://a.example/{number}" for number in range(MOST_URIS + 1)]

    assert redirect_uris(uris[1:], production=True) == tuple(uris[1:])
    with pytest.raises(OAuthError, match="invalid_redirect_uri"):
        redirect_uris(uris, production=True)


@given(st.text(alphabet="https:/.[]@#?\\127.0localhost \t%&=:", max_size=40))
def test_what_may_be_registered_has_one_reading(uri: str) -> None:
    try:
        checked = check_redirect_uri(uri, production=False)
    except OAuthError:
        return
    parts = urlsplit(checked)
    assert parts.scheme in {"http", "https"}
    assert parts.hostname
    assert parts.scheme == "https" or is_loopback(parts.hostname)
    assert not {"@", "\\", " ", "\t"} & set(parts.netloc)


@pytest.mark.parametrize(
    ("registered", "asked", "is_it"),
    [
        ("https://a.example/cb", "https://a.example/cb", True),
        ("https://a.example/cb", "https://a.example/cb/", False),
        ("https://a.example/cb", "https://a.example/cb?x=1", False),
        ("https://a.example/cb", "https://A.example/cb", False),
        ("https://a.example/cb", "https://a.example:443/cb", False),
        ("http://127.0.0.1/cb", "http://127.0.0.1:49152/cb", True),
        ("http://[::1]/cb", "http://[::1]:49152/cb", True),
        ("http://127.0.0.1/cb", "http://127.0.0.1:49152/other", False),
        ("http://127.0.0.1/cb", "https://127.0.0.1:49152/cb", False),
        ("http://127.0.0.1:49152/cb", "http://127.0.0.1:49153/cb", False),
        ("http://127.0.0.1:49152/cb", "http://127.0.0.1/cb", False),
        ("http://localhost/cb", "http://localhost:49152/cb", False),
        ("https://a.example/cb", "javascript:alert(1)", False),
    ],
)
def test_registered_is_the_same_text_and_a_loopback_address_without_a_port_any_port(
    registered: str, asked: str, is_it: bool
) -> None:
    assert is_registered(asked, ("https://other.example/", registered)) is is_it


@pytest.mark.parametrize(
    ("uri", "whole"),
    [
        ("https://a.example/cb", "https://a.example/cb?code=a+b"),
        ("https://a.example", "https://a.example?code=a+b"),
        ("https://a.example/cb?", "https://a.example/cb?code=a+b"),
        ("https://a.example/cb?x=1", "https://a.example/cb?x=1&code=a+b"),
        ("https://a.example/cb?x=1&", "https://a.example/cb?x=1&code=a+b"),
    ],
)
def test_what_is_in_the_query_stays(uri: str, whole: str) -> None:
    assert with_query(uri, {"code": "a b"}) == whole


@given(st.dictionaries(st.text(min_size=1), st.text(min_size=1), min_size=1))
def test_whatever_is_returned_comes_back_as_it_was(said: dict[str, str]) -> None:
    location = with_query("https://a.example/cb", said)

    assert location.isascii()
    assert location.isprintable()
    assert dict(parse_qsl(urlsplit(location).query)) == said


@pytest.mark.parametrize("host", ["127.0.0.1:3100", "localhost", "LOCALHOST:1", "[::1]:3100", "a.localhost:3100"])
def test_without_a_public_url_links_lead_to_the_loopback_host_of_the_request(host: str) -> None:
    assert public_url(None, host) == f"http://{host}"
    assert public_url(None, host, "https") == f"https://{host}"


@pytest.mark.parametrize(
    "host", ["", "evil.example", "192.0.2.1:3100", "127.0.0.1@evil.example", "localhost/..", "a b"]
)
def test_links_lead_to_no_other_host(host: str) -> None:
    assert public_url(None, host) is None
    assert public_url("https://dm.example", host) == "https://dm.example"


async def test_a_client_of_local_mode_is_not_redirected_to_this_machine_in_production(
    small_store: Database, clock: Clock
) -> None:
    async with served(small_store, clock) as local:
        await local.register()
        client_id = local.client_id

    production = {"DESIDE_MODE": "production", "DESIDE_PUBLIC_URL": "https://dm.example"}
    async with served(small_store, clock, **production) as flow:
        assert (await flow.authorize(client_id=client_id)).error == (400, "invalid_redirect_uri")
        assert (await flow.register()).error == (400, "invalid_redirect_uri")
        assert (await flow.register(redirect_uris=["https://a.example/"])).status == 200


def test_the_uris_of_a_client_are_only_so_long_together() -> None:
    length = MOST_TOGETHER // 4
    uris = [f"https://a.example/{number}".ljust(length, "x") for number in range(4)]

    assert len(redirect_uris(uris, production=True)) == 4
    with pytest.raises(OAuthError, match="at most 8192 characters together"):
        redirect_uris([*uris, "https://a.example/"], production=True)
