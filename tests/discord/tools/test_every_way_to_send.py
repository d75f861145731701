"""One rule for all that sends or edits a message: how long a text is, what becomes of it, which files stay and fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked, only
from tests.discord.tools.usual.calling import own_message
from tests.discord.tools.usual.interactions import answered, fresh, original
from tests.discord.tools.usual.webhooks import own_webhook, webhook_message
from tests.served import desk

from accord.discord.sandbox import demo
from accord.discord.sandbox.content.attachments import store
from accord.discord.sandbox.demo_hooks import WEBHOOK
from accord.discord.sandbox.world import Upload

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from accord.discord.sandbox import Sandbox
    from accord.discord.sandbox.world import Message

    Place = Callable[[Sandbox], dict[str, Any]]

MIB = 1024 * 1024
LONG = "".join(f"line {number:04}\n" for number in range(500))
FAMILY = "\N{MAN}\u200d\N{WOMAN}\u200d\N{GIRL}"
COMPONENT = 3


def followed(sandbox: Sandbox) -> dict[str, Any]:
    message = webhook_message(sandbox)["message_id"]
    sandbox.world.channels[demo.GENERAL].messages[message].webhook_id = sandbox.world.application_id
    return {**answered(sandbox), "message_id": message}


SENDING: dict[str, Place] = {
    "messages_send": lambda _: {"channel_id": demo.GENERAL},
    "webhooks_execute": lambda _: {"webhook_id": WEBHOOK},
    "interactions_create_followup": answered,
    "channels_forum_create_thread": lambda _: {"channel_id": demo.FORUM, "name": "Help"},
}
EDITING: dict[str, Place] = {
    "messages_edit": own_message,
    "webhooks_edit_message": webhook_message,
    "interactions_edit_original_response": original,
    "interactions_edit_followup": followed,
}

WITH_TEXT: dict[str, Place] = {
    **SENDING,
    **EDITING,
    "interactions_create_response": lambda sandbox: {**fresh(sandbox), "type": 4},
    "webhooks_execute_slack": lambda _: {"webhook_id": WEBHOOK},
}


def said(tool: str, **body: Any) -> dict[str, Any]:
    """The body as this tool takes it."""
    if tool == "channels_forum_create_thread":
        return {"message": body}
    if tool == "interactions_create_response":
        return {"data": body}
    return {"text" if (tool, name) == ("webhooks_execute_slack", "content") else name: v for name, v in body.items()}


def made_by(sandbox: Sandbox, told: dict[str, Any]) -> list[Message]:
    """What was sent, as the world has it."""
    everything = {one.id: one for channel in sandbox.world.channels.values() for one in channel.messages.values()}
    return [everything[message_id] for message_id in told.get("message_ids", [told["message_id"]])]


# --- How long a text is -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", WITH_TEXT)
async def test_a_text_that_is_too_long_is_refused_with_its_length_and_the_limit(sandbox: Sandbox, tool: str) -> None:
    async with desk(sandbox) as served:
        refused = await served.call(tool, WITH_TEXT[tool](sandbox) | said(tool, content="猫" * 2001))

    (issue,) = refused.structured["issues"]
    assert (issue["path"].rpartition(".")[2], issue["code"]) == ("text" if "slack" in tool else "content", "too_big")
    assert "2000" in issue["message"]
    assert "2001" in issue["message"]
    assert asked(sandbox) == []


@pytest.mark.parametrize("tool", WITH_TEXT)
async def test_a_length_is_counted_in_code_points(sandbox: Sandbox, tool: str) -> None:
    async with desk(sandbox) as served:
        done = await served.call(tool, WITH_TEXT[tool](sandbox) | said(tool, content=FAMILY * 400))

    assert not done.failed


@pytest.mark.parametrize("tool", SENDING)
async def test_a_long_text_goes_out_as_several_messages_with_its_embeds_on_the_last(
    sandbox: Sandbox, tool: str
) -> None:
    body = said(tool, content=LONG, on_overflow="split", embeds=[{"title": "map"}], files=[{"text": "notes"}])

    async with desk(sandbox) as served:
        told = (await served.call(tool, SENDING[tool](sandbox) | body)).structured

    made = made_by(sandbox, told)
    assert told["message_id"] == told["message_ids"][0]
    assert "".join(one.content for one in made) == LONG
    assert len({one.channel_id for one in made}) == 1
    assert [len(one.embeds) + len(one.attachments) for one in made] == [0, 0, 2]
    assert all("on_overflow" not in one.request_body.decode(errors="ignore") for one in sandbox.requests)


@pytest.mark.parametrize("tool", SENDING)
async def test_a_long_text_goes_out_as_a_file(sandbox: Sandbox, tool: str) -> None:
    async with desk(sandbox) as served:
        told = await served.call(tool, SENDING[tool](sandbox) | said(tool, content=LONG, on_overflow="file"))

    (made,) = made_by(sandbox, told.structured)
    assert [(one["filename"], one["size"]) for one in made.attachments] == [("message.txt", len(LONG))]
    assert "message_ids" not in told.structured


@pytest.mark.parametrize(
    ("tool", "route"),
    [
        ("messages_send", "POST /channels/{}/messages"),
        ("webhooks_execute", "POST /webhooks/{}/{}"),
        ("interactions_create_followup", "POST /webhooks/{}/{}"),
        ("channels_forum_create_thread", "POST /channels/{}/messages"),
    ],
)
async def test_what_was_sent_before_a_failure_is_told_as_done_in_part(sandbox: Sandbox, tool: str, route: str) -> None:
    before = 0 if tool == "channels_forum_create_thread" else 1
    sandbox.fail(route, "status", status=403, code=50013, skip=before)

    async with desk(sandbox) as served:
        body = said(tool, content=LONG, on_overflow="split")
        failed = (await served.call(tool, SENDING[tool](sandbox) | body)).structured

    assert (failed["code"], failed["outcome"], failed["retriable"]) == ("DISCORD_PERMISSION_DENIED", "partial", False)
    (first,) = made_by(sandbox, {"message_id": failed["done"][0]})
    assert LONG.startswith(first.content)
    assert "1 of 3" in failed["recovery_hint"]
    assert ("nonce" in failed) is (tool == "messages_send")


async def test_all_parts_of_a_new_post_go_into_the_thread_that_the_first_opens(sandbox: Sandbox) -> None:
    place = own_webhook(sandbox, channel_id=demo.FORUM)
    more = {"thread_name": "Log", "applied_tags": [demo.BUG_TAG], "username": "Clerk", "wait": False}

    async with desk(sandbox) as served:
        told = await served.call("webhooks_execute", place, content=LONG, on_overflow="split", **more)

    made = made_by(sandbox, told.structured)
    assert {one.channel_id for one in made} == {made[0].id}
    assert {one.author_name for one in made} == {"Clerk"}
    assert sandbox.world.channels[made[0].id].thread.applied_tags == [demo.BUG_TAG]  # type: ignore[union-attr]


async def test_parts_stay_where_only_one_person_sees_them(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        await served.call(
            "interactions_create_followup", answered(sandbox), content=LONG, on_overflow="split", ephemeral=True
        )

    assert len([one for one in sandbox.requests if b'"flags":64' in one.request_body]) == 3


# --- Which files stay -------------------------------------------------------------------------------------------------

TEXT = {"type": 10, "content": "# Rain"}
KEEPING: dict[str, Place] = {
    **EDITING,
    "components_v2_edit": lambda sandbox: {**own_message(sandbox), "components": [TEXT]},
}
NEW = [{"text": "two", "filename": "two.txt"}]


def with_files(sandbox: Sandbox, tool: str, count: int = 1) -> tuple[dict[str, Any], Message]:
    """What names a message that has files, and the message."""
    place = KEEPING[tool](sandbox)
    message_id = place.get("message_id") or sandbox.world.interactions[place["interaction_token"]]["original"]
    message = sandbox.world.channels[demo.GENERAL].messages[message_id]
    message.attachments = [
        store(sandbox.world, demo.GENERAL, Upload("one.txt", "text/plain", b"x"), {}) for _ in range(count)
    ]
    return place, message


def names(sandbox: Sandbox, message: Message) -> list[str]:
    return [one["filename"] for one in sandbox.world.channels[demo.GENERAL].messages[message.id].attachments]


@pytest.mark.parametrize("tool", KEEPING)
async def test_the_files_of_an_edited_message_stay_beside_new_ones(sandbox: Sandbox, tool: str) -> None:
    place, message = with_files(sandbox, tool)

    async with desk(sandbox) as served:
        edited = await served.call(tool, place, files=NEW)

    assert names(sandbox, message) == ["one.txt", "two.txt"]
    assert "attachments" in edited.structured["changed"]


@pytest.mark.parametrize("tool", KEEPING)
async def test_only_the_files_stay_that_an_edit_names(sandbox: Sandbox, tool: str) -> None:
    place, message = with_files(sandbox, tool, count=2)

    async with desk(sandbox) as served:
        await served.call(tool, place, files=NEW, attachments=[{"id": message.attachments[1]["id"]}])
        assert names(sandbox, message) == ["one.txt", "two.txt"]
        await served.call(tool, place, files=NEW, attachments=[])

    assert names(sandbox, message) == ["two.txt"]
    assert [one for one in asked(sandbox) if "/messages/" in one and one.startswith("GET")] == []


@pytest.mark.parametrize("tool", KEEPING)
async def test_files_that_stay_count_among_the_ten(sandbox: Sandbox, tool: str) -> None:
    place, message = with_files(sandbox, tool, count=10)

    async with desk(sandbox) as served:
        refused = await served.call(tool, place, files=NEW)

    assert [(issue["path"], issue["code"]) for issue in refused.structured["issues"]] == [("files", "too_big")]
    assert served.writes == []
    assert len(names(sandbox, message)) == 10


async def test_an_answer_that_changes_a_message_says_which_files_stay(sandbox: Sandbox) -> None:
    data = {"files": NEW}

    async with desk(sandbox) as served:
        refused = await served.call("interactions_create_response", fresh(sandbox, COMPONENT), type=7, data=data)

    assert [issue["path"] for issue in refused.structured["issues"]] == ["data.attachments"]
    assert asked(sandbox) == []


# --- How large they are -----------------------------------------------------------------------------------------------

IN_A_GUILD: dict[str, Place] = {
    "messages_send": SENDING["messages_send"],
    "messages_edit": own_message,
    "components_v2_send": lambda _: {"channel_id": demo.GENERAL, "components": [TEXT]},
    "components_v2_edit": KEEPING["components_v2_edit"],
    "webhooks_execute": SENDING["webhooks_execute"],
    "webhooks_edit_message": webhook_message,
    "channels_forum_create_thread": SENDING["channels_forum_create_thread"],
}


@pytest.mark.parametrize("tool", IN_A_GUILD)
@pytest.mark.parametrize(("tier", "fits"), [(0, False), (2, True)])
async def test_a_file_is_held_to_its_guilds_limit_before_it_is_sent(
    sandbox: Sandbox, tmp_path: Path, tool: str, tier: int, fits: bool
) -> None:
    (tmp_path / "film.bin").write_bytes(bytes(11 * MIB))
    sandbox.world.guilds[demo.GUILD].settings["premium_tier"] = tier

    async with desk(sandbox, MCP_UPLOAD_DIR=str(tmp_path)) as served:
        done = await served.call(tool, IN_A_GUILD[tool](sandbox) | said(tool, files=[{"file": "film.bin"}]))

    assert done.failed is not fits
    if fits:
        return
    assert [issue["path"].removeprefix("message.") for issue in done.structured["issues"]] == ["files[0]"]
    assert served.writes == []


async def test_a_webhook_of_a_guild_that_the_bot_does_not_see_takes_what_the_folder_holds(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    (tmp_path / "film.bin").write_bytes(bytes(11 * MIB))
    sandbox.fail("GET /guilds/{}", "status", status=404, code=10004)

    async with desk(sandbox, MCP_UPLOAD_DIR=str(tmp_path)) as served:
        done = await served.call("webhooks_execute", webhook_id=WEBHOOK, files=[{"file": "film.bin"}])

    assert not done.failed
    assert only(sandbox, "POST").path.startswith(f"/webhooks/{WEBHOOK}/")
