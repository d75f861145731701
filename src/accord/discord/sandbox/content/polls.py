"""Checks a new poll and opens it with no votes."""

# The limits: https://discord.com/developers/docs/resources/poll#poll-create-request-object

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox.forms import form, integer, listed, one_of, snowflake, text, truth
from accord.discord.sandbox.snowflakes import iso

if TYPE_CHECKING:
    from accord.discord.sandbox.world import JsonObject

HOUR_SECONDS = 60 * 60
USUAL_HOURS = 24

_emoji = form({"id": snowflake, "name": text(32)})
_question = form({"text": text(300, least=1)}, required=("text",))
_answer = form(
    {"poll_media": form({"text": text(55, least=1), "emoji": _emoji}, required=("text",))}, required=("poll_media",)
)
POLL = form(
    {
        "question": _question,
        "answers": listed(_answer, most=10, least=1),
        "duration": integer(1, 768),
        "allow_multiselect": truth,
        "layout_type": one_of(1),
    },
    required=("question", "answers"),
)


def opened(poll: JsonObject, now: float) -> JsonObject:
    """A poll object that began at this Unix time; answers are numbered from 1."""
    return {
        "question": poll["question"],
        "answers": [
            {"answer_id": number, "poll_media": _media(answer["poll_media"])}
            for number, answer in enumerate(poll["answers"], start=1)
        ],
        "expiry": iso(now + (poll.get("duration") or USUAL_HOURS) * HOUR_SECONDS),
        "allow_multiselect": bool(poll.get("allow_multiselect")),
        "layout_type": 1,
        "results": {"answer_counts": [], "is_finalized": False},
    }


def _media(media: JsonObject) -> JsonObject:
    emoji = media.get("emoji")
    shown = {"text": media["text"]}
    return shown | {"emoji": {"id": emoji.get("id"), "name": emoji.get("name")}} if emoji else shown
