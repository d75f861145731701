"""Our tools on the official SDK's low-level Server, which speaks both eras of the protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from mcp import types
from mcp.server.caching import CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from accord.engine.calls.enter import Calls
from accord.engine.nouns import Backchannel, Caller, InputRequired, Reply, Resource, State
from accord.engine.serving.asking import Handshake, RoundTrip, Seal
from accord.engine.serving.listing import Listing
from accord.engine.serving.resources import FIRST_MODERN_VERSION, Library
from accord.engine.serving.subscriptions import Subscriptions

__all__ = ["Context", "serve"]

Json: TypeAlias = Any
Context: TypeAlias = ServerRequestContext[Any, Any]

LIST_TTL_MS = 60 * 60 * 1000
"""How long a client of the 2026 era may keep a list: it only changes with a restart."""


@dataclass(frozen=True, slots=True)
class _Desk:
    """What answers the protocol's requests for one server."""

    calls: Calls
    local: Caller
    listing_for: Callable[[Caller], Listing]
    seal: Seal

    async def fill_in(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Put what we made into the SDK's own answer, which need not be validated and copied on its way out.

        The handlers below answer with an empty shell, of which the SDK makes the answer of the client's version.
        """
        _refuse_mixed_eras(ctx)
        made: dict[str, Json] = {}
        ctx.lifespan_context = made
        result = await call_next(ctx)
        return {**result, **made} if isinstance(result, dict) else result

    async def list_tools(self, context: Context, params: types.PaginatedRequestParams | None) -> Json:  # noqa: ARG002
        """Answer with the prepared listing."""
        context.lifespan_context["tools"] = self.listing_for(self._caller(context))
        return {"tools": [], "resultType": "complete"}

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> Json:
        """Walk one tools/call through the engine."""
        caller = self._caller(context)
        backchannel = self._backchannel(context, params)
        outcome = await self.calls.enter(caller, params.name, params.arguments, backchannel=backchannel)
        if isinstance(outcome, InputRequired):
            return {"resultType": "input_required", "inputRequests": outcome.requests, "requestState": outcome.state}
        context.lifespan_context.update(_contents(outcome))
        return {"content": [], "isError": outcome.is_error, "resultType": "complete"}

    def _caller(self, context: Context) -> Caller:
        caller: Caller = self.local if context.request is None else context.request.caller
        return caller

    def _backchannel(self, context: Context, params: types.CallToolRequestParams) -> Backchannel:
        if context.protocol_version >= FIRST_MODERN_VERSION:
            return RoundTrip(context, params, self.seal)
        return Handshake(context)


def _contents(reply: Reply) -> dict[str, Json]:
    """Return what a reply says, as the protocol writes it."""
    contents: dict[str, Json] = {"content": [{"type": "text", "text": reply.text}, *reply.blocks]}
    if reply.structured is not None:
        contents["structuredContent"] = reply.structured
    return contents


def _refuse_mixed_eras(ctx: Context) -> None:
    """Refuse a request of the 2026 era on a connection that began with a handshake, as the SDK's own loop does.

    Raises:
        MCPError: It is one.
    """
    meta = (ctx.params or {}).get("_meta")
    if (
        isinstance(meta, Mapping)
        and ctx.protocol_version < FIRST_MODERN_VERSION
        and types.PROTOCOL_VERSION_META_KEY in meta
    ):
        message = "this connection began with a handshake; requests with the 2026-07-28 envelope are not taken on it"
        raise MCPError(code=types.INVALID_REQUEST, message=message)


def _resources(library: Library, subscriptions: Subscriptions | None) -> dict[str, Any]:
    """Return the handlers of what this server offers: none, reading alone, or being told as well."""
    if subscriptions is None:
        return {"on_list_resources": library.list, "on_read_resource": library.read} if len(library) else {}
    return {
        "on_list_resources": library.list,
        "on_read_resource": library.read,
        "on_subscribe_resource": subscriptions.subscribe,
        "on_unsubscribe_resource": subscriptions.unsubscribe,
        "on_subscriptions_listen": subscriptions.listen,
    }


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
    resources: Iterable[Resource] = (),
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
        resources: What clients can list and read.
        subscriptions: Lets clients subscribe to resources; without it nothing is told of them.
        listing_for: What tools/list answers one caller, where that is not the same for all.

    Raises:
        ValueError: Two resources have one URI.
    """
    caller = local or Caller(id="local", transport="memory")
    desk = _Desk(calls, caller, listing_for or (lambda _: listing), Seal(state))
    server: Server[Any] = Server(
        name,
        version=version,
        instructions=instructions,
        cache_hints={method: CacheHint(ttl_ms=LIST_TTL_MS) for method in ("tools/list", "resources/list")},
        get_tool_input_schema=lambda tool: known.shape.published if (known := calls.tools.get(tool)) else None,
        on_list_tools=desk.list_tools,
        on_call_tool=desk.call_tool,
        **_resources(Library(resources), subscriptions),
    )
    if not traced:
        server.middleware.clear()
    server.middleware.append(desk.fill_in)
    return server
