"""emojis: custom emoji of a guild."""

from __future__ import annotations

from typing import Unpack

from accord.discord.access import needs
from accord.discord.files import image_of
from accord.discord.models.custom_emojis import (
    MOST_EMOJI_BYTES,
    CustomEmoji,
    EmojiChanges,
    EmojiDeleted,
    EmojiImage,
    EmojiName,
    EmojiRoles,
    GuildEmojis,
)
from accord.discord.models.ids import EmojiId, GuildId
from accord.discord.models.values import AuditReason, Wire
from accord.discord.outgoing import changed
from accord.discord.rest.client import Discord
from accord.discord.results.custom_emojis import guild_emojis
from accord.discord.results.picking import picked
from accord.discord.rules import changes, once_each
from accord.engine import Effect, Toolset

tools = Toolset("emojis", fence="untrusted_discord")

OWN_OR_OTHERS = needs(
    any_of=("CREATE_GUILD_EXPRESSIONS", "MANAGE_GUILD_EXPRESSIONS"),
    when={"created by somebody else": "MANAGE_GUILD_EXPRESSIONS"},
)


@tools.tool(Effect.READ, say="Emoji: {count}.", facts=needs())
async def emojis_list_guild(discord: Discord, guild_id: GuildId) -> GuildEmojis:
    """List a guild's custom emoji: ids, names, who may use them."""
    return guild_emojis(await discord.get("/guilds/{}/emojis", guild_id, into=list[Wire]))


@tools.tool(Effect.READ, say="Emoji {id}.", facts=needs())
async def emojis_get(discord: Discord, guild_id: GuildId, emoji_id: EmojiId) -> CustomEmoji:
    """Fetch one custom emoji of a guild."""
    return picked(CustomEmoji, await discord.get("/guilds/{}/emojis/{}", guild_id, emoji_id, into=Wire))


@tools.tool(
    Effect.CREATE, say="Created emoji {id}.", checks=(once_each("roles"),), facts=needs("CREATE_GUILD_EXPRESSIONS")
)
async def emojis_create(
    discord: Discord,
    guild_id: GuildId,
    name: EmojiName,
    image: EmojiImage,
    roles: EmojiRoles | None = None,
    audit_reason: AuditReason | None = None,
) -> CustomEmoji:
    """Upload a custom emoji to a guild: PNG, JPEG, GIF, WebP or AVIF, best 128x128."""
    picture = await image_of(discord, image, path="image", most_bytes=MOST_EMOJI_BYTES)
    body = {"name": name, "image": picture, **({"roles": roles} if roles else {})}
    return picked(
        CustomEmoji, await discord.post("/guilds/{}/emojis", guild_id, into=Wire, body=body, reason=audit_reason)
    )


@tools.tool(
    Effect.UPDATE,
    say="Changed emoji {id}.",
    checks=(changes("guild_id", "emoji_id"), once_each("roles")),
    facts=OWN_OR_OTHERS,
)
async def emojis_modify(
    discord: Discord, guild_id: GuildId, emoji_id: EmojiId, **emoji: Unpack[EmojiChanges]
) -> CustomEmoji:
    """Rename a custom emoji, or change which roles may use it. What is left out stays."""
    body, reason = changed(emoji)
    sent = await discord.patch(
        "/guilds/{}/emojis/{}", guild_id, emoji_id, into=Wire, body=body, reason=reason, idempotent=True
    )
    return picked(CustomEmoji, sent)


@tools.tool(Effect.DELETE, say="Deleted emoji {emoji_id}.", facts=OWN_OR_OTHERS)
async def emojis_delete(
    discord: Discord, guild_id: GuildId, emoji_id: EmojiId, audit_reason: AuditReason | None = None
) -> EmojiDeleted:
    """Delete a custom emoji from a guild for good; messages show its name instead."""
    await discord.do("DELETE", "/guilds/{}/emojis/{}", guild_id, emoji_id, reason=audit_reason)
    return {"deleted": True, "guild_id": guild_id, "emoji_id": emoji_id}
