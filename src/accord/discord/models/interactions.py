"""Interactions: what a person did with the bot, and how it is answered.

https://discord.com/developers/docs/interactions/receiving-and-responding
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Literal, NotRequired, TypeAlias, TypedDict

from accord.discord.models.command_options import Choice
from accord.discord.models.components import (
    MOST_COMPONENTS,
    ActionRow,
    Container,
    CustomId,
    FileBox,
    Gallery,
    Section,
    Separator,
    TextDisplay,
)
from accord.discord.models.embeds import Embeds
from accord.discord.models.files import Files
from accord.discord.models.mentions import AllowedMentions
from accord.discord.models.messages import KeptAttachments, Pinged
from accord.discord.models.modals import InputRow, Label
from accord.discord.models.polls import NewPoll
from accord.discord.models.posting import FetchedMessage, PostBody
from accord.discord.models.values import Content, Timestamp
from accord.engine import Field, Issue, Untrusted

__all__ = [
    "LATER",
    "MESSAGE",
    "UPDATE",
    "Followup",
    "InteractionMessage",
    "NewAnswer",
    "NewFollowup",
    "OriginalDeleted",
    "Responded",
    "data_fits_type",
]

Json: TypeAlias = Any

PONG, MESSAGE, LATER, UPDATE_LATER, UPDATE, CHOICES, MODAL, ACTIVITY, ELIGIBILITY = 1, 4, 5, 6, 7, 8, 9, 12, 13
"""The kinds of a first answer (interaction callback types)."""


class AnswerData(TypedDict, total=False):
    """What an answer says: which of it, depends on the answer's type."""

    content: Content
    embeds: Embeds
    components: Annotated[
        list[ActionRow | Section | TextDisplay | Gallery | FileBox | Separator | Container | Label | InputRow],
        Field(max_items=MOST_COMPONENTS),
    ]
    poll: NewPoll
    files: Files
    attachments: KeptAttachments
    allowed_mentions: AllowedMentions
    flags: Annotated[int, Field(minimum=0)]
    tts: bool
    clear: Annotated[list[Literal["content", "embeds", "components", "attachments"]], Field(min_items=1)]
    choices: Annotated[list[Choice], Field(max_items=25)]
    custom_id: CustomId
    title: Annotated[str, Field(min_length=1, max_length=45)]
    eligible: bool
    ineligible_reason: Literal[0, 1, 2]
    ineligible_reason_description: Annotated[str, Field(max_length=255)]


class NewAnswer(TypedDict):
    """The first answer to an interaction."""

    type: Annotated[
        Literal[1, 4, 5, 6, 7, 8, 9, 12, 13],
        Field(
            description="1 pong, 4 message, 5 message later, 6 edit later, 7 edit the component's message, "
            "8 choices, 9 modal, 12 activity, 13 eligibility"
        ),
    ]
    data: NotRequired[
        Annotated[
            AnswerData,
            Field(
                description="4, 7: a message (flags 64: seen by one person alone, 32768: a layout); 5: flags; "
                "8: choices; 9: custom_id, title, 1 to 5 components"
            ),
        ]
    ]
    with_response: NotRequired[Annotated[bool, Field(description="by default true: tell the message's id")]]


class NewFollowup(PostBody, total=False):
    """A message after the first answer."""

    flags: Annotated[int, Field(minimum=0, description="64 seen by one person alone, 4, 4096, 32768 a layout")]
    ephemeral: Annotated[bool, Field(description="the same as flags 64")]


class InteractionMessage(FetchedMessage):
    """A message in answer to an interaction."""

    untrusted_messages: Untrusted


class Responded(TypedDict):
    """What a first answer led to; `message_id` only if it made or changed a message."""

    acknowledged: bool
    interaction_id: str
    message_id: NotRequired[str]
    ephemeral: NotRequired[bool]
    activity_instance_id: NotRequired[str | None]
    message: NotRequired[FetchedMessage]


