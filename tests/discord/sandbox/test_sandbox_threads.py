from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from accord.discord.sandbox import demo
from accord.discord.sandbox.permissions import MANAGE_THREADS, SEND_MESSAGES, SEND_MESSAGES_IN_THREADS

if TYPE_CHECKING:
    from tests.discord.sandbox.bare_client import BareClient

    from accord.discord.sandbox import Sandbox


async def test_a_thread_opened_from_a_message_has_that_messages_id(discord: BareClient) -> None:
    sent = (await discord("POST", f"/channels/{demo.GENERAL}/messages", {"content": "?"})).json
    path = f"/channels/{demo.GENERAL}/messages/{sent['id']}"

    opened = await discord("POST", f"{path}/threads", {"name": "About that"})

    assert (opened.status, opened.json["id"], opened.json["type"]) == (201, sent["id"], 11)
    origin = (await discord("GET", path)).json
    assert (origin["thread"]["name"], origin["flags"]) == ("About that", 32)
    assert (await discord("POST", f"{path}/threads", {"name": "Again"})).code == 160004


@pytest.mark.parametrize(("kind", "expected"), [(11, 11), (12, 12), (None, 12)])
async def test_a_thread_of_its_own_is_private_unless_its_type_says_otherwise(
    discord: BareClient, kind: int | None, expected: int
) -> None:
    opened = await discord("POST", f"/channels/{demo.GENERAL}/threads", {"name": "t", "type": kind})

    assert (opened.status, opened.json["type"], opened.json["member_count"]) == (201, expected, 1)


async def test_a_forum_post_begins_with_its_message(discord: BareClient) -> None:
    body = {"name": "Help", "applied_tags": [demo.BUG_TAG], "message": {"content": "It smokes."}}

    opened = await discord("POST", f"/channels/{demo.FORUM}/threads", body)

    assert (opened.status, opened.json["applied_tags"]) == (201, [demo.BUG_TAG])
    assert opened.json["message"]["id"] == opened.json["id"]
    read = await discord("GET", f"/channels/{opened.json['id']}/messages")
    assert [each["content"] for each in read.json] == ["It smokes."]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": "x"}, "message"),
        ({"name": "x", "message": {"content": "x"}, "applied_tags": ["1"]}, "applied_tags"),
        ({"message": {"content": "x"}}, "name"),
    ],
)
async def test_a_forum_post_that_lacks_something_is_refused(discord: BareClient, body: Any, field: str) -> None:
    assert field in (await discord("POST", f"/channels/{demo.FORUM}/threads", body)).json["errors"]


async def test_a_forum_that_wants_tags_refuses_a_post_without(sandbox: Sandbox, discord: BareClient) -> None:
    sandbox.world.channels[demo.FORUM].flags = 16

    body = {"name": "x", "message": {"content": "x"}}

    assert (await discord("POST", f"/channels/{demo.FORUM}/threads", body)).code == 40067


async def test_active_threads_are_listed_with_the_bots_memberships(discord: BareClient) -> None:
    listed = (await discord("GET", f"/guilds/{demo.GUILD}/threads/active")).json

    assert {each["id"] for each in listed["threads"]} == {demo.THREAD, demo.BUG_POST, demo.IDEA_POST}
    assert [each["id"] for each in listed["members"]] == [demo.THREAD]


async def test_members_of_a_thread_come_and_go(discord: BareClient) -> None:
    path = f"/channels/{demo.BUG_POST}/thread-members"

    for method, who in [("PUT", "@me"), ("PUT", demo.LENA), ("DELETE", demo.OMAR), ("DELETE", "@me")]:
        assert (await discord(method, f"{path}/{who}")).status == 204

    listed = (await discord("GET", path)).json
    assert [each["user_id"] for each in listed] == [demo.MAYA, demo.LENA]
    assert (await discord("GET", f"{path}/{demo.LENA}?with_member=true")).json["member"]["user"]["id"] == demo.LENA
    assert (await discord("GET", f"{path}/{demo.OMAR}")).code == 10007


async def test_a_thread_is_renamed_and_archived(discord: BareClient) -> None:
    changed = await discord("PATCH", f"/channels/{demo.THREAD}", {"name": "Done", "archived": True})

    assert (changed.json["name"], changed.json["thread_metadata"]["archived"]) == ("Done", True)
    assert (await discord("PATCH", f"/channels/{demo.THREAD}", {"name": "No"})).code == 50083
    listed = (await discord("GET", f"/guilds/{demo.GUILD}/threads/active")).json
    assert demo.THREAD not in [each["id"] for each in listed["threads"]]


async def test_messages_of_an_archived_thread_stay_as_they_are(sandbox: Sandbox, discord: BareClient) -> None:
    message_id = (await discord("POST", f"/channels/{demo.THREAD}/messages", {"content": "x"})).json["id"]
    await discord("PATCH", f"/channels/{demo.THREAD}", {"archived": True})
    path = f"/channels/{demo.THREAD}/messages/{message_id}"

    refused = [
        await discord("PATCH", path, {"content": "y"}),
        await discord("DELETE", path),
        await discord("PUT", f"{path}/reactions/%F0%9F%91%8D/@me"),
        await discord("PUT", f"/channels/{demo.THREAD}/messages/pins/{message_id}"),
    ]

    assert [each.code for each in refused] == [50083] * 4


async def test_a_message_wakes_an_archived_thread(discord: BareClient) -> None:
    await discord("PATCH", f"/channels/{demo.THREAD}", {"archived": True})

    await discord("POST", f"/channels/{demo.THREAD}/messages", {"content": "x"})

    assert (await discord("GET", f"/channels/{demo.THREAD}")).json["thread_metadata"]["archived"] is False


async def test_a_locked_thread_is_open_to_moderators_only(sandbox: Sandbox, discord: BareClient) -> None:
    await discord("PATCH", f"/channels/{demo.THREAD}", {"locked": True})
    sandbox.world.guilds[demo.GUILD].roles[demo.BOT_ROLE].permissions &= ~MANAGE_THREADS

    assert (await discord("POST", f"/channels/{demo.THREAD}/messages", {"content": "x"})).code == 160005


@pytest.mark.parametrize(("taken", "status"), [(SEND_MESSAGES, 200), (SEND_MESSAGES_IN_THREADS, 403)])
async def test_sending_in_threads_is_a_permission_of_its_own(
    sandbox: Sandbox, discord: BareClient, taken: int, status: int
) -> None:
    guild = sandbox.world.guilds[demo.GUILD]
    for role_id in (demo.GUILD, demo.BOT_ROLE):
        guild.roles[role_id].permissions &= ~taken

    assert (await discord("POST", f"/channels/{demo.THREAD}/messages", {"content": "x"})).status == status
