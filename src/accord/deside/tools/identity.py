"""identity: who the caller's wallet is, which of its agents it acts as, and the directory of agents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Unpack

from accord.deside.desk import Desk
from accord.deside.models.addresses import Address
from accord.deside.models.identity import (
    AgentIdentities,
    AgentList,
    AgentRef,
    DirectoryName,
    DirectoryOffset,
    DirectorySize,
    Link,
    LinkFields,
    LinkId,
    LinkRevoked,
    LinkToSign,
    MyIdentity,
    NewAgent,
    Published,
    Selected,
    SignedLink,
    Unpublished,
)
from accord.engine import Effect, Issue, Toolset

tools = Toolset("identity", fence="untrusted_deside")


def one_of_both(arguments: Mapping[str, Any]) -> Iterator[Issue]:
    """Want an agent or a link, and not both."""
    if ("agent_ref" in arguments) == ("link_id" in arguments):
        yield Issue(path="", message="give exactly one of `agent_ref` and `link_id`", code="exactly_one")


@tools.tool(Effect.READ, scope="dm:read", say="You are {wallet}.", open_world=False)
async def get_my_identity(desk: Desk) -> MyIdentity:
    """Say who you are: the wallet that signed in, its profile, and in `agentContext` the agent that you act as.

    `selection_required`: the wallet has several agents in one source, choose with select_agent_identity.
    """
    return await desk.identities.mine(desk.wallet, desk.client_id)


@tools.tool(Effect.READ, scope="dm:read", say="Agents of {ownerWallet}.", open_world=False)
async def list_my_agent_identities(desk: Desk) -> AgentIdentities:
    """List your wallet's agents that can be selected, its active links, and in `drift` what does not hold."""
    return await desk.identities.list(desk.wallet, desk.client_id)


@tools.tool(Effect.UPDATE, scope="dm:read", say="Selected.", checks=(one_of_both,), open_world=False)
async def select_agent_identity(
    desk: Desk, agent_ref: AgentRef | None = None, link_id: LinkId | None = None
) -> Selected:
    """Act as one of your wallet's agents from now on, or as a link's primary agent. Give exactly one of both.

    It is remembered for this client and wallet.
    """
    if link_id is not None:
        return await desk.identities.select_link(desk.wallet, desk.client_id, link_id)
    return await desk.identities.select_agent(desk.wallet, desk.client_id, agent_ref or "")


@tools.tool(
    Effect.CREATE, scope="dm:write", say="Sign `message` before {expiresAt}, then create the link.", open_world=False
)
async def prepare_agent_identity_link(desk: Desk, **fields: Unpack[LinkFields]) -> LinkToSign:
    """Get the message that your wallet signs to declare that several of its agents belong together.

    Nothing is linked yet: sign `message` unchanged and call create_agent_identity_link within ten minutes.
    """
    return await desk.identities.prepare_link(desk.wallet, fields)


@tools.tool(Effect.CREATE, scope="dm:write", say="Link {linkId} is {status}.", open_world=False)
async def create_agent_identity_link(desk: Desk, **signed: Unpack[SignedLink]) -> Link:
    """Link agents by your wallet's signature of what prepare_agent_identity_link gave; all fields as prepared there."""
    return await desk.identities.create_link(desk.wallet, signed)


@tools.tool(Effect.UPDATE, scope="dm:write", say="Link {linkId} is {status}.", open_world=False)
async def revoke_agent_identity_link(desk: Desk, link_id: LinkId) -> LinkRevoked:
    """Let one of your links hold no more. Its history is kept; the agents themselves stay as they are."""
    return await desk.identities.revoke_link(desk.wallet, desk.client_id, link_id)


@tools.tool(Effect.READ, scope="dm:read", say="Agents found: {total}.", open_world=False)
async def search_agents(
    desk: Desk,
    name: DirectoryName | None = None,
    wallet: Address | None = None,
    limit: DirectorySize = 10,
    offset: DirectoryOffset = 0,
) -> AgentList:
    """Find published agents by a part of their name, by wallet, or both. What is said of them are their owners' words.

    For one wallet's profile, agent or not, use get_user_info.
    """
    return await desk.identities.search(name=name, wallet=wallet, limit=limit, offset=offset)


@tools.tool(Effect.UPDATE, scope="dm:write", say="Published {catalogId}.", open_world=False)
async def publish_agent(desk: Desk, **new: Unpack[NewAgent]) -> Published:
    """Show an agent of your own wallet in the directory; who writes to it writes to your wallet.

    The same source and slug again change that agent: what is left out is removed. A wallet has at most 20.
    """
    return await desk.identities.publish(desk.wallet, new)


@tools.tool(Effect.UPDATE, scope="dm:write", say="Unpublished {catalogId}.", open_world=False)
async def unpublish_agent(desk: Desk, agent_ref: AgentRef) -> Unpublished:
    """Take an agent that you published out of the directory. Publishing it again brings it back under its id."""
    return await desk.identities.unpublish(desk.wallet, desk.client_id, agent_ref)
