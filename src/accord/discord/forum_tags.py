"""Tags of a forum by what people call them: their names; Discord's apps show nobody their ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from accord.discord.models.channels import FORUMS
from accord.discord.models.ids import ChannelId
from accord.discord.models.values import Wire
from accord.discord.rest.client import Discord
from accord.engine import Issue, ValidationError

__all__ = ["tags_for_post", "tags_of_forum", "tags_of_post"]

Tag: TypeAlias = dict[str, Any]

REQUIRE_TAG = 1 << 4
"""https://discord.com/developers/docs/resources/channel#channel-object-channel-flags."""


async def tags_for_post(discord: Discord, forum_id: ChannelId, wanted: Sequence[str]) -> list[str]:
    """Return the ids of the tags that a new post of this forum is to have.

    Raises:
        ValidationError: It is no forum, it has no such tag, or it requires one and none is given.
        ToolError: The forum cannot be read.
    """
    forum = await discord.get("/channels/{}", forum_id, into=Wire)
    if forum["type"] not in FORUMS:
        raise _wrong("channel_id", "is no forum; threads_create opens a thread in a text channel", "wrong_channel_type")
    return _chosen(forum, wanted, "applied_tags")


async def tags_of_post(discord: Discord, post_id: ChannelId, wanted: Sequence[str]) -> list[str]:
    """Return the ids of the tags that a post which there is already is to have.

    Raises:
        ValidationError: It is no post of a forum, or as for a new one.
        ToolError: The post or its forum cannot be read.
    """
    post = await discord.get("/channels/{}", post_id, into=Wire)
    parent_id = post.get("parent_id")
    forum = await discord.get("/channels/{}", parent_id, into=Wire) if parent_id and "thread_metadata" in post else {}
    if forum.get("type") not in FORUMS:
        raise _wrong("applied_tags", "are for posts of a forum; this channel is none", "wrong_channel_type")
    return _chosen(forum, wanted, "applied_tags")


async def tags_of_forum(discord: Discord, forum_id: ChannelId, wanted: Sequence[str], *, path: str) -> list[str]:
    """Return the ids of tags that a forum has, whatever is done with them; it is read only where some are named.

    Raises:
        ValidationError: It has no such tag.
        ToolError: The forum cannot be read.
    """
    return _known(await discord.get("/channels/{}", forum_id, into=Wire), wanted, path) if wanted else []


def _chosen(forum: Wire, wanted: Sequence[str], path: str) -> list[str]:
    if not wanted and forum.get("flags", 0) & REQUIRE_TAG:
        raise _wrong(path, f"is required in this forum; its tags: {_names(forum)}", "required")
    return _known(forum, wanted, path)


def _known(forum: Wire, wanted: Sequence[str], path: str) -> list[str]:
    fits = [_fitting(forum, words) for words in wanted]
    if issues := [*_issues(forum, fits, path)]:
        raise ValidationError(issues=issues)
    return list(dict.fromkeys(found[0]["id"] for found in fits))


def _fitting(forum: Wire, words: str) -> list[Tag]:
    """The tags that these words can mean: the one of this id, else of exactly this name, else of it in any case."""
    tags: list[Tag] = forum.get("available_tags", [])
    folded = words.strip().casefold()
    ways = (
        [tag for tag in tags if tag["id"] == words],
        [tag for tag in tags if tag["name"] == words],
        [tag for tag in tags if tag["name"].casefold() == folded],
    )
    return next(filter(None, ways), [])


def _issues(forum: Wire, fits: Sequence[list[Tag]], path: str) -> Iterator[Issue]:
    for number, found in enumerate(fits):
        place = f"{path}[{number}]"
        if not found:
            message = f"is no tag of this forum; its tags: {_names(forum)}"
            yield Issue(path=place, message=message, code="unknown_tag")
        elif len(found) > 1:
            ids = ", ".join(tag["id"] for tag in found)
            yield Issue(path=place, message=f"is the name of several tags; give an id: {ids}", code="ambiguous_tag")


def _names(forum: Wire) -> str:
    """The forum's tags as somebody else's words: quoted, and unable to end the quotation."""
    names = [str(tag["name"]).replace("`", "'") for tag in forum.get("available_tags", ())]
    return ", ".join(f"`{name}`" for name in names) or "none"


def _wrong(path: str, message: str, code: str) -> ValidationError:
    return ValidationError(issues=[{"path": path, "message": message, "code": code}])
