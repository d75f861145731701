"""Under which names a server may be called, from which web pages, and what it says to everybody else."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.engine.serving.http.running import running
from tests.engine.small_server import events
from tests.loopback import HELLO, post_of

from accord.engine import Hosts, Refusal

LOCAL = Hosts.of("127.0.0.1")
PROXIED = Hosts.of("0.0.0.0", ["mcp.example.test", "2001:db8::1"], ["https://App.example.test/"])  # noqa: S104 - the very case
BOTH = Hosts.of("localhost", ["mcp.example.test"])


def status(hosts: Hosts, headers: Mapping[str, str]) -> int:
    """Return how a request with these headers is answered."""
    try:
        hosts.check(headers)
    except Refusal as refusal:
        return refusal.status
    return 200


HOSTS = [
    (LOCAL, "127.0.0.1", 200),
    (LOCAL, "127.0.0.1:3000", 200),
    (LOCAL, "localhost:65535", 200),
    (LOCAL, "LOCALHOST", 200),
    (LOCAL, "[::1]", 200),
    (LOCAL, "[::1]:8080", 200),
    (LOCAL, "::1", 421),
    (LOCAL, "[::1", 421),
    (LOCAL, "[::2]", 421),
    (LOCAL, "", 421),
    (LOCAL, "evil.test", 421),
    (LOCAL, "localhost.evil.test", 421),
    (LOCAL, "evil.test#localhost", 421),
    (LOCAL, "evil@localhost", 421),
    (LOCAL, "localhost:", 421),
    (LOCAL, "localhost:80:80", 421),
    (LOCAL, "localhost:123456", 421),
    (LOCAL, "localhost, evil.test", 421),
    (LOCAL, "localhost/", 421),
    (LOCAL, "mcp.example.test", 421),
    (PROXIED, "mcp.example.test", 200),
    (PROXIED, "MCP.example.test:443", 200),
    (PROXIED, "[2001:db8::1]:443", 200),
    (PROXIED, "127.0.0.1", 421),
    (PROXIED, "0.0.0.0", 421),  # noqa: S104 - the same
    (PROXIED, "a.mcp.example.test", 421),
    (BOTH, "mcp.example.test", 200),
    (BOTH, "127.0.0.1:1", 200),
]


@pytest.mark.parametrize(("hosts", "host", "expected"), HOSTS)
def test_only_known_hosts_pass(hosts: Hosts, host: str, expected: int) -> None:
    assert status(hosts, {"host": host}) == expected


def test_a_request_without_a_host_is_refused() -> None:
    assert status(LOCAL, {}) == 421


ORIGINS = [
    (LOCAL, "http://localhost", 200),
    (LOCAL, "http://127.0.0.1:5173", 200),
    (LOCAL, "https://localhost:8443", 200),
    (LOCAL, "http://[::1]:8080", 200),
    (LOCAL, "null", 403),
    (LOCAL, "", 403),
    (LOCAL, "https://evil.test", 403),
    (LOCAL, "http://localhost.evil.test", 403),
    (LOCAL, "http://localhost@evil.test", 403),
    (LOCAL, "http://evil.test#localhost", 403),
    (LOCAL, "file://localhost", 403),
    (LOCAL, "chrome-extension://localhost", 403),
    (LOCAL, "http://[::1", 403),
    (LOCAL, "http://localhost http://evil.test", 403),
    (PROXIED, "https://mcp.example.test", 200),
    (PROXIED, "https://app.example.test", 200),
    (PROXIED, "http://app.example.test", 403),
    (PROXIED, "https://app.example.test:444", 403),
    (PROXIED, "http://localhost", 403),
]


@pytest.mark.parametrize(("hosts", "origin", "expected"), ORIGINS)
def test_only_known_pages_pass(hosts: Hosts, origin: str, expected: int) -> None:
    host = "localhost" if hosts is LOCAL else "mcp.example.test"

    assert status(hosts, {"host": host, "origin": origin}) == expected


async def test_a_refused_host_or_page_is_told_and_logged_with_the_flag_to_set(caplog: pytest.LogCaptureFixture) -> None:
    async with running() as server:
        host = await server.post(post_of("initialize", HELLO), host="evil.test")
        origin = await server.post(post_of("initialize", HELLO), origin="https://evil.test")

    logged = [event for event in events(caplog) if event["level"] == "warning"]
    assert (host.status, host.json["error"], origin.status, origin.json["error"]) == (
        421,
        "invalid_host",
        403,
        "invalid_origin",
    )
    assert "--allowed-host" in host.json["message"]
    assert "--allowed-origin" in origin.json["message"]
    assert [event.get("host", event.get("origin")) for event in logged] == ["evil.test", "https://evil.test"]
    assert "--allowed-host" in logged[0]["event"]
    assert "--allowed-origin" in logged[1]["event"]


async def test_who_is_let_in_is_decided_after_the_host_and_before_all_else() -> None:
    async with running() as server:
        stranger = await server.post(b"no json", authorization=None)
        foreign = await server.post(b"no json", authorization=None, host="evil.test")
        elsewhere = await server.send("PATCH", authorization=None)

    assert (stranger.status, foreign.status, elsewhere.status) == (401, 421, 401)
    assert stranger.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("method", ["OPTIONS", "PUT", "PATCH", "HEAD", "TRACE"])
async def test_other_methods_are_refused_and_no_page_is_invited(method: str) -> None:
    async with running() as server:
        answer = await server.send(method, origin="http://localhost:5173", access_control_request_method="POST")

    assert (answer.status, answer.headers["allow"]) == (405, "POST, GET, DELETE")
    assert not [name for name in answer.headers if name.lower().startswith("access-control")]


@pytest.mark.parametrize("name", ["Host", "Authorization", "Origin", "Mcp-Session-Id", "Mcp-Protocol-Version"])
async def test_a_header_that_decides_must_not_stand_there_twice(name: str) -> None:
    own = {"Host": "localhost", "Authorization": "Bearer tester", "Connection": "close"}
    twice = [(name, own.get(name, "one")), (name, "two")]
    lines = [f"{key}: {value}" for key, value in [*((k, v) for k, v in own.items() if k != name), *twice]]
    async with running() as server, server.wire() as (reader, writer):
        writer.write("\r\n".join(["POST /mcp HTTP/1.1", *lines, "Content-Length: 0", "\r\n"]).encode())
        answer = await reader.read()

    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"appears more than once" in answer


@pytest.mark.parametrize(("good", "told"), [(True, (200, "ready")), (False, (503, "not ready"))])
async def test_anybody_may_ask_for_health_and_learns_nothing_else(good: bool, told: tuple[int, str]) -> None:
    async def ready() -> bool:
        return good

    async with running(ready=ready) as server:
        health = await server.send("GET", "/healthz", authorization=None, host="10.0.0.7:3000")
        readiness = await server.send("GET", "/readyz", authorization=None, host="10.0.0.7:3000")
        head = await server.send("HEAD", "/healthz", authorization=None)

    assert (health.status, health.json) == (200, {"status": "ok"})
    assert (readiness.status, readiness.json) == (told[0], {"status": told[1]})
    assert (head.status, head.body) == (200, b"")


async def test_a_bug_is_a_500_that_tells_nothing_and_the_server_goes_on() -> None:
    async def broken() -> bool:
        raise RuntimeError("swordfish")

    async with running(ready=broken) as server:
        answer = await server.send("GET", "/readyz", connection="close")
        after = await server.greet()

    assert answer.status == 500
    assert b"swordfish" not in answer.body
    assert after


PAGE = "https://app.example.test"


async def test_a_page_of_a_configured_origin_may_ask_call_and_listen() -> None:
    async with running(hosts=Hosts.of("127.0.0.1", origins=[PAGE])) as server:
        asked = await server.send(
            "OPTIONS",
            origin=PAGE,
            authorization=None,
            access_control_request_method="DELETE",
            access_control_request_headers="authorization, content-type, mcp-protocol-version, mcp-session-id",
        )
        greeted = await server.post(post_of("initialize", HELLO), origin=PAGE)
        stranger = await server.post(post_of("initialize", HELLO), origin=PAGE, authorization=None)
        async with server.stream(greeted.headers["mcp-session-id"], origin=PAGE) as stream:
            streamed = dict(stream.headers)

    assert asked.status == 200
    assert "DELETE" in asked.headers["access-control-allow-methods"]
    assert [greeted.status, stranger.status] == [200, 401]
    for headers in (asked.headers, greeted.headers, stranger.headers, streamed):
        assert {name.lower(): value for name, value in headers.items()}["access-control-allow-origin"] == PAGE
        assert not {name.lower() for name in headers} & {"access-control-allow-credentials"}
    assert "mcp-session-id" in greeted.headers["access-control-expose-headers"]
    assert "www-authenticate" in stranger.headers["access-control-expose-headers"]


async def test_a_page_of_another_origin_is_not_invited() -> None:
    async with running(hosts=Hosts.of("127.0.0.1", origins=[PAGE])) as server:
        asked = await server.send("OPTIONS", origin="https://evil.test", access_control_request_method="POST")
        called = await server.post(post_of("initialize", HELLO), origin="https://evil.test")

    assert (asked.status, called.status) == (400, 403)
    assert not {"access-control-allow-origin"} & {name.lower() for name in [*asked.headers, *called.headers]}
