"""Agents of other registries, as the operator's file has them, are checked and taken in: all of them or none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from accord.deside.errors import InvalidInputError
from accord.deside.identity.agents import AgentRecord, catalog_id, slug_of
from accord.deside.identity.registry import Registry
from accord.deside.models.identity import ImportedAgent
from accord.deside.times import Clock, ms_of
from accord.deside.wallets import Wallet
from accord.engine import Issue, Shape, ValidationError, slots_of

__all__ = ["Imported", "import_agents"]

Json: TypeAlias = Any

MOST_ENTRIES = 20_000
"""An import is one transaction: measured at about a second for so many, in which nobody else writes to a SQLite file.

A server gives up on its own write after five (`BUSY_SECONDS`). Larger registries are imported in several files.
"""

ENTRY = Shape(lambda: slots_of(ImportedAgent), lambda: None)


class Imported(NamedTuple):
    """How many agents an import shows, and how many it hides (`"published": false`)."""

    shown: int
    hidden: int


async def import_agents(registry: Registry, entries: Json, clock: Clock) -> Imported:
    """Take in a list of agents; each replaces what an earlier import said of the same source and entry.

    Raises:
        InvalidInputError: The list or an entry is not valid, or an entry's owner published it here; nothing is changed.
    """
    agents, gone = _checked(entries, ms_of(clock))
    refused = set(await registry.take_in(agents, gone))
    if refused:
        raise InvalidInputError(issues=list(_refusals(agents, refused)))
    return Imported(len(agents) - len(gone), len(gone))


def _refusals(agents: Sequence[AgentRecord], refused: set[str]) -> Iterator[Issue]:
    for place, agent in enumerate(agents):
        if agent.catalog_id in refused:
            yield Issue(path=f"[{place}].sourceEntryId", message="was published here by its owner", code="not_yours")


def _checked(entries: Json, now_ms: int) -> tuple[list[AgentRecord], set[str]]:
    """Return the agents, and the ids of those that are to be hidden."""
    if not isinstance(entries, list) or len(entries) > MOST_ENTRIES:
        message = f"must be a list of at most {MOST_ENTRIES} agents"
        raise InvalidInputError(issues=[Issue(path="", message=message, code="invalid_type")])
    issues: list[Issue] = []
    valid = [_valid(place, entry, issues) for place, entry in enumerate(entries)]
    issues = issues or list(_doubles(valid))
    if issues:
        raise InvalidInputError(issues=issues)
    agents = [_agent(entry, now_ms) for entry in valid]
    return agents, {agent.catalog_id for agent, entry in zip(agents, valid, strict=True) if not _is_shown(entry)}


def _valid(place: int, entry: Json, issues: list[Issue]) -> Mapping[str, Json]:
    """Return the entry as its type says, or add to the issues."""
    try:
        checked = ENTRY.check(entry if isinstance(entry, dict) else {}, {})
        Wallet.parse(checked["ownerWallet"])
    except ValidationError as error:
        issues += [{**issue, "path": f"[{place}].{issue['path']}"} for issue in error.issues]
        return {}
    except ValueError as error:
        issues.append(Issue(path=f"[{place}].ownerWallet", message=str(error), code="invalid_string"))
        return {}
    return checked


def _is_shown(entry: Mapping[str, Json]) -> bool:
    shown: bool = entry.get("published", True)
    return shown


def _doubles(entries: Sequence[Mapping[str, Json]]) -> Iterator[Issue]:
    seen: set[str] = set()
    for place, entry in enumerate(entries):
        key = catalog_id(entry["source"], entry["sourceEntryId"])
        if key in seen:
            yield Issue(path=f"[{place}].sourceEntryId", message="is in the list twice", code="not_unique")
        seen.add(key)


def _agent(entry: Mapping[str, Json], now_ms: int) -> AgentRecord:
    return AgentRecord(
        source=entry["source"],
        entry_id=entry["sourceEntryId"],
        owner_wallet=Wallet(entry["ownerWallet"]),
        agent_wallet=entry.get("agentWallet"),
        slug=entry.get("slug") or slug_of(entry["name"]),
        name=entry["name"],
        description=entry.get("description"),
        avatar=entry.get("avatar"),
        website=entry.get("website"),
        category=entry.get("category"),
        capabilities=tuple(entry.get("capabilities") or ()),
        created_ms=now_ms,
        updated_ms=now_ms,
    )
