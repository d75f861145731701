"""Every refusal of the contract's table over HTTP: as JSON where nobody can be told safely, else as a redirect."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final, TypeAlias
from urllib.parse import urlencode

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.clock import Clock
from tests.deside.oauth.serving import REDIRECT, STATE, Answer, Flow, served, signed

from accord.deside.oauth.bodies import BODY_BYTES, fields_of, query_of, read, required
from accord.deside.oauth.limits import counted_as
from accord.deside.oauth.refusals import STATUSES, OAuthError
from accord.engine import Database

Step: TypeAlias = Callable[[Flow], Awaitable[Answer]]

ELSEWHERE = "https://elsewhere.example/mcp"

LONG = "x" * 8193


async def test_a_body_that_stalls_is_given_up() -> None:
    async def stalling() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.Event().wait()

    with pytest.raises(OAuthError, match="did not come in time"):
        await read(stalling(), stall_seconds=0.01)


async def _challenged(flow: Flow, **other: str) -> Answer:
    challenge = await flow.challenge()
    return await flow.post("/oauth/wallet-challenge", {**signed(flow.keypair, challenge), **other})


async def _without(flow: Flow, name: str) -> Answer:
    challenge = await flow.challenge()
    body = {"wallet": "w", "signature": "s", "message": "m", "state": challenge["state"]}
    return await flow.post("/oauth/wallet-challenge", {key: value for key, value in body.items() if key != name})


async def _replayed(flow: Flow) -> Answer:
    code = await flow.code()
    await flow.exchange(code)
    return await flow.exchange(code)


async def _reused(flow: Flow) -> Answer:
    tokens = await flow.sign_in()
    await flow.refresh(tokens["refresh_token"])
    return await flow.refresh(tokens["refresh_token"])


async def _wider(flow: Flow) -> Answer:
    tokens = await flow.sign_in(scope="dm:read")
    return await flow.refresh(tokens["refresh_token"], scope="dm:read dm:write")


async def _broken(flow: Flow) -> Answer:
    await flow.store.close()
    return await flow.register()


AS_JSON: Final[dict[str, tuple[str, Step]]] = {
    # --- register
    "no name": ("invalid_client_metadata", lambda flow: flow.register(client_name=None)),
    "an empty name": ("invalid_client_metadata", lambda flow: flow.register(client_name="  ")),
    "a long name": ("invalid_client_metadata", lambda flow: flow.register(client_name="n" * 81)),
    "a name that turns around": ("invalid_client_metadata", lambda flow: flow.register(client_name="a\u202eb")),
    "a name of two lines": ("invalid_client_metadata", lambda flow: flow.register(client_name="a\nb")),
    "a name that is no text": ("invalid_client_metadata", lambda flow: flow.register(client_name=["a"])),
    "another grant": ("invalid_client_metadata", lambda flow: flow.register(grant_types=["client_credentials"])),
    "the implicit grant too": (
        "invalid_client_metadata",
        lambda flow: flow.register(grant_types=["authorization_code", "implicit"]),
    ),
    "refreshing alone": ("invalid_client_metadata", lambda flow: flow.register(grant_types=["refresh_token"])),
    "a grant that is a text": ("invalid_client_metadata", lambda flow: flow.register(grant_types="authorization_code")),
    "another response": ("invalid_client_metadata", lambda flow: flow.register(response_types=["token"])),
    "a secret": (
        "invalid_client_metadata",
        lambda flow: flow.register(token_endpoint_auth_method="client_secret_post"),
    ),
    "no redirects": ("invalid_redirect_uri", lambda flow: flow.register(redirect_uris=None)),
    "an empty list of redirects": ("invalid_redirect_uri", lambda flow: flow.register(redirect_uris=[])),
    "a redirect that is no list": ("invalid_redirect_uri", lambda flow: flow.register(redirect_uris=REDIRECT)),
    "a redirect twice": ("invalid_redirect_uri", lambda flow: flow.register(redirect_uris=[REDIRECT, REDIRECT])),
    "a long redirect": (
        "invalid_redirect_uri",
        lambda flow: flow.register(redirect_uris=["https://a.example/" + "x" * 2031]),
    ),
    "a redirect to a script": (
        "invalid_redirect_uri",
        lambda flow: flow.register(redirect_uris=["javascript:alert(1)"]),
    ),
    "a scope that is not known": ("invalid_scope", lambda flow: flow.register(scope="dm:read admin")),
    "a scope that is no text": ("invalid_request", lambda flow: flow.register(scope=["dm:read"])),
    # --- authorize, before the redirect is known
    "no client at authorize": ("invalid_request", lambda flow: flow.authorize(client_id=None)),
    "an unknown client at authorize": ("invalid_client", lambda flow: flow.authorize(client_id="nobody")),
    "no redirect at authorize": ("invalid_redirect_uri", lambda flow: flow.authorize(redirect_uri=None)),
    "another redirect at authorize": (
        "invalid_redirect_uri",
        lambda flow: flow.authorize(redirect_uri=f"{REDIRECT}/x"),
    ),
    "another port at authorize": (
        "invalid_redirect_uri",
        lambda flow: flow.authorize(redirect_uri="http://127.0.0.1:8124/callback"),
    ),
    "a client twice": ("invalid_request", lambda flow: flow.get("/oauth/authorize?client_id=a&client_id=b")),
    "a long state": ("invalid_request", lambda flow: flow.authorize(state=LONG)),
    "a state that cannot be kept": ("invalid_request", lambda flow: flow.authorize(state="a\0b")),
    "a query that is no text": ("invalid_request", lambda flow: flow.get("/oauth/authorize?client_id=%ff")),
    # --- wallet-challenge
    "no state at the challenge": ("invalid_request", lambda flow: flow.get("/oauth/wallet-challenge")),
    "an unknown state at the challenge": (
        "invalid_grant",
        lambda flow: flow.get("/oauth/wallet-challenge", {"state": "unknown"}),
    ),
    "an unknown state in the answer": ("invalid_grant", lambda flow: _challenged(flow, state="unknown")),
    "no wallet": ("invalid_request", lambda flow: _without(flow, "wallet")),
    "no signature": ("invalid_request", lambda flow: _without(flow, "signature")),
    "no message": ("invalid_request", lambda flow: _without(flow, "message")),
    "no state in the answer": ("invalid_request", lambda flow: _without(flow, "state")),
    "a wallet that is none": ("invalid_request", lambda flow: _challenged(flow, wallet="none")),
    # --- token
    "no grant": ("invalid_request", lambda flow: flow.post("/oauth/token", {})),
    "an unknown grant": ("unsupported_grant_type", lambda flow: flow.exchange("c", grant_type="password")),
    "no code": ("invalid_request", lambda flow: flow.exchange("")),
    "no verifier": ("invalid_request", lambda flow: flow.exchange("c", code_verifier=None)),
    "no redirect for the code": ("invalid_redirect_uri", lambda flow: flow.exchange("c", redirect_uri=None)),
    "no client for the code": ("invalid_request", lambda flow: flow.exchange("c", client_id=None)),
    "an unknown client for the code": ("invalid_client", lambda flow: flow.exchange("c", client_id="nobody")),
    "an unknown code": ("invalid_grant", lambda flow: flow.exchange("unknown")),
    "a code twice": ("invalid_grant", _replayed),
    "no refresh token": ("invalid_request", lambda flow: flow.refresh("")),
    "an unknown refresh token": ("invalid_grant", lambda flow: flow.refresh("unknown")),
    "an unknown client refreshing": ("invalid_client", lambda flow: flow.refresh("t", client_id="nobody")),
    "a refresh token twice": ("invalid_grant", _reused),
    "another resource for the code": ("invalid_target", lambda flow: flow.exchange("c", resource=ELSEWHERE)),
    "another resource when refreshing": ("invalid_target", lambda flow: flow.refresh("t", resource=ELSEWHERE)),
    "a wider scope when refreshing": ("invalid_scope", _wider),
    # --- revoke
    "no token to revoke": ("invalid_request", lambda flow: flow.post("/oauth/revoke", {})),
    # --- bodies
    "a body that is a list": ("invalid_request", lambda flow: flow.post("/oauth/token", [])),
    "a number for a text": ("invalid_request", lambda flow: flow.post("/oauth/token", {"grant_type": 1})),
    "a text with a zero": ("invalid_request", lambda flow: flow.post("/oauth/revoke", {"token": "a\0b"})),
    "a body of another type": (
        "invalid_request",
        lambda flow: flow.send("POST", "/oauth/token", data=b"x", headers={"content-type": "text/plain"}),
    ),
    "a body that is no JSON": (
        "invalid_request",
        lambda flow: flow.send("POST", "/oauth/token", data=b"{", headers={"content-type": "application/json"}),
    ),
    "a body that is too large": (
        "invalid_request",
        lambda flow: flow.post("/oauth/register", {"client_name": "x" * BODY_BYTES}),
    ),
    # --- anything else
    "a database that is gone": ("server_error", _broken),
}
"""By what is wrong: the name that is answered, and a request that has it."""

REDIRECTED: Final[dict[str, tuple[str, Step]]] = {
    "no response type": ("invalid_request", lambda flow: flow.authorize(response_type=None)),
    "another response type": ("invalid_request", lambda flow: flow.authorize(response_type="token")),
    "no PKCE": ("invalid_request", lambda flow: flow.authorize(code_challenge=None)),
    "plain PKCE": ("invalid_request", lambda flow: flow.authorize(code_challenge_method="plain")),
    "no method of PKCE": ("invalid_request", lambda flow: flow.authorize(code_challenge_method=None)),
    "a challenge that is none": ("invalid_request", lambda flow: flow.authorize(code_challenge="short")),
    "an unknown scope": ("invalid_scope", lambda flow: flow.authorize(scope="admin")),
    "a scope it did not register for": ("invalid_scope", lambda flow: flow.authorize(scope="dm:read llm:invoke")),
    "another resource": ("invalid_target", lambda flow: flow.authorize(resource=ELSEWHERE)),
    "another wallet's signature": ("access_denied", lambda flow: _challenged(flow, signature="1" * 64)),
    "another message": ("access_denied", lambda flow: _challenged(flow, message="Domain: a\nNonce: b")),
}


@pytest.mark.parametrize("wrong", AS_JSON)
async def test_refused_as_json(client: Flow, wrong: str) -> None:
    name, step = AS_JSON[wrong]

    answer = await step(client)

    assert answer.error == (500 if name == "server_error" else 400, name)
    assert answer.json.keys() == {"error", "error_description"}
    assert answer.json["error_description"].isprintable()
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("wrong", REDIRECTED)
async def test_refused_by_a_redirect_to_the_client(client: Flow, wrong: str) -> None:
    name, step = REDIRECTED[wrong]

    answer = await step(client)

    assert answer.location.startswith(f"{REDIRECT}?error={name}&error_description=")
    assert answer.query.keys() == {"error", "error_description", "state", "iss"}
    assert (answer.query["state"], answer.query["iss"]) == (STATE, client.base)


async def test_access_denied_is_400_where_it_is_not_known_whom_to_tell(client: Flow) -> None:
    challenge = await client.challenge()
    await client.authorize()

    answer = await client.answer(challenge, message="Domain: a\nNonce: b")

    assert answer.error == (400, "access_denied")


async def test_a_refusal_without_a_state_returns_none(client: Flow) -> None:
    answer = await client.authorize(state=None, scope="admin")

    assert answer.query.keys() == {"error", "error_description", "iss"}


def test_every_name_of_the_table_is_produced() -> None:
    produced = {name for name, _ in (*AS_JSON.values(), *REDIRECTED.values())}

    assert produced | {"temporarily_unavailable", "too_many_requests"} == STATUSES.keys()


@pytest.mark.parametrize("path", ["", "/", "/mcp", "/mcp/"])
async def test_a_client_may_name_the_resource_that_it_talks_to(client: Flow, path: str) -> None:
    resource = f"{client.base}{path}"

    answer = await client.exchange(await client.code(resource=resource), resource=resource)

    assert (await client.refresh(answer.json["refresh_token"], resource=resource)).status == 200


async def test_a_refusal_never_repeats_what_was_sent(client: Flow) -> None:
    answer = await client.register(scope="<script>", client_name="<b>")

    assert "<" not in answer.body.decode()


# --- Scopes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("registered", "asked", "granted"),
    [
        (None, None, "dm:read dm:write"),
        (None, "dm:write dm:read dm:read", "dm:read dm:write"),
        ("dm:read", None, "dm:read"),
        ("dm:read dm:write llm:invoke", None, "dm:read dm:write"),
        ("dm:read dm:write llm:invoke", "llm:invoke", "llm:invoke"),
        ("llm:invoke", "llm:invoke", "llm:invoke"),
        ("dm:read dm:write llm:invoke webhook:manage", "webhook:manage dm:read", "dm:read webhook:manage"),
    ],
)
async def test_what_is_granted(client: Flow, registered: str | None, asked: str | None, granted: str) -> None:
    assert (await client.register(scope=registered)).status == 200

    assert (await client.sign_in(scope=asked))["scope"] == granted


@pytest.mark.parametrize("asked", [None, ""])
async def test_who_is_registered_for_nothing_of_the_default_has_to_ask(client: Flow, asked: str | None) -> None:
    await client.register(scope="llm:invoke webhook:manage")

    assert (await client.authorize(scope=asked)).error == (302, "invalid_scope")


# --- What is registered ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("grants", [None, ["authorization_code"], ["authorization_code", "refresh_token"]])
async def test_a_registration_says_what_was_registered(client: Flow, grants: list[str] | None, clock: Clock) -> None:
    answer = await client.register(
        client_name=" Ünïcode 名前 ", scope="dm:read", grant_types=grants, token_endpoint_auth_method="none"
    )

    assert answer.status == 200
    assert answer.json == {
        "client_id": client.client_id,
        "client_id_issued_at": int(clock()),
        "client_name": "Ünïcode 名前",
        "redirect_uris": [REDIRECT],
        "scope": "dm:read",
        "grant_types": grants or ["authorization_code"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    }


async def test_a_client_registers_with_a_form(client: Flow) -> None:
    pairs = [("client_name", "A form"), ("redirect_uris", REDIRECT), ("redirect_uris", "https://b.example/")]

    answer = await client.send("POST", "/oauth/register", data=pairs)

    assert answer.status == 200
    assert answer.json["redirect_uris"] == [REDIRECT, "https://b.example/"]


async def test_a_registration_of_eighty_characters_and_2048_is_taken(client: Flow) -> None:
    uri = "https://a.example/".ljust(2048, "x")

    assert (await client.register(client_name="n" * 80, redirect_uris=[uri])).status == 200


# --- Limits ---------------------------------------------------------------------------------------------------------


@pytest.fixture
async def limited(small_store: Database, clock: Clock) -> AsyncIterator[Flow]:
    """A client of a server with the contract's limits."""
    async with served(small_store, clock, OAUTH_SIGN_INS_PER_5_MIN="5", OAUTH_CHALLENGES_PER_MIN="30") as flow:
        await flow.register()
        yield flow


