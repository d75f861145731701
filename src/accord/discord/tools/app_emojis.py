"""app_emojis: emoji that the bot takes along everywhere."""

from __future__ import annotations

from accord.discord.access import needs
from accord.discord.application_lookup import application_of
from accord.discord.files import image_of
from accord.discord.models.custom_emojis import (
    MOST_EMOJI_BYTES,
    AppEmoji,
    AppEmojiDeleted,
    AppEmojis,
    EmojiImage,
    EmojiName,
)
from accord.discord.models.ids import ApplicationId, EmojiId
from accord.discord.models.values import Wire
from accord.discord.rest.client import Discord
from accord.discord.results.custom_emojis import app_emojis
from accord.discord.results.picking import picked
from accord.discord.rules import changes
from accord.engine import Effect, Toolset

tools = Toolset("app_emojis", fence="untrusted_discord")

OWN = needs(reach="bot")
"""They are the application's: no guild grants anything."""


@tools.tool(Effect.READ, say="Emoji of the application: {count}.", facts=OWN)
async def app_emojis_list(discord: Discord, application_id: ApplicationId | None = None) -> AppEmojis:
    """List the bot's own emoji, which it can use in every guild. application_id is the bot's own if left out."""
    own = await application_of(discord, application_id)
    sent = await discord.get("/applications/{}/emojis", own, into=Wire)
    return app_emojis(sent["items"])


@tools.tool(Effect.READ, say="Emoji {id}.", facts=OWN)
async def app_emojis_get(discord: Discord, emoji_id: EmojiId, application_id: ApplicationId | None = None) -> AppEmoji:
    """Fetch one of the bot's own emoji."""
    own = await application_of(discord, application_id)
    return picked(AppEmoji, await discord.get("/applications/{}/emojis/{}", own, emoji_id, into=Wire))


@tools.tool(Effect.CREATE, say="Created emoji {id}.", facts=OWN)
async def app_emojis_create(
    discord: Discord, name: EmojiName, image: EmojiImage, application_id: ApplicationId | None = None
) -> AppEmoji:
    """Upload an emoji of the bot's own: PNG, JPEG, GIF, WebP or AVIF, best 128x128. It can have 2000."""
    own = await application_of(discord, application_id)
    picture = await image_of(discord, image, path="image", most_bytes=MOST_EMOJI_BYTES)
    body = {"name": name, "image": picture}
    return picked(AppEmoji, await discord.post("/applications/{}/emojis", own, into=Wire, body=body))


@tools.tool(Effect.UPDATE, say="Changed emoji {id}.", checks=(changes("application_id", "emoji_id"),), facts=OWN)
async def app_emojis_modify(
    discord: Discord,
    emoji_id: EmojiId,
    name: EmojiName | None = None,
    application_id: ApplicationId | None = None,
) -> AppEmoji:
    """Rename one of the bot's own emoji."""
    own = await application_of(discord, application_id)
    sent = await discord.patch(
        "/applications/{}/emojis/{}", own, emoji_id, into=Wire, body={"name": name}, idempotent=True
    )
    return picked(AppEmoji, sent)


@tools.tool(Effect.DELETE, say="Deleted emoji {emoji_id}.", facts=OWN)
async def app_emojis_delete(
    discord: Discord, emoji_id: EmojiId, application_id: ApplicationId | None = None
) -> AppEmojiDeleted:
    """Delete one of the bot's own emoji for good, in every guild."""
    own = await application_of(discord, application_id)
    await discord.do("DELETE", "/applications/{}/emojis/{}", own, emoji_id)
    return {"deleted": True, "application_id": own, "emoji_id": emoji_id}
