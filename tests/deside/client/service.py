"""A service that can be made to lie: it signs wallets in, without checking anything, and changes one answer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from aiohttp import web

__all__ = ["Service", "serving"]

Json: TypeAlias = dict[str, Any]
Change: TypeAlias = Callable[[Json], Json]


@dataclass
class Service:
    """What it was asked, and what it answers otherwise than it should."""

    url: str = ""
    changes: dict[str, Json] = field(default_factory=dict)
    """By the last word of a path: what is put into its answer; by "returned", into the last redirect's query."""
    refusals: dict[str, tuple[int, Json]] = field(default_factory=dict)
    """By the last word of a path: the answer itself, while there is one."""
    asked: list[tuple[str, Json]] = field(default_factory=list)
    mcp_answers: list[tuple[int, Json] | None] = field(default_factory=list)
    """What calls are answered with, in order; None hangs up. After them, each succeeds."""
    calls: list[web.Request] = field(default_factory=list)
    """The requests to MCP with a token."""
    tokens: int = 0
    sessions: int = 0
    state: str = ""

    @property
    def words(self) -> list[str]:
        """What was asked, in order."""
        return [word for word, _ in self.asked]

    def asked_of(self, word: str) -> list[Json]:
        """Return the requests for one thing."""
        return [request for asked, request in self.asked if asked == word]

    def answer(self, word: str) -> Json:
        """Return what it truly says."""
        origin = self.url
        answers: dict[str, Json] = {
            "mcp": {"resource": f"{origin}/mcp", "authorization_servers": [origin]},
            "oauth-authorization-server": {
                "issuer": origin,
                "authorization_endpoint": f"{origin}/oauth/authorize",
                "token_endpoint": f"{origin}/oauth/token",
                "registration_endpoint": f"{origin}/oauth/register",
                "revocation_endpoint": f"{origin}/oauth/revoke",
                "code_challenge_methods_supported": ["S256"],
            },
            "register": {"client_id": "a-client"},
            "wallet-challenge": {
                "nonce": "n-1",
                "domain": origin.removeprefix("http://"),
                "message_format": "Domain: {domain}\nNonce: {nonce}",
                "state": "the-state",
            },
            "token": {
                "access_token": f"access-{self.tokens}",
                "refresh_token": f"refresh-{self.tokens}",
                "expires_in": 3600,
                "scope": "dm:read dm:write",
            },
            "revoke": {},
        }
        return answers[word] | self.changes.get(word, {})


@asynccontextmanager
async def serving() -> AsyncIterator[Service]:
    """Run the service on a free port."""
    service = Service()
    application = web.Application()

    async def answered(request: web.Request) -> web.Response:
        return await _answered(service, request)

    application.router.add_route("*", "/{path:.*}", answered)
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    service.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield service
    finally:
        await runner.cleanup()


async def _answered(service: Service, request: web.Request) -> web.Response:
    word = request.path.rpartition("/")[2]
    body = await request.json() if request.can_read_body else dict(request.query)
    service.asked.append((f"{request.method} {word}", body))
    if word in service.refusals:
        status, said = service.refusals[word]
        return web.json_response(said, status=status)
    if request.path == "/mcp":
        return _mcp(service, request, body)
    if word == "authorize":
        service.state = body["state"]
        return _redirect(f"{service.url}/oauth/wallet-challenge?state=the-state", service.changes.get("authorize"))
    if word == "wallet-challenge" and request.method == "POST":
        truly = {"to": f"{service.url}/deside-mcp/signed-in", "code": "a-code", "state": service.state}
        returned = truly | service.changes.get("returned", {})
        query = "&".join(f"{name}={value}" for name, value in returned.items() if name != "to")
        return _redirect(f"{returned['to']}?{query}")
    if word == "token":
        service.tokens += 1
    return web.json_response(service.answer(word))


def _mcp(service: Service, request: web.Request, body: Json) -> web.Response:
    if "authorization" not in request.headers or request.method == "DELETE":
        return web.json_response({"error": "session_required"}, status=400)
    if body["method"] == "notifications/initialized":
        return web.Response(status=202)
    service.calls.append(request)
    answer = service.mcp_answers.pop(0) if service.mcp_answers else (200, {})
    if answer is None:
        assert request.transport is not None
        request.transport.close()
        return web.Response()
    status, said = answer
    if body["method"] == "initialize" and status == 200:
        service.sessions += 1
    result = {"structuredContent": {"status": "delivered"}}
    whole = {"jsonrpc": "2.0", "id": body["id"], "result": result} if status == 200 else {}
    headers = {"mcp-session-id": f"session-{service.sessions}"}
    return web.json_response(whole | said, status=status, headers=headers)


def _redirect(location: str, change: Json | None = None) -> web.Response:
    return web.Response(status=302, headers={"location": (change or {}).get("location", location)})