async def test_the_sixth_sign_in_within_five_minutes_is_redirected(limited: Flow, clock: Clock) -> None:
    for _ in range(5):
        await limited.code()
    challenge = await limited.challenge()

    refused = await limited.answer(challenge)

    assert refused.error == (302, "temporarily_unavailable")
    assert refused.query["state"] == STATE
    clock.now += 300
    assert "code" in (await limited.answer(await limited.challenge())).query


async def test_the_thirty_first_challenge_within_a_minute_is_redirected(limited: Flow, clock: Clock) -> None:
    link = (await limited.authorize()).location
    for _ in range(30):
        assert (await limited.get(link)).status == 200

    assert (await limited.get(link)).error == (302, "temporarily_unavailable")
    clock.now += 60
    assert (await limited.get(link)).status == 200


async def test_the_thirty_first_request_for_a_challenge_within_a_minute_is_redirected(limited: Flow) -> None:
    for _ in range(30):
        assert "error" not in (await limited.authorize()).query

    assert (await limited.authorize()).error == (302, "temporarily_unavailable")


async def test_the_next_registration_beyond_the_limit_is_told_to_wait(small_store: Database, clock: Clock) -> None:
    async with served(small_store, clock, OAUTH_REGISTRATIONS_PER_5_MIN="2") as flow:
        for _ in range(2):
            assert (await flow.register()).status == 200
        assert (await flow.register()).error == (429, "too_many_requests")

        clock.now += 300
        assert (await flow.register()).status == 200


