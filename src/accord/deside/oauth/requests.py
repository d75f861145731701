"""Sign-ins under way: what a client asked for at authorize, until a wallet has answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa

from accord.deside.oauth.codes import Grant
from accord.deside.oauth.digests import digest, fresh
from accord.deside.oauth.lifetimes import REQUEST_MS
from accord.deside.store.tables.oauth import REQUESTS

__all__ = ["OVER", "Pending", "begin", "end", "find", "pending_of", "with_state"]

OVER: Final = "this sign-in is unknown, has run out or is done; start it again"
"""What is said where no sign-in under way is found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A sign-in under way. `state` is the client's, which need not be unique."""

    id: str
    state: str
    grant: Grant


def begin(connection: sa.Connection, state: str, grant: Grant, now_ms: int) -> str:
    """Keep what was asked for, and return its id."""
    request_id = fresh()
    connection.execute(
        sa.insert(REQUESTS).values(
            id=request_id,
            state=state,
            state_hash=digest(state),
            client_id=grant.client_id,
            redirect_uri=grant.redirect_uri,
            scope=grant.scope,
            code_challenge=grant.code_challenge,
            begun_ms=now_ms,
            expires_ms=now_ms + REQUEST_MS,
        )
    )
    return request_id


def find(connection: sa.Connection, state: str, client_id: str, request_id: str, now_ms: int) -> Pending | None:
    """Return the sign-in that a link of authorize leads to, the newest where the link was shortened to its state."""
    found = with_state(state, now_ms)
    if client_id:
        found = found.where(REQUESTS.c.client_id == client_id)
    if request_id:
        found = found.where(REQUESTS.c.id == request_id)
    row = connection.execute(found.order_by(REQUESTS.c.begun_ms.desc()).limit(1)).one_or_none()
    return None if row is None else pending_of(row)


def end(connection: sa.Connection, request_id: str, now_ms: int) -> bool:
    """End a sign-in: of several that race to end it, exactly one does."""
    ending = sa.delete(REQUESTS).where(REQUESTS.c.id == request_id, REQUESTS.c.expires_ms > now_ms)
    return connection.scalar(ending.returning(REQUESTS.c.id)) is not None


def with_state(state: str, now_ms: int) -> sa.Select[Any]:
    """Select the sign-ins under way that have this state."""
    return sa.select(REQUESTS).where(REQUESTS.c.state_hash == digest(state), REQUESTS.c.expires_ms > now_ms)


def pending_of(row: sa.Row[Any]) -> Pending:
    """Return a row of REQUESTS as what it is."""
    grant = Grant(
        client_id=row.client_id,
        redirect_uri=row.redirect_uri,
        scope=row.scope,
        code_challenge=row.code_challenge,
    )
    return Pending(id=row.id, state=row.state, grant=grant)
