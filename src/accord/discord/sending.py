"""A new message as its requests take it: in parts where its text is too long for one, with files that fit the guild."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from accord.discord.models.components import buttons_are_whole
from accord.discord.models.embeds import embeds_fit
from accord.discord.models.files import files_are_one
from accord.discord.models.ids import ChannelId
from accord.discord.models.mentions import mentions_are_one
from accord.discord.models.messages import flags_of_new, something_to_send
from accord.discord.models.threads import NewPost
from accord.discord.outgoing import given, nonce_of, sendable
from accord.discord.overflow import content_fits, nonces_of, parts_of
from accord.discord.rest.client import Discord, Write
from accord.discord.upload_limits import files_fit
from accord.engine import ValidationError

__all__ = ["BODY_RULES", "NEW_RULES", "opening_of", "writes_of"]

Json: TypeAlias = Any

BODY_RULES: Final = (embeds_fit, buttons_are_whole, mentions_are_one, files_are_one)
"""What holds of every message by the bot."""

NEW_RULES: Final = (something_to_send, content_fits, flags_of_new, *BODY_RULES)
"""What holds of a new one besides."""


async def writes_of(
    discord: Discord, message: Mapping[str, Json], channel_id: ChannelId | None = None, *, nonce: str | None = None
) -> list[Write]:
    """Return a new message as its requests take it, one for each of its parts. Its files stand in the last one.

    Args:
        discord: Where the channel's guild is asked for, if a file is large.
        message: What is sent.
        channel_id: The channel, where it is known; without it files are held to the upload folder's limit alone.
        nonce: What the first part is known by; the others' follow from it.

    Raises:
        ValidationError: A file cannot be read, or is larger than the channel's guild takes.
    """
    parts = parts_of(message)
    nonces = nonces_of(nonce, len(parts)) if nonce else [None] * len(parts)
    writes = [await sendable(discord, part, nonce=own) for part, own in zip(parts, nonces, strict=True)]
    if channel_id is not None:
        await files_fit(discord, channel_id, writes[-1])
    return writes


async def opening_of(discord: Discord, channel_id: ChannelId, post: NewPost, tags: Sequence[str]) -> list[Write]:
    """Return a new forum post as its request takes it, and behind it the parts that go into its thread.

    Raises:
        ValidationError: A file of its message cannot be read, or is larger than the channel's guild takes.
    """
    try:
        first, *rest = await writes_of(discord, post["message"], channel_id, nonce=nonce_of({}))
    except ValidationError as error:
        raise ValidationError(issues=[{**one, "path": f"message.{one['path']}"} for one in error.issues]) from error
    body, reason = given(post)
    tagged = {"applied_tags": list(tags)} if tags else {}
    return [{**first, "body": {**body, "message": first["body"], **tagged}, "reason": reason, "nonce": None}, *rest]
