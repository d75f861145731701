"""What a client selected to act as for a wallet: an agent, or a link that speaks through its primary agent."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from accord.deside.store.tables.identity import SELECTIONS
from accord.deside.wallets import Wallet
from accord.engine import inserting

__all__ = ["Selection", "drop", "remember", "remembered"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """An agent's catalog id or a link's id, one of the two; `is_dropped` since what it named is gone."""

    agent: str | None = None
    link_id: str | None = None
    selected_ms: int
    is_dropped: bool = False


def remembered(connection: sa.Connection, client_id: str, wallet: Wallet) -> Selection | None:
    """Return what this client selected last for this wallet."""
    row = connection.execute(sa.select(SELECTIONS).where(_is_of(client_id, wallet))).one_or_none()
    if row is None:
        return None
    return Selection(
        agent=row.agent, link_id=row.link_id, selected_ms=row.selected_ms, is_dropped=row.dropped_ms is not None
    )


def remember(connection: sa.Connection, client_id: str, wallet: Wallet, selection: Selection) -> None:
    """Put this selection in the place of an earlier one."""
    new = {
        "agent": selection.agent,
        "link_id": selection.link_id,
        "selected_ms": selection.selected_ms,
        "dropped_ms": None,
    }
    row = inserting(connection, SELECTIONS).values(client_id=client_id, wallet=str(wallet), **new)
    connection.execute(
        row.on_conflict_do_update(index_elements=[SELECTIONS.c.client_id, SELECTIONS.c.wallet], set_=new)
    )


def drop(connection: sa.Connection, client_id: str, wallet: Wallet, selection: Selection, now_ms: int) -> None:
    """Let this selection stand no more; one that was made meanwhile stays."""
    is_it = sa.and_(
        SELECTIONS.c.agent.is_not_distinct_from(selection.agent),
        SELECTIONS.c.link_id.is_not_distinct_from(selection.link_id),
        SELECTIONS.c.selected_ms == selection.selected_ms,
    )
    connection.execute(sa.update(SELECTIONS).where(_is_of(client_id, wallet), is_it).values(dropped_ms=now_ms))


def _is_of(client_id: str, wallet: Wallet) -> sa.ColumnElement[bool]:
    return sa.and_(SELECTIONS.c.client_id == client_id, SELECTIONS.c.wallet == wallet)
