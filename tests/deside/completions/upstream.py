"""A model server on loopback that speaks OpenAI's chat completions, rightly or in every wrong way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from aiohttp import web

__all__ = ["Upstream", "answered", "failing", "upstream"]

Json: TypeAlias = Any
Manner: TypeAlias = Callable[[web.Request, Json], Awaitable[web.StreamResponse]]


def answered(text: Json = "Four.", *, finish_reason: Json = "stop", usage: Json = ...) -> Manner:
    """Answer as a model server does."""
    counted = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9} if usage is ... else usage

    async def manner(_request: web.Request, body: Json) -> web.Response:
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish_reason}
        whole = {"id": "c1", "object": "chat.completion", "created": 1, "model": body["model"], "choices": [choice]}
        return web.json_response(whole | ({"usage": counted} if counted else {}))

    return manner


def failing(status: int, message: str = "no", headers: dict[str, str] | None = None) -> Manner:
    """Refuse as OpenAI does, quoting the prompt as some do."""

    async def manner(_request: web.Request, body: Json) -> web.Response:
        quoted = f"{message}: {body['messages'][0]['content']}"
        return web.json_response({"error": {"message": quoted, "type": "x"}}, status=status, headers=headers)

    return manner


@dataclass
class Upstream:
    """A running server: what it was sent, and how it behaves."""

    url: str = ""
    manner: Manner = field(default_factory=answered)
    bodies: list[Json] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    reached: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.bodies.append(body)
        self.headers.append(dict(request.headers))
        self.reached.set()
        return await self.manner(request, body)


@asynccontextmanager
async def upstream(manner: Manner | None = None) -> AsyncIterator[Upstream]:
    """Run a server for as long as the context."""
    running = Upstream(manner=manner or answered())
    app = web.Application()
    app.router.add_post("/v1/chat/completions", running.serve)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    running.url = f"http://{host}:{port}/v1"
    try:
        yield running
    finally:
        await runner.cleanup()
