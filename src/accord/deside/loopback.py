"""What is for this machine alone is not answered to anybody else."""

from __future__ import annotations

import ipaddress
from typing import Final
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["LoopbackOnly", "is_loopback"]

FORBIDDEN: Final = JSONResponse({"error": "forbidden", "message": "This is for loopback alone."}, 403)


class LoopbackOnly:
    """Answers 403 to whatever does not come from this machine: by address, by name, or by the page that sent it.

    A name that leads to loopback is not enough: any page could have one (DNS rebinding).
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it."""
        ours = scope["type"] != "http" or _is_ours(Request(scope))
        await (self._app if ours else FORBIDDEN)(scope, receive, send)


def _is_ours(request: Request) -> bool:
    page = request.headers.get("origin")
    came_from = request.client.host if request.client else ""
    return all(map(is_loopback, (came_from, request.url.hostname, urlsplit(page).hostname if page else "localhost")))


def is_loopback(host: str | None) -> bool:
    """Whether this is a name or an address of loopback."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return False
