"""Which wallets are registered, and what is written down of them: statements within a transaction of the caller."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import sqlalchemy as sa

from accord.deside.models.people import Role
from accord.deside.store.tables.people import BLOCKS, WALLETS
from accord.deside.wallets import Wallet
from accord.engine import inserting

__all__ = ["Row", "block", "change", "find", "register", "set_role", "unblock"]

Row: TypeAlias = Mapping[str, Any]
"""A row of WALLETS."""


def register(connection: sa.Connection, wallet: Wallet, at_ms: int) -> None:
    """Register a wallet that signed in; one that is registered keeps everything."""
    row = inserting(connection, WALLETS).values(wallet=wallet, registered_at_ms=at_ms, role="user", policy="everyone")
    connection.execute(row.on_conflict_do_nothing())


def find(connection: sa.Connection, wallet: Wallet) -> Row | None:
    """Return what is written down of a wallet, None where it never signed in."""
    row = connection.execute(sa.select(WALLETS).where(WALLETS.c.wallet == wallet)).one_or_none()
    return None if row is None else row._asdict()


def change(connection: sa.Connection, wallet: Wallet, changes: Mapping[str, str | None]) -> None:
    """Change columns of a registered wallet."""
    connection.execute(sa.update(WALLETS).where(WALLETS.c.wallet == wallet).values(**changes))


def set_role(connection: sa.Connection, wallet: Wallet, role: Role) -> None:
    """Say whether a registered wallet is an agent's: its messages and conversations carry that from now on."""
    change(connection, wallet, {"role": role})


def block(connection: sa.Connection, owner: Wallet, blocked: Wallet, at_ms: int) -> bool:
    """Let a wallet write to its blocker no more; False where that is so already."""
    row = inserting(connection, BLOCKS).values(owner=owner, blocked=blocked, blocked_at_ms=at_ms)
    return connection.execute(row.on_conflict_do_nothing()).rowcount == 1


def unblock(connection: sa.Connection, owner: Wallet, blocked: Wallet) -> bool:
    """Take a block back; False where there is none."""
    row = sa.delete(BLOCKS).where(BLOCKS.c.owner == owner, BLOCKS.c.blocked == blocked)
    return connection.execute(row).rowcount == 1
