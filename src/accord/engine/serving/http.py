"""Streamable HTTP as one ASGI application: MCP for both eras, health and readiness."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

from starlette.applications import Starlette
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from accord.engine.nouns import Front, Refusal
from accord.engine.serving.bindings import SessionRules
from accord.engine.serving.door import Door, refuse
from accord.engine.serving.guard import Hosts, Limits
from accord.engine.serving.posted import SESSION_HEADER, headers_of

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from starlette.types import ASGIApp, Receive, Scope, Send

    from accord.engine.serving.sessions import Sessions

__all__ = ["HttpApp", "http_app"]

Ready: TypeAlias = Callable[[], Awaitable[bool]]


REQUEST_HEADERS = (
    "accept",
    "authorization",
    "content-type",
    "last-event-id",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    SESSION_HEADER,
    "x-mcp-categories",
    "x-mcp-readonly",
)
"""What a page may send: the protocol's headers of both eras, and those by which a request narrows its rights."""

ANSWER_HEADERS = ("retry-after", SESSION_HEADER, "www-authenticate")
"""What a page may read."""


def _for_pages(app: ASGIApp, origins: Iterable[str]) -> ASGIApp:
    """Let web pages of these origins call, and no others: without one, browsers are told nothing at all."""
    origins = sorted(origins)
    if not origins:
        return app
    return CORSMiddleware(
        app,
        allow_origins=origins,
        allow_methods=("GET", "POST", "DELETE"),
        allow_headers=REQUEST_HEADERS,
        expose_headers=ANSWER_HEADERS,
    )


class HttpApp(Starlette):
    """The ASGI application: MCP at its path (and with a slash), `/healthz` and `/readyz`, and what a product adds.

    Who asks for health may call the server by any name, such as its address; everything else is for allowed hosts. From
    which pages a product's own routes may be called is for these to say.
    """

    def __init__(self, door: Door, hosts: Hosts, ready: Ready | None, path: str, routes: Iterable[BaseRoute]) -> None:
        self._door = door
        self._mcp = _for_pages(door, hosts.origins)
        self._hosts = hosts
        self._ready = ready
        health = [Route("/healthz", self._healthz), Route("/readyz", self._readyz)]
        super().__init__(routes=[*health, *routes], lifespan=door.lifespan)
        self._open = frozenset(route.path for route in health)
        self.router.redirect_slashes = False
        self._paths = frozenset({path, f"{path}/"})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand MCP's own requests to the door at once: routing would be a good part of what they cost."""
        if scope["type"] == "http" and scope["path"] in self._paths:
            await self._mcp(scope, receive, send)
        elif scope["type"] == "http" and scope["path"] not in self._open:
            await self._guarded(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)

    async def _guarded(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            self._hosts.check_host(headers_of(scope))
        except Refusal as refusal:
            await refuse(refusal, receive, send)
        else:
            await super().__call__(scope, receive, send)

    def end_streams(self) -> None:
        """End the streams that clients hold open, and open no more: call it when the server is about to stop."""
        self._door.end_streams()

    async def _healthz(self, _: object) -> Response:
        return Response(b'{"status":"ok"}', media_type="application/json")

    async def _readyz(self, _: object) -> Response:
        good = self._ready is None or await self._ready()
        status, word = (200, b"ready") if good else (503, b"not ready")
        return Response(b'{"status":"' + word + b'"}', status_code=status, media_type="application/json")


def http_app(
    server: Server[Any],
    front: Front,
    sessions: Sessions,
    hosts: Hosts,
    *,
    limits: Limits | None = None,
    ready: Ready | None = None,
    path: str = "/mcp",
    rules: SessionRules | None = None,
    routes: Iterable[BaseRoute] = (),
) -> HttpApp:
    """Return the application.

    Args:
        server: From `serve`.
        front: Who may come in.
        sessions: Those of the handshake era.
        hosts: The names and origins under which it may be called.
        limits: On bodies, requests under way and silence.
        ready: Whether the service behind it can be reached; asked by `/readyz`.
        path: Where MCP is.
        rules: How sessions belong to callers.
        routes: What else is served, to the same hosts.
    """
    return HttpApp(Door(server, front, sessions, hosts, limits or Limits(), rules=rules), hosts, ready, path, routes)
