"""The least server that can be built from stock parts: the SDK's low-level Server and its transports, aiohttp, uvicorn.

It speaks stdio; with `--http` it listens on a free port, which is the one line of its stdout. It has no gates, limits,
retries or validation. It lists the same tools, and answers with parts of what Discord sent.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from pathlib import Path
from typing import Any, TypeAlias

import aiohttp
import orjson
from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

Json: TypeAlias = Any
Context: TypeAlias = ServerRequestContext[Any, Any]

LISTING = Path(__file__).parents[1] / "src/accord/discord/tools/listing.jsonl"


SHOWN = ("id", "author", "content", "timestamp", "edited_timestamp", "type")


def listed() -> types.ListToolsResult:
    """Return the tools that the server under test lists."""
    return types.ListToolsResult(
        tools=[types.Tool.model_validate_json(line) for line in LISTING.read_bytes().splitlines()]
    )


def channel(payload: Json) -> Json:
    return payload


def history(payload: Json) -> Json:
    """Return what the server under test shows of plain messages, so that both write about the same bytes."""
    return {"messages": [{name: one[name] for name in SHOWN} for one in payload], "count": len(payload)}


TOOLS = {
    "channels_get": ("/channels/{channel_id}", channel),
    "messages_read": ("/channels/{channel_id}/messages?limit={limit}", history),
}


class Skeleton:
    """Two tools over one session."""

    def __init__(self, session: aiohttp.ClientSession, root: str) -> None:
        self._session = session
        self._root = root
        self.listed = listed()

    async def list_tools(self, context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:  # noqa: ARG002
        return self.listed

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:  # noqa: ARG002
        route, shaped = TOOLS[params.name]
        async with self._session.get(self._root + route.format_map(params.arguments or {})) as response:
            result = shaped(orjson.loads(await response.read()))
        text = types.TextContent(type="text", text=orjson.dumps(result).decode())
        return types.CallToolResult(content=[text], structured_content=result, is_error=False)


async def serve_stdio(server: Server[Any]) -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


async def serve_http(server: Server[Any]) -> None:
    """Serve both eras by the SDK's own application, JSON answers."""
    import uvicorn  # noqa: PLC0415 - stdio shall not pay for it

    listener = socket.create_server(("127.0.0.1", 0))
    # As on the listeners that uvicorn opens itself; without it each answer's second half waits for 40 ms.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    app = server.streamable_http_app(json_response=True)
    # Idle connections stay open for as long as those of the server under test: they wait while others have their turn.
    running = uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False, timeout_keep_alive=75))
    print(listener.getsockname()[1], flush=True)
    await running.serve(sockets=[listener])


async def main() -> None:
    async with aiohttp.ClientSession() as session:
        skeleton = Skeleton(session, os.environ["DISCORD_API_BASE_URL"] + "/v10")
        schemas = {tool.name: tool.input_schema for tool in skeleton.listed.tools}
        server: Server[Any] = Server(
            "skeleton",
            on_list_tools=skeleton.list_tools,
            on_call_tool=skeleton.call_tool,
            get_tool_input_schema=schemas.get,  # else the SDK lists all tools at each call over HTTP
        )
        await (serve_http(server) if "--http" in sys.argv else serve_stdio(server))


if __name__ == "__main__":
    asyncio.run(main())
