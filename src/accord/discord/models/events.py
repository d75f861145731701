"""Scheduled events: what is planned in a guild, how it recurs, and which of its occurrences differ.

https://discord.com/developers/docs/resources/guild-scheduled-event
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from accord.discord.models.ids import ChannelId
from accord.discord.models.values import AuditReason, Image, Moment, Page, Timestamp
from accord.engine import Field, Issue, Untrusted

__all__ = [
    "EXTERNAL",
    "Event",
    "EventChanged",
    "EventChanges",
    "EventCreated",
    "EventDeleted",
    "EventException",
    "EventRead",
    "EventUser",
    "EventUserCounts",
    "EventUsers",
    "Events",
    "ExceptionChanges",
    "ExceptionDeleted",
    "ExceptionUsers",
    "NewEvent",
    "NewException",
    "place_fits_changed",
    "place_fits_new",
    "recurrence_fits",
]

Json = Any

EXTERNAL = 3
YEARLY, MONTHLY, WEEKLY, DAILY = 0, 1, 2, 3

SELECTORS: Mapping[int, frozenset[str]] = {
    YEARLY: frozenset({"by_month", "by_month_day"}),
    MONTHLY: frozenset({"by_n_weekday"}),
    WEEKLY: frozenset({"by_weekday"}),
    DAILY: frozenset({"by_weekday"}),
}
"""What narrows each frequency down; as each has its own, no two can be mixed."""

KNOWN_WEEKDAYS = tuple(
    map(frozenset, ([0, 1, 2, 3, 4], [1, 2, 3, 4, 5], [6, 0, 1, 2, 3], [4, 5], [5, 6], [6, 0])),
)
"""The sets of weekdays that a daily event can have; 0 is Monday."""

Weekday = Annotated[int, Field(minimum=0, maximum=6)]
MonthDay = Annotated[int, Field(minimum=1, maximum=31)]
Month = Annotated[int, Field(minimum=1, maximum=12)]


class NthWeekday(TypedDict):
    """The n-th such day of a month; of 5 the last one."""

    n: Annotated[int, Field(minimum=1, maximum=5)]
    day: Weekday


class Recurrence(TypedDict):
    """How an event recurs. Discord lets nobody set `count`, `end` and `by_year_day`."""

    start: Moment
    frequency: Literal[0, 1, 2, 3]
    interval: NotRequired[Annotated[int, Field(minimum=1, maximum=2)]]
    by_weekday: NotRequired[Annotated[list[Weekday], Field(min_items=1, max_items=5)]]
    by_n_weekday: NotRequired[Annotated[list[NthWeekday], Field(min_items=1, max_items=1)]]
    by_month: NotRequired[Annotated[list[Month], Field(min_items=1, max_items=1)]]
    by_month_day: NotRequired[
        Annotated[list[Annotated[int, Field(minimum=1, maximum=31)]], Field(min_items=1, max_items=1)]
    ]


class Location(TypedDict):
    """Where an external event takes place."""

    location: Annotated[str, Field(min_length=1, max_length=100)]


Name = Annotated[str, Field(min_length=1, max_length=100)]
EntityType = Annotated[Literal[1, 2, 3], Field(description="1 stage, 2 voice, 3 external")]


class EventFields(TypedDict, total=False):
    """What new and changed events have in common."""

    scheduled_end_time: Annotated[Moment, Field(description="needed by external events")]
    channel_id: Annotated[ChannelId, Field(description="needed by stage and voice events")]
    entity_metadata: Annotated[Location, Field(description="needed by external events")]
    description: Annotated[str, Field(min_length=1, max_length=1000)]
    image: Image
    privacy_level: Literal[2]
    recurrence_rule: Annotated[
        Recurrence,
        Field(description="frequency 0 yearly, 1 monthly, 2 weekly, 3 daily; weekdays from 0, Monday, in UTC"),
    ]
    audit_reason: AuditReason


class NewEvent(EventFields):
    """What a new event has."""

    name: Name
    scheduled_start_time: Moment
    entity_type: EntityType


class EventChanges(EventFields, total=False):
    """What of an event changes."""

    name: Name
    scheduled_start_time: Moment
    entity_type: EntityType
    status: Annotated[Literal[1, 2, 3, 4], Field(description="2 starts it, 3 ends it, 4 cancels it for good")]
    clear: Annotated[list[Literal["scheduled_end_time", "description", "image", "recurrence_rule"]], Field(min_items=1)]


class NewException(TypedDict):
    """What is different about one occurrence."""

    original_scheduled_start_time: Annotated[Moment, Field(description="when it would have started")]
    scheduled_start_time: NotRequired[Moment]
    scheduled_end_time: NotRequired[Moment]
    is_canceled: NotRequired[bool]
    audit_reason: NotRequired[AuditReason]


class ExceptionChanges(TypedDict, total=False):
    """What of an exception changes."""

    scheduled_start_time: Moment
    scheduled_end_time: Moment
    is_canceled: bool
    clear: Annotated[
        list[Literal["scheduled_start_time", "scheduled_end_time"]],
        Field(min_items=1, description="back to the rule's time"),
    ]
    audit_reason: AuditReason


class ShownLocation(TypedDict):
    """Where an external event takes place."""

    location: NotRequired[Untrusted | None]


class EventException(TypedDict):
    """An occurrence that is off, or at another time; a time that is null is the rule's."""

    event_id: str
    event_exception_id: str
    scheduled_start_time: Timestamp | None
    scheduled_end_time: Timestamp | None
    is_canceled: bool


