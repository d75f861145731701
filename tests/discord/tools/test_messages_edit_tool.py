"""messages_edit: only what is given changes, and what is to go is named."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked, bodies
from tests.served import desk

from accord.discord.sandbox import demo
from accord.discord.sandbox.content.attachments import store
from accord.discord.sandbox.snowflakes import snowflake_at
from accord.discord.sandbox.world import Message, Upload

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

MISSING = "1199999999999999999"
BUTTON = {"type": 2, "style": 2, "label": "Go", "custom_id": "go"}
ROW = {"type": 1, "components": [BUTTON]}
STORED_ROW = {"type": 1, "id": 1, "components": [{**BUTTON, "id": 2}]}
SILENT = {"parse": [], "replied_user": False}


@pytest.fixture
def own(sandbox: Sandbox) -> Message:
    """A message of the bot's that has everything an edit can change."""
    world = sandbox.world
    files = [store(world, demo.GENERAL, Upload(f"{name}.txt", "text/plain", b"x"), {}) for name in ("one", "two")]
    message = Message(
        snowflake_at(world.clock(), 4000),
        demo.GENERAL,
        demo.BOT,
        "before",
        embeds=[{"type": "rich", "title": "before"}],
        components=[STORED_ROW],
        attachments=files,
    )
    return world.channels[demo.GENERAL].add(message)


def stored(sandbox: Sandbox, message: Message) -> Message:
    return sandbox.world.channels[demo.GENERAL].messages[message.id]


async def test_a_text_is_changed_and_everything_else_stays(sandbox: Sandbox, own: Message) -> None:
    before = replace(own)

    async with desk(sandbox) as served:
        edited = await served.call(
            "messages_edit", channel_id=demo.GENERAL, message_id=own.id, content="after *the* edit"
        )

    now = stored(sandbox, own)
    assert bodies(sandbox) == [{"content": "after *the* edit", "allowed_mentions": SILENT}]
    assert now.content == "after *the* edit"
    assert (now.embeds, now.components, now.attachments) == (before.embeds, before.components, before.attachments)
    assert edited.structured == {
        "message_id": own.id,
        "channel_id": demo.GENERAL,
        "edited_timestamp": now.edited_timestamp,
        "changed": ["content"],
    }
    assert edited.text.startswith(f"Edited message {own.id} in <#{demo.GENERAL}>.\n")
    assert asked(sandbox) == [f"PATCH /channels/{demo.GENERAL}/messages/{own.id}"]


async def test_every_argument_of_an_edit_reaches_discord_and_is_stored(sandbox: Sandbox, own: Message) -> None:
    changes: dict[str, Any] = {
        "content": f"ask <@{demo.THEO}>",
        "embeds": [{"title": "after"}],
        "components": [ROW],
        "allowed_mentions": {"users": [demo.THEO]},
        "flags": 4,
        "attachments": [{"id": own.attachments[1]["id"], "description": "the second"}],
    }

    async with desk(sandbox) as served:
        edited = await served.call("messages_edit", {"channel_id": demo.GENERAL, "message_id": own.id, **changes})

    now = stored(sandbox, own)
    assert bodies(sandbox) == [changes | {"allowed_mentions": {**SILENT, "users": [demo.THEO]}}]
    assert edited.structured["changed"] == ["attachments", "components", "content", "embeds", "flags"]
    assert (now.embeds[0]["title"], now.flags, now.mentions) == ("after", 4, [demo.THEO])
    assert [file["filename"] for file in now.attachments] == ["two.txt"]


@pytest.mark.parametrize("name", ["content", "embeds", "components", "attachments"])
async def test_what_clear_names_is_removed_and_nothing_else(sandbox: Sandbox, own: Message, name: str) -> None:
    before = replace(own)

    async with desk(sandbox) as served:
        edited = await served.call("messages_edit", channel_id=demo.GENERAL, message_id=own.id, clear=[name])

    now = stored(sandbox, own)
    others = {"content", "embeds", "components", "attachments"} - {name}
    assert not edited.failed
    assert edited.structured["changed"] == [name]
    assert not getattr(now, name)
    assert {one: getattr(now, one) for one in others} == {one: getattr(before, one) for one in others}


