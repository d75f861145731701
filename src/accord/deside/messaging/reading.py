"""What is in a conversation, and how far it is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias, cast

import orjson
import sqlalchemy as sa

from accord.deside.errors import NotFoundError
from accord.deside.messaging.pairs import Pair
from accord.deside.models.messages import Marked, Message, Messages
from accord.deside.store.tables.messaging import CONVERSATIONS, MESSAGES
from accord.deside.times import iso

__all__ = ["mark", "page", "said"]

Json: TypeAlias = Any


def page(connection: sa.Connection, pair: Pair, limit: int, before_seq: int | None) -> Messages:
    """Return the newest messages, of those before `before_seq` if it is given; none where nothing was written yet."""
    found = sa.select(MESSAGES).where(MESSAGES.c.conv_id == pair.conv_id)
    if before_seq is not None:
        found = found.where(MESSAGES.c.seq < before_seq)
    rows = connection.execute(found.order_by(MESSAGES.c.seq.desc()).limit(limit + 1)).all()
    shown = rows[:limit]
    return {
        "messages": [_message(row) for row in shown],
        "nextCursor": str(shown[-1].seq) if shown else None,
        "hasMore": len(rows) > limit,
    }


def mark(connection: sa.Connection, pair: Pair, seq: int) -> Marked:
    """Mark a conversation as read up to a message: never less than before, and never beyond the newest one.

    Raises:
        NotFoundError: Nothing was written there yet.
    """
    kept, side = CONVERSATIONS.c, pair.side
    # The row is locked first: the next statement then sees every message that its counts include.
    own = sa.select(kept.seq_max, kept[f"{side}_read"].label("read")).where(kept.conv_id == pair.conv_id)
    row = connection.execute(own.with_for_update()).one_or_none()
    if row is None:
        raise NotFoundError(resource="conversation")
    read = max(row.read, min(seq, row.seq_max))
    if read > row.read:
        unread = sa.select(sa.func.count()).where(
            MESSAGES.c.conv_id == pair.conv_id, MESSAGES.c.seq > read, MESSAGES.c.sender == pair.peer
        )
        changes = {f"{side}_read": read, f"{side}_unread": unread.scalar_subquery()}
        connection.execute(sa.update(CONVERSATIONS).where(kept.conv_id == pair.conv_id).values(**changes))
    return {"convId": pair.conv_id, "seq": read, "marked": read == seq or read > row.read}


def said(row: Any) -> Mapping[str, Json]:
    """Return what a message says, and when; its blocks too where it has some."""
    words = {"content": row.content, "sourceType": row.source_type, "createdAt": iso(row.created_at_ms)}
    return words if row.blocks is None else words | {"blocks": orjson.loads(row.blocks)}


def _message(row: Any) -> Message:
    return cast("Message", {"seq": row.seq, "sender": row.sender, **said(row)})
