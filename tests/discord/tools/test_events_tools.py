"""events: planned, moved, recurring, cancelled, and who is interested in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked, bodies, only
from tests.discord.tools.usual.emojis import PICTURE
from tests.discord.tools.usual.events import NEW, exception_of
from tests.discord.tools.usual_calls import example
from tests.served import desk

from accord.discord.results.events import event_users, events, new_event
from accord.discord.sandbox import demo, demo_plans
from accord.discord.sandbox.permissions import CREATE_EVENTS, MANAGE_EVENTS

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

EVENTS = f"/guilds/{demo.GUILD}/scheduled-events"
PLACE = {"guild_id": demo.GUILD}
HERE = {**PLACE, "event_id": demo_plans.NIGHT_MARKET}
CIRCLE = {**PLACE, "event_id": demo_plans.SOLDERING}
START, END = "2027-01-30T17:00:00Z", "2027-01-30T19:00:00Z"


# --- Reading --------------------------------------------------------------------------------------------------------


async def test_events_are_listed_from_the_soonest_on_and_counted_if_asked(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        listed = (await served.call("events_list", PLACE, with_user_count=True)).structured
        read = (await served.call("events_get", HERE)).structured

    assert asked(sandbox) == [f"GET {EVENTS}?with_user_count=true", f"GET {EVENTS}/{demo_plans.NIGHT_MARKET}"]
    assert [one["id"] for one in listed["events"]] == [demo_plans.SOLDERING, demo_plans.NIGHT_MARKET]
    assert [one["user_count"] for one in listed["events"]] == [2, 2]
    assert listed["events"][0]["guild_scheduled_event_exceptions"][0]["is_canceled"] is True
    assert read["entity_metadata"] == {"location": "By the old bridge"}
    assert read["untrusted_text"] == "Night market\nOur stall has two sockets. Bring bulbs."
    assert "user_count" not in read


def test_lists_that_are_null_are_empty_ones() -> None:
    assert (events(None)["events"], event_users(None)) == ([], [])


# --- Making ---------------------------------------------------------------------------------------------------------


async def test_an_external_event_goes_out_as_it_was_given(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        made = (await served.call("events_create", PLACE, **NEW, image=PICTURE, audit_reason="plan")).structured

    assert bodies(sandbox) == [{"privacy_level": 2, **NEW, "image": PICTURE}]
    assert only(sandbox, "POST").request_headers["x-audit-log-reason"] == "plan"
    assert (made["status"], made["creator_id"], made["channel_id"]) == (1, demo.BOT, None)
    assert (made["scheduled_start_time"], len(made["image"])) == ("2027-01-30T17:00:00.000000+00:00", 32)
    assert "ignored" not in made


VOICE: dict[str, Any] = {
    "name": "Talk", "entity_type": 2, "channel_id": f"<#{demo.VOICE}>", "scheduled_start_time": START,
}  # fmt: skip
WEEKLY = {"start": START, "frequency": 2}
DAILY = {"start": START, "frequency": 3}
MONTHLY = {"start": START, "frequency": 1}
YEARLY = {"start": START, "frequency": 0}

KNOWN_WEEKDAYS = ([0, 1, 2, 3, 4], [5, 4, 3, 2, 1], [6, 0, 1, 2, 3], [4, 5], [5, 6], [0, 6])
RULES = [
    DAILY,
    *({**DAILY, "by_weekday": days} for days in KNOWN_WEEKDAYS),
    {**WEEKLY, "by_weekday": [2]},
    {**WEEKLY, "interval": 2, "by_weekday": [2]},
    {**MONTHLY, "interval": 1, "by_n_weekday": [{"n": 4, "day": 2}]},
    {**YEARLY, "by_month": [7], "by_month_day": [24]},
]


@pytest.mark.parametrize("rule", RULES, ids=str)
async def test_an_event_can_recur_in_every_way_that_discord_shows(sandbox: Sandbox, rule: dict[str, Any]) -> None:
    async with desk(sandbox) as served:
        made = await served.call("events_create", PLACE, **VOICE, recurrence_rule={**rule, "end": None, "count": None})

    assert bodies(sandbox)[0]["recurrence_rule"] == rule
    assert made.structured["recurrence_rule"]["frequency"] == rule["frequency"]
    assert "ignored" not in made.structured


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        ({"start": START}, "frequency"),
        ({"start": "tomorrow", "frequency": 2}, "start"),
        ({**WEEKLY, "by_weekday": [1, 2]}, "by_weekday"),
        ({**WEEKLY, "by_n_weekday": [{"n": 1, "day": 1}]}, "by_n_weekday"),
        ({**WEEKLY, "interval": 3}, "interval"),
        ({**DAILY, "interval": 2}, "interval"),
        ({**DAILY, "by_weekday": [0, 2]}, "by_weekday"),
        ({**DAILY, "by_weekday": [4, 5, 5]}, "by_weekday"),
        ({**DAILY, "by_weekday": [7]}, "by_weekday[0]"),
        ({**MONTHLY, "by_weekday": [2]}, "by_weekday"),
        ({**MONTHLY, "by_n_weekday": [{"n": 1, "day": 1}, {"n": 2, "day": 1}]}, "by_n_weekday"),
        ({**MONTHLY, "by_n_weekday": [{"n": 6, "day": 1}]}, "by_n_weekday[0].n"),
        ({**YEARLY, "by_month": [7]}, "by_month"),
        ({**YEARLY, "by_month_day": [24]}, "by_month"),
        ({**YEARLY, "by_month": [7, 8], "by_month_day": [24]}, "by_month"),
        ({**YEARLY, "by_month": [7], "by_month_day": [32]}, "by_month_day[0]"),
        ({**WEEKLY, "count": 3}, "count"),
        ({**WEEKLY, "end": END}, "end"),
        ({**WEEKLY, "by_year_day": [3]}, "by_year_day"),
    ],
    ids=str,
)
async def test_a_way_of_recurring_that_discord_refuses_is_refused_before(
    sandbox: Sandbox, rule: dict[str, Any], path: str
) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("events_create", PLACE, **VOICE, recurrence_rule=rule)

    assert [issue["path"] for issue in refused.structured["issues"]] == [f"recurrence_rule.{path}"]
    assert asked(sandbox) == []


@pytest.mark.parametrize(
    ("fields", "paths"),
    [
        ({"entity_type": 2}, ["channel_id", "entity_metadata"]),
        ({"entity_type": 1, "channel_id": demo.VOICE}, ["entity_metadata"]),
        ({"channel_id": demo.VOICE}, ["channel_id"]),
        ({"entity_metadata": None}, ["entity_metadata"]),
        ({"entity_metadata": {}}, ["entity_metadata.location"]),
        ({"entity_metadata": {"location": ""}}, ["entity_metadata.location"]),
        ({"entity_metadata": {"location": "x" * 101}}, ["entity_metadata.location"]),
        ({"scheduled_end_time": None}, ["scheduled_end_time"]),
        ({"scheduled_end_time": "2027-01-30T18:00:00+01:00"}, ["scheduled_end_time"]),
        ({"scheduled_start_time": "2027-01-30T17:00:00"}, ["scheduled_start_time"]),
        ({"scheduled_start_time": "2027-02-30T17:00:00Z"}, ["scheduled_start_time"]),
        ({"name": ""}, ["name"]),
        ({"description": "x" * 1001}, ["description"]),
        ({"privacy_level": 1}, ["privacy_level"]),
    ],
    ids=str,
)
async def test_an_event_that_discord_refuses_is_refused_before(
    sandbox: Sandbox, fields: dict[str, Any], paths: list[str]
) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("events_create", PLACE, **{**NEW, **fields})

    assert [issue["path"] for issue in refused.structured["issues"]] == paths
    assert asked(sandbox) == []


# --- Changing -------------------------------------------------------------------------------------------------------


async def test_only_what_is_given_changes_and_what_is_cleared_is_emptied(sandbox: Sandbox) -> None:
    arguments = example(sandbox, "events_modify")
    place = {name: arguments[name] for name in ("guild_id", "event_id")}

    async with desk(sandbox) as served:
        changed = await served.call("events_modify", place, name="Day market", image=None, clear=["description"])

    assert bodies(sandbox) == [{"name": "Day market", "description": None}]
    assert changed.structured["untrusted_text"] == "Day market"
    assert changed.structured["entity_metadata"] == {"location": "By the old bridge"}


async def test_an_event_that_moves_out_of_discord_loses_its_channel(sandbox: Sandbox) -> None:
    place = {"entity_metadata": {"location": "The old bridge"}, "scheduled_end_time": "2099-01-01T00:00:00Z"}

    async with desk(sandbox) as served:
        changed = await served.call("events_modify", CIRCLE, entity_type=3, **place)

    assert bodies(sandbox) == [{"entity_type": 3, "channel_id": None, **place}]
    assert (changed.structured["entity_type"], changed.structured["channel_id"]) == (3, None)


@pytest.mark.parametrize(
    ("fields", "paths"),
    [
        ({}, [""]),
        ({"entity_type": 3}, ["entity_metadata", "scheduled_end_time"]),
        ({"entity_type": 2}, ["channel_id"]),
        ({"channel_id": demo.VOICE, "entity_metadata": {"location": "x"}}, ["channel_id"]),
        ({"scheduled_start_time": END, "scheduled_end_time": START}, ["scheduled_end_time"]),
        ({"scheduled_start_time": START, "scheduled_end_time": START}, ["scheduled_end_time"]),
        ({"description": "x", "clear": ["description"]}, ["clear"]),
        ({"recurrence_rule": {**WEEKLY, "interval": 3}}, ["recurrence_rule.interval"]),
        ({"status": 5}, ["status"]),
    ],
    ids=str,
)
async def test_a_change_that_cannot_be_is_refused_before(
    sandbox: Sandbox, fields: dict[str, Any], paths: list[str]
) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("events_modify", HERE, **fields)

    assert [issue["path"] for issue in refused.structured["issues"]] == paths
    assert asked(sandbox) == []


async def test_a_cancelled_event_stays_so(sandbox: Sandbox) -> None:
    place = example(sandbox, "events_delete")
    del place["__confirm"]

    async with desk(sandbox) as served:
        cancelled = await served.call("events_modify", place, status=4)
        refused = await served.call("events_modify", place, name="Again")

    assert cancelled.structured["status"] == 4
    assert refused.structured["discord_code"] == 180000


RECURRING = {
    "id": "1", "guild_id": "1", "name": "x", "scheduled_start_time": "2027-01-30T17:00:00+00:00", "status": 1,
    "entity_type": 2, "entity_metadata": None, "recurrence_rule": None,
}  # fmt: skip


def recurring(rule: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"recurrence_rule": {**rule, **more}}


@pytest.mark.parametrize(
    ("body", "got", "ignored"),
    [
        (recurring(WEEKLY), {}, ["recurrence_rule"]),
        (recurring(WEEKLY, by_weekday=[5]), recurring(WEEKLY, by_weekday=None), ["recurrence_rule"]),
        (recurring(DAILY, by_weekday=[6, 0]), recurring(DAILY, by_weekday=[0, 6]), None),
        ({"scheduled_start_time": "2027-01-30T18:00:00.123+01:00"}, {}, None),
        ({"scheduled_start_time": "2027-01-31T18:00:00+01:00"}, {}, ["scheduled_start_time"]),
        ({"entity_metadata": {"location": "x"}}, {}, ["entity_metadata"]),
        ({"entity_metadata": {"location": " x "}}, {"entity_metadata": {"location": "x"}}, None),
    ],
    ids=str,
)
def test_what_discord_took_and_did_not_keep_is_named(
    body: dict[str, Any], got: dict[str, Any], ignored: list[str] | None
) -> None:
    assert new_event({**RECURRING, **got}, body).get("ignored") == ignored


@pytest.mark.parametrize("tool", ["events_modify", "events_delete", "events_create_exception"])
async def test_who_may_only_create_events_changes_nothing_of_others(sandbox: Sandbox, tool: str) -> None:
    arguments = example(sandbox, tool)
    sandbox.world.guilds[demo.GUILD].roles[demo.BOT_ROLE].permissions &= ~MANAGE_EVENTS

    async with desk(sandbox) as served:
        refused = await served.call(tool, arguments)
        sandbox.world.guilds[demo.GUILD].events[arguments["event_id"]]["creator_id"] = demo.BOT
        done = await served.call(tool, arguments)

    assert (refused.code, done.failed) == ("DISCORD_PERMISSION_DENIED", False)


async def test_without_the_permission_no_event_is_made(sandbox: Sandbox) -> None:
    sandbox.world.guilds[demo.GUILD].roles[demo.BOT_ROLE].permissions &= ~CREATE_EVENTS

    async with desk(sandbox) as served:
        refused = await served.call("events_create", PLACE, **NEW)

    assert refused.code == "DISCORD_PERMISSION_DENIED"


# --- Exceptions -----------------------------------------------------------------------------------------------------


async def test_one_occurrence_is_moved_cancelled_and_forgotten(sandbox: Sandbox) -> None:
    event = f"{EVENTS}/{demo_plans.SOLDERING}/exceptions"
    away = {"original_scheduled_start_time": "2027-02-05T18:00:00Z", "scheduled_start_time": START}

    async with desk(sandbox) as served:
        made = (await served.call("events_create_exception", CIRCLE, **away, audit_reason="snow")).structured
        one = {**CIRCLE, "exception_id": made["event_exception_id"]}
        back = await served.call("events_modify_exception", one, is_canceled=True, clear=["scheduled_start_time"])
        gone = await served.call("events_delete_exception", one, __confirm=True)

    exception = f"{event}/{one['exception_id']}"
    assert asked(sandbox) == [f"POST {event}", f"PATCH {exception}", f"DELETE {exception}"]
    assert bodies(sandbox) == [away, {"is_canceled": True, "scheduled_start_time": None}]
    assert only(sandbox, "POST").request_headers["x-audit-log-reason"] == "snow"
    assert made["scheduled_start_time"] == "2027-01-30T17:00:00.000000+00:00"
    assert (back.structured["is_canceled"], back.structured["scheduled_start_time"]) == (True, None)
    assert gone.structured == {"deleted": True, "event_id": demo_plans.SOLDERING, "exception_id": one["exception_id"]}


@pytest.mark.parametrize(
    ("tool", "fields", "path"),
    [
        ("events_create_exception", {"original_scheduled_start_time": START}, ""),
        (
            "events_create_exception",
            {"original_scheduled_start_time": START, "scheduled_start_time": END, "scheduled_end_time": START},
            "scheduled_end_time",
        ),
        ("events_modify_exception", {"exception_id": demo.GUILD}, ""),
    ],
)
async def test_an_exception_that_says_nothing_or_ends_before_it_begins_is_refused(
    sandbox: Sandbox, tool: str, fields: dict[str, Any], path: str
) -> None:
    async with desk(sandbox) as served:
        refused = await served.call(tool, CIRCLE, **fields)

    assert [issue["path"] for issue in refused.structured["issues"]] == [path]
    assert asked(sandbox) == []


# --- Who is interested ----------------------------------------------------------------------------------------------


async def test_the_interested_are_paged_through_in_both_directions(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        first = (await served.call("events_list_users", HERE, limit=1)).structured
        second = (await served.call("events_list_users", HERE, limit=1, cursor=first["next_cursor"])).structured
        third = (await served.call("events_list_users", HERE, limit=2, before=demo.OMAR)).structured
        refused = await served.call("events_list_users", HERE, before=demo.OMAR, cursor=first["next_cursor"])

    users = f"GET {EVENTS}/{demo_plans.NIGHT_MARKET}/users"
    pages = [f"{users}?limit=1", f"{users}?limit=1&after={demo.LENA}", f"{users}?limit=2&before={demo.OMAR}"]
    assert asked(sandbox) == pages
    assert [one["id"] for page in (first, second, third) for one in page["users"]] == [demo.LENA, demo.OMAR, demo.LENA]
    assert (third["has_more"], refused.code) == (False, "VALIDATION_FAILED")


async def test_somebody_interested_is_shown_with_the_guilds_word_if_asked(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        listed = (await served.call("events_list_users", HERE, with_member=True)).structured

    lena = listed["users"][0]
    assert (lena["username"], lena["global_name"], lena["response"]) == ("lena.w", "Lena", 1)
    assert lena["member"]["nick"] == "Lena (lamps)"
    assert lena["member"]["roles"] == [demo.MEMBER_ROLE]
    assert listed["event_id"] == demo_plans.NIGHT_MARKET


@pytest.mark.parametrize(
    ("row", "known"),
    [
        ({"user_id": demo.LENA}, (demo.LENA, None)),
        ({"user": {"id": demo.LENA, "username": "lena.w"}}, (demo.LENA, "lena.w")),
        ({"user_id": demo.LENA, "user": None}, (demo.LENA, None)),
    ],
)
def test_somebody_interested_of_whom_discord_says_little_is_shown_all_the_same(
    row: dict[str, Any], known: tuple[str, str | None]
) -> None:
    (shown,) = event_users([row])

    assert (shown["id"], shown["username"]) == known


async def test_the_interested_are_counted_occurrence_by_occurrence(sandbox: Sandbox) -> None:
    second = exception_of(sandbox)

    async with desk(sandbox) as served:
        counted = (await served.call("events_count_users", CIRCLE, exception_ids=[second, demo.GUILD])).structured
        listed = (await served.call("events_list_exception_users", CIRCLE, exception_id=second)).structured

    ids = f"guild_scheduled_event_exception_ids={second}&guild_scheduled_event_exception_ids={demo.GUILD}"
    event = f"{EVENTS}/{demo_plans.SOLDERING}"
    assert asked(sandbox) == [f"GET {event}/users/counts?{ids}", f"GET {event}/{second}/users?limit=100"]
    assert counted["users"] == 2
    assert {row["exception_id"]: row["users"] for row in counted["exceptions"]} == {second: 1, demo.GUILD: 0}
    assert [(one["id"], one["exception_id"]) for one in listed["items"]] == [(demo.LENA, second)]
