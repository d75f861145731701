"""Links between a wallet's agents: prepared, signed once by the owner, and kept as history when they are revoked."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any, TypeAlias

import sqlalchemy as sa

from accord.deside.errors import ConflictError, InvalidMeaningError, NotFoundError
from accord.deside.identity.statement import Statement
from accord.deside.models.identity import Link, SignedLink
from accord.deside.store.tables.identity import LINKS, PREPARED_LINKS
from accord.deside.store.turns import take_turn
from accord.deside.times import iso
from accord.deside.wallets import Wallet
from accord.engine import Issue, inserting

__all__ = ["MOST_ACTIVE_LINKS", "MOST_WAITING_LINKS", "active", "create", "find_active", "prepare", "revoke"]

Row: TypeAlias = Mapping[str, Any]

MOST_ACTIVE_LINKS = 50
"""How many links of one wallet may be active at a time."""

MOST_WAITING_LINKS = 20
"""How many links of one wallet may wait for their signature at a time."""


def prepare(connection: sa.Connection, statement: Statement) -> None:
    """Keep what is to be signed until it is, or until it is too late.

    Raises:
        ConflictError: Too many wait already.
    """
    take_turn(connection, f"links of {statement.owner}")
    connection.execute(sa.delete(PREPARED_LINKS).where(PREPARED_LINKS.c.expires_ms <= statement.issued_ms))
    _refuse_more(
        connection,
        sa.select(sa.func.count()).where(PREPARED_LINKS.c.owner_wallet == statement.owner),
        MOST_WAITING_LINKS,
        "links of this wallet wait for a signature",
    )
    connection.execute(
        sa.insert(PREPARED_LINKS).values(
            nonce=statement.nonce,
            owner_wallet=str(statement.owner),
            message=statement.message,
            label=statement.label,
            primary_agent=statement.primary,
            agents=list(statement.agents),
            expires_ms=statement.expires_ms,
        )
    )


def create(connection: sa.Connection, owner: Wallet, signed: SignedLink, now_ms: int) -> Link:
    """Use up what was prepared and make the link. The signature was checked before; a refusal uses nothing up.

    Raises:
        InvalidMeaningError: No such message waits for this wallet's signature, or it says something else.
        ConflictError: These agents are linked already, or the wallet has too many links.
    """
    take_turn(connection, f"links of {owner}")
    prepared = _used_up(connection, owner, signed["signed_message"], now_ms)
    if issues := _differences(prepared, signed):
        raise InvalidMeaningError(issues=issues)
    _refuse_more(
        connection,
        sa.select(sa.func.count()).where(LINKS.c.owner_wallet == owner, LINKS.c.revoked_ms.is_(None)),
        MOST_ACTIVE_LINKS,
        "links of this wallet are active",
    )
    row = {
        "link_id": "lnk_" + secrets.token_hex(16),
        "owner_wallet": str(owner),
        "label": prepared["label"],
        "primary_agent": prepared["primary_agent"],
        "agents": prepared["agents"],
        "agents_sorted": " ".join(sorted(prepared["agents"])),
        "message": signed["signed_message"],
        "signature": signed["signature"],
        "signed_ms": now_ms,
        "revoked_ms": None,
    }
    if connection.execute(inserting(connection, LINKS).values(row).on_conflict_do_nothing()).rowcount != 1:
        raise ConflictError(reason="an active link has these very agents")
    return _shown(row)


def active(connection: sa.Connection, owner: Wallet) -> list[Link]:
    """Return a wallet's active links, the oldest first."""
    found = sa.select(LINKS).where(LINKS.c.owner_wallet == owner, LINKS.c.revoked_ms.is_(None))
    rows = connection.execute(found.order_by(LINKS.c.signed_ms, LINKS.c.link_id))
    return [_shown(dict(row)) for row in rows.mappings()]


def find_active(connection: sa.Connection, owner: Wallet, link_id: str) -> Link | None:
    """Return one active link of this wallet."""
    return next((link for link in active(connection, owner) if link["linkId"] == link_id), None)


def revoke(connection: sa.Connection, owner: Wallet, link_id: str, now_ms: int) -> Link:
    """Let a link hold no more; one that was revoked before keeps its time.

    Raises:
        NotFoundError: The wallet has no such link.
    """
    of_owner = sa.and_(LINKS.c.link_id == link_id, LINKS.c.owner_wallet == owner)
    connection.execute(sa.update(LINKS).where(of_owner, LINKS.c.revoked_ms.is_(None)).values(revoked_ms=now_ms))
    row = connection.execute(sa.select(LINKS).where(of_owner)).mappings().one_or_none()
    if row is None:
        raise NotFoundError(resource="link")
    return _shown(dict(row))


def _used_up(connection: sa.Connection, owner: Wallet, message: str, now_ms: int) -> Row:
    """Take what was prepared, in one statement: of several that bring the same message one gets it."""
    waiting = sa.delete(PREPARED_LINKS).where(
        PREPARED_LINKS.c.owner_wallet == owner,
        PREPARED_LINKS.c.message == message,
        PREPARED_LINKS.c.expires_ms > now_ms,
    )
    row = connection.execute(waiting.returning(PREPARED_LINKS)).mappings().one_or_none()
    if row is None:
        said = "is not what was prepared for you, or it has expired or was used; prepare the link anew"
        raise InvalidMeaningError(issues=[Issue(path="signed_message", message=said, code="not_prepared")])
    return dict(row)


def _differences(prepared: Row, signed: SignedLink) -> list[Issue]:
    """Return what was not prepared like this. What was signed is what holds, so nothing may differ from it."""
    pairs = (
        ("label", prepared["label"], signed["label"]),
        ("primary_agent_catalog_id", prepared["primary_agent"], signed["primary_agent_catalog_id"]),
        ("agent_catalog_ids", prepared["agents"], signed["agent_catalog_ids"]),
    )
    said = "is not what was prepared and signed"
    return [Issue(path=path, message=said, code="mismatch") for path, ours, theirs in pairs if ours != theirs]


def _refuse_more(connection: sa.Connection, count: sa.Select[int], most: int, what: str) -> None:
    if (connection.scalar(count) or 0) >= most:
        raise ConflictError(reason=f"{most} {what}, and more cannot")


def _shown(row: Row) -> Link:
    revoked_ms = row["revoked_ms"]
    return {
        "linkId": row["link_id"],
        "ownerWallet": row["owner_wallet"],
        "label": row["label"],
        "status": "active" if revoked_ms is None else "revoked",
        "primaryAgentCatalogId": row["primary_agent"],
        "agentCatalogIds": list(row["agents"]),
        "claimLevel": "owner_signed",
        "signedAt": iso(row["signed_ms"]),
        "revokedAt": None if revoked_ms is None else iso(revoked_ms),
    }
