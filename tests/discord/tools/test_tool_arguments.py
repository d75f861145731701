"""What hosts and models make of arguments: ids as numbers, lists as text, words that no tool knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked, bodies
from tests.discord.tools.usual_calls import TOOLS, example
from tests.served import desk

from accord.discord.app import own_tools
from accord.discord.models.ids import Snowflake
from accord.discord.sandbox import demo

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

ID_ARGUMENTS = [
    (name, argument)
    for name, tool in own_tools().items()
    for argument, slot in tool.shape.slots.items()
    if isinstance(slot.hint, type) and issubclass(slot.hint, Snowflake)
]

# --- Ids ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("tool", "argument"), ID_ARGUMENTS)
async def test_an_id_sent_as_a_number_is_refused_because_its_last_digits_are_lost(
    sandbox: Sandbox, tool: str, argument: str
) -> None:
    arguments = {**example(sandbox, tool), argument: 1111222233334444555}

    async with desk(sandbox) as served:
        refused = await served.call(tool, arguments)

    issue = refused.structured["issues"][0]
    assert (refused.code, issue["path"]) == ("VALIDATION_FAILED", argument)
    assert "send it as a string: the number you sent has already lost precision" in issue["message"]
    assert asked(sandbox) == []


@pytest.mark.parametrize(
    "wrong", ["not-an-id", "", "123", "1" * 21, "\u0661" * 18, f" {demo.GENERAL}", f"<@{demo.GENERAL}>"]
)
async def test_what_is_no_id_is_refused_without_a_request(sandbox: Sandbox, wrong: str) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("channels_get", channel_id=wrong)

    assert [issue["path"] for issue in refused.structured["issues"]] == ["channel_id"]
    assert "17 to 20 digits" in refused.text
    assert asked(sandbox) == []


@pytest.mark.parametrize("written", [demo.GENERAL, f"<#{demo.GENERAL}>"])
async def test_an_id_and_its_mention_reach_discord_digit_by_digit(sandbox: Sandbox, written: str) -> None:
    async with desk(sandbox) as served:
        shown = await served.call("channels_get", channel_id=written)

    assert asked(sandbox) == [f"GET /channels/{demo.GENERAL}"]
    assert shown.structured["id"] == demo.GENERAL


@pytest.mark.parametrize("tool", TOOLS)
async def test_ids_in_results_are_strings(sandbox: Sandbox, tool: str) -> None:
    async with desk(sandbox) as served:
        reply = await served.call(tool, example(sandbox, tool))

    assert [number for number in _numbers(reply.structured) if number >= 10**16] == []


def _numbers(value: Any) -> list[float]:
    if isinstance(value, dict):
        return [number for part in value.values() for number in _numbers(part)]
    if isinstance(value, list):
        return [number for part in value for number in _numbers(part)]
    return [value] if isinstance(value, int | float) else []


# --- Encodings of hosts ---------------------------------------------------------------------------------------------


async def test_lists_and_objects_written_as_json_text_are_taken(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        await served.call(
            "messages_send",
            channel_id=demo.GENERAL,
            embeds='[{"title":"x"}]',
            sticker_ids=f'["{demo.WAVE_STICKER}"]',
            allowed_mentions='{"parse":[]}',
        )

    (body,) = bodies(sandbox)
    assert (body["embeds"], body["sticker_ids"]) == ([{"title": "x"}], [demo.WAVE_STICKER])
    assert body["allowed_mentions"] == {"parse": [], "replied_user": False}


@pytest.mark.parametrize("content", ['{"a":1}', '["a"]', "25", "true", "null", '"quoted"'])
async def test_text_that_looks_like_json_is_sent_letter_by_letter(sandbox: Sandbox, content: str) -> None:
    async with desk(sandbox) as served:
        await served.call("messages_send", channel_id=demo.GENERAL, content=content)

    assert bodies(sandbox)[0]["content"] == content


async def test_small_numbers_and_booleans_written_as_text_are_taken(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        await served.call("users_list_current_user_guilds", limit="25", with_counts="true")

    assert asked(sandbox) == ["GET /users/@me/guilds?limit=25&with_counts=true"]


@pytest.mark.parametrize("embeds", ['[{"title":"x"}', "[", "x", '{"title":"x"}', '"[]"'])
async def test_text_that_is_no_json_of_the_right_kind_is_an_ordinary_mistake(sandbox: Sandbox, embeds: str) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("messages_send", channel_id=demo.GENERAL, content="x", embeds=embeds)

    assert refused.structured["issues"] == [
        {"path": "embeds", "message": "must be of type array, not a string", "code": "invalid_type"}
    ]
    assert asked(sandbox) == []


# --- Unknown and absent ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "right"),
    [({"relpy_to": demo.GENERAL}, "reply_to"), ({"chanel_id": demo.STAFF}, "channel_id"), ({"mentions": []}, None)],
)
async def test_an_unknown_argument_is_refused_with_the_nearest_known_name(
    sandbox: Sandbox, wrong: dict[str, Any], right: str | None
) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("messages_send", channel_id=demo.GENERAL, content="x", **wrong)

    (issue,) = refused.structured["issues"]
    assert (issue["path"], issue["code"]) == (next(iter(wrong)), "unrecognized_key")
    assert right is None or f"did you mean `{right}`?" in issue["message"]
    assert asked(sandbox) == []


@pytest.mark.parametrize("tool", TOOLS)
async def test_every_tool_refuses_what_it_does_not_know(sandbox: Sandbox, tool: str) -> None:
    async with desk(sandbox) as served:
        refused = await served.call(tool, {**example(sandbox, tool), "surprise": 1})

    assert [issue["path"] for issue in refused.structured["issues"]] == ["surprise"]
    assert asked(sandbox) == []


@pytest.mark.parametrize("tool", TOOLS)
async def test_bookkeeping_of_hosts_is_passed_over(sandbox: Sandbox, tool: str) -> None:
    async with desk(sandbox) as served:
        reply = await served.call(tool, {**example(sandbox, tool), "_meta": {"host": "keys"}})

    assert not reply.failed


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_confirmation_hurts_no_tool(sandbox: Sandbox, tool: str) -> None:
    async with desk(sandbox) as served:
        reply = await served.call(tool, {**example(sandbox, tool), "__confirm": True})

    assert not reply.failed


async def test_a_misspelt_confirmation_is_refused(sandbox: Sandbox) -> None:
    arguments = example(sandbox, "messages_delete") | {"__confrim": True}

    async with desk(sandbox) as served:
        refused = await served.call("messages_delete", arguments)

    assert "did you mean `__confirm`?" in refused.structured["issues"][0]["message"]
    assert asked(sandbox) == []


@pytest.mark.parametrize("tool", TOOLS)
async def test_an_optional_argument_that_is_null_is_an_absent_one(sandbox: Sandbox, tool: str) -> None:
    optional = {name: None for name, slot in own_tools()[tool].shape.slots.items() if not slot.required}
    arguments = example(sandbox, tool)

    async with desk(sandbox) as served:
        reply = await served.call(tool, optional | arguments)

    assert not reply.failed
    assert all("null" not in one.query for one in sandbox.requests)
    assert all(b"null" not in one.request_body for one in sandbox.requests)


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_required_argument_that_is_missing_is_named(sandbox: Sandbox, tool: str) -> None:
    required = [name for name, slot in own_tools()[tool].shape.slots.items() if slot.required]

    async with desk(sandbox) as served:
        refused = [
            await served.call(tool, {k: v for k, v in example(sandbox, tool).items() if k != name}) for name in required
        ]

    assert [[(i["path"], i["code"]) for i in one.structured["issues"]] for one in refused] == [
        [(name, "required")] for name in required
    ]
    assert asked(sandbox) == []


async def test_a_tool_that_is_not_there_is_answered_with_the_nearest_names(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("message_send", channel_id=demo.GENERAL, content="x")

    assert (refused.code, refused.structured["retriable"]) == ("TOOL_NOT_AVAILABLE", False)
    assert refused.structured["nearest"][0] == "messages_send"
