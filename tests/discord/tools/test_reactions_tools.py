"""reactions: every form in which people paste an emoji becomes the one that Discord takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from tests.discord.tools.asked import asked
from tests.served import desk

from accord.discord.sandbox import demo
from accord.discord.sandbox import permissions as may
from accord.discord.sandbox.world import Channel, Emoji

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox
    from accord.discord.sandbox.world import Message

MISSING = "1199999999999999999"
DIRECT = "1196398888888888888"
OTHER_BLOB = "1196725528169727598"
FOREIGN = "1196725528169727599"


def message(sandbox: Sandbox) -> Message:
    return demo.message_with(sandbox.world, demo.GENERAL, "Six works")


def target(sandbox: Sandbox) -> dict[str, str]:
    return {"channel_id": demo.GENERAL, "message_id": message(sandbox).id}


def route(sandbox: Sandbox, form: str) -> str:
    return f"PUT /channels/{demo.GENERAL}/messages/{message(sandbox).id}/reactions/{quote(form, safe='')}/@me"


@pytest.mark.parametrize(
    "form",
    [f"<:blob:{demo.BLOB}>", f"<a:blob:{demo.BLOB}>", f"blob:{demo.BLOB}", demo.BLOB, "blob", ":blob:", " blob "],
)
async def test_every_form_of_a_custom_emoji_makes_the_same_request(sandbox: Sandbox, form: str) -> None:
    async with desk(sandbox) as served:
        reacted = await served.call("reactions_create", {**target(sandbox), "emoji": form})

    assert asked(sandbox)[-1] == route(sandbox, f"blob:{demo.BLOB}")
    assert reacted.structured == {"reacted": True, **target(sandbox), "emoji": f"blob:{demo.BLOB}"}
    assert reacted.text.startswith(f"Reacted to message {message(sandbox).id} in <#{demo.GENERAL}>.\n")
    assert message(sandbox).reactions[demo.BLOB].user_ids == [demo.BOT]


@pytest.mark.parametrize("emoji", ["🐟", "❤️", "👩‍👩‍👧‍👦", "🇳🇱", "1️⃣", "🖐🏾"])
async def test_a_unicode_emoji_goes_into_the_path_whole(sandbox: Sandbox, emoji: str) -> None:
    async with desk(sandbox) as served:
        reacted = await served.call("reactions_create", {**target(sandbox), "emoji": emoji})

    assert not reacted.failed
    assert asked(sandbox) == [route(sandbox, emoji)]


@pytest.mark.parametrize("form", [f"blob:{demo.BLOB}", f"<:blob:{demo.BLOB}>", "🐟"])
async def test_a_form_that_is_whole_needs_no_look_up(sandbox: Sandbox, form: str) -> None:
    async with desk(sandbox) as served:
        await served.call("reactions_create", {**target(sandbox), "emoji": form})

    assert len(asked(sandbox)) == 1


async def test_giving_a_reaction_twice_changes_nothing(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        first = await served.call("reactions_create", {**target(sandbox), "emoji": "🐟"})
        second = await served.call("reactions_create", {**target(sandbox), "emoji": "🐟"})

    assert first.structured == second.structured
    assert message(sandbox).reactions["🐟"].user_ids == [demo.BOT]


async def test_a_name_of_two_emoji_is_answered_with_both_ids(sandbox: Sandbox) -> None:
    sandbox.world.guilds[demo.GUILD].emojis[OTHER_BLOB] = Emoji(OTHER_BLOB, "blob", demo.MAYA)

    async with desk(sandbox) as served:
        reacted = await served.call("reactions_create", {**target(sandbox), "emoji": "blob"})

    (issue,) = reacted.structured["issues"]
    assert (reacted.code, issue["path"], issue["code"]) == ("VALIDATION_FAILED", "emoji", "ambiguous_emoji")
    assert demo.BLOB in issue["message"]
    assert OTHER_BLOB in issue["message"]
    assert served.writes == []


@pytest.mark.parametrize("form", ["blobb", FOREIGN])
async def test_an_emoji_that_the_guild_does_not_have_is_refused(sandbox: Sandbox, form: str) -> None:
    async with desk(sandbox) as served:
        reacted = await served.call("reactions_create", {**target(sandbox), "emoji": form})

    assert [issue["code"] for issue in reacted.structured["issues"]] == ["unknown_emoji"]
    assert served.writes == []


async def test_a_direct_message_has_no_emoji_of_its_own(sandbox: Sandbox) -> None:
    sandbox.world.channels[DIRECT] = Channel(DIRECT, 1, recipient_id=demo.MAYA)

    async with desk(sandbox) as served:
        reacted = await served.call("reactions_create", channel_id=DIRECT, message_id=MISSING, emoji="blob")

    assert [issue["code"] for issue in reacted.structured["issues"]] == ["unknown_emoji"]


async def test_a_look_up_in_a_channel_that_is_not_there_says_that_it_is_not_there(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        reacted = await served.call("reactions_create", channel_id=MISSING, message_id=MISSING, emoji="blob")

    assert reacted.code == "DISCORD_NOT_FOUND"


@pytest.mark.parametrize("form", [" ", ".", "..", "hello world", "#general", "/@me", "a:b:c"])
async def test_plain_text_is_no_emoji(sandbox: Sandbox, form: str) -> None:
    async with desk(sandbox) as served:
        reacted = await served.call("reactions_create", {**target(sandbox), "emoji": form})

    assert reacted.code == "VALIDATION_FAILED"
    assert [issue["path"] for issue in reacted.structured["issues"]] == ["emoji"]
    assert asked(sandbox) == []


async def test_what_only_looks_like_a_path_stays_one_segment(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        reacted = await served.call("reactions_create", {**target(sandbox), "emoji": "é/../@me?x=1#"})

    assert reacted.code == "VALIDATION_FAILED"
    assert reacted.structured["discord_code"] == 10014
    assert asked(sandbox) == [route(sandbox, "é/../@me?x=1#")]


async def test_a_message_that_is_gone_is_not_found(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        reacted = await served.call("reactions_create", channel_id=demo.GENERAL, message_id=MISSING, emoji="🐟")

    assert reacted.code == "DISCORD_NOT_FOUND"


# --- Taking reactions away, and who gave them ------------------------------------------------------------------------

TOOLS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "reactions_delete_own": ("DELETE", "/@me", {}),
    "reactions_delete_user": ("DELETE", f"/{demo.THEO}", {"user_id": demo.THEO}),
    "reactions_list": ("GET", "?type=0&limit=25", {}),
    "reactions_delete_all": ("DELETE", "", {"__confirm": True}),
}


@pytest.mark.parametrize("form", [f"<:blob:{demo.BLOB}>", demo.BLOB, "blob"])
@pytest.mark.parametrize("tool", TOOLS)
async def test_every_tool_takes_every_form_of_an_emoji(sandbox: Sandbox, tool: str, form: str) -> None:
    method, rest, more = TOOLS[tool]
    fish = demo.message_with(sandbox.world, demo.GENERAL, "The first fish")
    fish.reactions[demo.BLOB].user_ids.append(demo.BOT)
    place = {"channel_id": demo.GENERAL, "message_id": fish.id}

    async with desk(sandbox) as served:
        done = await served.call(tool, {**place, **more, "emoji": form})

    path = f"/channels/{demo.GENERAL}/messages/{fish.id}/reactions/blob%3A{demo.BLOB}"
    assert asked(sandbox)[-1] == f"{method} {path}{rest}"
    assert done.structured["emoji"] == f"blob:{demo.BLOB}"


async def test_who_reacted_is_paged_under_the_names_that_they_have(sandbox: Sandbox) -> None:
    fish = demo.message_with(sandbox.world, demo.GENERAL, "The first fish")
    place = {"channel_id": demo.GENERAL, "message_id": fish.id, "emoji": "🐟"}

    async with desk(sandbox) as served:
        first = (await served.call("reactions_list", {**place, "limit": 1})).structured
        second = (await served.call("reactions_list", {**place, "limit": 2, "cursor": first["next_cursor"]})).structured
        burst = (await served.call("reactions_list", {**place, "type": 1})).structured

    assert first["users"] == [{"id": demo.MAYA, "username": "maya.lindqvist", "global_name": "Maya"}]
    assert [one["id"] for one in second["users"]] == [demo.OMAR]
    assert (first["has_more"], second["has_more"], burst["users"]) == (True, False, [])


async def test_without_an_emoji_all_reactions_go_with_one_only_those(sandbox: Sandbox) -> None:
    fish = demo.message_with(sandbox.world, demo.GENERAL, "The first fish")
    place = {"channel_id": demo.GENERAL, "message_id": fish.id, "__confirm": True}

    async with desk(sandbox) as served:
        one = await served.call("reactions_delete_all", {**place, "emoji": "🐟"})
        assert list(fish.reactions) == [demo.BLOB]
        every = await served.call("reactions_delete_all", place)

    assert (one.structured["scope"], every.structured["scope"]) == ("emoji", "all")
    assert not fish.reactions


async def test_others_reactions_need_the_right_to_manage_messages(sandbox: Sandbox) -> None:
    fish = demo.message_with(sandbox.world, demo.GENERAL, "The first fish")
    sandbox.world.guilds[demo.GUILD].roles[demo.BOT_ROLE].permissions &= ~may.MANAGE_MESSAGES
    place = {"channel_id": demo.GENERAL, "message_id": fish.id, "emoji": "🐟"}

    async with desk(sandbox) as served:
        refused = await served.call("reactions_delete_user", {**place, "user_id": demo.MAYA})

    assert refused.code == "DISCORD_PERMISSION_DENIED"
    assert demo.MAYA in fish.reactions["🐟"].user_ids