async def test_a_limit_of_zero_is_none(small_store: Database, clock: Clock) -> None:
    async with served(small_store, clock, OAUTH_SIGN_INS_PER_5_MIN="0", OAUTH_CHALLENGES_PER_MIN="0") as flow:
        await flow.register()

        for _ in range(32):
            await flow.code()


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("unknown", "unknown"),
    ],
)
def test_an_address_is_counted_as_its_subscriber(address: str, counted: str) -> None:
    assert counted_as(address) == counted


# --- Bodies ---------------------------------------------------------------------------------------------------------


@given(st.sampled_from(["application/json", "application/x-www-form-urlencoded"]), st.binary(max_size=200))
def test_whatever_a_body_is_it_is_fields_or_an_invalid_request(content_type: str, body: bytes) -> None:
    try:
        fields = fields_of(content_type, body)
    except OAuthError as error:
        assert error.name == "invalid_request"  # noqa: PT017 - both outcomes are right
    else:
        assert isinstance(fields, dict)


@given(st.dictionaries(st.text(min_size=1), st.text(min_size=1).filter(lambda text: "\0" not in text), max_size=8))
def test_json_and_a_form_say_the_same(sent: dict[str, str]) -> None:
    lists = {"redirect_uris", "grant_types", "response_types"}
    fields = {name: value for name, value in sent.items() if name not in lists and "\r" not in value}
    as_json = fields_of("application/json", orjson.dumps(fields))
    as_form = fields_of("application/x-www-form-urlencoded", urlencode(fields).encode())

    assert as_json == as_form == query_of(urlencode(fields).encode())
    assert all(required(as_form, name) == value for name, value in fields.items())


async def test_a_body_without_a_declared_length_is_cut_off_too(client: Flow) -> None:
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(BODY_BYTES // 1024 + 2):
            yield b"x" * 1024
            await asyncio.sleep(0)

    answer = await client.send(
        "POST", "/oauth/token", data=endless(), headers={"content-type": "application/x-www-form-urlencoded"}
    )

    assert answer.error == (400, "invalid_request")
    assert str(BODY_BYTES) in answer.json["error_description"]


async def test_what_goes_wrong_is_not_told(client: Flow) -> None:
    answer = await _broken(client)

    assert answer.json == {
        "error": "server_error",
        "error_description": "something went wrong in this server; try again",
    }
