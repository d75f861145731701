"""Who wants to know when a resource changes, in both eras' forms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from mcp import types
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated
from mcp.shared.exceptions import MCPError

from accord.engine.logs import logger
from accord.engine.serving.resources import not_found

if TYPE_CHECKING:
    from mcp.server.connection import Connection
    from mcp.server.context import ServerRequestContext
    from mcp.server.session import ServerSession

__all__ = ["Subscriptions"]

_log = logger("accord.subscriptions")

MOST_URIS = 1024
"""How many different URIs may be subscribed to at once."""


class Subscriptions:
    """The subscribed URIs of one server, and the way to their subscribers.

    A client of the handshake era subscribes URI by URI; one of 2026 keeps a listen stream open, which this only feeds.
    `knows` says of a URI whether there is anything to tell of it; by default there may be of every one.
    """

    def __init__(self, knows: Callable[[str], bool] | None = None) -> None:
        self._knows = knows or (lambda _uri: True)
        self._sessions: dict[str, list[ServerSession]] = {}
        self._watched: WeakSet[Connection] = WeakSet()
        self._bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self._bus)

    def __contains__(self, uri: str) -> bool:
        return uri in self._sessions

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._sessions))

    def __len__(self) -> int:
        return len(self._sessions)

    async def subscribe(
        self, context: ServerRequestContext[Any, Any], params: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        """Add a session's wish; a second time changes nothing.

        Raises:
            MCPError: Nobody will ever tell of the URI, or too many are subscribed to.
        """
        if not self._knows(params.uri):
            raise not_found(context, params.uri)
        if params.uri not in self._sessions and len(self) >= MOST_URIS:
            raise MCPError(code=types.INVALID_REQUEST, message=f"at most {MOST_URIS} URIs can be subscribed to")
        wishing = self._sessions.setdefault(params.uri, [])
        if not any(_is_same_client(one, context.session) for one in wishing):
            wishing.append(context.session)
            self._watch(context.session)
        return types.EmptyResult()

    async def unsubscribe(
        self, context: ServerRequestContext[Any, Any], params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        """Take the wish back; where there is none, nothing changes."""
        self._forget(params.uri, context.session)
        return types.EmptyResult()

    async def listen(
        self, context: ServerRequestContext[Any, Any], params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Serve one stream of the 2026 era. What it acknowledges leaves out the URIs of which nobody will tell."""
        asked = params.notifications
        known = [uri for uri in asked.resource_subscriptions or () if self._knows(uri)]
        heeded = asked.model_copy(update={"resource_subscriptions": known})
        return await self._listen(context, params.model_copy(update={"notifications": heeded}))

    async def notify(self, uri: str) -> None:
        """Tell the URI's subscribers that it changed. A client that is gone is forgotten."""
        await self._bus.publish(ResourceUpdated(uri))
        for session in list(self._sessions.get(uri, ())):
            try:
                await session.send_resource_updated(uri)
            except Exception as error:  # noqa: BLE001 - one lost client must not keep it from the others
                _log.info("a subscriber is gone", error=type(error).__name__)
                self._forget(uri, session)

    def _watch(self, session: ServerSession) -> None:
        """Forget the client when its connection ends: telling one that is gone fails in silence."""
        connection = session._connection  # noqa: SLF001 - the SDK tells of a connection's end nowhere else
        if connection not in self._watched:
            self._watched.add(connection)
            connection.exit_stack.callback(self._forget_client, session)

    def _forget_client(self, session: ServerSession) -> None:
        for uri in list(self._sessions):
            self._forget(uri, session)

    def _forget(self, uri: str, session: ServerSession) -> None:
        left = [one for one in self._sessions.get(uri, ()) if not _is_same_client(one, session)]
        if left:
            self._sessions[uri] = left
        else:
            self._sessions.pop(uri, None)


def _is_same_client(one: ServerSession, other: ServerSession) -> bool:
    # The SDK makes a session object for each request; what a client said at its handshake is one object a connection.
    return one.client_params is other.client_params
