"""The contact requests that wait for a wallet's answer."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import sqlalchemy as sa

from accord.deside.messaging.cursors import opened, sealed
from accord.deside.messaging.reading import said
from accord.deside.models.messages import ContactRequests, RequestedMessage
from accord.deside.store.tables.messaging import CONTACT_REQUESTS, HELD_MESSAGES
from accord.deside.store.tables.people import WALLETS
from accord.deside.times import iso
from accord.deside.wallets import Wallet

__all__ = ["pending"]


def pending(connection: sa.Connection, wallet: Wallet, limit: int, cursor: str | None) -> ContactRequests:
    """Return one page of the requests to a wallet, the newest first, each with its messages in order.

    Raises:
        InvalidMeaningError: The cursor is none of ours.
    """
    request = CONTACT_REQUESTS.c
    found = (
        sa.select(CONTACT_REQUESTS, WALLETS.c.role)
        .select_from(CONTACT_REQUESTS.outerjoin(WALLETS, WALLETS.c.wallet == request.requester))
        .where(request.recipient == wallet, request.state == "pending")
        .order_by(request.asked_at_ms.desc(), request.conv_id)
        .limit(limit + 1)
    )
    if cursor is not None:
        at_ms, conv_id = opened(cursor, int, str)
        same = sa.and_(request.asked_at_ms == at_ms, request.conv_id > conv_id.replace("\0", ""))
        found = found.where(sa.or_(request.asked_at_ms < at_ms, same))
    rows = connection.execute(found).all()
    shown = rows[:limit]
    messages = _held(connection, [row.conv_id for row in shown])
    has_more = len(rows) > limit
    return {
        "requests": [
            {
                "wallet": row.requester,
                "convId": row.conv_id,
                "role": row.role,
                "requestedAt": iso(row.asked_at_ms),
                "messages": messages[row.conv_id],
            }
            for row in shown
        ],
        "nextCursor": sealed([shown[-1].asked_at_ms, shown[-1].conv_id]) if has_more else None,
        "hasMore": has_more,
    }


def _held(connection: sa.Connection, conv_ids: list[str]) -> dict[str, list[RequestedMessage]]:
    found = sa.select(HELD_MESSAGES).where(HELD_MESSAGES.c.conv_id.in_(conv_ids)).order_by(HELD_MESSAGES.c.id)
    held: defaultdict[str, list[Any]] = defaultdict(list)
    for row in connection.execute(found):
        held[row.conv_id].append(said(row))
    return held
