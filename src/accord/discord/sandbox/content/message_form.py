"""The fields of a message as a request gives them, checked before anything is done with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from accord.discord.sandbox.content.attachments import ATTACHMENTS
from accord.discord.sandbox.content.components import IS_COMPONENTS_V2
from accord.discord.sandbox.content.embeds import EMBEDS
from accord.discord.sandbox.content.mentions import ALLOWED_MENTIONS
from accord.discord.sandbox.content.polls import POLL
from accord.discord.sandbox.forms import (
    Check,
    Complaints,
    anything,
    form,
    integer,
    listed,
    one_of,
    read,
    snowflake,
    text,
    truth,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from accord.discord.sandbox.world import JsonObject

MOST_CHARACTERS = 2000
MOST_STICKERS = 3
NONCE_CHARACTERS = 25
REPLY_REFERENCE = 0
NOT_WITH_COMPONENTS_V2 = ("content", "embeds", "poll", "sticker_ids")


def _nonce(value: Any, complaints: Complaints) -> int | str:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    words: str = text(NONCE_CHARACTERS)(value, complaints)
    return words


_BOTH: Mapping[str, Check] = {
    "content": text(MOST_CHARACTERS),
    "embeds": EMBEDS,
    "allowed_mentions": ALLOWED_MENTIONS,
    "components": listed(anything, most=40),
    "flags": integer(0, 2**31 - 1),
    "attachments": ATTACHMENTS,
}
_reference = form(
    {
        "type": one_of(REPLY_REFERENCE),
        "message_id": snowflake,
        "channel_id": snowflake,
        "guild_id": snowflake,
        "fail_if_not_exists": truth,
    },
    required=("message_id",),
)
_create = form(
    {
        **_BOTH,
        "tts": truth,
        "nonce": _nonce,
        "enforce_nonce": truth,
        "message_reference": _reference,
        "sticker_ids": listed(snowflake, most=MOST_STICKERS),
        "poll": POLL,
    }
)
_edit = form(_BOTH)


def new_message(body: Any) -> JsonObject:
    """The checked fields of a message to send, nulls left out; raises Refused 50035."""
    fields = read(_create, body)
    return _without_mixed_versions({name: value for name, value in fields.items() if value is not None})


def changed_message(body: Any, flags_before: int) -> JsonObject:
    """The checked fields of an edit, where null clears; raises Refused 50035."""
    fields = read(_edit, body)
    _without_mixed_versions(fields | {"flags": (fields.get("flags") or 0) | flags_before})
    return dict(fields)


def _without_mixed_versions(fields: JsonObject) -> JsonObject:
    """Components of the second version stand alone: nothing of the older kinds may come with them."""
    complaints = Complaints()
    if fields.get("flags", 0) & IS_COMPONENTS_V2:
        for name in NOT_WITH_COMPONENTS_V2:
            if fields.get(name):
                complaints.at(name).say(
                    "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
                    f"The '{name}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2",
                )
    complaints.settle()
    return fields
