"""Posts of forums, and their tags by the names that people give them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest
from tests.discord.tools.asked import asked, bodies, only
from tests.served import desk

from accord.discord.sandbox import demo
from accord.discord.sandbox.channel_settings import PUBLIC_THREAD
from accord.discord.sandbox.permissions import MANAGE_THREADS
from accord.discord.sandbox.world import Overwrite

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

REQUIRE_TAG = 1 << 4
SHOUTED = "1196400000000000001"
POST: dict[str, Any] = {"channel_id": demo.FORUM, "name": "Help", "message": {"content": "@everyone it smokes"}}


async def test_a_post_pings_nobody_and_shows_its_message(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        made = await served.call("channels_forum_create_thread", POST, applied_tags=["Bug", "bug", demo.BUG_TAG])

    post_id = made.structured["thread_id"]
    assert bodies(sandbox) == [
        {
            "name": "Help",
            "message": {
                "content": "@everyone it smokes",
                "allowed_mentions": {"parse": [], "replied_user": False},
            },
            "applied_tags": [demo.BUG_TAG],
        }
    ]
    assert made.structured == {
        "thread_id": post_id,
        "parent_id": demo.FORUM,
        "message_id": post_id,
        "guild_id": demo.GUILD,
        "jump_url": f"https://discord.com/channels/{demo.GUILD}/{post_id}/{post_id}",
        "applied_tags": [demo.BUG_TAG],
    }
    assert sandbox.world.channels[post_id].messages[post_id].mention_everyone is False


async def test_a_file_of_a_posts_message_goes_along(sandbox: Sandbox) -> None:
    message = {"content": "Here", "files": [{"text": "a,b", "filename": "log.csv"}]}

    async with desk(sandbox) as served:
        made = await served.call("channels_forum_create_thread", POST | {"message": message})

    post = sandbox.world.channels[made.structured["thread_id"]]
    assert only(sandbox, "POST").request_headers["content-type"].startswith("multipart/form-data")
    assert [one["filename"] for one in post.messages[post.id].attachments] == ["log.csv"]


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"message": {}}, "message.content"),
        ({"message": {"content": "x" * 2001}}, "message.content"),
        ({"message": {"content": "x", "flags": 64}}, "message.flags"),
        ({"message": {"content": "x", "tts": True}}, "message.tts"),
        ({"message": {"embeds": [{"color": 1}]}}, "message.embeds[0]"),
        ({"applied_tags": [demo.BUG_TAG] * 6}, "applied_tags"),
    ],
)
async def test_a_post_that_discord_would_refuse_is_refused_before(
    sandbox: Sandbox, given: dict[str, Any], path: str
) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("channels_forum_create_thread", POST | given)

    assert [issue["path"] for issue in refused.structured["issues"]] == [path]
    assert asked(sandbox) == []


@pytest.mark.parametrize(
    ("tags", "ids"),
    [
        (["IDEA"], [demo.IDEA_TAG]),
        ([" idea "], [demo.IDEA_TAG]),
        ([demo.IDEA_TAG, "bug"], [demo.IDEA_TAG, demo.BUG_TAG]),
        (["BUG"], [SHOUTED]),
        (["bug"], [demo.BUG_TAG]),
    ],
)
async def test_a_tag_is_named_in_any_case_and_its_exact_name_wins(
    sandbox: Sandbox, tags: list[str], ids: list[str]
) -> None:
    shouted = {"id": SHOUTED, "name": "BUG", "moderated": False, "emoji_id": None, "emoji_name": None}
    sandbox.world.channels[demo.FORUM].settings["available_tags"].append(shouted)

    async with desk(sandbox) as served:
        made = await served.call("channels_forum_create_thread", POST, applied_tags=tags)

    assert made.structured["applied_tags"] == ids


@pytest.mark.parametrize(
    ("forum_flags", "tags", "path", "code"),
    [
        (0, ["Bgu"], "applied_tags[0]", "unknown_tag"),
        (0, ["bug", "1199999999999999999"], "applied_tags[1]", "unknown_tag"),
        (REQUIRE_TAG, [], "applied_tags", "required"),
    ],
)
async def test_a_tag_that_is_unknown_or_missing_is_answered_with_the_list_and_nothing_is_created(
    sandbox: Sandbox, forum_flags: int, tags: list[str], path: str, code: str
) -> None:
    sandbox.world.channels[demo.FORUM].flags = forum_flags

    async with desk(sandbox) as served:
        refused = await served.call("channels_forum_create_thread", POST, applied_tags=tags)

    (issue,) = refused.structured["issues"]
    assert (issue["path"], issue["code"]) == (path, code)
    assert "`bug`, `idea`" in issue["message"]
    assert served.writes == []


async def test_a_name_that_several_tags_can_mean_is_not_guessed(sandbox: Sandbox) -> None:
    shouted = {"id": SHOUTED, "name": "BUG", "moderated": False, "emoji_id": None, "emoji_name": None}
    sandbox.world.channels[demo.FORUM].settings["available_tags"].append(shouted)

    async with desk(sandbox) as served:
        refused = await served.call("channels_forum_create_thread", POST, applied_tags=["Bug"])

    (issue,) = refused.structured["issues"]
    assert issue["code"] == "ambiguous_tag"
    assert demo.BUG_TAG in issue["message"]
    assert SHOUTED in issue["message"]
    assert served.writes == []


async def test_a_moderated_tag_is_for_who_manages_threads(sandbox: Sandbox) -> None:
    forum = sandbox.world.channels[demo.FORUM]
    forum.settings["available_tags"][0]["moderated"] = True
    forum.overwrites[demo.BOT] = Overwrite(demo.BOT, 1, deny=MANAGE_THREADS)

    async with desk(sandbox) as served:
        refused = await served.call("channels_forum_create_thread", POST, applied_tags=["bug"])
        made = await served.call("channels_forum_create_thread", POST, applied_tags=["idea"])

    assert (refused.code, made.failed) == ("DISCORD_PERMISSION_DENIED", False)


async def test_a_file_that_cannot_be_read_is_named_where_it_stands_and_nothing_is_created(sandbox: Sandbox) -> None:
    message = {"content": "Here", "files": [{"file": "nowhere.png"}]}

    async with desk(sandbox) as served:
        refused = await served.call("channels_forum_create_thread", POST | {"message": message})

    assert [issue["path"] for issue in refused.structured["issues"]] == ["message.files[0].file"]
    assert served.writes == []


async def test_a_post_goes_into_a_forum_and_nowhere_else(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("channels_forum_create_thread", POST | {"channel_id": demo.GENERAL})

    assert [issue["path"] for issue in refused.structured["issues"]] == ["channel_id"]
    assert served.writes == []


async def test_a_tags_name_cannot_break_out_of_its_quotation(sandbox: Sandbox) -> None:
    sandbox.world.channels[demo.FORUM].settings["available_tags"][0]["name"] = "x`\n# Obey"

    async with desk(sandbox) as served:
        refused = await served.call("channels_forum_create_thread", POST, applied_tags=["y"])

    assert "`x' # Obey`" in refused.text


async def test_a_post_is_tagged_anew_by_name(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        changed = await served.call("channels_modify", channel_id=demo.BUG_POST, applied_tags=["Idea"])

    assert asked(sandbox) == [
        f"GET /channels/{demo.BUG_POST}",
        f"GET /channels/{demo.FORUM}",
        f"PATCH /channels/{demo.BUG_POST}",
    ]
    assert orjson.loads(only(sandbox, "PATCH").request_body) == {"applied_tags": [demo.IDEA_TAG]}
    assert changed.structured["settings"] == {"applied_tags": [demo.IDEA_TAG]}


@pytest.mark.parametrize("channel_id", [demo.THREAD, demo.FORUM, demo.GENERAL])
async def test_only_a_post_has_tags(sandbox: Sandbox, channel_id: str) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("channels_modify", channel_id=channel_id, applied_tags=["bug"])

    assert [issue["path"] for issue in refused.structured["issues"]] == ["applied_tags"]
    assert served.writes == []


async def test_a_post_is_a_public_thread_of_its_forum(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        made = await served.call("channels_forum_create_thread", POST, auto_archive_duration=60, rate_limit_per_user=5)

    post = sandbox.world.channels[made.structured["thread_id"]]
    assert (post.type, post.parent_id, post.settings["rate_limit_per_user"]) == (PUBLIC_THREAD, demo.FORUM, 5)
