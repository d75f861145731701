"""Embeds: rich blocks in a message, and their limits.

https://discord.com/developers/docs/resources/message#embed-object-embed-limits
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, NotRequired, TypeAlias, TypedDict

from accord.discord.models.values import RGB, Url
from accord.engine import Field, Issue

__all__ = ["Embed", "Embeds", "embeds_fit"]

Json: TypeAlias = Any

TOTAL_CHARACTERS = 6000
"""All text of all embeds of one message."""


class EmbedField(TypedDict):
    """One name with its value, side by side with its neighbours when inline."""

    name: Annotated[str, Field(min_length=1, max_length=256)]
    value: Annotated[str, Field(min_length=1, max_length=1024)]
    inline: NotRequired[bool]


class EmbedAuthor(TypedDict):
    """Whose embed it is."""

    name: Annotated[str, Field(min_length=1, max_length=256)]
    url: NotRequired[Url]
    icon_url: NotRequired[Url]


class EmbedFooter(TypedDict):
    """The small text at its foot."""

    text: Annotated[str, Field(min_length=1, max_length=2048)]
    icon_url: NotRequired[Url]


class EmbedMedia(TypedDict):
    """A picture."""

    url: Url


class Embed(TypedDict, total=False):
    """One embed."""

    title: Annotated[str, Field(max_length=256)]
    description: Annotated[str, Field(max_length=4096)]
    url: Url
    color: RGB
    timestamp: Annotated[str, Field(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+-][0-9]{2}:[0-9]{2})$")]
    author: EmbedAuthor
    footer: EmbedFooter
    image: EmbedMedia
    thumbnail: EmbedMedia
    fields: Annotated[list[EmbedField], Field(max_items=25)]


Embeds = Annotated[list[Embed], Field(max_items=10, description="rich blocks; 6000 characters of text in all")]
ShortEmbeds = Annotated[
    Embeds,
    Field(
        opaque=True,
        description="{title, description, url, color, timestamp, author, footer, image, thumbnail, fields}",
    ),
]


def embeds_fit(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse embeds with more text than one message may have, and embeds with nothing to show."""
    embeds = arguments.get("embeds", ())
    total = sum(_characters(embed) for embed in embeds)
    if total > TOTAL_CHARACTERS:
        yield Issue(
            path="embeds", message=f"may have {TOTAL_CHARACTERS} characters in all; they have {total}", code="too_big"
        )
    for position, embed in enumerate(embeds):
        if not embed.keys() - {"color", "timestamp", "url"}:
            yield Issue(path=f"embeds[{position}]", message="has nothing to show", code="too_small")


def _characters(embed: Mapping[str, Json]) -> int:
    parts = [embed.get("title", ""), embed.get("description", "")]
    parts += [embed.get("author", {}).get("name", ""), embed.get("footer", {}).get("text", "")]
    parts += [field[part] for field in embed.get("fields", ()) for part in ("name", "value")]
    return sum(map(len, parts))
