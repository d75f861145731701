"""Streamable HTTP as one ASGI application: MCP for both eras, health and readiness."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from accord.engine.nouns import Front
from accord.engine.serving.door import Door
from accord.engine.serving.guard import Hosts, Limits

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from starlette.types import Receive, Scope, Send

    from accord.engine.serving.sessions import Sessions

__all__ = ["HttpApp", "http_app"]

Ready: TypeAlias = Callable[[], Awaitable[bool]]


class HttpApp(Starlette):
    """The ASGI application: MCP at its path (and with a slash), `/healthz` and `/readyz`."""

    def __init__(self, door: Door, ready: Ready | None, path: str) -> None:
        self._door = door
        self._ready = ready
        routes = [Route("/healthz", self._healthz), Route("/readyz", self._readyz)]
        super().__init__(routes=routes, lifespan=door.lifespan)
        self.router.redirect_slashes = False
        self._paths = frozenset({path, f"{path}/"})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand MCP's own requests to the door at once: routing would be a good part of what they cost."""
        if scope["type"] == "http" and scope["path"] in self._paths:
            await self._door(scope, receive, send)
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
    """
    return HttpApp(Door(server, front, sessions, hosts, limits or Limits()), ready, path)
