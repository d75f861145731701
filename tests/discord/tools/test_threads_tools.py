"""threads, and the lists of threads that channels have: opening, finding, paging, and who is in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import pytest
from tests.discord.tools.asked import asked, bodies, only
from tests.discord.tools.usual.threads import own_thread
from tests.served import desk

from accord.discord.sandbox import demo, demo_channels
from accord.discord.sandbox import permissions as may
from accord.discord.sandbox.snowflakes import iso
from accord.discord.sandbox.world import Overwrite

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

ARCHIVES = ("channels_list_public_archived_threads", "channels_list_private_archived_threads")
JOINED = "channels_list_joined_private_archived_threads"


def queries(sandbox: Sandbox) -> list[dict[str, list[str]]]:
    """The queries of all requests, taken apart."""
    return [parse_qs(one.query) for one in sandbox.requests]


# --- Opening --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "more"), [(11, {}), (12, {"invitable": False})])
async def test_a_thread_of_its_own_is_opened(sandbox: Sandbox, kind: int, more: dict[str, Any]) -> None:
    async with desk(sandbox) as served:
        made = await served.call("threads_create", channel_id=demo.GENERAL, name="Glue", type=kind, **more)

    assert bodies(sandbox) == [{"name": "Glue", "type": kind, **more}]
    assert {name: made.structured[name] for name in ("type", "parent_id", "archived", "joined")} == {
        "type": kind,
        "parent_id": demo.GENERAL,
        "archived": False,
        "joined": True,
    }


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"type": 11, "invitable": True}, "invitable"),
        ({}, "type"),
        ({"type": 0}, "type"),
        ({"type": 11, "name": ""}, "name"),
    ],
)
async def test_a_thread_that_is_none_is_refused(sandbox: Sandbox, given: dict[str, Any], path: str) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("threads_create", {"channel_id": demo.GENERAL, "name": "Glue"} | given)

    assert [issue["path"] for issue in refused.structured["issues"]] == [path]
    assert asked(sandbox) == []


# --- Lists ----------------------------------------------------------------------------------------------------------


async def test_active_threads_of_the_whole_guild_say_which_the_bot_is_in(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        listed = (await served.call("channels_list_active_threads_guild", guild_id=demo.GUILD)).structured

    assert {one["id"]: one["joined"] for one in listed["threads"]} == {
        demo.THREAD: True,
        demo.BUG_POST: False,
        demo.IDEA_POST: False,
    }
    assert (listed["count"], listed["has_more"]) == (3, False)


@pytest.mark.parametrize("private", [False, True])
async def test_archived_threads_come_in_pages_by_the_time_of_their_archiving(sandbox: Sandbox, private: bool) -> None:
    ids = [sandbox.world.new_id() for _ in range(5)]
    for age, thread_id in enumerate(ids):
        made = demo_channels.archived_thread(
            sandbox.world, thread_id, demo.ANNOUNCEMENTS, f"Old {age}", demo.THEO, private=private
        )
        assert made.thread is not None
        made.thread.metadata["archive_timestamp"] = iso(sandbox.world.clock() - age)
    more: dict[str, Any] = {}
    seen = []

    async with desk(sandbox) as served:
        for _ in range(3):
            page = await served.call(ARCHIVES[private], channel_id=demo.ANNOUNCEMENTS, limit=2, **more)
            seen += [one["id"] for one in page.structured["threads"]]
            more = {"cursor": page.structured["next_cursor"]}

    assert seen == ids
    assert (more["cursor"], page.structured["has_more"]) == (None, False)
    assert [set(one) for one in queries(sandbox)] == [{"limit"}, {"limit", "before"}, {"limit", "before"}]


async def test_joined_private_threads_come_in_pages_by_id(sandbox: Sandbox) -> None:
    ids = [sandbox.world.new_id() for _ in range(3)]
    for thread_id in ids:
        demo_channels.archived_thread(
            sandbox.world, thread_id, demo.ANNOUNCEMENTS, "Old", demo.THEO, demo.BOT, private=True
        )

    async with desk(sandbox) as served:
        first = (await served.call(JOINED, channel_id=demo.ANNOUNCEMENTS, limit=2)).structured
        rest = await served.call(JOINED, channel_id=demo.ANNOUNCEMENTS, limit=2, cursor=first["next_cursor"])

    assert [one["id"] for one in first["threads"] + rest.structured["threads"]] == ids[::-1]
    assert queries(sandbox)[1]["before"] == [ids[1]]
    assert {one["joined"] for one in first["threads"]} == {True}


@pytest.mark.parametrize(
    ("tool", "given", "path"),
    [
        (ARCHIVES[0], {"limit": 1}, "limit"),
        (ARCHIVES[0], {"before": demo.THREAD}, "before"),
        (ARCHIVES[1], {"before": "2026-11-30"}, "before"),
        (JOINED, {"before": "2026-11-30T10:00:00Z"}, "before"),
        (JOINED, {"before": demo.THREAD, "cursor": "x"}, "cursor"),
        (ARCHIVES[0], {"cursor": "YWZ0ZXI6MTE5NjM5ODEyMDc5NzIxNzMwOA"}, "cursor"),
    ],
    ids=["too few", "an id for a time", "no time of day", "a time for an id", "two places", "another list's cursor"],
)
async def test_a_place_that_the_list_does_not_have_is_refused(
    sandbox: Sandbox, tool: str, given: dict[str, Any], path: str
) -> None:
    async with desk(sandbox) as served:
        refused = await served.call(tool, channel_id=demo.GENERAL, **given)

    assert [issue["path"] for issue in refused.structured["issues"]] == [path]
    assert asked(sandbox) == []


async def test_archived_private_threads_are_for_moderators_and_those_the_bot_is_in_are_not(sandbox: Sandbox) -> None:
    sandbox.world.channels[demo.GENERAL].overwrites[demo.BOT] = Overwrite(demo.BOT, 1, deny=may.MANAGE_THREADS)

    async with desk(sandbox) as served:
        refused = await served.call(ARCHIVES[1], channel_id=demo.GENERAL)
        own = await served.call(JOINED, channel_id=demo.GENERAL)

    assert refused.code == "DISCORD_PERMISSION_DENIED"
    assert [one["id"] for one in own.structured["threads"]] == [demo_channels.OLD_PRIVATE_THREAD]


# --- Search ---------------------------------------------------------------------------------------------------------


async def test_posts_are_found_by_words_tags_and_age_with_what_they_began_with(sandbox: Sandbox) -> None:
    wanted = {"name": "fan controller", "tag": ["BUG"], "min_id": "2016-01-02", "archived": False}

    async with desk(sandbox) as served:
        found = await served.call("threads_search", wanted, channel_id=demo.FORUM)

    query = queries(sandbox)[-1]
    assert query == {
        "name": ["fan controller"],
        "tag": [demo.BUG_TAG],
        "min_id": [query["min_id"][0]],
        "archived": ["false"],
        "limit": ["25"],
        "offset": ["0"],
    }
    assert query["min_id"][0].isdigit()
    assert [one["id"] for one in found.structured["items"]] == [demo.BUG_POST]
    assert found.structured["first_messages"][0]["content"].startswith("The board reboots")
    assert (found.structured["total_results"], found.structured["has_more"]) == (1, False)


async def test_an_unknown_tag_is_not_searched_for(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("threads_search", channel_id=demo.FORUM, tag=["bugs"])

    assert [issue["path"] for issue in refused.structured["issues"]] == ["tag[0]"]
    assert asked(sandbox) == [f"GET /channels/{demo.FORUM}"]


async def test_found_threads_come_in_pages(sandbox: Sandbox) -> None:
    order = {"channel_id": demo.FORUM, "limit": 1, "sort_by": "creation_time", "sort_order": "asc"}

    async with desk(sandbox) as served:
        first = (await served.call("threads_search", order)).structured
        second = (await served.call("threads_search", order, cursor=first["next_cursor"])).structured

    assert [one["id"] for one in first["items"] + second["items"]] == [demo.BUG_POST, demo.IDEA_POST]
    assert [one["offset"] for one in queries(sandbox)] == [["0"], ["1"]]
    assert (second["next_cursor"], second["total_results"]) == (None, 2)


async def test_a_search_waits_for_discord_to_have_read_the_channel(sandbox: Sandbox) -> None:
    sandbox.fail("GET /channels/{}/threads/search", "search_not_ready", retry_after=0)

    async with desk(sandbox) as served:
        found = await served.call("threads_search", channel_id=demo.FORUM)

    assert found.structured["count"] == 2
    assert len(sandbox.requests) == 2


# --- Who is in them -------------------------------------------------------------------------------------------------


async def test_members_come_all_at_once_or_with_their_names_in_pages(sandbox: Sandbox) -> None:
    thread = {"thread_id": demo.THREAD}

    async with desk(sandbox) as served:
        everybody = (await served.call("threads_list_members", thread)).structured
        first = (await served.call("threads_list_members", thread, with_member=True, limit=2)).structured
        rest = await served.call("threads_list_members", thread, with_member=True, cursor=first["next_cursor"])

    assert {one["user_id"] for one in everybody["members"]} == {demo.THEO, demo.LENA, demo.BOT}
    assert "member" not in everybody["members"][0]
    assert (everybody["has_more"], first["has_more"], rest.structured["has_more"]) == (False, True, False)
    assert [one["member"]["username"] for one in first["members"]] == ["theo_okafor", "lena.w"]
    assert [one["user_id"] for one in rest.structured["members"]] == [demo.BOT]
    assert queries(sandbox)[2]["after"] == [demo.LENA]


@pytest.mark.parametrize("given", [{"after": demo.THEO}, {"limit": 5}, {"cursor": "x", "with_member": False}])
async def test_pages_without_names_are_refused_for_discord_would_send_everybody(
    sandbox: Sandbox, given: dict[str, Any]
) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("threads_list_members", thread_id=demo.THREAD, **given)

    assert [issue["path"] for issue in refused.structured["issues"]] == [next(iter(given))]
    assert asked(sandbox) == []


async def test_a_member_is_shown_with_names_where_that_is_asked_for(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        shown = await served.call("threads_get_member", thread_id=demo.THREAD, user_id=demo.LENA, with_member=True)

    assert shown.structured["member"]["nick"] == "Lena (lamps)"
    assert only(sandbox, "GET").query == "with_member=true"


async def test_people_are_put_in_and_taken_out(sandbox: Sandbox) -> None:
    thread = own_thread(sandbox)
    members = sandbox.world.channels[thread["thread_id"]].thread

    async with desk(sandbox) as served:
        await served.call("threads_add_member", thread, user_id=demo.OMAR)
        await served.call("threads_remove_member", thread, user_id=demo.THEO)
        left = await served.call("threads_leave", thread)

    assert members is not None
    assert set(members.members) == {demo.OMAR}
    assert left.structured == {"left": True, **thread}


@pytest.mark.parametrize("tool", ["threads_join", "threads_leave"])
async def test_an_archived_thread_is_left_as_it_is(sandbox: Sandbox, tool: str) -> None:
    async with desk(sandbox) as served:
        refused = await served.call(tool, thread_id=demo_channels.OLD_THREAD)

    assert refused.structured["discord_code"] == 50083
