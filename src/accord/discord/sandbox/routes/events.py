"""Scheduled events, their exceptions, and who is interested."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from accord.discord.sandbox import access, codes, payloads, permissions
from accord.discord.sandbox.audit import Deed, changes_between
from accord.discord.sandbox.channel_settings import STAGE, VOICE
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.forms import (
    Complaints,
    form,
    integer,
    listed,
    moment,
    one_of,
    read,
    snowflake,
    text,
    truth,
)
from accord.discord.sandbox.pictures import picture
from accord.discord.sandbox.snowflakes import snowflake_at
from accord.discord.sandbox.wire import Call, Route

if TYPE_CHECKING:
    from accord.discord.sandbox.forms import Check
    from accord.discord.sandbox.world import Guild, JsonObject

IN_STAGE, IN_VOICE, EXTERNAL = 1, 2, 3
SCHEDULED, ACTIVE, COMPLETED, CANCELED = 1, 2, 3, 4
NEXT_STATUS = {SCHEDULED: (SCHEDULED, ACTIVE, CANCELED), ACTIVE: (ACTIVE, COMPLETED)}
MOST_EVENTS = 100
MOST_USERS = 100

_CHANNEL_TYPE = {IN_STAGE: STAGE, IN_VOICE: VOICE}
_NEEDED_IN_CHANNEL = {
    IN_STAGE: permissions.MANAGE_CHANNELS | permissions.MUTE_MEMBERS | permissions.MOVE_MEMBERS,
    IN_VOICE: permissions.CONNECT,
}

_weekday = integer(0, 6)
_recurrence = form(
    {
        "start": moment,
        "frequency": one_of(0, 1, 2, 3),
        "interval": integer(1, 2),
        "by_weekday": listed(_weekday, most=7),
        "by_n_weekday": listed(form({"n": integer(1, 5), "day": _weekday}, required=("n", "day")), most=7),
        "by_month": listed(integer(1, 12), most=12),
        "by_month_day": listed(integer(-1, 31), most=33),
    },
    required=("start", "frequency"),
)
_fields: dict[str, Check] = {
    "name": text(100, least=1),
    "description": text(1000),
    "scheduled_start_time": moment,
    "scheduled_end_time": moment,
    "privacy_level": one_of(2),
    "entity_type": one_of(IN_STAGE, IN_VOICE, EXTERNAL),
    "channel_id": snowflake,
    "entity_metadata": form({"location": text(100, least=1)}),
    "image": picture,
    "recurrence_rule": _recurrence,
}
_new = form(_fields, required=("name", "scheduled_start_time", "privacy_level", "entity_type"))
_changes = form({**_fields, "status": one_of(SCHEDULED, ACTIVE, COMPLETED, CANCELED)})
_exception_fields: dict[str, Check] = {
    "scheduled_start_time": moment, "scheduled_end_time": moment, "is_canceled": truth,
}  # fmt: skip
_new_exception = form(
    {"original_scheduled_start_time": moment, **_exception_fields}, required=("original_scheduled_start_time",)
)
_exception_changes = form(_exception_fields)

BLANKS: JsonObject = {
    "description": None, "channel_id": None, "image": None, "scheduled_end_time": None, "status": SCHEDULED,
    "entity_id": None, "recurrence_rule": None, "entity_metadata": None, "privacy_level": 2,
}  # fmt: skip
RECURRENCE_BLANKS: JsonObject = {
    "end": None, "interval": 1, "by_weekday": None, "by_n_weekday": None, "by_month": None, "by_month_day": None,
    "by_year_day": None, "count": None,
}  # fmt: skip


# --- Events ---------------------------------------------------------------------------------------------------------


def list_events(call: Call, guild_id: str) -> list[JsonObject]:
    """The guild's events; those in a channel only if the bot sees that."""
    guild = access.guild(call.world, guild_id)
    counted = call.asked(with_user_count=truth).get("with_user_count", False)
    return [_shown(guild, each, counted=counted) for each in guild.events.values() if _is_seen(call, each)]


