"""A custom emoji is named by half sometimes; its guild knows the other half."""

from __future__ import annotations

from accord.discord.links import guild_of
from accord.discord.models.emojis import Emoji, EmojiObject, emoji_of
from accord.discord.models.ids import ChannelId
from accord.discord.rest.client import Discord
from accord.engine import ValidationError

__all__ = ["path_form"]


async def path_form(discord: Discord, channel_id: ChannelId, text: str) -> str:
    """Return the form of an emoji that Discord takes in a path, looked up in the channel's guild where it is needed.

    Raises:
        ValidationError: There is no such emoji in the guild, or there are several of this name.
        ToolError: The channel or its guild's emoji cannot be read.
    """
    emoji = emoji_of(text)
    if emoji.in_path is not None:
        return emoji.in_path
    guild_id = await guild_of(discord, channel_id)
    known = await discord.get("/guilds/{}/emojis", guild_id, into=list[EmojiObject]) if guild_id else []
    return _chosen(emoji, known)


def _chosen(emoji: Emoji, known: list[EmojiObject]) -> str:
    fits = [one for one in known if emoji.id == one["id"] or (emoji.name and emoji.name == one["name"])]
    if len(fits) == 1:
        return f"{fits[0]['name']}:{fits[0]['id']}"
    if not fits:
        raise _wrong("is no emoji of this guild; name:id works for emoji of other guilds", "unknown_emoji")
    ids = ", ".join(str(one["id"]) for one in fits)
    raise _wrong(f"is the name of several emoji; give one of their ids: {ids}", "ambiguous_emoji")


def _wrong(message: str, code: str) -> ValidationError:
    return ValidationError(issues=[{"path": "emoji", "message": message, "code": code}])
