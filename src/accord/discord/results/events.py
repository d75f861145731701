"""Scheduled events as our tools show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypeAlias, TypeVar

from accord.discord.models.events import (
    Event,
    EventChanged,
    EventCreated,
    EventRead,
    Events,
    EventUser,
    EventUserCounts,
)
from accord.discord.models.values import Wire
from accord.discord.results.picking import WHOLE, each_picked, picked

__all__ = ["changed_event", "event", "event_users", "events", "new_event", "user_counts"]

Json: TypeAlias = Any
T = TypeVar("T")

COMPARED = (
    "scheduled_start_time",
    "scheduled_end_time",
    "status",
    "entity_type",
    "channel_id",
    "entity_metadata",
    "recurrence_rule",
)
"""What Discord may take and not keep: it says nothing where it passes such a field over."""


def event(sent: Wire) -> EventRead:
    """Return one event."""
    return picked(EventRead, sent, untrusted_text=_words(sent))


def events(sent: Sequence[Wire] | None) -> Events:
    """Return a guild's events, in the order in which they begin."""
    shown = each_picked(Event, sorted(sent or (), key=lambda one: datetime.fromisoformat(one["scheduled_start_time"])))
    return {"events": shown, "count": len(shown), **WHOLE}


def new_event(sent: Wire, body: Mapping[str, Json]) -> EventCreated:
    """Return an event that was made, and what of the body it has not become."""
    return picked(EventCreated, sent, **_ignored(sent, body))


def changed_event(sent: Wire, body: Mapping[str, Json]) -> EventChanged:
    """Return an event that was changed, and what of the body it has not become."""
    return picked(EventChanged, sent, untrusted_text=_words(sent), **_ignored(sent, body))


def _words(sent: Wire) -> str:
    return "\n".join(filter(None, (sent["name"], sent.get("description"))))


def _ignored(sent: Wire, body: Mapping[str, Json]) -> dict[str, list[str]]:
    names = [name for name in COMPARED if name in body and not _is_kept(body[name], sent.get(name))]
    return {"ignored": names} if names else {}


def _is_kept(given: Json, got: Json) -> bool:
    """Whether what came back says what was given: moments to the second, lists in any order."""
    if isinstance(given, Mapping):
        return isinstance(got, Mapping) and all(_is_kept(value, got.get(name)) for name, value in given.items())
    if isinstance(given, list):
        return isinstance(got, list) and all(any(_is_kept(one, other) for other in got) for one in given)
    if isinstance(given, str) and isinstance(got, str):
        return given.strip() == got.strip() or _second(given) == (_second(got) or got)
    return bool(given == got)


def _second(written: str) -> int | None:
    try:
        return int(datetime.fromisoformat(written).timestamp())
    except ValueError:
        return None


def event_users(sent: Sequence[Wire] | None) -> list[EventUser]:
    """Return who is interested, in the order of their ids; Discord may leave the user out and give the id alone."""
    shown = [_event_user(row) for row in sent or () if row and _id_of(row)]
    return sorted(shown, key=lambda one: int(one["id"]))


def _id_of(row: Wire) -> str | None:
    return row.get("user_id") or (row.get("user") or {}).get("id")


def _event_user(row: Wire) -> EventUser:
    own: dict[str, Json] = {"id": _id_of(row)}
    if occurrence := row.get("guild_scheduled_event_exception_id"):
        own["exception_id"] = occurrence
    return picked(EventUser, {**row, **(row.get("user") or {})}, **own)


def user_counts(sent: Wire, event_id: str) -> EventUserCounts:
    """Return how many are interested in an event, and in each of the occurrences that were asked for."""
    counts = sent.get("guild_scheduled_event_exception_counts") or {}
    rows = sorted(counts.items(), key=lambda one: int(one[0]))
    return {
        "event_id": event_id,
        "users": sent["guild_scheduled_event_count"],
        "exceptions": [{"exception_id": occurrence, "users": number} for occurrence, number in rows],
    }
