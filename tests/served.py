"""discord-mcp on a sandbox, for tests: a built server, and calls through the official client."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal

from mcp import Client
from mcp.types import TextContent

from accord.discord import BuildServerResult, build_rest, build_server, load_config
from accord.discord.sandbox import Sandbox, demo
from accord.engine import State, connect

__all__ = ["Called", "Desk", "approval_of", "desk", "environment"]

Era = Literal["2025", "2026"]


@dataclass(frozen=True)
class Called:
    """What a tool call came back as, by the official client."""

    structured: dict[str, Any]
    text: str
    failed: bool

    @property
    def code(self) -> str | None:
        """The code of a failure."""
        return self.structured.get("code") if self.failed else None


@dataclass(frozen=True)
class Desk:
    """A client on a server on a sandbox."""

    client: Client
    built: BuildServerResult
    sandbox: Sandbox
    approves: bool = True

    async def call(self, tool: str, arguments: Mapping[str, Any] | None = None, /, **more: Any) -> Called:
        """Call a tool; arguments by name, or as a mapping where a name is no Python name.

        A payload that needs an approval is approved as its preview asks for, as an agent would do.
        """
        given = {**(arguments or {}), **more}
        called = await self._call(tool, given)
        if self.approves and called.code == "PAYLOAD_CONFIRMATION_REQUIRED":
            return await self._call(tool, given | approval_of(called.structured))
        return called

    async def confirmed(self, tool: str, arguments: Mapping[str, Any] | None = None, /, **more: Any) -> Called:
        """Call a tool, confirmed: for what its arguments make a call that is asked about."""
        return await self.call(tool, {**(arguments or {}), "__confirm": True}, **more)

    async def _call(self, tool: str, arguments: Mapping[str, Any]) -> Called:
        result = await self.client.call_tool(tool, dict(arguments))
        block = result.content[0]
        assert isinstance(block, TextContent)
        return Called(result.structured_content or {}, block.text, result.is_error)

    @property
    def writes(self) -> list[str]:
        """The writes that the sandbox saw, as `METHOD path`."""
        return [f"{one.method} {one.path}" for one in self.sandbox.requests if one.method != "GET"]


def approval_of(preview: Mapping[str, Any]) -> dict[str, Any]:
    """Return the reserved arguments with which a payload that was shown is sent."""
    return {
        "__confirm": True,
        "__confirm_hash": preview["payload_hash"],
        "__confirm_id": preview["approval_id"],
    }


def environment(sandbox: Sandbox, **variables: str | None) -> dict[str, str]:
    """Return an environment for a server on this sandbox, locked to its bot and disarmed unless said otherwise.

    None leaves a variable out.
    """
    own = {"DISCORD_TOKEN": sandbox.token, "DISCORD_API_BASE_URL": sandbox.base_url, "MCP_DRY_RUN": "false"}
    whole = {**own, "DISCORD_EXPECTED_BOT_ID": demo.BOT, "MCP_AUDIT_SINK": "none", **variables}
    return {name: value for name, value in whole.items() if value is not None}


@asynccontextmanager
async def desk(
    sandbox: Sandbox,
    era: Era = "2026",
    *,
    state: State | None = None,
    options: Mapping[str, Any] | None = None,
    approves: bool = True,
    proven: bool = True,
    clock: Callable[[], float] = time.time,
    **variables: str | None,
) -> AsyncIterator[Desk]:
    """Serve this sandbox in process to the official client of one era; variables are the environment's.

    `options` are the client's own. A given `state` is left open. With `approves`, payloads are approved as their
    previews ask for. The bot counts as `proven`, so that a test sees its own requests only.
    """
    config = load_config(environment(sandbox, **variables))
    rest = build_rest(config)
    if proven:
        rest.places.learn(("bot", demo.BOT), demo.BOT, for_good=True)
    built = build_server(rest=rest, config=config, transport="memory", state=state, clock=clock)
    try:
        async with connect(built.server, era, **(options or {})) as client:
            yield Desk(client, built, sandbox, approves)
    finally:
        await built.audit_sink.close()
        if built.approvals is not built.state:
            await built.approvals.close()
        if state is None:
            await built.state.close()
        await rest.aclose()
