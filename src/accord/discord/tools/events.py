"""events: what is planned in a guild."""

from __future__ import annotations

from typing import Annotated, Unpack

from accord.discord.access import needs
from accord.discord.files import with_images
from accord.discord.models.events import (
    EXTERNAL,
    EventChanged,
    EventChanges,
    EventCreated,
    EventDeleted,
    EventException,
    EventRead,
    Events,
    EventUserCounts,
    EventUsers,
    ExceptionChanges,
    ExceptionDeleted,
    ExceptionUsers,
    NewEvent,
    NewException,
    place_fits_changed,
    place_fits_new,
    recurrence_fits,
)
from accord.discord.models.ids import EventExceptionId, GuildId, ScheduledEventId, UserId
from accord.discord.models.values import AuditReason, Cursor, Wire
from accord.discord.outgoing import changed, given
from accord.discord.pages import onward, place_of
from accord.discord.rest.client import Discord
from accord.discord.results.events import changed_event, event, event_users, events, new_event, user_counts
from accord.discord.results.picking import picked
from accord.discord.rules import changes, in_order, once_each, one_place
from accord.engine import Effect, Field, Toolset

tools = Toolset("events", fence="untrusted_discord")

SEEING = needs(when={"stage and voice events": "VIEW_CHANNEL"})
CREATING = needs(
    "CREATE_EVENTS",
    when={
        "a stage event, in its channel": ("MANAGE_CHANNELS", "MUTE_MEMBERS", "MOVE_MEMBERS"),
        "a voice event, in its channel": ("VIEW_CHANNEL", "CONNECT"),
    },
)
CHANGING = needs(
    any_of=("CREATE_EVENTS", "MANAGE_EVENTS"),
    when={
        "created by somebody else": "MANAGE_EVENTS",
        "a stage event, in its channel": ("MANAGE_CHANNELS", "MUTE_MEMBERS", "MOVE_MEMBERS"),
        "a voice event, in its channel": ("VIEW_CHANNEL", "CONNECT"),
    },
)
TIMES_IN_ORDER = in_order("scheduled_start_time", "scheduled_end_time")

Limit = Annotated[int, Field(minimum=1, maximum=100)]


@tools.tool(Effect.READ, say="Events: {count}.", facts=SEEING)
async def events_list(discord: Discord, guild_id: GuildId, with_user_count: bool | None = None) -> Events:
    """List a guild's scheduled and running events, the soonest first."""
    query = {"with_user_count": with_user_count}
    return events(await discord.get("/guilds/{}/scheduled-events", guild_id, into=list[Wire], query=query))


@tools.tool(Effect.READ, say="Event {id}.", facts=SEEING)
async def events_get(
    discord: Discord, guild_id: GuildId, event_id: ScheduledEventId, with_user_count: bool | None = None
) -> EventRead:
    """Fetch one event: times, place, how it recurs and which occurrences differ."""
    query = {"with_user_count": with_user_count}
    return event(await discord.get("/guilds/{}/scheduled-events/{}", guild_id, event_id, into=Wire, query=query))


@tools.tool(
    Effect.CREATE,
    say="Created event {id}.",
    checks=(place_fits_new, TIMES_IN_ORDER, recurrence_fits),
    facts=CREATING,
)
async def events_create(discord: Discord, guild_id: GuildId, **new: Unpack[NewEvent]) -> EventCreated:
    """Schedule an event: in a stage or voice channel, or at a place outside of Discord, which also needs an end."""
    body, reason = given({"privacy_level": 2, **new})
    body = await with_images(discord, body, "image")
    sent = await discord.post("/guilds/{}/scheduled-events", guild_id, into=Wire, body=body, reason=reason)
    return new_event(sent, body)


@tools.tool(
    Effect.UPDATE,
    say="Changed event {id}.",
    checks=(changes("guild_id", "event_id"), place_fits_changed, TIMES_IN_ORDER, recurrence_fits),
    facts=CHANGING,
)
async def events_modify(
    discord: Discord, guild_id: GuildId, event_id: ScheduledEventId, **new: Unpack[EventChanges]
) -> EventChanged:
    """Change, start, end or cancel an event. What is left out stays: to move one give start and end.

    To move a recurring one give recurrence_rule too, which may remove its exceptions.
    """
    body, reason = changed(new)
    body = await with_images(discord, body, "image")
    if body.get("entity_type") == EXTERNAL:
        body["channel_id"] = None  # Discord wants it said
    sent = await discord.patch(
        "/guilds/{}/scheduled-events/{}", guild_id, event_id, into=Wire, body=body, reason=reason, idempotent=True
    )
    return changed_event(sent, body)


@tools.tool(Effect.DELETE, say="Deleted event {event_id}.", facts=CHANGING)
async def events_delete(
    discord: Discord, guild_id: GuildId, event_id: ScheduledEventId, audit_reason: AuditReason | None = None
) -> EventDeleted:
    """Delete an event for good, all its occurrences too."""
    await discord.do("DELETE", "/guilds/{}/scheduled-events/{}", guild_id, event_id, reason=audit_reason)
    return {"deleted": True, "event_id": event_id}


