"""voice: who is where, and what a voice channel says of itself."""

from __future__ import annotations

from typing import Unpack

from accord.discord.access import needs
from accord.discord.models.ids import ChannelId, GuildId, UserId
from accord.discord.models.values import Wire
from accord.discord.models.voice import NewVoiceStatus, VoiceRegions, VoiceState, VoiceStatus
from accord.discord.outgoing import changed
from accord.discord.rest.client import Discord
from accord.discord.results.guild_extras import voice_regions
from accord.discord.results.picking import picked
from accord.discord.rules import changes
from accord.engine import Effect, Toolset

tools = Toolset("voice", fence="untrusted_discord")


@tools.tool(Effect.READ, say="Voice regions: {count}.", facts=needs(reach="none"))
async def voice_list_regions(discord: Discord) -> VoiceRegions:
    """List the regions that a voice channel can be set to (rtc_region)."""
    return voice_regions(await discord.get("/voice/regions", into=list[Wire]))


@tools.tool(Effect.READ, say="Voice state of the bot in guild {guild_id}.", facts=needs())
async def voice_get_current_user_state(discord: Discord, guild_id: GuildId) -> VoiceState:
    """See in which voice channel of a guild the bot is, and whether it is muted. Not found: it is in none."""
    sent = await discord.get("/guilds/{}/voice-states/@me", guild_id, into=Wire)
    return picked(VoiceState, sent, guild_id=guild_id)


@tools.tool(Effect.READ, say="Voice state of user {user_id}.", facts=needs())
async def voice_get_user_state(discord: Discord, guild_id: GuildId, user_id: UserId) -> VoiceState:
    """See in which voice channel of a guild a user is, and whether they are muted. Not found: they are in none."""
    sent = await discord.get("/guilds/{}/voice-states/{}", guild_id, user_id, into=Wire)
    return picked(VoiceState, sent, guild_id=guild_id)


@tools.tool(
    Effect.UPDATE,
    say="Set the status of <#{channel_id}>.",
    checks=(changes("channel_id"),),
    facts=needs("SET_VOICE_CHANNEL_STATUS", when={"the bot is not in the channel": "MANAGE_CHANNELS"}),
)
async def voice_set_channel_status(
    discord: Discord,
    channel_id: ChannelId,
    **fields: Unpack[NewVoiceStatus],
) -> VoiceStatus:
    """Set the line that a voice channel shows below its name; `clear: [status]` takes it away."""
    body, reason = changed(fields)
    await discord.do("PUT", "/channels/{}/voice-status", channel_id, body=body, reason=reason)
    return {"updated": True, "channel_id": channel_id, "voice_status": body["status"]}
