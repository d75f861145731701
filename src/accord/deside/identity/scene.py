"""Which agent a client acts as for a wallet: looked up, decided, and a selection of what is gone dropped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import sqlalchemy as sa

from accord.deside.identity import links, selections
from accord.deside.identity.agents import AgentRecord, identity_of
from accord.deside.identity.rules import Choice, context_of
from accord.deside.identity.selections import Selection
from accord.deside.identity.standing import Agents, Standing
from accord.deside.models.identity import AgentContext, Drift, Link
from accord.deside.times import Clock, ms_of
from accord.deside.wallets import Wallet
from accord.engine import Database

__all__ = ["Scene", "Scenes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What is written down of a wallet's links and of what one of its clients selected."""

    selection: Selection | None
    links: list[Link]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """All that decides which agent a client acts as, and what was decided."""

    standing: Standing
    kept: Kept
    choice: Choice | None
    context: AgentContext

    @property
    def agent(self) -> AgentRecord | None:
        """The agent that a wallet is shown to itself as: the selected one, else the one that others see."""
        return self.choice.agent if self.choice else next(iter(self.standing.backed), None)

    def drift(self) -> Iterator[Drift]:
        """Return what does not hold."""
        for resolver in self.standing.silent:
            yield {"reason": "source_unavailable", "resolver": resolver}
        for agent in self.standing.unbacked:
            yield cast("Drift", {"reason": "not_backed", **identity_of(agent, backed=False)})
        yield from _lost_selection(self.kept.selection)
        if not self.standing.silent:
            yield from _lost_agents(self)


class Scenes:
    """Finds out which agent a client acts as."""

    def __init__(self, store: Database, agents: Agents, clock: Clock) -> None:
        self._store = store
        self._agents = agents
        self._clock = clock

    async def of(self, wallet: Wallet, client_id: str) -> Scene:
        """Decide it anew, from the wallet's agents as they are now."""
        standing = await self._agents.recognise(wallet)
        kept = await self._store.read(lambda connection: _kept(connection, wallet, client_id))
        scene = _decided(standing, kept)
        if scene.choice is not None or kept.selection is None or kept.selection.is_dropped:
            return scene
        if standing.silent:
            # Whether the selected agent is gone is not known, so no other may stand in for it.
            return Scene(standing=standing, kept=kept, choice=None, context={"status": "none"})
        return await self._dropped(wallet, client_id, kept.selection, standing)

    async def _dropped(self, wallet: Wallet, client_id: str, selection: Selection, standing: Standing) -> Scene:
        now_ms = ms_of(self._clock)

        def work(connection: sa.Connection) -> Kept:
            selections.drop(connection, client_id, wallet, selection, now_ms)
            return _kept(connection, wallet, client_id)

        return _decided(standing, await self._store.write(work))


def _kept(connection: sa.Connection, wallet: Wallet, client_id: str) -> Kept:
    return Kept(selection=selections.remembered(connection, client_id, wallet), links=links.active(connection, wallet))


def _decided(standing: Standing, kept: Kept) -> Scene:
    choice = _still_chosen(standing, kept)
    return Scene(standing=standing, kept=kept, choice=choice, context=context_of(standing.backed, choice))


def _still_chosen(standing: Standing, kept: Kept) -> Choice | None:
    """Return what was selected, where the agent can still act and the link still holds."""
    selection = kept.selection
    if selection is None or selection.is_dropped:
        return None
    primaries = {link["linkId"]: link["primaryAgentCatalogId"] for link in kept.links}
    wanted = selection.agent or primaries.get(selection.link_id or "")
    agent = next((each for each in standing.backed if each.catalog_id == wanted), None)
    return None if agent is None else Choice(agent, selection.link_id)


def _lost_selection(selection: Selection | None) -> Iterator[Drift]:
    if selection is None or not selection.is_dropped:
        return
    if selection.agent is not None:
        yield {"reason": "selected_agent_gone", "catalogId": selection.agent}
    if selection.link_id is not None:
        yield {"reason": "selected_link_gone", "linkId": selection.link_id}


def _lost_agents(scene: Scene) -> Iterator[Drift]:
    """Return the agents of active links that cannot act any more."""
    able = {agent.catalog_id for agent in scene.standing.backed}
    for link in scene.kept.links:
        for catalog_id in link["agentCatalogIds"]:
            if catalog_id not in able:
                yield {"reason": "linked_agent_gone", "catalogId": catalog_id, "linkId": link["linkId"]}
