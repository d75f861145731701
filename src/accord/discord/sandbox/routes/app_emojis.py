"""Emoji that belong to the application."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox import codes, payloads
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.forms import form, read
from accord.discord.sandbox.routes.emojis import emoji_image, emoji_name, new_emoji
from accord.discord.sandbox.wire import Call, Route

if TYPE_CHECKING:
    from accord.discord.sandbox.world import Emoji, JsonObject

_new = form({"name": emoji_name, "image": emoji_image}, required=("name", "image"))
_changes = form({"name": emoji_name})


def list_emojis(call: Call, application_id: str) -> JsonObject:
    """All of the application's emojis."""
    return {"items": [payloads.emoji(call.world, each) for each in _emojis(call, application_id).values()]}


def get_emoji(call: Call, application_id: str, emoji_id: str) -> JsonObject:
    """One emoji."""
    return payloads.emoji(call.world, _emoji(call, application_id, emoji_id))


def create_emoji(call: Call, application_id: str) -> JsonObject:
    """A new emoji of the bot's."""
    emojis = _emojis(call, application_id)
    made = new_emoji(call, read(_new, call.body))
    emojis[made.id] = made
    return payloads.emoji(call.world, made)


def update_emoji(call: Call, application_id: str, emoji_id: str) -> JsonObject:
    """Rename an emoji."""
    emoji = _emoji(call, application_id, emoji_id)
    emoji.name = read(_changes, call.body).get("name") or emoji.name
    return payloads.emoji(call.world, emoji)


def delete_emoji(call: Call, application_id: str, emoji_id: str) -> None:
    """Delete an emoji."""
    del _emojis(call, application_id)[_emoji(call, application_id, emoji_id).id]


def _emojis(call: Call, application_id: str) -> dict[str, Emoji]:
    if application_id != call.world.application_id:
        raise Refused(codes.UNKNOWN_APPLICATION)
    return call.world.app_emojis


def _emoji(call: Call, application_id: str, emoji_id: str) -> Emoji:
    emojis = _emojis(call, application_id)
    if emoji_id not in emojis:
        raise Refused(codes.NO_SUCH_EMOJI)
    return emojis[emoji_id]


_ALL = "/applications/{application_id}/emojis"
ROUTES = (
    Route("GET", _ALL, list_emojis),
    Route("POST", _ALL, create_emoji, status=201),
    Route("GET", f"{_ALL}/{{emoji_id}}", get_emoji),
    Route("PATCH", f"{_ALL}/{{emoji_id}}", update_emoji),
    Route("DELETE", f"{_ALL}/{{emoji_id}}", delete_emoji),
)
