"""contacts: who somebody is, who may write to you, and what you say of yourself."""

from __future__ import annotations

from typing import Annotated, Literal, Unpack

from accord.deside.desk import Desk
from accord.deside.models.addresses import Address
from accord.deside.models.messages import ContactRequests, Cursor, PageSize, RequestAnswered
from accord.deside.models.people import Blocked, DmPolicy, DmPolicySet, ProfileChanges, ProfileUpdated, UserInfo
from accord.deside.people.addresses import wallet_of
from accord.engine import Effect, Field, Toolset

__all__ = ["tools"]

tools = Toolset("contacts", fence="untrusted_deside")


@tools.tool(Effect.READ, scope="dm:read", open_world=False)
async def get_user_info(desk: Desk, wallet: Address) -> UserInfo:
    """Say what is known of a wallet: whether it signed in here, its profile, and its agent's."""
    return await desk.people.info(wallet_of(wallet, "wallet"))


@tools.tool(Effect.READ, scope="dm:read", open_world=False)
async def list_contact_requests(desk: Desk, limit: PageSize = 20, cursor: Cursor | None = None) -> ContactRequests:
    """List who waits for your consent to write to you, the newest request first, with what they wrote."""
    return await desk.messages.requests(desk.wallet, limit=limit, cursor=cursor)


@tools.tool(Effect.UPDATE, scope="dm:write", say="{status} the request of {wallet}.", idempotent=False)
async def respond_contact_request(
    desk: Desk,
    wallet: Address,
    action: Annotated[
        Literal["accept", "decline"],
        Field(description="accept delivers what waits and makes you contacts, decline drops it"),
    ],
) -> RequestAnswered:
    """Answer a wallet's contact request. Writing to it accepts it too."""
    return await desk.messages.answer_request(desk.wallet, wallet_of(wallet, "wallet"), action)


@tools.tool(Effect.UPDATE, scope="dm:write", say="{wallet} is blocked.", open_world=False)
async def block_wallet(desk: Desk, wallet: Address) -> Blocked:
    """Let a wallet write to you no more. What it wrote stays; its contact request is declined."""
    return await desk.people.block(desk.wallet, wallet_of(wallet, "wallet"))


@tools.tool(Effect.UPDATE, scope="dm:write", say="{wallet} is not blocked.", open_world=False)
async def unblock_wallet(desk: Desk, wallet: Address) -> Blocked:
    """Let a wallet that you blocked write to you again."""
    return await desk.people.unblock(desk.wallet, wallet_of(wallet, "wallet"))


@tools.tool(Effect.UPDATE, scope="dm:write", say="Who may write to you: {policy}.", open_world=False)
async def set_dm_policy(desk: Desk, policy: DmPolicy) -> DmPolicySet:
    """Say who may write to you: everyone, contacts (a stranger's first message is a request), or nobody."""
    return await desk.people.set_policy(desk.wallet, policy)


@tools.tool(Effect.UPDATE, scope="dm:write", say="Changed: {changed}.", open_world=False)
async def update_my_profile(desk: Desk, **changes: Unpack[ProfileChanges]) -> ProfileUpdated:
    """Change what others see of you. What is left out stays; an empty text removes."""
    return await desk.people.update_profile(desk.wallet, changes)
