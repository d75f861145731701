"""Who wants to know when a resource changes, in both eras' forms."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
from mcp import Client, MCPError, types
from mcp.client.subscriptions import ResourceUpdated
from tests.engine.small_server import calls_of, server_of

from accord.engine import Subscriptions, connect
from accord.engine.serving.subscriptions import MOST_URIS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from mcp.client.session import IncomingMessage

URI = "discord://channels/123/messages"
OTHER = "discord://channels/456/messages"

# The handshake era's own requests are deprecated in the SDK, and are what its clients send all the same.
pytestmark = pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")


class Mailbox:
    """What a client was told."""

    def __init__(self) -> None:
        self.told: asyncio.Queue[str] = asyncio.Queue()

    async def __call__(self, message: IncomingMessage) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            self.told.put_nowait(message.params.uri)


@asynccontextmanager
async def subscriber(subscriptions: Subscriptions, box: Mailbox | None = None) -> AsyncIterator[Client]:
    server = server_of(calls_of([]), subscriptions=subscriptions)
    async with connect(server, "2025", message_handler=box or Mailbox()) as client:
        yield client


async def test_a_subscriber_is_told() -> None:
    subscriptions, box = Subscriptions(), Mailbox()

    async with subscriber(subscriptions, box) as client:
        await client.subscribe_resource(URI)
        await subscriptions.notify(OTHER)
        await subscriptions.notify(URI)

        assert await box.told.get() == URI
        assert box.told.empty()


async def test_subscribing_twice_tells_once() -> None:
    subscriptions, box = Subscriptions(), Mailbox()

    async with subscriber(subscriptions, box) as client:
        await client.subscribe_resource(URI)
        await client.subscribe_resource(URI)
        await subscriptions.notify(URI)
        await client.send_ping()

        assert box.told.qsize() == 1


async def test_who_unsubscribed_is_told_no_more() -> None:
    subscriptions, box = Subscriptions(), Mailbox()

    async with subscriber(subscriptions, box) as client:
        await client.subscribe_resource(URI)
        await client.unsubscribe_resource(URI)
        await subscriptions.notify(URI)
        await client.send_ping()

        assert box.told.empty()
        assert URI not in subscriptions


async def test_unsubscribing_from_what_was_never_subscribed_changes_nothing() -> None:
    subscriptions = Subscriptions()

    async with subscriber(subscriptions) as client:
        await client.subscribe_resource(URI)
        await client.unsubscribe_resource(OTHER)

        assert list(subscriptions) == [URI]


async def test_one_clients_wish_is_not_anothers() -> None:
    subscriptions, one, two = Subscriptions(), Mailbox(), Mailbox()

    async with subscriber(subscriptions, one) as first, subscriber(subscriptions, two) as second:
        await first.subscribe_resource(URI)
        await second.subscribe_resource(URI)
        await first.unsubscribe_resource(URI)
        await subscriptions.notify(URI)

        assert await two.told.get() == URI
        assert one.told.empty()


async def test_a_client_that_is_gone_is_forgotten_and_the_others_are_told() -> None:
    subscriptions, box = Subscriptions(), Mailbox()

    async with subscriber(subscriptions, box) as staying:
        async with subscriber(subscriptions) as leaving:
            await leaving.subscribe_resource(URI)
            await leaving.subscribe_resource(OTHER)
        await staying.subscribe_resource(URI)
        await subscriptions.notify(URI)
        await subscriptions.notify(OTHER)

        assert await box.told.get() == URI
        assert list(subscriptions) == [URI]


async def test_a_modern_client_listens() -> None:
    subscriptions = Subscriptions()
    server = server_of(calls_of([]), subscriptions=subscriptions)

    async with connect(server, "2026") as client, client.listen(resource_subscriptions=[URI]) as stream:
        await subscriptions.notify(OTHER)
        await subscriptions.notify(URI)

        assert await anext(stream) == ResourceUpdated(URI)


@pytest.mark.parametrize("uri", [OTHER, "discord://nowhere", ""])
async def test_a_uri_of_which_nobody_will_tell_cannot_be_subscribed_to(uri: str) -> None:
    subscriptions = Subscriptions({URI}.__contains__)

    async with subscriber(subscriptions) as client:
        await client.subscribe_resource(URI)
        with pytest.raises(MCPError, match="Resource not found") as refused:
            await client.subscribe_resource(uri)

        assert (refused.value.error.code, refused.value.error.data) == (-32002, {"uri": uri})
        assert list(subscriptions) == [URI]


async def test_a_listener_is_told_which_of_its_uris_are_heeded() -> None:
    subscriptions = Subscriptions({URI}.__contains__)
    server = server_of(calls_of([]), subscriptions=subscriptions)

    async with connect(server, "2026") as client, client.listen(resource_subscriptions=[OTHER, URI]) as stream:
        await subscriptions.notify(OTHER)
        await subscriptions.notify(URI)

        assert stream.honored.resource_subscriptions == [URI]
        assert await anext(stream) == ResourceUpdated(URI)


async def test_telling_nobody_is_no_error() -> None:
    await Subscriptions().notify(URI)


async def test_there_is_an_end_to_what_can_be_subscribed() -> None:
    subscriptions = Subscriptions()

    async with subscriber(subscriptions) as client:
        for number in range(MOST_URIS):
            await client.subscribe_resource(f"discord://{number}")
        with pytest.raises(MCPError, match="at most 1024 URIs"):
            await client.subscribe_resource(URI)
        await client.subscribe_resource("discord://0")

        assert len(subscriptions) == MOST_URIS


async def test_a_server_without_subscriptions_offers_none() -> None:
    async with connect(server_of(calls_of([])), "2025") as client:
        assert client.server_capabilities.resources is None
        with pytest.raises(MCPError) as refused:
            await client.subscribe_resource(URI)

    assert refused.value.error.code == types.METHOD_NOT_FOUND


async def test_a_server_with_subscriptions_says_so() -> None:
    async with subscriber(Subscriptions()) as client:
        resources = client.server_capabilities.resources
        assert (await client.list_resources()).resources == []

    assert resources is not None
    assert resources.subscribe
