"""webhooks: managing them without ever showing a token, and posting with or without one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked, bodies, only
from tests.discord.tools.usual.webhooks import PUSH, TOKEN, own_webhook, webhook_message
from tests.discord.tools.usual_calls import TOOLS, example
from tests.served import desk

from accord.discord.sandbox import demo
from accord.discord.sandbox.demo_hooks import WEBHOOK, WEBHOOK_TOKEN

if TYPE_CHECKING:
    from pathlib import Path

    from accord.discord.sandbox import Sandbox

EXECUTE = "POST /webhooks/{}/{}"
MENU = {"type": 1, "components": [{"type": 2, "style": 1, "label": "Go", "custom_id": "go"}]}
TEXT = {"type": 10, "content": "# Rain"}
LINK = {"type": 1, "components": [{"type": 2, "style": 5, "label": "See", "url": "https://weather.example"}]}
SOMEBODY_ELSES: dict[str, Any] = {"application_id": None}


# --- Managing them --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", [name for name in TOOLS if name.startswith("webhooks_")])
async def test_no_result_holds_a_token_or_an_address_with_one(sandbox: Sandbox, tool: str) -> None:
    async with desk(sandbox) as served:
        reply = await served.call(tool, example(sandbox, tool))

    tokens = [one["token"] for one in sandbox.world.webhooks.values()] + [TOKEN]
    assert not reply.failed
    assert [token for token in tokens if token in reply.text + str(reply.structured)] == []


async def test_a_webhook_is_told_with_who_made_it_and_whether_it_can_post(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        listed = (await served.call("webhooks_list_channel", channel_id=demo.GENERAL)).structured

    (shown,) = listed["webhooks"]
    told = {name: shown[name] for name in ("id", "type", "name", "channel_id", "user_id", "has_token")}
    assert told == {
        "id": WEBHOOK, "type": 1, "name": "Weather station", "channel_id": demo.GENERAL, "user_id": demo.MAYA,
        "has_token": True,
    }  # fmt: skip
    assert (listed["count"], listed["has_more"]) == (1, False)


async def test_a_follower_webhook_tells_its_source_and_cannot_post(sandbox: Sandbox) -> None:
    source: dict[str, Any] = {"source_guild": {"id": demo.SECOND_GUILD, "name": "Reading Corner", "icon": None}}
    place = own_webhook(sandbox, type=2, **source)
    del sandbox.world.webhooks[place["webhook_id"]]["token"]
    del sandbox.world.webhooks[place["webhook_id"]]["url"]

    async with desk(sandbox) as served:
        shown = (await served.call("webhooks_get", place)).structured
        refused = await served.call("webhooks_execute", place, content="x")

    assert shown["source_guild"] == {"id": demo.SECOND_GUILD, "name": "Reading Corner"}
    assert shown["has_token"] is False
    assert [(issue["path"], issue["code"]) for issue in refused.structured["issues"]] == [("token", "required")]


async def test_a_webhook_is_made_with_its_picture_and_its_reason(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "sun.png").write_bytes(demo.ONE_PIXEL)

    async with desk(sandbox, MCP_UPLOAD_DIR=str(tmp_path)) as served:
        made = await served.call(
            "webhooks_create", channel_id=demo.GENERAL, name="Sun", avatar="sun.png", audit_reason="for the stall"
        )

    assert only(sandbox, "POST").request_headers["x-audit-log-reason"] == "for%20the%20stall"
    assert bodies(sandbox)[0]["avatar"].startswith("data:image/png;base64,")
    assert made.structured["avatar"] is not None


@pytest.mark.parametrize(
    ("tool", "argument"),
    [("webhooks_create", "name"), ("webhooks_modify", "name"), ("webhooks_execute", "username")],
)
@pytest.mark.parametrize("name", ["My Clyde", "DISCORD news"])
async def test_a_name_that_discord_keeps_for_itself_is_refused(
    sandbox: Sandbox, tool: str, argument: str, name: str
) -> None:
    async with desk(sandbox) as served:
        refused = await served.call(tool, {**example(sandbox, tool), argument: name})

    assert [issue["path"] for issue in refused.structured["issues"]] == [argument]
    assert asked(sandbox) == []


@pytest.mark.parametrize("by_token", [False, True])
async def test_an_avatar_is_cleared_by_name_alone(sandbox: Sandbox, by_token: bool) -> None:
    place = own_webhook(sandbox, avatar="a" * 32)
    tool, more = ("webhooks_modify_with_token", {"token": TOKEN}) if by_token else ("webhooks_modify", {})

    async with desk(sandbox) as served:
        changed = await served.confirmed(tool, place, **more, clear=["avatar"], name=None)

    assert bodies(sandbox) == [{"avatar": None}]
    assert changed.structured["avatar"] is None


async def test_a_webhook_moves_to_another_channel(sandbox: Sandbox) -> None:
    place = own_webhook(sandbox)

    async with desk(sandbox) as served:
        moved = await served.call("webhooks_modify", place, channel_id=demo.WELCOME)

    assert moved.structured["channel_id"] == demo.WELCOME


async def test_a_stranger_webhooks_deletion_needs_the_permission_and_its_token_does_not(sandbox: Sandbox) -> None:
    place = own_webhook(sandbox, **SOMEBODY_ELSES)
    sandbox.world.guilds[demo.GUILD].roles[demo.BOT_ROLE].permissions &= ~(1 << 29)

    async with desk(sandbox) as served:
        refused = await served.call("webhooks_delete", place, __confirm=True)
        deleted = await served.call("webhooks_delete_with_token", place, token=TOKEN, __confirm=True)

    assert (refused.code, deleted.failed) == ("DISCORD_PERMISSION_DENIED", False)
    assert "authorization" not in sandbox.requests[-1].request_headers
    assert place["webhook_id"] not in sandbox.world.webhooks


async def test_a_wrong_token_is_told_as_that_and_not_shown(sandbox: Sandbox) -> None:
    wrong = "w" * 64

    async with desk(sandbox) as served:
        refused = await served.call("webhooks_execute", webhook_id=WEBHOOK, token=wrong, content="x")
        listed = await served.call("webhooks_list_guild", guild_id=demo.GUILD)

    assert refused.structured["reason"] == "invalid_webhook_token"
    assert wrong not in refused.text
    assert not listed.failed  # the bot's own token is as good as before


# --- Posting --------------------------------------------------------------------------------------------------------


async def test_a_webhook_posts_by_a_token_that_is_looked_up(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        posted = await served.call("webhooks_execute", webhook_id=WEBHOOK, content="Rain!", username="Cloud")
        read = await served.call("messages_read", channel_id=demo.GENERAL, limit=1)

    assert asked(sandbox)[:2] == [
        f"GET /webhooks/{WEBHOOK}",
        f"POST /webhooks/{WEBHOOK}/{WEBHOOK_TOKEN}?wait=true",
    ]
    (shown,) = read.structured["messages"]
    assert posted.structured["message_id"] == shown["id"]
    assert (shown["webhook_id"], shown["author"]["username"], shown["content"]) == (WEBHOOK, "Cloud", "Rain!")
    assert posted.structured["pinged"] == {"everyone": False, "users": [], "roles": []}


async def test_a_given_token_is_used_without_asking(sandbox: Sandbox) -> None:
    place = own_webhook(sandbox)

    async with desk(sandbox) as served:
        await served.call("webhooks_execute", place, token=TOKEN, content="x", wait=False)

    (request,) = sandbox.requests
    assert asked(sandbox) == [f"POST /webhooks/{place['webhook_id']}/{TOKEN}?wait=false"]
    assert "authorization" not in request.request_headers


async def test_a_webhook_is_nobody_whom_a_reply_could_ping(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        posted = await served.call("webhooks_execute", webhook_id=WEBHOOK, content="Rain!")
        reply = await served.call(
            "messages_send",
            channel_id=demo.GENERAL,
            content="Thanks",
            reply_to=posted.structured["message_id"],
            allowed_mentions={"replied_user": True},
        )

    assert reply.structured["reply_to"] == posted.structured["message_id"]
    assert reply.structured["pinged"]["users"] == []


async def test_nobody_is_pinged_unless_the_caller_opens_it(sandbox: Sandbox) -> None:
    words = {"webhook_id": WEBHOOK, "content": f"@everyone <@{demo.LENA}> <@&{demo.MEMBER_ROLE}>"}

    async with desk(sandbox) as served:
        quiet = await served.call("webhooks_execute", words)
        loud = await served.call("webhooks_execute", words, allowed_mentions={"users": [demo.LENA]})

    assert quiet.structured["pinged"] == {"everyone": False, "users": [], "roles": []}
    assert loud.structured["pinged"] == {"everyone": False, "users": [demo.LENA], "roles": []}


async def test_without_waiting_no_message_is_promised(sandbox: Sandbox) -> None:
    place = own_webhook(sandbox)

    async with desk(sandbox) as served:
        posted = await served.call("webhooks_execute", place, content="x", wait=False)

    assert posted.structured == {**place, "enqueued": True}


async def test_a_new_post_is_opened_in_a_forum_with_its_tags(sandbox: Sandbox) -> None:
    place = own_webhook(sandbox, demo.FORUM)
    post = {"content": "It flickers", "thread_name": "Flicker", "applied_tags": [demo.BUG_TAG]}

    async with desk(sandbox) as served:
        posted = (await served.call("webhooks_execute", {**place, **post})).structured

    thread = sandbox.world.channels[posted["channel_id"]]
    assert (thread.name, thread.parent_id) == ("Flicker", demo.FORUM)
    assert thread.thread is not None
    assert thread.thread.applied_tags == [demo.BUG_TAG]


async def test_a_message_goes_to_a_thread_of_the_channel(sandbox: Sandbox) -> None:
    place = own_webhook(sandbox)

    async with desk(sandbox) as served:
        posted = await served.call("webhooks_execute", place, content="x", thread_id=demo.THREAD)
        shown = await served.call(
            "webhooks_get_message", place, message_id=posted.structured["message_id"], thread_id=demo.THREAD
        )

    assert (posted.structured["channel_id"], shown.structured["content"]) == (demo.THREAD, "x")


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"thread_id": demo.THREAD, "thread_name": "x", "content": "x"}, "thread_name"),
        ({"applied_tags": [demo.BUG_TAG], "content": "x"}, "applied_tags"),
        ({}, "content"),
        ({"content": "x", "flags": 64}, "flags"),
        ({"content": "x" * 2001}, "content"),
        ({"content": "x", "username": ""}, "username"),
        ({"content": "x", "username": "u" * 81}, "username"),
        ({"content": "x", "avatar_url": "attachment://x.png"}, "avatar_url"),
        ({"embeds": [{"title": "x"}] * 11}, "embeds"),
    ],
)
async def test_what_discord_would_refuse_is_refused_at_once(sandbox: Sandbox, given: dict[str, Any], path: str) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("webhooks_execute", webhook_id=WEBHOOK, **given)

    assert refused.code == "VALIDATION_FAILED"
    assert [issue["path"] for issue in refused.structured["issues"]] == [path]
    assert asked(sandbox) == []


async def test_components_are_kept_where_discord_would_drop_them(sandbox: Sandbox) -> None:
    strange = own_webhook(sandbox, **SOMEBODY_ELSES)

    async with desk(sandbox) as served:
        link = await served.call("webhooks_execute", strange, token=TOKEN, content="x", components=[LINK])
        menu = await served.call("webhooks_execute", strange, token=TOKEN, content="x", components=[MENU])
        dropped = await served.call(
            "webhooks_execute", strange, token=TOKEN, content="x", components=[MENU], with_components=False
        )

    kept = sandbox.world.channels[demo.GENERAL].messages
    assert kept[link.structured["message_id"]].components != []
    assert menu.structured["issues"][0]["path"] == "components"
    assert kept[dropped.structured["message_id"]].components == []


@pytest.mark.parametrize(
    ("given", "paths"),
    [
        ({"components": [TEXT], "flags": 1 << 15}, []),
        ({"components": [TEXT]}, ["components[0]"]),
        ({"components": [TEXT], "flags": 1 << 15, "content": "x"}, ["content"]),
        ({"components": [{"type": 12, "items": []}], "flags": 1 << 15}, ["components[0].items"]),
        ({"content": "x", "components": [LINK] * 6}, ["components"]),
    ],
)
async def test_a_layout_needs_its_flag_and_stands_alone(
    sandbox: Sandbox, given: dict[str, Any], paths: list[str]
) -> None:
    async with desk(sandbox) as served:
        reply = await served.call("webhooks_execute", webhook_id=WEBHOOK, **given)

    assert [issue["path"] for issue in reply.structured.get("issues", ())] == paths
    assert reply.failed == bool(paths)


async def test_files_go_along_and_are_described(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "map.png").write_bytes(demo.ONE_PIXEL)
    files = [{"file": "map.png", "description": "Where it rains"}, {"text": "rain", "filename": "rain.txt"}]

    async with desk(sandbox, MCP_UPLOAD_DIR=str(tmp_path)) as served:
        posted = await served.call("webhooks_execute", webhook_id=WEBHOOK, files=files)
        shown = await served.call(
            "webhooks_get_message", webhook_id=WEBHOOK, message_id=posted.structured["message_id"]
        )

    sent = [(one["filename"], one["description"], one["size"]) for one in shown.structured["attachments"]]
    assert sent == [("map.png", "Where it rains", len(demo.ONE_PIXEL)), ("rain.txt", None, 4)]


async def test_a_post_whose_answer_was_lost_is_never_sent_again(sandbox: Sandbox) -> None:
    sandbox.fail(EXECUTE, "drop", times=None, after=True)

    async with desk(sandbox, MCP_RETRY_BASE_DELAY_MS="50") as served:
        lost = await served.call("webhooks_execute", webhook_id=WEBHOOK, token=WEBHOOK_TOKEN, content="once")

    said = [one.content for one in sandbox.world.channels[demo.GENERAL].messages.values()]
    assert (lost.structured["outcome"], lost.structured["retriable"]) == ("unknown", False)
    assert (len(sandbox.requests), said.count("once")) == (1, 1)


# --- What was posted ------------------------------------------------------------------------------------------------


async def test_only_what_is_given_is_edited_and_what_is_cleared_is_emptied(sandbox: Sandbox) -> None:
    place = webhook_message(sandbox, embeds=[{"type": "rich", "title": "x"}])

    async with desk(sandbox) as served:
        edited = await served.call("webhooks_edit_message", place, clear=["embeds"], content=None)

    assert bodies(sandbox) == [{"embeds": [], "allowed_mentions": {"parse": [], "replied_user": False}}]
    assert edited.structured["changed"] == ["embeds"]
    assert edited.structured["edited_timestamp"] is not None


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({}, ""),
        ({"allowed_mentions": {"parse": []}, "with_components": True, "thread_id": demo.THREAD}, ""),
        ({"content": "x", "clear": ["content"]}, "clear"),
        ({"flags": 64}, "flags"),
    ],
)
async def test_an_edit_of_nothing_or_against_itself_is_refused(
    sandbox: Sandbox, given: dict[str, Any], path: str
) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("webhooks_edit_message", webhook_message(sandbox), **given)

    assert [issue["path"] for issue in refused.structured["issues"]] == [path]
    assert asked(sandbox) == []


async def test_an_edit_keeps_the_attachments_that_it_lists_and_adds_files(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        files = [{"text": "one", "filename": "1.txt"}, {"text": "two", "filename": "2.txt"}]
        posted = (await served.call("webhooks_execute", webhook_id=WEBHOOK, files=files)).structured
        place = {"webhook_id": WEBHOOK, "message_id": posted["message_id"]}
        first, _ = (await served.call("webhooks_get_message", place)).structured["attachments"]
        await served.call(
            "webhooks_edit_message",
            place,
            attachments=[{"id": first["id"]}],
            files=[{"text": "three", "filename": "3.txt"}],
        )
        left = (await served.call("webhooks_get_message", place)).structured["attachments"]

    assert [one["filename"] for one in left] == ["1.txt", "3.txt"]


async def test_a_message_by_somebody_else_is_out_of_a_webhooks_reach(sandbox: Sandbox) -> None:
    newest = list(sandbox.world.channels[demo.GENERAL].messages)[-1]

    async with desk(sandbox) as served:
        refused = await served.call("webhooks_delete_message", webhook_id=WEBHOOK, message_id=newest, __confirm=True)

    assert refused.code == "DISCORD_NOT_FOUND"
    assert newest in sandbox.world.channels[demo.GENERAL].messages


# --- In other services' forms ---------------------------------------------------------------------------------------


async def test_an_event_of_github_says_what_it_is_and_is_shown(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        told = await served.call("webhooks_execute_github", webhook_id=WEBHOOK, event="push", payload=PUSH)

    assert asked(sandbox)[-1] == f"POST /webhooks/{WEBHOOK}/{WEBHOOK_TOKEN}/github"
    assert sandbox.requests[-1].request_headers["x-github-event"] == "push"
    assert bodies(sandbox) == [PUSH]
    assert told.structured == {"relayed": True, "webhook_id": WEBHOOK}
    assert list(sandbox.world.channels[demo.GENERAL].messages.values())[-1].embeds[0]["title"].startswith("[maya/lamp]")


async def test_a_message_for_slack_is_passed_on_to_a_thread(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        await served.call("webhooks_execute_slack", webhook_id=WEBHOOK, text="Clear", thread_id=demo.THREAD)

    assert asked(sandbox)[-1].endswith(f"/slack?thread_id={demo.THREAD}")
    assert list(sandbox.world.channels[demo.THREAD].messages.values())[-1].content == "Clear"


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({}, "text"),
        ({"text": "@everyone look"}, "text"),
        ({"text": f"<@{demo.LENA}> look"}, "text"),
        ({"text": "<!channel> look"}, "text"),
        ({"attachments": [{"pretext": "@here"}]}, "attachments[0].pretext"),
        ({"text": "x", "username": "discord"}, "username"),
        ({"text": "x", "attachments": [{"color": "red"}]}, "attachments[0].color"),
    ],
)
async def test_a_message_for_slack_pings_nobody(sandbox: Sandbox, given: dict[str, Any], path: str) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("webhooks_execute_slack", webhook_id=WEBHOOK, **given)

    assert [issue["path"] for issue in refused.structured["issues"]] == [path]
    assert asked(sandbox) == []
