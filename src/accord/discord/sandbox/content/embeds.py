"""Checks embeds against Discord's limits and completes them as Discord sends them back."""

# The limits: https://discord.com/developers/docs/resources/message#embed-object-embed-limits

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from accord.discord.sandbox.forms import Check, Complaints, form, integer, listed, moment, text, truth, web_address

if TYPE_CHECKING:
    from accord.discord.sandbox.world import JsonObject

MOST_EMBEDS = 10
MOST_CHARACTERS = 6000  # over all embeds of a message together
BLACK, WHITE = 0x000000, 0xFFFFFF

_link = web_address("http", "https")
_picture_address = web_address("http", "https", "attachment")
_picture = form({"url": _picture_address}, required=("url",))
_field = form({"name": text(256, least=1), "value": text(1024, least=1), "inline": truth}, required=("name", "value"))
_embed = form(
    {
        "title": text(256),
        "description": text(4096),
        "url": _link,
        "color": integer(BLACK, WHITE),
        "timestamp": moment,
        "author": form({"name": text(256), "url": _link, "icon_url": _picture_address}, required=("name",)),
        "footer": form({"text": text(2048), "icon_url": _picture_address}, required=("text",)),
        "image": _picture,
        "thumbnail": _picture,
        "fields": listed(_field, most=25),
    }
)
_embeds = listed(_embed, most=MOST_EMBEDS)


def _check(value: Any, complaints: Complaints) -> list[JsonObject]:
    checked: list[JsonObject] = _embeds(value, complaints)
    if sum(map(_characters, checked)) > MOST_CHARACTERS:
        complaints.say("MAX_EMBED_SIZE_EXCEEDED", f"Embed size exceeds maximum size of {MOST_CHARACTERS}")
    return [_completed(embed) for embed in checked]


EMBEDS: Check = _check


def _characters(embed: JsonObject) -> int:
    """Titles, descriptions, names and texts count; addresses do not."""
    fields = embed.get("fields") or ()
    parts = [
        embed.get("title"),
        embed.get("description"),
        (embed.get("author") or {}).get("name"),
        (embed.get("footer") or {}).get("text"),
        *(field.get(part) for field in fields for part in ("name", "value")),
    ]
    return sum(len(part) for part in parts if part)


def _completed(embed: JsonObject) -> JsonObject:
    shown = {name: _without_nulls(value) for name, value in embed.items() if value is not None}
    for field in shown.get("fields", ()):
        field.setdefault("inline", False)
    for picture in ("image", "thumbnail"):
        if picture in shown:
            shown[picture]["proxy_url"] = shown[picture].get("url", "")
    return {"type": "rich", **shown}


def _without_nulls(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_nulls(each) for each in value]
    if isinstance(value, dict):
        return {name: _without_nulls(each) for name, each in value.items() if each is not None}
    return value
