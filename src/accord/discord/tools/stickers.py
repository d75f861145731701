"""stickers: a guild's own, and Discord's in packs."""

from __future__ import annotations

from typing import Annotated, Unpack

from accord.discord.access import needs
from accord.discord.files import content_of, named_upload
from accord.discord.models.ids import GuildId, StickerId, StickerPackId
from accord.discord.models.stickers import (
    FILE_KINDS,
    MOST_STICKER_BYTES,
    GuildStickers,
    NewSticker,
    Sticker,
    StickerChanges,
    StickerDeleted,
    StickerFormat,
    StickerPack,
    StickerPacks,
)
from accord.discord.models.values import AuditReason, Wire
from accord.discord.outgoing import changed, given
from accord.discord.rest.client import Discord
from accord.discord.results.stickers import guild_stickers, pack, packs, sticker
from accord.discord.rules import changes
from accord.engine import Effect, Field, Toolset

tools = Toolset("stickers", fence="untrusted_discord")

OWN_OR_OTHERS = needs(
    any_of=("CREATE_GUILD_EXPRESSIONS", "MANAGE_GUILD_EXPRESSIONS"),
    when={"created by somebody else": "MANAGE_GUILD_EXPRESSIONS"},
)


@tools.tool(Effect.READ, say="Sticker {id}.", facts=needs(guild="sticker"))
async def stickers_get(discord: Discord, sticker_id: StickerId) -> Sticker:
    """Fetch a sticker by its id alone, of a guild or of Discord."""
    return sticker(await discord.get("/stickers/{}", sticker_id, into=Wire))


@tools.tool(Effect.READ, say="Packs: {count}.", facts=needs(reach="none"))
async def stickers_list_packs(discord: Discord) -> StickerPacks:
    """List Discord's own sticker packs with the ids and names of their stickers."""
    return packs(await discord.get("/sticker-packs", into=Wire))


@tools.tool(Effect.READ, say="Pack {id}.", facts=needs(reach="none"))
async def stickers_get_pack(discord: Discord, pack_id: StickerPackId) -> StickerPack:
    """Fetch one of Discord's sticker packs with all its stickers."""
    return pack(await discord.get("/sticker-packs/{}", pack_id, into=Wire))


@tools.tool(Effect.READ, say="Stickers: {count}.", facts=needs())
async def stickers_list_guild(discord: Discord, guild_id: GuildId) -> GuildStickers:
    """List a guild's own stickers."""
    return guild_stickers(await discord.get("/guilds/{}/stickers", guild_id, into=list[Wire]))


@tools.tool(Effect.READ, say="Sticker {id}.", facts=needs())
async def stickers_get_guild_sticker(discord: Discord, guild_id: GuildId, sticker_id: StickerId) -> Sticker:
    """Fetch one of a guild's own stickers."""
    return sticker(await discord.get("/guilds/{}/stickers/{}", guild_id, sticker_id, into=Wire))


@tools.tool(Effect.CREATE, say="Created sticker {id}.", facts=needs("CREATE_GUILD_EXPRESSIONS"))
async def stickers_create_guild_sticker(
    discord: Discord,
    guild_id: GuildId,
    file_data: Annotated[
        str, Field(min_length=1, max_length=700_000, description="a file of the upload folder, a data URI, or base64")
    ],
    file_format: Annotated[StickerFormat | None, Field(description="1 PNG, 2 APNG, 3 Lottie, 4 GIF; else told")] = None,
    **new: Unpack[NewSticker],
) -> Sticker:
    """Upload a sticker: PNG, APNG or GIF of 320x320, at most 512 KiB. Lottie is for verified and partnered guilds."""
    form, reason = given({"description": "", **new})
    kinds = {FILE_KINDS[file_format]} if file_format else {*FILE_KINDS.values()}
    content = await content_of(discord, file_data, path="file_data", kinds=kinds, most_bytes=MOST_STICKER_BYTES)
    file = named_upload("sticker", content, field_name="file")
    made = await discord.post("/guilds/{}/stickers", guild_id, into=Wire, form=form, files=[file], reason=reason)
    return sticker(made)


@tools.tool(
    Effect.UPDATE, say="Changed sticker {id}.", checks=(changes("guild_id", "sticker_id"),), facts=OWN_OR_OTHERS
)
async def stickers_modify_guild_sticker(
    discord: Discord, guild_id: GuildId, sticker_id: StickerId, **new: Unpack[StickerChanges]
) -> Sticker:
    """Change a sticker's name, tags or description. What is left out stays."""
    body, reason = changed(new)
    sent = await discord.patch(
        "/guilds/{}/stickers/{}", guild_id, sticker_id, into=Wire, body=body, reason=reason, idempotent=True
    )
    return sticker(sent)


@tools.tool(Effect.DELETE, say="Deleted sticker {sticker_id}.", facts=OWN_OR_OTHERS)
async def stickers_delete_guild_sticker(
    discord: Discord, guild_id: GuildId, sticker_id: StickerId, audit_reason: AuditReason | None = None
) -> StickerDeleted:
    """Delete a guild's sticker for good."""
    await discord.do("DELETE", "/guilds/{}/stickers/{}", guild_id, sticker_id, reason=audit_reason)
    return {"deleted": True, "guild_id": guild_id, "sticker_id": sticker_id}
