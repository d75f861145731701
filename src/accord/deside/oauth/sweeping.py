"""What has run out is deleted now and then; no answer depends on it."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from accord.deside.oauth.lifetimes import REFRESH_MS, UNUSED_CLIENT_MS, USED_CLIENT_MS
from accord.deside.store.tables.oauth import (
    ACCESS_TOKENS,
    CHALLENGES,
    CLIENTS,
    CODES,
    FAMILIES,
    REFRESH_TOKENS,
    REQUESTS,
)

__all__ = ["SWEEP_SECONDS", "sweep"]

SWEEP_SECONDS: Final = 10 * 60


def sweep(connection: sa.Connection, now_ms: int) -> None:
    """Delete what has run out. A used code stays as long as what it issued: its replay must revoke that.

    A client stays while a sign-in or a grant of it is alive.
    """
    for table in (REQUESTS, CHALLENGES, ACCESS_TOKENS, REFRESH_TOKENS, FAMILIES):
        connection.execute(sa.delete(table).where(table.c.expires_ms <= now_ms))
    connection.execute(sa.delete(CODES).where(CODES.c.expires_ms <= now_ms - REFRESH_MS))
    alive = sa.union_all(
        sa.select(REQUESTS.c.client_id), sa.select(FAMILIES.c.client_id).where(FAMILIES.c.revoked_ms.is_(None))
    )
    unused = sa.and_(CLIENTS.c.used_ms.is_(None), CLIENTS.c.registered_ms <= now_ms - UNUSED_CLIENT_MS)
    forsaken = sa.or_(unused, CLIENTS.c.used_ms <= now_ms - USED_CLIENT_MS)
    connection.execute(sa.delete(CLIENTS).where(forsaken, CLIENTS.c.client_id.not_in(alive)))
