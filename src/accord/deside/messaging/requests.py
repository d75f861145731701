"""Contact requests: what waits for an answer, and what becomes of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa

from accord.deside.messaging.advancing import first_row, moved_on
from accord.deside.messaging.outcomes import Raced
from accord.deside.messaging.pairs import Pair, Side
from accord.deside.store.tables.messaging import CONTACT_REQUESTS, CONVERSATIONS, HELD_MESSAGES, MESSAGES
from accord.deside.store.transactions import this_transaction
from accord.deside.wallets import Wallet
from accord.engine import inserting

__all__ = ["Released", "accept", "decline", "drop", "release"]

State = Literal["accepted", "declined", "lapsed"]


@dataclass(frozen=True, slots=True)
class Released:
    """How many messages were delivered, and the number of the last of them."""

    count: int
    last_seq: int


def accept(connection: sa.Connection, pair: Pair, at_ms: int) -> Released | None:
    """Take a peer's request: both are contacts, and what waited is delivered in order. None: there is no request."""
    if not _answered(connection, pair.peer, pair, "accepted", at_ms):
        return None
    return _delivered(connection, Pair(pair.peer, pair.own))


def decline(connection: sa.Connection, pair: Pair, at_ms: int) -> bool:
    """Refuse a peer's request and drop what waited; False where there is none."""
    if not _answered(connection, pair.peer, pair, "declined", at_ms):
        return False
    connection.execute(sa.delete(HELD_MESSAGES).where(HELD_MESSAGES.c.conv_id == pair.conv_id))
    return True


def drop(connection: sa.Connection, owner: Wallet, blocked: Wallet, at_ms: int) -> None:
    """Decline what a wallet asked of the one that blocks it now, also where it is just asking."""
    pair = Pair(owner, blocked)
    with _nobody_asking(connection, pair, at_ms):
        decline(connection, pair, at_ms)


def release(connection: sa.Connection, pair: Pair, at_ms: int) -> None:
    """Deliver what waits between two wallets before the first of them writes to the other.

    Its peer's request is thereby accepted; its own has become needless, for its peer now lets everyone write.

    Raises:
        Raced: The request was answered meanwhile.
    """
    if accept(connection, pair, at_ms) is not None:
        return
    if not _answered(connection, pair.own, pair, "lapsed", at_ms):
        raise Raced
    _delivered(connection, pair)


@contextmanager
def _nobody_asking(connection: sa.Connection, pair: Pair, at_ms: int) -> Iterator[None]:
    """Wait for a request of the peer that is being made or added to; whoever asks from here on waits for this one.

    A row that is not committed yet can only be waited for by writing one of the same key. SQLite has one writer anyway.
    """
    if connection.dialect.name != "postgresql":
        yield
        return
    request = CONTACT_REQUESTS.c
    row = {"requester": pair.peer, "recipient": pair.own, "state": "lapsed", "held": 0, "asked_at_ms": at_ms}
    placeholder = inserting(connection, CONTACT_REQUESTS).values(conv_id=pair.conv_id, **row)
    is_first = connection.execute(placeholder.on_conflict_do_nothing()).rowcount == 1
    connection.execute(sa.select(request.conv_id).where(request.conv_id == pair.conv_id).with_for_update())
    yield
    if is_first:
        connection.execute(sa.delete(CONTACT_REQUESTS).where(request.conv_id == pair.conv_id))


def _answered(connection: sa.Connection, requester: Wallet, pair: Pair, state: State, at_ms: int) -> bool:
    """Answer the pending request of one of them, and keep it locked."""
    request = CONTACT_REQUESTS.c
    row = sa.update(CONTACT_REQUESTS).where(
        request.conv_id == pair.conv_id, request.requester == requester, request.state == "pending"
    )
    return connection.execute(row.values(state=state, held=0, answered_at_ms=at_ms)).rowcount == 1


def _delivered(connection: sa.Connection, pair: Pair) -> Released:
    """Move what the first wallet of the pair has waiting into the conversation, in order."""
    waiting = sa.select(HELD_MESSAGES).where(HELD_MESSAGES.c.conv_id == pair.conv_id).order_by(HELD_MESSAGES.c.id)
    held = connection.execute(waiting).all()
    moved = {"conv_id": pair.conv_id, "sender": pair.own, "recipient": pair.peer, "count": len(held)}
    conversation = connection.execute(_advance(connection, pair.side), moved).one()
    tx = this_transaction(connection.dialect.name)
    first = conversation.seq_max - len(held) + 1
    whose = {"conv_id": pair.conv_id, "sender": pair.own, "recipient": pair.peer, "place": conversation.place}
    words = ("source_type", "content", "blocks", "created_at_ms")
    for seq, message in enumerate(held, first):
        said = {name: getattr(message, name) for name in words}
        connection.execute(sa.insert(MESSAGES).values(**whose, **said, seq=seq, tx=tx))
    connection.execute(sa.delete(HELD_MESSAGES).where(HELD_MESSAGES.c.conv_id == pair.conv_id))
    return Released(len(held), conversation.seq_max)


def _advance(connection: sa.Connection, side: Side) -> Any:
    tx = this_transaction(connection.dialect.name)
    row = inserting(connection, CONVERSATIONS).values(**first_row(side, tx))
    moved = row.on_conflict_do_update(index_elements=["conv_id"], set_=moved_on(side, tx))
    return moved.returning(CONVERSATIONS.c.seq_max, CONVERSATIONS.c.place)
