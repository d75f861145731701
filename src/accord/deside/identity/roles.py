"""Whether wallets are agents', by the built-in registry alone: what is written down when its agents change owners."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import sqlalchemy as sa

from accord.deside.identity.agents import backing_of
from accord.deside.models.people import Role
from accord.deside.store.tables.identity import AGENTS
from accord.deside.store.tables.people import WALLETS
from accord.deside.wallets import Wallet

__all__ = ["owners_behind", "settle_roles"]

WALLETS_A_STATEMENT = 500
"""How many one question names; SQLite takes 32,766 values (https://sqlite.org/limits.html)."""


def settle_roles(connection: sa.Connection, wallets: Collection[str]) -> None:
    """Write down of those that are registered whether they own an agent that can act.

    What other resolvers know of a wallet is added when it is recognised next.
    """
    for part in _parts(wallets):
        registered = _registered(connection, part)
        agents = _with_agents(connection, registered)
        _write(connection, agents, "agent")
        _write(connection, registered - agents, "user")


def owners_behind(connection: sa.Connection, wallet: str) -> Sequence[str]:
    """Return the other wallets that own agents which speak from this one."""
    owners = sa.select(AGENTS.c.owner_wallet).where(AGENTS.c.agent_wallet == wallet, AGENTS.c.owner_wallet != wallet)
    return connection.scalars(owners.distinct()).all()


def _with_agents(connection: sa.Connection, owners: Collection[str]) -> set[str]:
    shown = sa.select(AGENTS.c.owner_wallet, AGENTS.c.agent_wallet).where(AGENTS.c.is_published)
    rows = connection.execute(shown.where(AGENTS.c.owner_wallet.in_(owners)).distinct()).all()
    backing = [(owner, str(backing_of(Wallet(owner), agent_wallet))) for owner, agent_wallet in rows]
    registered: set[str] = set()
    for part in _parts({wallet for _, wallet in backing}):
        registered |= _registered(connection, part)
    return {owner for owner, wallet in backing if wallet in registered}


def _registered(connection: sa.Connection, wallets: Collection[str]) -> set[str]:
    return set(connection.scalars(sa.select(WALLETS.c.wallet).where(WALLETS.c.wallet.in_(wallets))))


def _write(connection: sa.Connection, wallets: Collection[str], role: Role) -> None:
    if wallets:
        changed = sa.update(WALLETS).where(WALLETS.c.wallet.in_(wallets), WALLETS.c.role != role)
        connection.execute(changed.values(role=role))


def _parts(wallets: Collection[str]) -> Iterator[list[str]]:
    ordered = sorted(set(wallets))
    for start in range(0, len(ordered), WALLETS_A_STATEMENT):
        yield ordered[start : start + WALLETS_A_STATEMENT]