async def test_one_part_can_be_set_while_another_is_cleared(sandbox: Sandbox, own: Message) -> None:
    async with desk(sandbox) as served:
        edited = await served.call(
            "messages_edit", channel_id=demo.GENERAL, message_id=own.id, content="alone", clear=["embeds"]
        )

    assert bodies(sandbox) == [{"content": "alone", "embeds": [], "allowed_mentions": SILENT}]
    assert edited.structured["changed"] == ["content", "embeds"]


async def test_previews_of_links_can_be_shown_again(sandbox: Sandbox, own: Message) -> None:
    own.flags = 4

    async with desk(sandbox) as served:
        await served.call("messages_edit", channel_id=demo.GENERAL, message_id=own.id, flags=0)

    assert stored(sandbox, own).flags == 0


@pytest.mark.parametrize(
    ("changes", "path", "code"),
    [
        ({}, "content", "required"),
        ({"content": None, "embeds": None}, "content", "required"),
        ({"allowed_mentions": {"parse": []}}, "content", "required"),
        ({"content": "x", "clear": ["content"]}, "clear", "conflict"),
        ({"content": "x" * 2001}, "content", "too_big"),
        ({"content": ""}, "content", "too_small"),
        ({"clear": []}, "clear", "too_small"),
        ({"clear": ["poll"]}, "clear[0]", "invalid_enum"),
        ({"flags": 4096}, "flags", "invalid_flags"),
        ({"flags": 1 << 15}, "flags", "invalid_flags"),
        ({"embeds": [{"description": "x" * 4097}]}, "embeds[0].description", "too_big"),
        ({"sticker_ids": [demo.WAVE_STICKER]}, "sticker_ids", "unrecognized_key"),
    ],
)
async def test_an_edit_that_cannot_be_meant_is_refused_without_a_request(
    sandbox: Sandbox, changes: dict[str, Any], path: str, code: str
) -> None:
    async with desk(sandbox) as served:
        edited = await served.call("messages_edit", {"channel_id": demo.GENERAL, "message_id": MISSING, **changes})

    assert edited.code == "VALIDATION_FAILED"
    assert [(one["path"], one["code"]) for one in edited.structured["issues"]] == [(path, code)]
    assert asked(sandbox) == []


async def test_an_edit_of_nulls_alone_is_told_to_use_clear(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        edited = await served.call(
            "messages_edit", channel_id=demo.GENERAL, message_id=MISSING, content=None, embeds=None
        )

    assert "`clear`" in edited.structured["issues"][0]["message"]


async def test_another_authors_message_cannot_be_edited(sandbox: Sandbox) -> None:
    theirs = demo.message_with(sandbox.world, demo.GENERAL, "Six works")

    async with desk(sandbox) as served:
        edited = await served.call("messages_edit", channel_id=demo.GENERAL, message_id=theirs.id, content="x")

    assert edited.code == "DISCORD_PERMISSION_DENIED"
    assert stored(sandbox, theirs).content == theirs.content


async def test_a_message_that_is_gone_is_not_found(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        edited = await served.call("messages_edit", channel_id=demo.GENERAL, message_id=MISSING, content="x")

    assert edited.code == "DISCORD_NOT_FOUND"
    assert edited.structured["retriable"] is False


async def test_an_edit_that_would_leave_nothing_is_refused_by_discord_and_passed_on(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        sent = await served.call("messages_send", channel_id=demo.GENERAL, content="only text")
        edited = await served.call(
            "messages_edit",
            channel_id=demo.GENERAL,
            message_id=sent.structured["message_id"],
            clear=["content"],
        )

    assert edited.code == "VALIDATION_FAILED"
    assert edited.structured["discord_code"] == 50006
