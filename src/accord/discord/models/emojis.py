"""Emoji, in every form in which people paste them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NotRequired, TypedDict

from accord.engine import Field, Issue, Untrusted

__all__ = ["Emoji", "EmojiObject", "EmojiText", "PartialEmoji", "emoji_is_one", "emoji_of"]

EmojiText = Annotated[
    str,
    Field(min_length=1, max_length=128, description="unicode emoji, or a custom one: name, id, name:id or <:name:id>"),
]

_MARKUP = re.compile(r"<a?:(?P<name>[A-Za-z0-9_]{2,32}):(?P<id>[0-9]{17,20})>")
_PAIR = re.compile(r":?(?P<name>[A-Za-z0-9_]{2,32}):(?P<id>[0-9]{17,20})")
_ID = re.compile(r"(?P<id>[0-9]{17,20})")
_NAME = re.compile(r":?(?P<name>[A-Za-z0-9_]{2,32}):?")


class EmojiObject(TypedDict):
    """https://discord.com/developers/docs/resources/emoji#emoji-object."""

    id: str | None
    name: str | None
    animated: NotRequired[bool]


class PartialEmoji(TypedDict):
    """An emoji as a result shows it: a custom one has an id."""

    id: str | None
    name: Untrusted | None


@dataclass(frozen=True, slots=True)
class Emoji:
    """An emoji as it was pasted: a custom one has a name, an id or both, a unicode one has its text."""

    name: str | None = None
    id: str | None = None
    unicode: str | None = None

    @property
    def in_path(self) -> str | None:
        """The form that Discord takes in a path, or None while a custom emoji's other half is not known."""
        if self.unicode is not None:
            return self.unicode
        return f"{self.name}:{self.id}" if self.name and self.id else None


def emoji_of(text: str) -> Emoji:
    """Read an emoji from any form in which people paste it."""
    for form in (_MARKUP, _PAIR, _ID, _NAME):
        if found := form.fullmatch(text.strip()):
            return Emoji(**found.groupdict())
    return Emoji(unicode=text.strip())


def emoji_is_one(arguments: Mapping[str, Any]) -> Iterator[Issue]:
    """Refuse plain text: what is no custom emoji has at least one character beyond ASCII."""
    unicode = emoji_of(arguments["emoji"]).unicode if "emoji" in arguments else None
    if unicode is not None and unicode.isascii():
        message = "is no emoji; give a unicode one, or a custom one as name:id"
        yield Issue(path="emoji", message=message, code="invalid_emoji")
