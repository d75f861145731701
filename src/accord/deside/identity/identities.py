"""Agent identities as one wallet's client sees and changes them."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Sequence

from accord.deside.errors import ConflictError, InvalidMeaningError, NotFoundError
from accord.deside.identity import links, selections
from accord.deside.identity.agents import AgentRecord, identity_of, listed, profile_of
from accord.deside.identity.registry import Registry
from accord.deside.identity.resolvers import RESOLVER_SECONDS, Resolver
from accord.deside.identity.roles import owners_behind, settle_roles
from accord.deside.identity.rules import Choice, context_of
from accord.deside.identity.scene import Scenes
from accord.deside.identity.selections import Selection
from accord.deside.identity.standing import Agents, Standing
from accord.deside.identity.statement import Statement
from accord.deside.models.identity import (
    AgentIdentities,
    AgentList,
    AgentProfile,
    Link,
    LinkFields,
    LinkRevoked,
    LinkToSign,
    MyIdentity,
    NewAgent,
    Published,
    Selected,
    SignedLink,
    Unpublished,
)
from accord.deside.people.profiles import user_info
from accord.deside.people.registry import find
from accord.deside.times import Clock, ms_of
from accord.deside.wallets import Wallet
from accord.engine import Database, Issue

__all__ = ["Identities"]


class Identities:
    """The agents of wallets, and which of them their clients act as.

    Args:
        store: The service's database.
        domain: What owners see in what they sign.
        clock: Tells the time.
        resolvers: Where agents are registered besides the service's own database, which comes first.
        seconds: How long each of those may take.
    """

    def __init__(
        self,
        store: Database,
        *,
        domain: str,
        clock: Clock = time.time,
        resolvers: Sequence[Resolver] = (),
        seconds: float = RESOLVER_SECONDS,
    ) -> None:
        self._store = store
        self._domain = domain
        self._clock = clock
        self.registry = Registry(store, clock)
        self._agents = Agents(store, self.registry, resolvers, clock, seconds=seconds)
        self._scenes = Scenes(store, self._agents, clock)

    # --- Who a wallet is ----------------------------------------------------------------------------------------------

    async def agent_profile(self, wallet: Wallet) -> AgentProfile | None:
        """Return the agent's side of a wallet, as everybody may know it."""
        return await self._agents.profile(wallet)

    async def recognise(self, wallet: Wallet) -> None:
        """Find out whether a wallet that signed in is an agent's, or stands behind others' agents; write that down."""
        await self._agents.recognise(wallet)
        if owners := await self._store.read(lambda connection: owners_behind(connection, wallet)):
            await self._store.write(lambda connection: settle_roles(connection, owners))

    async def mine(self, wallet: Wallet, client_id: str) -> MyIdentity:
        """Return who a wallet is, and which agent this client acts as for it."""
        scene = await self._scenes.of(wallet, client_id)
        row = await self._store.read(lambda connection: find(connection, wallet))
        agent = scene.agent
        info = user_info(wallet, row, profile_of(agent, ms_of(self._clock)) if agent else None)
        return {
            "wallet": str(wallet),
            "recognized": agent is not None,
            "role": info["role"],
            "visibleProfile": info["visibleProfile"],
            "userProfile": info["userProfile"],
            "agentProfile": info["agentProfile"],
            "reputation": None,
            "agentContext": scene.context,
        }

    async def list(self, wallet: Wallet, client_id: str) -> AgentIdentities:
        """Return a wallet's agents, its active links, and what does not hold."""
        scene = await self._scenes.of(wallet, client_id)
        return {
            "principal": {"wallet": str(wallet)},
            "ownerWallet": str(wallet),
            "agents": [identity_of(agent, backed=True) for agent in scene.standing.backed],
            "links": scene.kept.links,
            "drift": list(scene.drift()),
        }

    # --- Selecting ----------------------------------------------------------------------------------------------------

    async def select_agent(self, wallet: Wallet, client_id: str, ref: str) -> Selected:
        """Let this client act as one of the wallet's agents from now on.

        Raises:
            NotFoundError: The wallet has no such agent.
            ConflictError: It has several that are called so, or the agent's wallet has not signed in here.
        """
        agent = _own(await self._agents.of(wallet), ref)
        selection = Selection(agent=agent.catalog_id, selected_ms=ms_of(self._clock))
        return await self._selected(wallet, client_id, selection, Choice(agent))

    async def select_link(self, wallet: Wallet, client_id: str, link_id: str) -> Selected:
        """Let this client act as the primary agent of one of the wallet's active links.

        Raises:
            NotFoundError: The wallet has no such active link.
            ConflictError: The link's primary agent is gone.
        """
        link = await self._store.read(lambda connection: links.find_active(connection, wallet, link_id))
        if link is None:
            raise NotFoundError(resource="link")
        called = (await self._agents.of(wallet)).called(link["primaryAgentCatalogId"])
        if not called:
            raise ConflictError(reason="the link's primary agent cannot act any more")
        selection = Selection(link_id=link_id, selected_ms=ms_of(self._clock))
        return await self._selected(wallet, client_id, selection, Choice(called[0], link_id))

    async def _selected(self, wallet: Wallet, client_id: str, selection: Selection, choice: Choice) -> Selected:
        await self._store.write(lambda connection: selections.remember(connection, client_id, wallet, selection))
        return {"principal": {"wallet": str(wallet)}, "agentContext": context_of((), choice)}

    # --- Linking ------------------------------------------------------------------------------------------------------

    async def prepare_link(self, wallet: Wallet, fields: LinkFields) -> LinkToSign:
        """Return what the wallet has to sign to link its agents.

        Raises:
            InvalidMeaningError: The agents are not several different ones with the primary one among them.
            NotFoundError: The wallet has no such agent.
            ConflictError: An agent's wallet has not signed in here, or too many links wait already.
        """
        await self._check_agents(wallet, fields)
        statement = Statement(
            domain=self._domain,
            owner=wallet,
            label=fields["label"],
            primary=fields["primary_agent_catalog_id"],
            agents=tuple(fields["agent_catalog_ids"]),
            nonce=secrets.token_hex(16),
            issued_ms=ms_of(self._clock),
        )
        await self._store.write(lambda connection: links.prepare(connection, statement))
        return statement.to_sign()

    async def create_link(self, wallet: Wallet, signed: SignedLink) -> Link:
        """Make a link of what was prepared and signed.

        Raises:
            InvalidMeaningError: The signature is not the wallet's, or nothing like this waits for one.
            NotFoundError: An agent is gone.
            ConflictError: An active link has these very agents, or the wallet has too many links.
        """
        if not wallet.signed(signed["signed_message"], signed["signature"]):
            said = "is not the signature of your wallet for this message"
            raise InvalidMeaningError(issues=[Issue(path="signature", message=said, code="bad_signature")])
        await self._check_agents(wallet, signed)
        now_ms = ms_of(self._clock)
        return await self._store.write(lambda connection: links.create(connection, wallet, signed, now_ms))

    async def revoke_link(self, wallet: Wallet, client_id: str, link_id: str) -> LinkRevoked:
        """Let a link hold no more, and say what this client acts as now.

        Raises:
            NotFoundError: The wallet has no such link.
        """
        now_ms = ms_of(self._clock)
        link = await self._store.write(lambda connection: links.revoke(connection, wallet, link_id, now_ms))
        return {**link, "agentContext": (await self._scenes.of(wallet, client_id)).context}

    async def _check_agents(self, wallet: Wallet, fields: LinkFields) -> None:
        if issues := list(_misfits(fields)):
            raise InvalidMeaningError(issues=issues)
        standing = await self._agents.of(wallet)
        for catalog_id in fields["agent_catalog_ids"]:
            if _own(standing, catalog_id).catalog_id != catalog_id:
                raise NotFoundError(resource="agent")  # a slug is no catalog id

    # --- The directory ------------------------------------------------------------------------------------------------

    async def search(self, *, name: str | None, wallet: str | None, limit: int, offset: int) -> AgentList:
        """Return a page of the published agents."""
        page = await self.registry.search(name=name, wallet=wallet, limit=limit, offset=offset)
        return {
            "agents": [listed(agent) for agent in page.agents],
            "total": page.total,
            "hasMore": offset + len(page.agents) < page.total,
        }

    async def publish(self, wallet: Wallet, new: NewAgent) -> Published:
        """Show an agent of this wallet in the directory.

        Raises:
            ConflictError: The wallet has as many agents as it may.
        """
        agent = await self.registry.publish(wallet, new)
        await self.recognise(wallet)
        return {**listed(agent), "status": "published"}

    async def unpublish(self, wallet: Wallet, client_id: str, ref: str) -> Unpublished:
        """Show an agent of this wallet no more.

        Raises:
            NotFoundError: The wallet has no such agent.
            ConflictError: It has several that are called so, or the agent was imported.
        """
        agent = await self.registry.unpublish(wallet, ref)
        context = (await self._scenes.of(wallet, client_id)).context
        return {"catalogId": agent.catalog_id, "status": "unpublished", "agentContext": context}


def _own(standing: Standing, ref: str) -> AgentRecord:
    called = standing.called(ref)
    if len(called) == 1:
        return called[0]
    if called:
        raise ConflictError(reason="several of your agents are called so; name one by its catalogId")
    if any(agent.is_called(ref) for agent in standing.unbacked):
        raise ConflictError(reason="the agent's own wallet has not signed in here, so it cannot act")
    raise NotFoundError(resource="agent")


def _misfits(fields: LinkFields) -> Iterator[Issue]:
    agents, primary = fields["agent_catalog_ids"], fields["primary_agent_catalog_id"]
    if len(set(agents)) < len(agents):
        yield Issue(path="agent_catalog_ids", message="names an agent twice", code="not_unique")
    if primary not in agents:
        said = "must be one of `agent_catalog_ids`"
        yield Issue(path="primary_agent_catalog_id", message=said, code="not_included")
