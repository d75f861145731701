"""The built-in source: agents that their owners publish here, and those that the operator imported."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import sqlalchemy as sa

from accord.deside.errors import ConflictError, NotFoundError
from accord.deside.identity.agents import AgentRecord, catalog_id, folded, slug_of
from accord.deside.identity.roles import settle_roles
from accord.deside.models.identity import NewAgent
from accord.deside.store.tables.identity import AGENTS
from accord.deside.store.turns import take_turn
from accord.deside.times import Clock, ms_of
from accord.deside.wallets import Wallet
from accord.engine import Database, inserting

__all__ = ["MOST_OWN_AGENTS", "Page", "Registry"]

Row: TypeAlias = Mapping[str, Any]

MOST_OWN_AGENTS = 20
"""How many agents a wallet may publish, those it took back counted: publishing under their slug brings them back."""

ROWS_A_STATEMENT = 500
"""How many ids one question may name; SQLite takes 32,766 values (https://sqlite.org/limits.html)."""

KEPT = {"catalog_id", "source", "entry_id", "created_ms"}
"""What of a row no later word changes."""


class Page(NamedTuple):
    """A part of what was found, and how much that is in all."""

    agents: list[AgentRecord]
    total: int


class Registry:
    """The agents in the service's own database. It is a resolver; taken-back agents are nobody's."""

    name = "registry"

    def __init__(self, store: Database, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def resolve(self, wallet: Wallet) -> list[AgentRecord]:
        """Return the published agents that this wallet owns."""
        owned = sa.select(AGENTS).where(AGENTS.c.owner_wallet == wallet, AGENTS.c.is_published)
        return await self._store.read(lambda connection: _records(connection.execute(owned)))

    async def publish(self, owner: Wallet, new: NewAgent) -> AgentRecord:
        """Publish a wallet's own agent, or what changed of it: its source and slug say which it is.

        Raises:
            ConflictError: The wallet has as many agents as it may, or another has this entry.
        """
        now_ms = ms_of(self._clock)
        agent = own_agent(owner, new, now_ms)
        row = _row(agent, now_ms, is_own=True)
        return await self._store.write(lambda connection: _published(connection, owner, row))

    async def unpublish(self, owner: Wallet, ref: str) -> AgentRecord:
        """Take back what a wallet published; one that was taken back before stays so.

        Raises:
            NotFoundError: The wallet has no agent of that name.
            ConflictError: It has several, or the agent was imported from its registry.
        """
        now_ms = ms_of(self._clock)
        return await self._store.write(lambda connection: _unpublished(connection, owner, ref, now_ms))

    async def search(
        self, *, name: str | None = None, wallet: str | None = None, limit: int = 10, offset: int = 0
    ) -> Page:
        """Find published agents by a part of their name, in any case, and by their owner's or their own wallet.

        An exact name comes first, then who was there first: the order does not change while one turns the pages.
        """
        condition = _condition(name, wallet)
        exact = [] if name is None else [sa.case((AGENTS.c.name_folded == folded(name), 0), else_=1)]
        found = sa.select(AGENTS).where(condition).order_by(*exact, AGENTS.c.created_ms, AGENTS.c.catalog_id)
        count = sa.select(sa.func.count()).select_from(AGENTS).where(condition)

        def look(connection: sa.Connection) -> Page:
            rows = connection.execute(found.limit(limit).offset(offset))
            return Page(_records(rows), connection.scalar(count) or 0)

        return await self._store.read(look)

    async def take_in(self, agents: Sequence[AgentRecord], gone: Collection[str] = ()) -> list[str]:
        """Take in what other registries have of agents, all of it or nothing; whose they are is settled with it.

        Args:
            agents: As their registries have them.
            gone: The catalog ids of those that are no longer to be shown.

        Returns:
            The catalog ids that were refused, since their owners published them here; nothing was changed then.
        """
        now_ms = ms_of(self._clock)
        rows = [{**_row(each, now_ms, is_own=False), "is_published": each.catalog_id not in gone} for each in agents]
        return await self._store.write(lambda connection: _taken_in(connection, rows))


# --- What is published here -------------------------------------------------------------------------------------------


def own_agent(owner: Wallet, new: NewAgent, now_ms: int) -> AgentRecord:
    """Return the agent that a wallet publishes. Its entry begins with the wallet, so nobody can take another's."""
    slug = new.get("slug") or slug_of(new["name"])
    return AgentRecord(
        source=new.get("source", "mip14"),
        entry_id=f"{owner}:{slug}",
        owner_wallet=owner,
        agent_wallet=owner,
        slug=slug,
        name=new["name"],
        description=new.get("description"),
        avatar=new.get("avatar"),
        website=new.get("website"),
        category=new.get("category"),
        capabilities=tuple(new.get("capabilities", ())),
        created_ms=now_ms,
        updated_ms=now_ms,
    )


def _published(connection: sa.Connection, owner: Wallet, row: Row) -> AgentRecord:
    take_turn(connection, f"agents of {owner}")
    _refuse_too_many(connection, owner, row["catalog_id"])
    upsert = inserting(connection, AGENTS).values(row)
    written = connection.execute(
        upsert.on_conflict_do_update(
            index_elements=[AGENTS.c.catalog_id],
            set_={name: upsert.excluded[name] for name in row.keys() - KEPT},
            where=AGENTS.c.owner_wallet == owner,
        ).returning(AGENTS)
    ).first()
    if written is None:
        raise ConflictError(reason="the entry is another wallet's")
    return _record(written._mapping)  # noqa: SLF001 - SQLAlchemy's documented way to a row as a mapping


def _refuse_too_many(connection: sa.Connection, owner: Wallet, new_id: str) -> None:
    others = sa.select(sa.func.count()).where(
        AGENTS.c.owner_wallet == owner, AGENTS.c.is_own, AGENTS.c.catalog_id != new_id
    )
    if (connection.scalar(others) or 0) >= MOST_OWN_AGENTS:
        raise ConflictError(
            reason=f"a wallet publishes at most {MOST_OWN_AGENTS} agents, those taken back counted; "
            "publish under the slug of one of them"
        )


def _unpublished(connection: sa.Connection, owner: Wallet, ref: str, now_ms: int) -> AgentRecord:
    rows = connection.execute(sa.select(AGENTS).where(AGENTS.c.owner_wallet == owner)).mappings()
    meant = [dict(row) for row in rows if _record(row).is_called(ref)]
    row = _only(meant)
    if not row["is_own"]:
        raise ConflictError(reason="the agent was imported from its registry, where its owner can take it back")
    if row["is_published"]:
        connection.execute(
            sa.update(AGENTS)
            .where(AGENTS.c.catalog_id == row["catalog_id"], AGENTS.c.owner_wallet == owner)
            .values(is_published=False, updated_ms=now_ms)
        )
    return _record(row)


def _only(rows: Sequence[Row]) -> Row:
    if not rows:
        raise NotFoundError(resource="agent")
    if len(rows) > 1:
        raise ConflictError(reason="several of your agents are called so; name one by its catalogId")
    return rows[0]


# --- What is imported -------------------------------------------------------------------------------------------------


def _taken_in(connection: sa.Connection, rows: Sequence[Row]) -> list[str]:
    ids = [row["catalog_id"] for row in rows]
    if refused := _own_among(connection, ids):
        return refused
    if rows:
        take_turn(connection, "an import of agents")
        before = _owners(connection, ids)
        upsert = inserting(connection, AGENTS)
        changed = {name: upsert.excluded[name] for name in rows[0].keys() - KEPT}
        kept = upsert.on_conflict_do_update(
            index_elements=[AGENTS.c.catalog_id], set_=changed, where=AGENTS.c.is_own.is_(False)
        )
        connection.execute(kept, [dict(row) for row in rows])
        settle_roles(connection, before | {row["owner_wallet"] for row in rows})
    return []


def _own_among(connection: sa.Connection, ids: Sequence[str]) -> list[str]:
    return _of_each(connection, ids, sa.select(AGENTS.c.catalog_id).where(AGENTS.c.is_own))


def _owners(connection: sa.Connection, ids: Sequence[str]) -> set[str]:
    return set(_of_each(connection, ids, sa.select(AGENTS.c.owner_wallet)))


def _of_each(connection: sa.Connection, ids: Sequence[str], asked: sa.Select[tuple[str]]) -> list[str]:
    found: list[str] = []
    for start in range(0, len(ids), ROWS_A_STATEMENT):
        found += connection.scalars(asked.where(AGENTS.c.catalog_id.in_(ids[start : start + ROWS_A_STATEMENT])))
    return found


# --- Rows and records -------------------------------------------------------------------------------------------------


def _condition(name: str | None, wallet: str | None) -> sa.ColumnElement[bool]:
    parts: list[sa.ColumnElement[bool]] = [AGENTS.c.is_published.is_(True)]
    if name is not None:
        parts.append(AGENTS.c.name_folded.contains(folded(name), autoescape=True))  # % and _ are letters like others
    if wallet is not None:
        parts.append(sa.or_(AGENTS.c.owner_wallet == wallet, AGENTS.c.agent_wallet == wallet))
    return sa.and_(*parts)


def _row(agent: AgentRecord, now_ms: int, *, is_own: bool) -> dict[str, Any]:
    return {
        "catalog_id": catalog_id(agent.source, agent.entry_id),
        "source": agent.source,
        "entry_id": agent.entry_id,
        "owner_wallet": str(agent.owner_wallet),
        "agent_wallet": None if agent.agent_wallet is None else str(agent.agent_wallet),
        "slug": agent.slug,
        "name": agent.name,
        "name_folded": folded(agent.name),
        "description": agent.description,
        "avatar": agent.avatar,
        "website": agent.website,
        "category": agent.category,
        "capabilities": list(agent.capabilities),
        "is_own": is_own,
        "is_published": True,
        "created_ms": agent.created_ms,
        "updated_ms": now_ms,
    }


def _records(rows: sa.CursorResult[Any]) -> list[AgentRecord]:
    return [_record(row) for row in rows.mappings()]


def _record(row: Any) -> AgentRecord:
    return AgentRecord(
        source=row["source"],
        entry_id=row["entry_id"],
        owner_wallet=Wallet(row["owner_wallet"]),
        agent_wallet=row["agent_wallet"],
        slug=row["slug"],
        name=row["name"],
        description=row["description"],
        avatar=row["avatar"],
        website=row["website"],
        category=row["category"],
        capabilities=tuple(row["capabilities"]),
        created_ms=row["created_ms"],
        updated_ms=row["updated_ms"],
    )
