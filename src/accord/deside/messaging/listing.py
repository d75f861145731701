"""A wallet's conversations, the last used first, page by page as they stood when the first page was read."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any, TypeAlias

import sqlalchemy as sa

from accord.deside.messaging.cursors import no_cursor, opened, sealed
from accord.deside.models.messages import Conversation, Conversations
from accord.deside.store.tables.messaging import CONVERSATIONS, MESSAGES
from accord.deside.store.tables.people import WALLETS
from accord.deside.store.transactions import is_seen
from accord.deside.times import iso
from accord.deside.wallets import Wallet

__all__ = ["conversations"]

Expression: TypeAlias = sa.ColumnElement[Any]

KEPT = CONVERSATIONS.c


def conversations(connection: sa.Connection, wallet: Wallet, limit: int, cursor: str | None) -> Conversations:
    """Return one page.

    Its order is that of the first page's moment, which the cursor carries: what was written since moves nothing, so
    no conversation is skipped or repeated. What is shown of each is how it stands now.

    Raises:
        InvalidMeaningError: The cursor is none of ours.
    """
    moment, before = (None, None) if cursor is None else _place(cursor)
    is_postgres = connection.dialect.name == "postgresql"
    if moment is not None and not (_is_snapshot(moment) if is_postgres else _is_id(moment)):
        raise no_cursor()
    rows = connection.execute(_statement(wallet, limit + 1, moment, before, is_postgres=is_postgres)).all()
    shown = rows[:limit]
    has_more = len(rows) > limit
    return {
        "conversations": [_conversation(row) for row in shown],
        "nextCursor": sealed([moment or rows[0].moment, shown[-1].position]) if has_more else None,
        "hasMore": has_more,
    }


def _place(cursor: str) -> tuple[str, int]:
    moment, before = opened(cursor, str, int)
    return moment, before


def _statement(
    wallet: Wallet, limit: int, moment: str | None, before: int | None, *, is_postgres: bool
) -> sa.Select[Any]:
    last, peer = MESSAGES.alias("last"), WALLETS.alias("peer")
    is_low = KEPT.low == wallet
    other = sa.case((is_low, KEPT.high), else_=KEPT.low)
    position: Expression = last.c.id
    if moment is not None:
        seen = _seen_in_postgres if is_postgres else _seen_in_sqlite
        position = _position(last, moment, seen)
    listed = (
        sa.select(
            KEPT.conv_id,
            KEPT.seq_max,
            other.label("peer_wallet"),
            peer.c.role.label("peer_role"),
            sa.case((is_low, KEPT.low_unread), else_=KEPT.high_unread).label("unread"),
            last.c.sender,
            last.c.content,
            last.c.source_type,
            last.c.created_at_ms,
            position.label("position"),
            _moment(is_postgres=is_postgres).label("moment"),
        )
        .select_from(
            CONVERSATIONS.join(last, sa.and_(last.c.conv_id == KEPT.conv_id, last.c.seq == KEPT.seq_max)).outerjoin(
                peer, peer.c.wallet == other
            )
        )
        .where(sa.or_(KEPT.low == wallet, KEPT.high == wallet))
        .subquery("listed")
    )
    found = sa.select(listed).order_by(listed.c.position.desc()).limit(limit)
    return found if before is None else found.where(listed.c.position < before)


def _moment(*, is_postgres: bool) -> Expression:
    """Say what this statement sees: in PostgreSQL its snapshot, in SQLite the newest id."""
    if is_postgres:
        return sa.cast(sa.func.pg_current_snapshot(), sa.String)
    newest = sa.select(sa.func.max(MESSAGES.c.id)).scalar_subquery()
    return sa.cast(newest, sa.String)


def _position(last: sa.FromClause, moment: str, seen: Any) -> Expression:
    """Return the id of the newest message that was there at the moment; null where none was."""
    then = MESSAGES.alias("then")
    of_then = sa.select(then.c.id).where(then.c.conv_id == KEPT.conv_id, seen(then, moment))
    newest = of_then.order_by(then.c.seq.desc()).limit(1).correlate(CONVERSATIONS).scalar_subquery()
    return sa.case((seen(last, moment), last.c.id), else_=newest)


def _seen_in_sqlite(message: sa.FromClause, moment: str) -> Expression:
    return message.c.id <= int(moment)


def _seen_in_postgres(message: sa.FromClause, moment: str) -> Expression:
    return is_seen(message.c.tx, moment)


def _is_id(text: str) -> bool:
    """Whether SQLite could have given it."""
    return bool(re.fullmatch("[0-9]{1,18}", text))


def _is_snapshot(text: str) -> bool:
    """Whether PostgreSQL would read it: `xmin:xmax:` and, in order between them, what was under way."""
    if not re.fullmatch(r"[0-9]{1,19}:[0-9]{1,19}:([0-9]{1,19}(,[0-9]{1,19})*)?", text):
        return False
    low, high, under_way = text.split(":")
    numbers = list(map(int, filter(None, under_way.split(","))))
    is_between = all(int(low) <= number < int(high) for number in numbers)
    return 0 < int(low) <= int(high) < 1 << 63 and is_between and all(a < b for a, b in pairwise(numbers))


def _conversation(row: Any) -> Conversation:
    return {
        "convId": row.conv_id,
        "peerWallet": row.peer_wallet,
        "peerRole": row.peer_role,
        "lastMessage": {
            "seq": row.seq_max,
            "sender": row.sender,
            "content": row.content,
            "sourceType": row.source_type,
            "createdAt": iso(row.created_at_ms),
        },
        "unread": row.unread,
        "seqMax": row.seq_max,
    }
