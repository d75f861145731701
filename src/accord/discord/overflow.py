"""A text longer than a message: cut into several, or sent as a file.

Discord's limit is 2000 characters, which are code points:
https://discord.com/developers/docs/resources/message#create-message
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias, cast

from accord.discord.models.messages import MOST_FILES, MessageBody, MessageObject
from accord.discord.rest.client import Write
from accord.engine import Issue, ToolError

__all__ = ["content_fits", "cut", "nonces_of", "parts_of", "sent_in_order"]

Json: TypeAlias = Any

MOST_CHARACTERS: Final = 2000
MOST_PARTS: Final = 10

FENCE: Final = "```"
CLOSING: Final = "\n```"
ENDING: Final = re.compile("\n?```")
LANGUAGE: Final = re.compile(r"[A-Za-z0-9_+.#-]{1,32}(?=\n)")

BREAKS: Final = ("\n\n", "\n", " ")
"""Where a text is cut rather than elsewhere, the best first."""

JOINERS: Final = "\u200d\ufe0f\u20e3"
SKIN_TONES: Final = range(0x1F3FB, 0x1F400)

IN_EVERY_PART: Final = frozenset({"allowed_mentions", "flags", "tts", "username", "avatar_url", "thread_id"})
IN_THE_FIRST: Final = frozenset({"reply_to", "message_reference", "thread_name", "applied_tags"})


def content_fits(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse a text that is too long for a message, unless the call says what to do then."""
    content, way = arguments.get("content", ""), arguments.get("on_overflow", "error")
    if len(content) <= MOST_CHARACTERS:
        return
    if way == "error":
        message = (
            f"must have at most {MOST_CHARACTERS} characters; it has {len(content)}: shorten it or set on_overflow"
        )
        yield Issue(path="content", message=message, code="too_big")
    elif way == "split" and (count := len(cut(content))) > MOST_PARTS:
        message = f"would be {count} messages, {MOST_PARTS} at most are sent at once; on_overflow `file` sends one"
        yield Issue(path="content", message=message, code="too_big")
    elif way == "file" and len(arguments.get("files", ())) == MOST_FILES:
        yield Issue(path="files", message="leaves no room for the text as a file", code="too_big")


def parts_of(message: Mapping[str, Json]) -> list[MessageBody]:
    """Return the messages as which a message is sent: itself, if its text is short enough.

    The first part answers what the whole answers, or opens the post that it opens; the last one has the embeds, files,
    components and all else.
    """
    whole = {name: value for name, value in message.items() if name != "on_overflow"}
    content = whole.get("content", "")
    if len(content) <= MOST_CHARACTERS:
        return [cast("MessageBody", whole)]
    if message.get("on_overflow") == "file":
        del whole["content"]
        text = {"text": content, "filename": "message.txt"}
        return [cast("MessageBody", whole | {"files": [*whole.get("files", ()), text]})]
    pieces = cut(content)
    return [_part(whole, piece, is_first=n == 0, is_last=n == len(pieces) - 1) for n, piece in enumerate(pieces)]


def _part(whole: Mapping[str, Json], piece: str, *, is_first: bool, is_last: bool) -> MessageBody:
    def belongs(name: str) -> bool:
        return name in IN_EVERY_PART or (is_first if name in IN_THE_FIRST else is_last)

    return cast("MessageBody", {name: value for name, value in whole.items() if belongs(name)} | {"content": piece})


def nonces_of(nonce: str, count: int) -> list[str]:
    """Return a nonce for each part; the same nonce gives the same ones, so that a repeat sends nothing twice."""
    return [nonce, *(hashlib.sha256(f"{nonce}/{number}".encode()).hexdigest()[:25] for number in range(1, count))]


async def sent_in_order(
    writes: Sequence[Write],
    send: Callable[[Write, Sequence[MessageObject]], Awaitable[MessageObject]],
    *,
    nonce: str | None = None,
    behind: Sequence[str] = (),
) -> list[MessageObject]:
    """Send one part after the other, and return the messages that were made.

    Args:
        writes: The parts.
        send: Sends one; it is told which messages of them are there already.
        nonce: What the whole can be sent again by, where Discord heeds such a thing.
        behind: The ids of parts that were sent before these.

    Raises:
        ToolError: What a part failed with; after the first one, with the ids of the messages that are there.
    """
    made: list[MessageObject] = []
    for write in writes:
        try:
            made.append(await send(write, made))
        except ToolError as error:
            done = [*behind, *(one["id"] for one in made)]
            if not done:
                raise
            raise _partly(error, done, len(behind) + len(writes), nonce) from error
    return made


def _partly(error: ToolError, done: list[str], count: int, nonce: str | None) -> ToolError:
    repeat = f"Within a few minutes the same call with `nonce: {nonce}` sends only the rest; later send"
    rest = f"{repeat if nonce else 'Send'} only what is missing."
    hint = f"{len(done)} of {count} messages were sent, the next one failed. {rest}"
    return error.left_partial(hint, done, nonce=nonce)


# --- Cutting ---------------------------------------------------------------------------------------------------------


def cut(text: str) -> list[str]:
    """Return the text in parts of at most 2000 characters, cut between paragraphs, lines or words where that can be.

    A block of code that is cut is closed, and opened again with its language. Parts of blanks alone, which Discord
    does not take, are left out.
    """
    parts, opening, rest = [], "", text
    while len(opening) + len(rest) > MOST_CHARACTERS:
        at = _place(rest, MOST_CHARACTERS - len(opening) - len(CLOSING), in_code=bool(opening))
        at, following = _beside_a_fence(rest, at, opening)
        piece, rest = rest[:at], rest[at:]
        closing = CLOSING[piece.endswith("\n") :] if following else ""
        parts.append(opening + piece + closing)
        opening = following
    return [part for part in (*parts, opening + rest) if part.strip()] or [text[:MOST_CHARACTERS]]


def _place(text: str, room: int, *, in_code: bool) -> int:
    """Return where to cut so that the first piece has at most `room` characters, and about half of that at least."""
    for mark in ("\n",) if in_code else BREAKS:
        at = text.rfind(mark, room // 2, room)
        if at >= 0:
            return at + len(mark)
    return _before_what_belongs_together(text, room)


def _before_what_belongs_together(text: str, at: int) -> int:
    """Return a place close before this one that parts no emoji, no accent from its letter and no mark of a fence."""
    earliest = at - 32
    while at > earliest and (_joins(text[at]) or text[at - 1] == "\u200d" or text[at - 1 : at + 1] == "``"):
        at -= 1
    return at


def _joins(character: str) -> bool:
    return character in JOINERS or ord(character) in SKIN_TONES or unicodedata.category(character) == "Mn"


def _beside_a_fence(text: str, at: int, opening: str) -> tuple[int, str]:
    """Return where to cut, and the fence that has to be opened again behind it.

    A block that ends right behind the cut ends before it, and one of which no line stands before it begins behind it.
    """
    following, begins = _fence_at(text, at, opening)
    if following and (ending := ENDING.match(text, at)):
        return ending.end(), ""
    if following and begins > 0 and not text[begins + len(following) - 1 : at].strip():
        return begins, ""
    return at, following


def _fence_at(text: str, at: int, opening: str) -> tuple[str, int]:
    """Return the fence in which this place lies, and where it begins; none where nothing closes it further on."""
    begins = -1
    for found in re.finditer(FENCE, text[:at]):
        if opening:
            opening = ""
        else:
            language = LANGUAGE.match(text, found.end())
            opening, begins = f"{FENCE}{language.group() if language else ''}\n", found.start()
    return (opening, begins) if FENCE in text[at:] else ("", begins)