class Followup(TypedDict):
    """A message that followed the first answer, the first of `message_ids` where there are several."""

    message_id: str
    message_ids: NotRequired[list[str]]
    channel_id: str
    timestamp: Timestamp
    flags: NotRequired[int]
    pinged: Pinged


class OriginalDeleted(TypedDict):
    """The first answer's message is gone."""

    deleted: bool


SAYS: Mapping[int, frozenset[str]] = {
    MESSAGE: frozenset({"content", "embeds", "components", "poll", "files", "allowed_mentions", "flags", "tts"}),
    LATER: frozenset({"flags"}),
    UPDATE: frozenset(
        {"content", "embeds", "components", "files", "attachments", "allowed_mentions", "flags", "clear"}
    ),
    CHOICES: frozenset({"choices"}),
    MODAL: frozenset({"custom_id", "title", "components"}),
    ELIGIBILITY: frozenset({"eligible", "ineligible_reason", "ineligible_reason_description"}),
}
"""What `data` may hold, by the answer's type; the others have none."""

NEEDS: Mapping[int, tuple[str, ...]] = {
    CHOICES: ("choices",),
    MODAL: ("custom_id", "title", "components"),
    ELIGIBILITY: ("eligible",),
}

MOST_MODAL_PARTS = 5
ROW, TEXT_INPUT, TEXT, LABEL = 1, 4, 10, 18


def data_fits_type(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse data that the answer's type does not have, and a type without the data that it needs."""
    kind, data = arguments["type"], arguments.get("data", {})
    for name in sorted(data.keys() - SAYS.get(kind, frozenset())):
        yield Issue(path=f"data.{name}", message=f"is nothing that an answer of type {kind} has", code="conflict")
    for name in NEEDS.get(kind, ()):
        if name not in data:
            yield Issue(path=f"data.{name}", message=f"is required for an answer of type {kind}", code="required")
    if kind in _WITHIN:
        yield from _WITHIN[kind](data)


def _modal(data: Mapping[str, Json]) -> Iterator[Issue]:
    parts = data.get("components", ())
    if not 1 <= len(parts) <= MOST_MODAL_PARTS and "components" in data:
        message = f"must have 1 to {MOST_MODAL_PARTS} items; it has {len(parts)}"
        yield Issue(path="data.components", message=message, code="too_big" if parts else "too_small")
    for place, part in enumerate(parts):
        if wrong := _wrong_in_modal(part):
            yield Issue(path=f"data.components[{place}]", message=wrong, code="conflict")


def _wrong_in_modal(part: Mapping[str, Json]) -> str | None:
    if part["type"] == ROW and _has_input(part):
        return None if "label" in part["components"][0] else "a text input in a row needs its own `label`"
    if part["type"] not in {LABEL, TEXT}:
        return "is no part of a modal: it has labels (18), texts (10) and rows with a text input"
    if part["type"] == LABEL and "label" in part["component"]:
        return "names its text input itself: leave the inner `label` out"
    return None


def _message(data: Mapping[str, Json]) -> Iterator[Issue]:
    for place, part in enumerate(data.get("components", ())):
        if part["type"] == LABEL or (part["type"] == ROW and _has_input(part)):
            yield Issue(path=f"data.components[{place}]", message="stands in a modal only (type 9)", code="conflict")


def _has_input(row: Mapping[str, Json]) -> bool:
    return any(part["type"] == TEXT_INPUT for part in row["components"])


def _choices(data: Mapping[str, Json]) -> Iterator[Issue]:
    kinds = {isinstance(choice["value"], str) for choice in data.get("choices", ())}
    if len(kinds) > 1:
        yield Issue(path="data.choices", message="mixes texts and numbers; an option is of one kind", code="conflict")


_WITHIN: Mapping[int, Callable[[Mapping[str, Json]], Iterator[Issue]]] = {
    MESSAGE: _message,
    UPDATE: _message,
    CHOICES: _choices,
    MODAL: _modal,
}