def get_event(call: Call, guild_id: str, event_id: str) -> JsonObject:
    """One event."""
    guild = access.guild(call.world, guild_id)
    counted = call.asked(with_user_count=truth).get("with_user_count", False)
    return _shown(guild, _event(call, guild, event_id), counted=counted)


def create_event(call: Call, guild_id: str) -> JsonObject:
    """A new event."""
    guild = access.guild(call.world, guild_id, permissions.CREATE_EVENTS)
    given = {name: value for name, value in read(_new, call.body).items() if value is not None}
    event = {"id": call.world.new_id(), "guild_id": guild.id, "creator_id": call.world.me.id, **BLANKS}
    event |= {"creator": payloads.user(call.world.me), "guild_scheduled_event_exceptions": []}
    _settle(event, given)
    _check_place(call, event)
    if sum(each["status"] in NEXT_STATUS for each in guild.events.values()) >= MOST_EVENTS:
        raise Refused(codes.MAXIMUM_EVENTS)
    guild.events[event["id"]] = event
    call.record(guild, Deed.EVENT_CREATE, event["id"], changes=changes_between({}, _audited(event)))
    return event


def update_event(call: Call, guild_id: str, event_id: str) -> JsonObject:
    """Change an event that is not over; another way of recurring removes its exceptions."""
    guild = access.guild(call.world, guild_id)
    event = _changeable(call, guild, event_id)
    changed = dict(event)
    _settle(changed, read(_changes, call.body))
    _check_place(call, changed)
    _check_status(event["status"], changed["status"])
    if changed["recurrence_rule"] != event["recurrence_rule"]:
        changed["guild_scheduled_event_exceptions"] = []
    guild.events[event_id] = changed
    changes = changes_between(_audited(event), _audited(changed))
    call.record(guild, Deed.EVENT_UPDATE, event_id, changes=changes)
    return changed


def delete_event(call: Call, guild_id: str, event_id: str) -> None:
    """Delete an event."""
    guild = access.guild(call.world, guild_id)
    gone = _changeable(call, guild, event_id, over=True)
    del guild.events[event_id]
    call.record(guild, Deed.EVENT_DELETE, event_id, changes=changes_between(_audited(gone), {}))


def _settle(event: JsonObject, given: JsonObject) -> None:
    """Put into an event what was given; null empties a field that can be empty."""
    event |= {name: value for name, value in given.items() if value is not None or name in BLANKS}
    if given.get("recurrence_rule"):
        event["recurrence_rule"] = RECURRENCE_BLANKS | given["recurrence_rule"]
    if event["entity_type"] == EXTERNAL:
        event["channel_id"] = given.get("channel_id")
    else:
        event["entity_metadata"] = None


def _check_place(call: Call, event: JsonObject) -> None:
    """Refuse an event without what its type needs, and one that ends before it begins."""
    complaints = Complaints()
    for name in _missing(event):
        complaints.at(name).say("BASE_TYPE_REQUIRED", "This field is required")
    if event["entity_type"] == EXTERNAL and event["channel_id"]:
        complaints.at("channel_id").say("BASE_TYPE_NULL", "This field must be null")
    end = event["scheduled_end_time"]
    if end and _seconds(end) <= _seconds(event["scheduled_start_time"]):
        words = "Cannot schedule event to end before it starts."
        complaints.at("scheduled_end_time").say("GUILD_SCHEDULED_EVENT_SCHEDULE_END_BEFORE_START", words)
    complaints.settle()
    if event["entity_type"] != EXTERNAL:
        _check_channel(call, event)


def _missing(event: JsonObject) -> list[str]:
    if event["entity_type"] != EXTERNAL:
        return [] if event["channel_id"] else ["channel_id"]
    there = {
        "entity_metadata": (event["entity_metadata"] or {}).get("location"),
        "scheduled_end_time": event["scheduled_end_time"],
    }
    return [name for name, value in there.items() if not value]


