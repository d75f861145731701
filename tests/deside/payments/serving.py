"""An application on a free loopback port of this process, and answers that come in parts."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from starlette.responses import Response, StreamingResponse
from starlette.types import ASGIApp

__all__ = ["in_parts", "on_port"]

PART_BYTES = 500


def in_parts(body: bytes) -> Response:
    """Return an answer that comes in parts, with time between them."""

    async def parts() -> AsyncIterator[bytes]:
        for start in range(0, len(body), PART_BYTES):
            yield body[start : start + PART_BYTES]
            await asyncio.sleep(0.001)

    return StreamingResponse(parts(), media_type="application/json")


@asynccontextmanager
async def on_port(app: ASGIApp) -> AsyncIterator[str]:
    """Serve until the block ends, at this URL."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # or an answer's second half is late
    settings = uvicorn.Config(app, log_config=None, access_log=False, ws="none", lifespan="off")
    settings.load()
    server = uvicorn.Server(settings)
    server.lifespan = settings.lifespan_class(settings)
    await server.startup([listener])
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        for one in server.servers:
            one.close()
        if tasks := server.server_state.tasks:
            await asyncio.wait(tasks, timeout=5)