@tools.tool(Effect.READ, say="Interested in event {event_id}: {count}.", checks=(one_place,), facts=SEEING)
async def events_list_users(
    discord: Discord,
    guild_id: GuildId,
    event_id: ScheduledEventId,
    limit: Limit = 100,
    with_member: bool | None = None,
    before: UserId | None = None,
    after: UserId | None = None,
    cursor: Cursor | None = None,
) -> EventUsers:
    """List who is interested in an event, in the order of their ids."""
    place = {"before": before, "after": after, **place_of(cursor)}
    query = {"limit": limit, "with_member": with_member, **place}
    sent = await discord.get("/guilds/{}/scheduled-events/{}/users", guild_id, event_id, into=list[Wire], query=query)
    users = event_users(sent)
    more = onward(users, "before" if place["before"] else "after", full=limit)
    return {"users": users, "count": len(users), "event_id": event_id, **more}


@tools.tool(
    Effect.READ, say="Interested in event {event_id}: {users}.", checks=(once_each("exception_ids"),), facts=SEEING
)
async def events_count_users(
    discord: Discord,
    guild_id: GuildId,
    event_id: ScheduledEventId,
    exception_ids: Annotated[list[EventExceptionId], Field(max_items=10)] | None = None,
) -> EventUserCounts:
    """Count who is interested in an event, and in up to 10 occurrences of a recurring one."""
    query = {"guild_scheduled_event_exception_ids": exception_ids}
    sent = await discord.get("/guilds/{}/scheduled-events/{}/users/counts", guild_id, event_id, into=Wire, query=query)
    return user_counts(sent, event_id)


@tools.tool(
    Effect.CREATE,
    say="Made exception {event_exception_id} to event {event_id}.",
    checks=(changes("guild_id", "event_id", "original_scheduled_start_time"), TIMES_IN_ORDER),
    facts=CHANGING,
)
async def events_create_exception(
    discord: Discord, guild_id: GuildId, event_id: ScheduledEventId, **new: Unpack[NewException]
) -> EventException:
    """Cancel or move one occurrence of a recurring event; the others stay as they are."""
    body, reason = given(new)
    sent = await discord.post(
        "/guilds/{}/scheduled-events/{}/exceptions", guild_id, event_id, into=Wire, body=body, reason=reason
    )
    return picked(EventException, sent)


@tools.tool(
    Effect.UPDATE,
    say="Changed exception {event_exception_id} to event {event_id}.",
    checks=(changes("guild_id", "event_id", "exception_id"), TIMES_IN_ORDER),
    facts=CHANGING,
)
async def events_modify_exception(
    discord: Discord,
    guild_id: GuildId,
    event_id: ScheduledEventId,
    exception_id: EventExceptionId,
    **new: Unpack[ExceptionChanges],
) -> EventException:
    """Change the exception for one occurrence of a recurring event."""
    body, reason = changed(new)
    place = (guild_id, event_id, exception_id)
    sent = await discord.patch(
        "/guilds/{}/scheduled-events/{}/exceptions/{}", *place, into=Wire, body=body, reason=reason, idempotent=True
    )
    return picked(EventException, sent)


@tools.tool(Effect.DELETE, say="Deleted exception {exception_id} to event {event_id}.", facts=CHANGING)
async def events_delete_exception(
    discord: Discord,
    guild_id: GuildId,
    event_id: ScheduledEventId,
    exception_id: EventExceptionId,
    audit_reason: AuditReason | None = None,
) -> ExceptionDeleted:
    """Delete an exception: its occurrence takes place as the event's rule says."""
    await discord.do(
        "DELETE",
        "/guilds/{}/scheduled-events/{}/exceptions/{}",
        guild_id,
        event_id,
        exception_id,
        reason=audit_reason,
    )
    return {"deleted": True, "event_id": event_id, "exception_id": exception_id}


@tools.tool(Effect.READ, say="Answers for exception {exception_id}: {count}.", checks=(one_place,), facts=SEEING)
async def events_list_exception_users(
    discord: Discord,
    guild_id: GuildId,
    event_id: ScheduledEventId,
    exception_id: EventExceptionId,
    limit: Limit = 100,
    with_member: bool | None = None,
    before: UserId | None = None,
    after: UserId | None = None,
    cursor: Cursor | None = None,
) -> ExceptionUsers:
    """List who answered for one occurrence of a recurring event that differs from its rule."""
    place = {"before": before, "after": after, **place_of(cursor)}
    query = {"limit": limit, "with_member": with_member, **place}
    sent = await discord.get(
        "/guilds/{}/scheduled-events/{}/{}/users", guild_id, event_id, exception_id, into=list[Wire], query=query
    )
    users = event_users(sent)
    more = onward(users, "before" if place["before"] else "after", full=limit)
    return {"items": users, "count": len(users), "event_id": event_id, "exception_id": exception_id, **more}
