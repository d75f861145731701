"""messages_send with a text above 2000 characters: several messages in order, or a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked, bodies
from tests.discord.tools.usual.calling import somebodys_message
from tests.served import desk

from accord.discord.sandbox import demo
from accord.discord.sandbox.world import Channel

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox
    from accord.discord.sandbox.world import Message

SEND = "POST /channels/{}/messages"
LONG = "".join(f"line {number:04}\n" for number in range(500))
DIRECT = "1196398888888888888"
ROW = {"type": 1, "components": [{"type": 2, "style": 2, "label": "Go", "custom_id": "go"}]}


def last(sandbox: Sandbox, count: int, channel_id: str = demo.GENERAL) -> list[Message]:
    return list(sandbox.world.channels[channel_id].messages.values())[-count:]


@pytest.mark.parametrize("channel_id", [demo.GENERAL, demo.THREAD, demo.BUG_POST, DIRECT])
async def test_a_long_text_goes_out_in_order_in_every_kind_of_channel(sandbox: Sandbox, channel_id: str) -> None:
    sandbox.world.channels[DIRECT] = Channel(DIRECT, 1, recipient_id=demo.MAYA)

    async with desk(sandbox) as served:
        sent = await served.call("messages_send", channel_id=channel_id, content=LONG, on_overflow="split")

    made = last(sandbox, 3, channel_id)
    assert "".join(one.content for one in made) == LONG
    assert sent.structured["message_ids"] == [one.id for one in made]
    assert sent.structured["message_id"] == made[0].id
    nonces = [body["nonce"] for body in bodies(sandbox)]
    assert (nonces[0], len(set(nonces))) == (sent.structured["nonce"], 3)


async def test_the_reply_stands_first_and_what_comes_along_last(sandbox: Sandbox) -> None:
    answered = somebodys_message(sandbox)["message_id"]
    more: dict[str, Any] = {
        "reply_to": answered,
        "embeds": [{"title": "map"}],
        "components": [ROW],
        "files": [{"text": "notes", "filename": "notes.txt"}],
        "flags": 4,
        "allowed_mentions": {"users": [demo.THEO, demo.LENA]},
    }
    text = f"<@{demo.THEO}>\n{LONG}<@{demo.LENA}>"

    async with desk(sandbox) as served:
        sent = await served.call("messages_send", channel_id=demo.GENERAL, content=text, on_overflow="split", **more)

    first, middle, final = last(sandbox, 3)
    assert [one.reference and one.reference["message_id"] for one in (first, middle, final)] == [answered, None, None]
    assert [len(one.embeds) + len(one.components) + len(one.attachments) for one in (first, middle, final)] == [0, 0, 3]
    assert {one.flags for one in (first, middle, final)} == {4}
    assert sent.structured["pinged"]["users"] == [demo.THEO, demo.LENA]
    assert sent.structured["reply_to"] == answered


@pytest.mark.parametrize("way", ["split", "file", "error"])
async def test_a_text_that_fits_is_one_message_whatever_the_way(sandbox: Sandbox, way: str) -> None:
    async with desk(sandbox) as served:
        sent = await served.call("messages_send", channel_id=demo.GENERAL, content="x" * 2000, on_overflow=way)

    assert len(asked(sandbox)) == 2
    assert "on_overflow" not in bodies(sandbox)[0]
    assert "message_ids" not in sent.structured


async def test_a_long_text_can_go_out_as_a_file_behind_the_others(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        sent = await served.call(
            "messages_send", channel_id=demo.GENERAL, content=LONG, on_overflow="file", files=[{"text": "first"}]
        )

    (made,) = last(sandbox, 1)
    assert (sent.structured["message_id"], made.content) == (made.id, "")
    assert [one["filename"] for one in made.attachments] == ["text.txt", "message.txt"]
    assert sandbox.world.files[made.attachments[1]["id"]].content == LONG.encode()


@pytest.mark.parametrize(
    ("more", "path"),
    [
        ({}, "content"),
        ({"on_overflow": "error"}, "content"),
        ({"on_overflow": "split", "content": "x" * 30_000}, "content"),
        ({"on_overflow": "file", "files": [{"text": "x"}] * 10}, "files"),
        ({"on_overflow": "shorten"}, "on_overflow"),
    ],
)
async def test_what_cannot_be_sent_so_is_refused_before_any_request(
    sandbox: Sandbox, more: dict[str, Any], path: str
) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("messages_send", {"channel_id": demo.GENERAL, "content": LONG, **more})

    assert [issue["path"] for issue in refused.structured["issues"]] == [path]
    assert asked(sandbox) == []


async def test_a_file_that_cannot_be_read_is_found_before_the_first_part_is_sent(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        refused = await served.call(
            "messages_send", channel_id=demo.GENERAL, content=LONG, on_overflow="split", files=[{"file": "none.txt"}]
        )

    assert (refused.code, asked(sandbox)) == ("VALIDATION_FAILED", [])


async def test_a_failure_in_the_middle_says_what_was_sent_and_a_repeat_sends_only_the_rest(sandbox: Sandbox) -> None:
    sandbox.fail(SEND, "status", status=403, code=50013, message="Missing Permissions", skip=1)
    message = {"channel_id": demo.GENERAL, "content": LONG, "on_overflow": "split"}

    async with desk(sandbox) as served:
        failed = (await served.call("messages_send", message)).structured
        done = last(sandbox, 1)
        repeated = await served.call("messages_send", message, nonce=failed["nonce"])

    facts = {"code": "DISCORD_PERMISSION_DENIED", "outcome": "partial", "retriable": False, "done": [done[0].id]}
    assert facts.items() <= failed.items()
    assert "1 of 3" in failed["recovery_hint"]
    assert repeated.structured["message_ids"] == [one.id for one in last(sandbox, 3)]
    assert "".join(one.content for one in last(sandbox, 3)) == LONG


async def test_a_call_with_its_own_nonce_that_was_done_in_part_may_be_made_again(sandbox: Sandbox) -> None:
    sandbox.fail(SEND, "status", status=403, code=50013, skip=1)
    message = {"channel_id": demo.GENERAL, "content": LONG, "on_overflow": "split", "nonce": "mine"}

    async with desk(sandbox) as served:
        failed = (await served.call("messages_send", message)).structured

    assert (failed["outcome"], failed["retriable"], failed["nonce"]) == ("partial", True, "mine")
    assert len(failed["done"]) == 1


async def test_a_failure_of_the_first_part_is_told_as_that_of_any_message(sandbox: Sandbox) -> None:
    sandbox.fail(SEND, "status", status=403, code=50013)

    async with desk(sandbox) as served:
        failed = await served.call("messages_send", channel_id=demo.GENERAL, content=LONG, on_overflow="split")

    assert (failed.code, "outcome" in failed.structured) == ("DISCORD_PERMISSION_DENIED", False)


async def test_an_edit_cannot_be_split(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        refused = await served.call(
            "messages_edit", channel_id=demo.GENERAL, message_id=somebodys_message(sandbox)["message_id"], content=LONG
        )

    assert [(one["path"], one["code"]) for one in refused.structured["issues"]] == [("content", "too_big")]
