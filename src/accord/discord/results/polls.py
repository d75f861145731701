"""Polls as our tools show them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from accord.discord.models.emojis import PartialEmoji
from accord.discord.models.messages import MessageObject
from accord.discord.models.polls import PollEnded, Votes
from accord.discord.results.picking import picked

__all__ = ["poll_ended"]

Json: TypeAlias = Any


def poll_ended(message: MessageObject) -> PollEnded:
    """Return how a poll that has ended stands; `results` may be missing in whole or in part, says Discord."""
    poll = message.get("poll") or {}
    results = poll.get("results") or {}
    counts = {row["id"]: row.get("count") for row in results.get("answer_counts") or ()} if results else None
    return {
        "ended": True,
        "channel_id": message["channel_id"],
        "message_id": message["id"],
        "expiry": poll.get("expiry"),
        "finalized": bool(results.get("is_finalized")),
        "results": [_votes(answer, counts) for answer in poll.get("answers") or ()],
    }


def _votes(answer: Mapping[str, Json], counts: Mapping[int, int | None] | None) -> Votes:
    """How often an answer was chosen: of counts that are there, an answer without a row has none."""
    media = answer.get("poll_media") or {}
    number = answer["answer_id"]
    votes: Votes = {
        "answer_id": number,
        "text": media.get("text"),
        "votes": None if counts is None else counts.get(number, 0),
    }
    if emoji := media.get("emoji"):
        votes["emoji"] = picked(PartialEmoji, emoji)
    return votes