def _check_channel(call: Call, event: JsonObject) -> None:
    channel = access.channel(call.world, event["channel_id"], _NEEDED_IN_CHANNEL[event["entity_type"]])
    if channel.guild_id != event["guild_id"] or channel.type != _CHANNEL_TYPE[event["entity_type"]]:
        raise Refused(codes.UNKNOWN_CHANNEL)


def _check_status(before: int, after: int) -> None:
    if after not in NEXT_STATUS[before]:
        complaints = Complaints()
        complaints.at("status").say("TRANSITION_INVALID_STATUS", "Invalid Guild Scheduled Event Status Transition")
        complaints.settle()


def _event(call: Call, guild: Guild, event_id: str) -> JsonObject:
    event = guild.events.get(event_id)
    if event is None or not _is_seen(call, event):
        raise Refused(codes.UNKNOWN_EVENT)
    return event


def _is_seen(call: Call, event: JsonObject) -> bool:
    channel = call.world.channels.get(event["channel_id"] or "")
    return channel is None or access.may(call.world, channel, permissions.VIEW_CHANNEL)


def _changeable(call: Call, guild: Guild, event_id: str, *, over: bool = False) -> JsonObject:
    """An event that the bot may change: its own, as who may create some, or anybody's, as who may manage them."""
    event = _event(call, guild, event_id)
    is_own = event["creator_id"] == call.world.me.id
    enough = permissions.MANAGE_EVENTS | (permissions.CREATE_EVENTS if is_own else 0)
    if not permissions.in_guild(guild, guild.members[call.world.me.id]) & enough:
        raise Refused(codes.MISSING_PERMISSIONS)
    if not over and event["status"] not in NEXT_STATUS:
        raise Refused(codes.FINISHED_EVENT)
    return event


def _shown(guild: Guild, event: JsonObject, *, counted: bool) -> JsonObject:
    return event | {"user_count": len(guild.event_users.get(event["id"], ()))} if counted else event


def _audited(event: JsonObject) -> JsonObject:
    return {name: event[name] for name in (*_fields, "status") if name in event}


def _seconds(written: str) -> float:
    return datetime.fromisoformat(written).timestamp()


# --- Exceptions -----------------------------------------------------------------------------------------------------


def create_exception(call: Call, guild_id: str, event_id: str) -> JsonObject:
    """Cancel or move one occurrence; the exception's id is made of when that would have begun."""
    guild = access.guild(call.world, guild_id)
    event = _changeable(call, guild, event_id)
    given = read(_new_exception, call.body)
    if all(given.get(name) is None for name in _exception_fields):
        raise Refused(codes.EMPTY_EXCEPTION)
    original = given.pop("original_scheduled_start_time")
    made = {
        "event_id": event_id,
        "event_exception_id": snowflake_at(_seconds(original)),
        "scheduled_start_time": None,
        "scheduled_end_time": None,
        "is_canceled": False,
    } | {name: value for name, value in given.items() if value is not None}
    others = [one for one in event["guild_scheduled_event_exceptions"] if not _is(one, made["event_exception_id"])]
    event["guild_scheduled_event_exceptions"] = [*others, made]
    call.record(guild, Deed.EVENT_EXCEPTION_CREATE, event_id, changes=changes_between({}, made))
    return made


def update_exception(call: Call, guild_id: str, event_id: str, exception_id: str) -> JsonObject:
    """Change an exception; null puts a time back."""
    guild = access.guild(call.world, guild_id)
    exception = _exception(_changeable(call, guild, event_id), exception_id)
    before = dict(exception)
    given = read(_exception_changes, call.body)
    exception |= {name: value for name, value in given.items() if value is not None or name != "is_canceled"}
    call.record(guild, Deed.EVENT_EXCEPTION_UPDATE, event_id, changes=changes_between(before, exception))
    return exception


def delete_exception(call: Call, guild_id: str, event_id: str, exception_id: str) -> None:
    """Delete an exception."""
    guild = access.guild(call.world, guild_id)
    event = _changeable(call, guild, event_id)
    gone = _exception(event, exception_id)
    event["guild_scheduled_event_exceptions"] = [
        one for one in event["guild_scheduled_event_exceptions"] if not _is(one, exception_id)
    ]
    call.record(guild, Deed.EVENT_EXCEPTION_DELETE, event_id, changes=changes_between(gone, {}))


