"""Usual calls of events."""

from __future__ import annotations

from copy import deepcopy

from tests.discord.tools.usual.calling import MISSING, Arguments, Examples, Refusals, not_found

from accord.discord.sandbox import Sandbox, demo, demo_plans

__all__ = ["EXAMPLES", "REFUSED", "exception_of"]

NEW: Arguments = {
    "name": "Lantern walk",
    "entity_type": 3,
    "scheduled_start_time": "2027-01-30T17:00:00Z",
    "scheduled_end_time": "2027-01-30T19:00:00+01:00",
    "entity_metadata": {"location": "The old bridge"},
}
LATER = {"scheduled_start_time": "2027-02-06T18:00:00Z", "scheduled_end_time": "2027-02-06T20:00:00Z"}


def _event(sandbox: Sandbox, like: str = demo_plans.NIGHT_MARKET) -> Arguments:
    """An event of this call's own."""
    events = sandbox.world.guilds[demo.GUILD].events
    event_id = sandbox.world.new_id()
    events[event_id] = deepcopy(events[like]) | {"id": event_id}
    return {"guild_id": demo.GUILD, "event_id": event_id}


def _exception(sandbox: Sandbox) -> Arguments:
    """An occurrence that is off, of an event of this call's own."""
    place = _event(sandbox, demo_plans.SOLDERING)
    return {**place, "exception_id": exception_of(sandbox, place["event_id"])}


def exception_of(sandbox: Sandbox, event_id: str = demo_plans.SOLDERING) -> str:
    """The id of a recurring event's one exception."""
    event = sandbox.world.guilds[demo.GUILD].events[event_id]
    (one,) = event["guild_scheduled_event_exceptions"]
    return str(one["event_exception_id"])


HERE = {"guild_id": demo.GUILD, "event_id": demo_plans.NIGHT_MARKET}
CIRCLE = {"guild_id": demo.GUILD, "event_id": demo_plans.SOLDERING}
NOWHERE = {"guild_id": demo.GUILD, "event_id": MISSING}
NO_EXCEPTION = {**CIRCLE, "exception_id": MISSING}
MOVED = {"original_scheduled_start_time": "2027-02-05T18:00:00Z", **LATER}

EXAMPLES: Examples = {
    "events_list": lambda _: {"guild_id": demo.GUILD, "with_user_count": True},
    "events_get": lambda _: HERE,
    "events_create": lambda _: {"guild_id": demo.GUILD, **NEW},
    "events_modify": lambda sandbox: {**_event(sandbox), **LATER},
    "events_delete": lambda sandbox: {**_event(sandbox), "__confirm": True},
    "events_list_users": lambda _: {**HERE, "with_member": True},
    "events_count_users": lambda sandbox: {**CIRCLE, "exception_ids": [exception_of(sandbox)]},
    "events_create_exception": lambda sandbox: {**_event(sandbox, demo_plans.SOLDERING), **MOVED},
    "events_modify_exception": lambda sandbox: {**_exception(sandbox), **LATER, "is_canceled": False},
    "events_delete_exception": lambda sandbox: {**_exception(sandbox), "__confirm": True},
    "events_list_exception_users": lambda sandbox: {**CIRCLE, "exception_id": exception_of(sandbox)},
}

REFUSED: Refusals = {
    "events_list": not_found({"guild_id": MISSING}),
    "events_get": not_found(NOWHERE),
    "events_create": not_found({"guild_id": MISSING, **NEW}),
    "events_modify": not_found({**NOWHERE, **LATER}),
    "events_delete": not_found({**NOWHERE, "__confirm": True}),
    "events_list_users": not_found(NOWHERE),
    "events_count_users": not_found(NOWHERE),
    "events_create_exception": not_found({**NOWHERE, **MOVED}),
    "events_modify_exception": not_found({**NO_EXCEPTION, "is_canceled": True}),
    "events_delete_exception": not_found({**NO_EXCEPTION, "__confirm": True}),
    "events_list_exception_users": not_found(NO_EXCEPTION),
}
