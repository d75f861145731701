"""Our tools on the official SDK's low-level Server, which speaks both eras of the protocol."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from mcp import types
from mcp.server.caching import CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server

from accord.engine.calls.enter import Calls
from accord.engine.nouns import Backchannel, Caller, InputRequired, Outcome, State
from accord.engine.serving.asking import Handshake, RoundTrip, Seal
from accord.engine.serving.listing import Listing
from accord.engine.serving.subscriptions import Subscriptions

__all__ = ["Context", "serve"]

Json: TypeAlias = Any
Context: TypeAlias = ServerRequestContext[Any, Any]

LIST_TTL_MS = 60 * 60 * 1000
"""How long a client of the 2026 era may keep the list: it only changes with a restart."""

FIRST_MODERN_VERSION = "2026-07-28"
"""Protocol versions are dates, and from this one on there is no handshake."""


@dataclass(frozen=True, slots=True)
class _Desk:
    """What answers the protocol's requests for one server."""

    calls: Calls
    local: Caller
    listing_for: Callable[[Caller], Listing]
    seal: Seal

    async def list_tools(self, context: Context, params: types.PaginatedRequestParams | None) -> Json:  # noqa: ARG002
        """Answer with no tools: `insert_listing` puts the prepared ones in, which need no validation a second time."""
        return {"tools": [], "resultType": "complete"}

    async def insert_listing(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Put the prepared listing into the SDK's own answer to tools/list."""
        result = await call_next(ctx)
        if ctx.method == "tools/list" and isinstance(result, dict):
            return {**result, "tools": self.listing_for(self._caller(ctx))}
        return result

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> Json:
        """Walk one tools/call through the engine."""
        caller = self._caller(context)
        backchannel = self._backchannel(context, params)
        return _wire(await self.calls.enter(caller, params.name, params.arguments, backchannel=backchannel))

    def _caller(self, context: Context) -> Caller:
        caller: Caller = self.local if context.request is None else context.request.caller
        return caller

    def _backchannel(self, context: Context, params: types.CallToolRequestParams) -> Backchannel:
        if context.protocol_version >= FIRST_MODERN_VERSION:
            return RoundTrip(context, params, self.seal)
        return Handshake(context)


def _wire(outcome: Outcome) -> dict[str, Json]:
    """Return the result as the protocol writes it."""
    if isinstance(outcome, InputRequired):
        return {"resultType": "input_required", "inputRequests": outcome.requests, "requestState": outcome.state}
    result: dict[str, Json] = {"content": [{"type": "text", "text": outcome.text}, *outcome.blocks]}
    if outcome.structured is not None:
        result["structuredContent"] = outcome.structured
    result["isError"] = outcome.is_error
    result["resultType"] = "complete"
    return result


def _resources(subscriptions: Subscriptions) -> dict[str, Any]:
    return {
        "on_list_resources": _no_resources,
        "on_subscribe_resource": subscriptions.subscribe,
        "on_unsubscribe_resource": subscriptions.unsubscribe,
        "on_subscriptions_listen": subscriptions.listen,
    }


async def _no_resources(context: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:  # noqa: ARG001
    """Answer that no resource is listed; what can be subscribed to is the embedder's to say."""
    return types.ListResourcesResult(resources=[])


def serve(
    name: str,
    version: str,
    calls: Calls,
    listing: Listing,
    state: State,
    *,
    local: Caller | None = None,
    instructions: str | None = None,
    traced: bool = False,
    subscriptions: Subscriptions | None = None,
    listing_for: Callable[[Caller], Listing] | None = None,
) -> Server[Any]:
    """Return the SDK's Server with our tools on it, not yet connected to a transport.

    Args:
        name: As clients show it.
        version: As clients show it.
        calls: The tools behind their gates.
        listing: What tools/list answers.
        state: Keeps the key and the open questions of the 2026 era.
        local: Who calls over stdio and in process; over HTTP each request has a caller of its own.
        instructions: What a model is told of the whole server.
        traced: Keep the SDK's span for each message, which costs time even where nothing exports it.
        subscriptions: Lets clients subscribe to resources; without it the server offers none.
        listing_for: What tools/list answers one caller, where that is not the same for all.
    """
    caller = local or Caller(id="local", transport="memory")
    desk = _Desk(calls, caller, listing_for or (lambda _: listing), Seal(state))
    server: Server[Any] = Server(
        name,
        version=version,
        instructions=instructions,
        cache_hints={"tools/list": CacheHint(ttl_ms=LIST_TTL_MS, scope="private")},
        get_tool_input_schema=lambda tool: known.shape.published if (known := calls.tools.get(tool)) else None,
        on_list_tools=desk.list_tools,
        on_call_tool=desk.call_tool,
        **({} if subscriptions is None else _resources(subscriptions)),
    )
    if not traced:
        server.middleware.clear()
    server.middleware.append(desk.insert_listing)
    return server
