"""soundboard: a guild's sounds, the default ones, and playing them."""

from __future__ import annotations

from typing import Unpack

from accord.discord.access import needs
from accord.discord.files import image_of
from accord.discord.models.ids import ChannelId, GuildId, SoundboardSoundId
from accord.discord.models.soundboard import (
    MOST_SOUND_BYTES,
    NewSound,
    Sound,
    SoundChanges,
    SoundDeleted,
    Sounds,
    SoundSent,
    SoundShown,
    emoji_is_one_or_none,
)
from accord.discord.models.values import AuditReason, Wire
from accord.discord.outgoing import changed, given
from accord.discord.rest.client import Discord
from accord.discord.results.soundboard import sound, sound_shown, sounds
from accord.discord.rules import changes
from accord.engine import Effect, Toolset

tools = Toolset("soundboard", fence="untrusted_discord")

OWN_OR_ANY = needs(
    any_of=("CREATE_GUILD_EXPRESSIONS", "MANAGE_GUILD_EXPRESSIONS"),
    when={"created by somebody else": "MANAGE_GUILD_EXPRESSIONS"},
)


@tools.tool(Effect.READ, say="Default sounds: {count}.", facts=needs(reach="none"))
async def soundboard_list_default_sounds(discord: Discord) -> Sounds:
    """List the sounds that every guild has. Their ids are short."""
    return sounds(await discord.get("/soundboard-default-sounds", into=list[Wire]))


@tools.tool(Effect.READ, say="Sounds: {count}.", facts=needs())
async def soundboard_list_guild_sounds(discord: Discord, guild_id: GuildId) -> Sounds:
    """List a guild's own sounds: ids, names, volumes, emoji."""
    return sounds((await discord.get("/guilds/{}/soundboard-sounds", guild_id, into=Wire))["items"])


@tools.tool(Effect.READ, say="Sound {sound_id}.", facts=needs())
async def soundboard_get_guild_sound(discord: Discord, guild_id: GuildId, sound_id: SoundboardSoundId) -> SoundShown:
    """Fetch one of a guild's sounds."""
    return sound_shown(await discord.get("/guilds/{}/soundboard-sounds/{}", guild_id, sound_id, into=Wire))


@tools.tool(
    Effect.CREATE,
    say="Added sound {sound_id}.",
    checks=(emoji_is_one_or_none,),
    facts=needs("CREATE_GUILD_EXPRESSIONS"),
)
async def soundboard_create_guild_sound(discord: Discord, guild_id: GuildId, **new: Unpack[NewSound]) -> Sound:
    """Add a sound to a guild's soundboard, with at most one emoji."""
    body, reason = given(new)
    body["sound"] = await image_of(discord, new["sound"], path="sound", kinds="audio/", most_bytes=MOST_SOUND_BYTES)
    return sound(await discord.post("/guilds/{}/soundboard-sounds", guild_id, into=Wire, body=body, reason=reason))


@tools.tool(
    Effect.UPDATE,
    say="Changed sound {sound_id}.",
    checks=(changes("guild_id", "sound_id"), emoji_is_one_or_none),
    facts=OWN_OR_ANY,
)
async def soundboard_modify_guild_sound(
    discord: Discord, guild_id: GuildId, sound_id: SoundboardSoundId, **changed_sound: Unpack[SoundChanges]
) -> Sound:
    """Change the name, volume or emoji of a guild's sound. What is left out stays."""
    body, reason = changed(changed_sound)
    made = await discord.patch(
        "/guilds/{}/soundboard-sounds/{}", guild_id, sound_id, into=Wire, body=body, reason=reason, idempotent=True
    )
    return sound(made)


@tools.tool(Effect.DELETE, say="Deleted sound {sound_id}.", facts=OWN_OR_ANY)
async def soundboard_delete_guild_sound(
    discord: Discord, guild_id: GuildId, sound_id: SoundboardSoundId, audit_reason: AuditReason | None = None
) -> SoundDeleted:
    """Delete a guild's sound for good."""
    await discord.do("DELETE", "/guilds/{}/soundboard-sounds/{}", guild_id, sound_id, reason=audit_reason)
    return {"deleted": True, "sound_id": sound_id, "guild_id": guild_id}


@tools.tool(
    Effect.CREATE,
    say="Played sound {sound_id} in <#{channel_id}>.",
    facts=needs("SPEAK", "USE_SOUNDBOARD", when={"source_guild_id": "USE_EXTERNAL_SOUNDS"}),
)
async def soundboard_send_sound(
    discord: Discord, channel_id: ChannelId, sound_id: SoundboardSoundId, source_guild_id: GuildId | None = None
) -> SoundSent:
    """Play a default sound or one of the guild's in the voice channel that the bot is connected to.

    A sound of another guild needs its source_guild_id.
    """
    body = {"sound_id": sound_id} | ({"source_guild_id": source_guild_id} if source_guild_id else {})
    await discord.do("POST", "/channels/{}/send-soundboard-sound", channel_id, body=body)
    return {"sent": True, "channel_id": channel_id, "sound_id": sound_id}