class Event(TypedDict):
    """One event. status: 1 scheduled, 2 active, 3 completed, 4 cancelled; entity_type: 1 stage, 2 voice, 3 external."""

    id: str
    guild_id: str
    name: Untrusted
    description: NotRequired[Untrusted | None]
    scheduled_start_time: Timestamp
    scheduled_end_time: Timestamp | None
    status: int
    entity_type: int
    channel_id: str | None
    entity_metadata: NotRequired[ShownLocation | None]
    creator_id: NotRequired[str | None]
    image: NotRequired[str | None]
    recurrence_rule: NotRequired[dict[str, Json] | None]
    guild_scheduled_event_exceptions: NotRequired[list[EventException]]
    user_count: NotRequired[int]


class EventRead(Event):
    """One event; `untrusted_text` is its name and its description."""

    untrusted_text: Untrusted


class EventCreated(Event):
    """A new event; `ignored` names what Discord took and did not keep."""

    ignored: NotRequired[list[str]]


class EventChanged(EventRead):
    """An event as it is after the change; `ignored` names what Discord took and did not keep."""

    ignored: NotRequired[list[str]]


class Events(Page):
    """A guild's events that are planned or running."""

    events: list[Event]
    count: int


class EventDeleted(TypedDict):
    """An event that is gone."""

    deleted: bool
    event_id: str


class ExceptionDeleted(TypedDict):
    """An exception that is gone: its occurrence is as the rule says."""

    deleted: bool
    event_id: str
    exception_id: str


class EventMember(TypedDict):
    """What a guild says of somebody who is interested."""

    nick: Untrusted | None
    roles: list[str]
    joined_at: Timestamp | None


class EventUser(TypedDict):
    """Somebody who is interested; `response` is 1, or 0 for one who is not, this time. Names are null where unknown."""

    id: str
    username: Untrusted | None
    global_name: Untrusted | None
    bot: NotRequired[bool]
    response: NotRequired[int]
    exception_id: NotRequired[str]
    member: NotRequired[EventMember]


class EventUsers(Page):
    """Who is interested in an event, in the order of their ids."""

    users: list[EventUser]
    count: int
    event_id: str


class ExceptionUsers(Page):
    """Who answered for one occurrence, in the order of their ids."""

    items: list[EventUser]
    count: int
    event_id: str
    exception_id: str


class ExceptionCount(TypedDict):
    """How many are interested in one occurrence."""

    exception_id: str
    users: int


class EventUserCounts(TypedDict):
    """How many are interested."""

    event_id: str
    users: int
    exceptions: list[ExceptionCount]


def place_fits_new(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse an event without the place that its type needs, or with another type's.

    https://discord.com/developers/docs/resources/guild-scheduled-event#guild-scheduled-event-object-field-requirements-by-entity-type
    """
    is_external = arguments["entity_type"] == EXTERNAL
    needed, other = _EXTERNAL_PLACE if is_external else _CHANNEL_PLACE
    kind = "external events" if is_external else "stage and voice events"
    for name in needed:
        if name not in arguments:
            yield Issue(path=name, message=f"is required by {kind}", code="required")
    if other in arguments:
        yield Issue(path=other, message=f"does not belong to {kind}", code="conflict")


_EXTERNAL_PLACE = (("entity_metadata", "scheduled_end_time"), "channel_id")
_CHANNEL_PLACE = (("channel_id",), "entity_metadata")


def place_fits_changed(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse the same of a change of the type, and a place of both kinds at once."""
    if "entity_type" in arguments:
        yield from place_fits_new(arguments)
    elif "channel_id" in arguments and "entity_metadata" in arguments:
        message = "is where stage and voice events take place, entity_metadata where external ones do; give one"
        yield Issue(path="channel_id", message=message, code="conflict")


def recurrence_fits(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse a way of recurring that Discord cannot show yet.

    https://discord.com/developers/docs/resources/guild-scheduled-event#guild-scheduled-event-recurrence-rule-object
    """
    rule = arguments.get("recurrence_rule")
    if rule is not None:
        for name, message in _recurrence_issues(rule):
            yield Issue(path=f"recurrence_rule.{name}", message=message, code="conflict")


def _recurrence_issues(rule: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    frequency = rule["frequency"]
    for name in sorted(rule.keys() - SELECTORS[frequency] - {"start", "frequency", "interval"}):
        yield name, f"does not belong to frequency {frequency}"
    if frequency == YEARLY and ("by_month" in rule) != ("by_month_day" in rule):
        yield "by_month", "goes with by_month_day: give both or none"
    if rule.get("interval", 1) != 1 and frequency != WEEKLY:
        yield "interval", f"must be 1: only events of frequency {WEEKLY} can skip every other time"
    if frequency in {WEEKLY, DAILY} and "by_weekday" in rule:
        yield from _weekday_issues(frequency, rule["by_weekday"])


def _weekday_issues(frequency: int, weekdays: list[int]) -> Iterator[tuple[str, str]]:
    if frequency == WEEKLY and len(weekdays) > 1:
        yield "by_weekday", f"must be one day; several days a week are of frequency {DAILY}"
    if frequency == DAILY and (frozenset(weekdays) not in KNOWN_WEEKDAYS or len({*weekdays}) < len(weekdays)):
        known = ", ".join(str(sorted(days)) for days in KNOWN_WEEKDAYS)
        yield "by_weekday", f"must be one of {known}"