def _exception(event: JsonObject, exception_id: str) -> JsonObject:
    for one in event["guild_scheduled_event_exceptions"]:
        if _is(one, exception_id):
            found: JsonObject = one
            return found
    raise Refused(codes.NOT_FOUND)


def _is(exception: JsonObject, exception_id: str) -> bool:
    return bool(exception["event_exception_id"] == exception_id)


# --- Who is interested ----------------------------------------------------------------------------------------------


def list_users(call: Call, guild_id: str, event_id: str) -> list[JsonObject]:
    """Who is interested, in the order of their ids."""
    guild = access.guild(call.world, guild_id)
    return _users(call, guild, _event(call, guild, event_id), None)


def list_exception_users(call: Call, guild_id: str, event_id: str, exception_id: str) -> list[JsonObject]:
    """Who is interested in one occurrence."""
    guild = access.guild(call.world, guild_id)
    event = _event(call, guild, event_id)
    return _users(call, guild, event, _exception(event, exception_id)["event_exception_id"])


def count_users(call: Call, guild_id: str, event_id: str) -> JsonObject:
    """How many are interested, and in which of the exceptions that are asked for."""
    guild = access.guild(call.world, guild_id)
    event = _event(call, guild, event_id)
    asked = call.asked_all("guild_scheduled_event_exception_ids", snowflake)
    counts = {each: len(guild.event_users.get(key_of(event["id"], each), ())) for each in asked}
    return {
        "guild_scheduled_event_count": len(guild.event_users.get(event["id"], ())),
        "guild_scheduled_event_exception_counts": counts,
    }


def key_of(event_id: str, exception_id: str | None) -> str:
    """Under which key of `event_users` those stand who are interested in an event, or in one occurrence."""
    return event_id if exception_id is None else f"{event_id}/{exception_id}"


def _users(call: Call, guild: Guild, event: JsonObject, exception_id: str | None) -> list[JsonObject]:
    query = call.asked(limit=integer(1, MOST_USERS), with_member=truth, before=snowflake, after=snowflake)
    ids = sorted(guild.event_users.get(key_of(event["id"], exception_id), ()), key=int)
    limit = query.get("limit", MOST_USERS)
    if "before" in query:
        page = [each for each in ids if int(each) < int(query["before"])][-limit:]
    else:
        page = [each for each in ids if int(each) > int(query.get("after", 0))][:limit]
    place = {"guild_scheduled_event_id": event["id"], "guild_scheduled_event_exception_id": exception_id}
    return [place | _user(call, guild, each, with_member=query.get("with_member", False)) for each in page]


def _user(call: Call, guild: Guild, user_id: str, *, with_member: bool) -> JsonObject:
    shown = {"user_id": user_id, "user": payloads.user(call.world.users[user_id]), "response": 1}
    if with_member and user_id in guild.members:
        shown["member"] = payloads.member(call.world, guild.members[user_id])
    return shown


_ALL = "/guilds/{guild_id}/scheduled-events"
_ONE = f"{_ALL}/{{event_id}}"
_EXCEPTION = f"{_ONE}/exceptions/{{exception_id}}"
ROUTES = (
    Route("GET", _ALL, list_events),
    Route("POST", _ALL, create_event),
    Route("GET", _ONE, get_event),
    Route("PATCH", _ONE, update_event),
    Route("DELETE", _ONE, delete_event),
    Route("POST", f"{_ONE}/exceptions", create_exception),
    Route("PATCH", _EXCEPTION, update_exception),
    Route("DELETE", _EXCEPTION, delete_exception),
    Route("GET", f"{_ONE}/users", list_users),
    Route("GET", f"{_ONE}/users/counts", count_users),
    Route("GET", f"{_ONE}/{{exception_id}}/users", list_exception_users),
)
