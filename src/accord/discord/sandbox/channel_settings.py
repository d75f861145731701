"""Which settings a channel of each type has, their limits and what they start as."""

# The fields: https://discord.com/developers/docs/resources/channel#channel-object

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING, Any

from accord.discord.sandbox.forms import Check, form, integer, listed, one_of, snowflake, text, truth

if TYPE_CHECKING:
    from collections.abc import Mapping

    from accord.discord.sandbox.world import JsonObject, World

TEXT, DIRECT_MESSAGE, VOICE, CATEGORY, ANNOUNCEMENT = 0, 1, 2, 4, 5
STAGE, DIRECTORY, FORUM, MEDIA = 13, 14, 15, 16
ANNOUNCEMENT_THREAD, PUBLIC_THREAD, PRIVATE_THREAD = 10, 11, 12
SLOWEST_SECONDS = 6 * 60 * 60
ARCHIVE_MINUTES = (60, 1440, 4320, 10080)
# Types in which no messages lie; in a forum and in its like for media only the posts hold any.
WITHOUT_MESSAGES = (CATEGORY, DIRECTORY, FORUM, MEDIA)
WITH_PLAIN_NAMES = (TEXT, ANNOUNCEMENT, FORUM)

_WRITTEN: JsonObject = {"topic": None, "nsfw": False, "rate_limit_per_user": 0}
_SPOKEN: JsonObject = {"nsfw": False, "rate_limit_per_user": 0, "bitrate": 64_000, "user_limit": 0, "rtc_region": None}
_POSTED: JsonObject = _WRITTEN | {
    "available_tags": [], "default_reaction_emoji": None, "default_sort_order": None, "default_forum_layout": 0,
    "default_thread_rate_limit_per_user": 0, "default_tag_setting": "match_some",
}  # fmt: skip
DEFAULTS: Mapping[int, JsonObject] = {
    TEXT: _WRITTEN,
    VOICE: _SPOKEN,
    CATEGORY: {},
    ANNOUNCEMENT: _WRITTEN,
    STAGE: _SPOKEN | {"topic": None},
    FORUM: _POSTED,
}

_tag = form(
    {"id": snowflake, "name": text(20, least=1), "moderated": truth, "emoji_id": snowflake, "emoji_name": text(100)},
    required=("name",),
)
SETTINGS: Mapping[str, Check] = {
    "topic": text(4096),
    "nsfw": truth,
    "rate_limit_per_user": integer(0, SLOWEST_SECONDS),
    "bitrate": integer(8_000, 384_000),
    "user_limit": integer(0, 10_000),
    "rtc_region": text(100),
    "video_quality_mode": one_of(1, 2),
    "default_auto_archive_duration": one_of(*ARCHIVE_MINUTES),
    "default_thread_rate_limit_per_user": integer(0, SLOWEST_SECONDS),
    "default_reaction_emoji": form({"emoji_id": snowflake, "emoji_name": text(100)}),
    "default_sort_order": one_of(0, 1),
    "default_tag_setting": one_of("match_all", "match_some"),
    "default_forum_layout": one_of(0, 1, 2),
    "available_tags": listed(_tag, most=20),
}


def settings_at_first(kind: int) -> JsonObject:
    """What a new channel of this type starts with."""
    return copy.deepcopy(dict(DEFAULTS[kind]))


def settled(world: World, kind: int, fields: Mapping[str, Any]) -> JsonObject:
    """The settings among these fields that a channel of this type has; null puts one back, a new tag gets an id."""
    blanks = DEFAULTS.get(kind, {})
    known = blanks.keys() | {"default_auto_archive_duration", "video_quality_mode"}
    changes = {name: fields[name] for name in SETTINGS if name in fields and name in known}
    given: JsonObject = {name: blanks.get(name) if value is None else value for name, value in changes.items()}
    if "available_tags" in given:
        given["available_tags"] = [_numbered(world, tag) for tag in given["available_tags"]]
    if given.get("default_reaction_emoji"):
        given["default_reaction_emoji"] = {"emoji_id": None, "emoji_name": None} | given["default_reaction_emoji"]
    return {name: value for name, value in given.items() if value is not None or name in blanks}


def _numbered(world: World, tag: JsonObject) -> JsonObject:
    return {
        "id": tag.get("id") or world.new_id(),
        "name": tag["name"],
        "moderated": bool(tag.get("moderated")),
        "emoji_id": tag.get("emoji_id"),
        "emoji_name": tag.get("emoji_name"),
    }


def plain_name(kind: int, name: str) -> str:
    """The name as Discord writes it: text channels are in lower case, with hyphens for spaces."""
    return re.sub(r"\s+", "-", name.strip().lower()) if kind in WITH_PLAIN_NAMES else name
