"""messages: write to a wallet, read what came in, and keep up with what is new."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from accord.deside.desk import Desk
from accord.deside.models.addresses import Address
from accord.deside.models.messages import (
    Blocks,
    Conversations,
    ConvId,
    Cursor,
    IdempotencyKey,
    Marked,
    Messages,
    PageSize,
    Sent,
    Synced,
    Text,
)
from accord.deside.people.addresses import wallet_of
from accord.engine import Effect, Field, Issue, Toolset

__all__ = ["tools"]

tools = Toolset("messages", fence="untrusted_deside")

Seq = Annotated[int, Field(minimum=1, maximum=2**53 - 1)]
ReadAt = Annotated[
    str,
    Field(
        pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{5,15}(Z|[+-][0-9]{2}:[0-9]{2})$",
        description="ISO 8601; taken and not kept, for nobody is shown when you read",
    ),
]


def one_of_both(arguments: Mapping[str, Any]) -> Iterator[Issue]:
    """Want a text or blocks, and not both."""
    if ("text" in arguments) == ("blocks" in arguments):
        yield Issue(path="", message="give exactly one of `text` and `blocks`", code="exactly_one")


@tools.tool(Effect.CREATE, scope="dm:write", say="{status}: {convId}.", checks=(one_of_both,))
async def send_dm(
    desk: Desk,
    to_wallet: Address,
    text: Text | None = None,
    blocks: Blocks | None = None,
    idempotency_key: IdempotencyKey | None = None,
) -> Sent:
    """Send a direct message to a wallet, as text or as rich blocks.

    `pending_acceptance`: it waits until the recipient accepts your contact request. `user_not_registered`: nothing was
    sent. To repeat a call safely, give it an idempotency_key.
    """
    return await desk.messages.send(
        desk.wallet, wallet_of(to_wallet, "to_wallet"), text=text, blocks=blocks, idempotency_key=idempotency_key
    )


@tools.tool(Effect.READ, scope="dm:read", open_world=False)
async def read_dms(desk: Desk, conv_id: ConvId, limit: PageSize = 50, before_seq: Seq | None = None) -> Messages:
    """Read a conversation, the newest message first. For older ones give nextCursor as before_seq."""
    return await desk.messages.read(desk.wallet, conv_id, limit=limit, before_seq=before_seq)


@tools.tool(Effect.UPDATE, scope="dm:read", say="Read up to message {seq} of {convId}.", open_world=False)
async def mark_dm_read(
    desk: Desk,
    conv_id: ConvId,
    seq: Seq,
    read_at: ReadAt | None = None,  # noqa: ARG001 - the contract's
) -> Marked:
    """Mark a conversation as read up to a message. It never moves back, nor beyond the newest message."""
    return await desk.messages.mark_read(desk.wallet, conv_id, seq)


@tools.tool(Effect.READ, scope="dm:read", open_world=False)
async def list_conversations(desk: Desk, limit: PageSize = 20, cursor: Cursor | None = None) -> Conversations:
    """List your conversations, the last used first, with the newest message and how many you have not read.

    Contact requests are not among them: see list_contact_requests.
    """
    return await desk.messages.conversations(desk.wallet, limit=limit, cursor=cursor)


@tools.tool(Effect.READ, scope="dm:read", open_world=False)
async def sync_messages(
    desk: Desk, cursor: Cursor | None = None, conv_id: ConvId | None = None, limit: PageSize = 50
) -> Synced:
    """Get all messages since a cursor, sent and received, of all conversations or of one; none is skipped or repeated.

    Keep next_cursor, also where nothing is new, and ask again with it.
    """
    return await desk.messages.sync(desk.wallet, cursor=cursor, conv_id=conv_id, limit=limit)
