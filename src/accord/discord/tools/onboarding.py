"""onboarding: what new members are asked and shown."""

from __future__ import annotations

from typing import Unpack

from accord.discord.access import needs
from accord.discord.conditions import reaches_newcomers
from accord.discord.merging import whole_onboarding
from accord.discord.models.ids import GuildId
from accord.discord.models.onboarding import NewMemberWelcome, Onboarding, OnboardingChanges
from accord.discord.models.values import Wire
from accord.discord.rest.client import Discord
from accord.discord.results.onboarding import new_member_welcome, onboarding
from accord.discord.rules import changes
from accord.engine import Effect, Toolset

tools = Toolset("onboarding", fence="untrusted_discord")


@tools.tool(Effect.READ, say="Onboarding of guild {guild_id}.", facts=needs())
async def onboarding_get(discord: Discord, guild_id: GuildId) -> Onboarding:
    """Fetch a guild's onboarding: questions with their options, default channels, whether it is on."""
    return onboarding(await discord.get("/guilds/{}/onboarding", guild_id, into=Wire))


@tools.tool(
    Effect.UPDATE,
    say="Changed the onboarding of guild {guild_id}.",
    checks=(changes("guild_id"),),
    facts=needs("MANAGE_GUILD", "MANAGE_ROLES"),
    confirm_when=reaches_newcomers,
)
async def onboarding_modify(discord: Discord, guild_id: GuildId, **settings: Unpack[OnboardingChanges]) -> Onboarding:
    """Change a guild's onboarding. What is left out stays; prompts not listed are removed.

    A prompt or option keeps what is not said of it if named by its id. emoji_name "" removes an emoji.
    """
    present = onboarding(await discord.get("/guilds/{}/onboarding", guild_id, into=Wire))
    body, reason = whole_onboarding(present, settings)
    return onboarding(await discord.put("/guilds/{}/onboarding", guild_id, into=Wire, body=body, reason=reason))


@tools.tool(Effect.READ, say="New member welcome of guild {guild_id}.", facts=needs())
async def onboarding_get_new_member_welcome(discord: Discord, guild_id: GuildId) -> NewMemberWelcome:
    """Fetch the server guide: the welcome message, tasks for new members, channels to read."""
    return new_member_welcome(guild_id, await discord.get("/guilds/{}/new-member-welcome", guild_id, into=Wire))
