"""How large a file a guild takes: its boosts decide that, and only a large file makes anybody ask for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

from accord.discord.links import guild_of
from accord.discord.models.guilds import GuildObject
from accord.discord.models.ids import ChannelId, WebhookId, WebhookToken
from accord.discord.models.values import Wire
from accord.discord.rest.client import Discord, Write
from accord.discord.rest.errors import DiscordNotFoundError, DiscordPermissionError
from accord.discord.rest.uploads import Upload
from accord.engine import Issue, ToolError, ValidationError

__all__ = ["files_fit", "files_fit_webhook"]

MIB: Final = 1024 * 1024
EVERYWHERE: Final = 10 * MIB
BOOSTED: Final[Mapping[int, int]] = {2: 50 * MIB, 3: 100 * MIB}
"""By premium tier. https://support.discord.com/hc/en-us/articles/25444343291031, and 10 MiB for all others:
https://discord.com/developers/docs/reference#uploading-files."""


async def files_fit(discord: Discord, channel_id: ChannelId, write: Write) -> None:
    """Refuse files that are too large for the channel's guild, before anything is uploaded.

    Raises:
        ValidationError: There are some; it names each.
    """
    sizes = _sizes_of(write)
    if max(sizes, default=0) > EVERYWHERE:
        _refuse(sizes, await _limit_of(discord, channel_id))


async def files_fit_webhook(discord: Discord, webhook_id: WebhookId, token: WebhookToken, write: Write) -> None:
    """Refuse files that are too large for the webhook's guild; nothing where the bot does not see that guild.

    Raises:
        ValidationError: There are some; it names each.
    """
    sizes = _sizes_of(write)
    if max(sizes, default=0) > EVERYWHERE:
        with suppress(DiscordNotFoundError, DiscordPermissionError):
            webhook = await discord.get("/webhooks/{}/{}", webhook_id, token, into=Wire)
            _refuse(sizes, await _limit_of_guild(discord, webhook["guild_id"]))


def _refuse(sizes: Sequence[int], most: int) -> None:
    issues = [_issue(number, size, most) for number, size in enumerate(sizes) if size > most]
    if issues:
        raise ValidationError(issues=issues)


def _sizes_of(write: Write) -> list[int]:
    return [_size_of(upload) for upload in write.get("files", ())]


def _size_of(upload: Upload) -> int:
    return len(upload.content) if isinstance(upload.content, bytes) else 0


async def _limit_of(discord: Discord, channel_id: ChannelId) -> int:
    """Return the limit of the channel's guild; that of a DM, or of what cannot be read, is the one for all."""
    try:
        guild_id = await guild_of(discord, channel_id)
        return EVERYWHERE if guild_id is None else await _limit_of_guild(discord, guild_id)
    except ToolError:
        return EVERYWHERE


async def _limit_of_guild(discord: Discord, guild_id: str) -> int:
    guild = await discord.get("/guilds/{}", guild_id, into=GuildObject)
    return BOOSTED.get(guild.get("premium_tier", 0), EVERYWHERE)


def _issue(number: int, size: int, most: int) -> Issue:
    message = f"is a file of {size} bytes; this channel's guild takes at most {most}"
    return Issue(path=f"files[{number}]", message=message, code="too_big")
