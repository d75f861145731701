"""`discord-mcp call`: one tool from the shell, its arguments, its result and its exit code."""

from __future__ import annotations

import signal

import pytest
from tests.discord.cli.shell import Ran, ran, silent_server, started

from accord.discord.sandbox import Sandbox, demo
from accord.terminal.arguments import arguments_of

GENERAL = f"channel_id={demo.GENERAL}"


async def call(sandbox: Sandbox, *words: str, **variables: str) -> Ran:
    """Call a tool on this sandbox."""
    return await ran("call", *words, DISCORD_TOKEN=sandbox.token, DISCORD_API_BASE_URL=sandbox.base_url, **variables)


def content(sandbox: Sandbox, sent: Ran) -> str:
    """What the sandbox holds of the message that was sent."""
    return sandbox.world.channels[demo.GENERAL].messages[sent.json["message_id"]].content


async def test_a_result_is_printed_as_json(sandbox: Sandbox) -> None:
    read = await call(sandbox, "guild_get", f"guild_id={demo.GUILD}")

    assert (read.code, read.err) == (0, "")
    assert read.json["name"] == "Lantern Workshop"


async def test_a_sandbox_comes_with_the_call_where_it_is_asked_for() -> None:
    read = await ran("call", "--sandbox", "guild_get", f"guild_id={demo.GUILD}")

    assert read.json["name"] == "Lantern Workshop"


@pytest.mark.parametrize(
    "text", ["a=b=c", "  spaces ", "ünïcödé 🐟", "two\nlines", "12", "true", "[1]", "", "-x", "@x"]
)
def test_a_value_is_everything_after_the_first_equals_sign(text: str) -> None:
    assert arguments_of([f"content={text}", "limit=3"]) == {"content": text, "limit": "3"}


def test_reserved_keys_take_booleans() -> None:
    assert arguments_of(["__confirm=true", "__other=false", "__note=yes"]) == {
        "__confirm": True,
        "__other": False,
        "__note": "yes",
    }


async def test_text_arrives_as_it_was_written(sandbox: Sandbox) -> None:
    sent = await call(sandbox, "messages_send", GENERAL, "content=1 + 1 = 2,\nünïcödé 🐟")

    assert content(sandbox, sent) == "1 + 1 = 2,\nünïcödé 🐟"


async def test_numbers_and_lists_are_read_where_the_tool_asks_for_them(sandbox: Sandbox) -> None:
    sent = await call(sandbox, "messages_send", GENERAL, 'embeds=[{"title": "Fish"}]', "flags=4096", "tts=false")

    message = sandbox.world.channels[demo.GENERAL].messages[sent.json["message_id"]]
    assert [embed["title"] for embed in message.embeds] == ["Fish"]


async def test_an_empty_value_is_an_empty_text(sandbox: Sandbox) -> None:
    refused = await call(sandbox, "messages_send", GENERAL, "content=")

    assert refused.code == 3
    assert [issue["path"] for issue in refused.json["issues"]] == ["content"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("content=a", "content=b"), "content is given twice"),
        (("hello",), "'hello' is no argument: write key=value"),
        (("=hello",), "'=hello' is no argument: write key=value"),
        ((b"content=\xff",), "the value of 'content' is not text in UTF-8"),
    ],
)
async def test_arguments_that_cannot_be_read_are_a_mistake_on_the_command_line(
    words: tuple[str | bytes, ...], said: str
) -> None:
    refused = await ran("call", "--sandbox", "messages_send", *words)

    assert (refused.code, refused.out) == (2, "")
    assert said in refused.err


async def test_a_failed_call_is_printed_as_json_with_exit_code_3(sandbox: Sandbox) -> None:
    failed = await call(sandbox, "channels_get", "channel_id=123456789012345678")

    assert failed.code == 3
    assert failed.json["code"] == "DISCORD_NOT_FOUND"


async def test_an_unknown_tool_is_answered_with_the_nearest_names() -> None:
    failed = await ran("call", "--sandbox", "message_send", GENERAL)

    assert (failed.code, failed.json["code"]) == (3, "TOOL_NOT_AVAILABLE")
    assert failed.json["nearest"][0] == "messages_send"


async def test_a_destructive_call_is_previewed_until_it_is_confirmed(sandbox: Sandbox) -> None:
    message = demo.message_with(sandbox.world, demo.GENERAL, "old bridge")

    shown = await call(sandbox, "messages_delete", GENERAL, f"message_id={message.id}", MCP_DRY_RUN="false")

    assert (shown.code, shown.json["code"]) == (3, "DRY_RUN_PREVIEW")
    assert message.id in sandbox.world.channels[demo.GENERAL].messages


async def test_a_confirmed_call_runs(sandbox: Sandbox) -> None:
    message = demo.message_with(sandbox.world, demo.GENERAL, "old bridge")
    words = (GENERAL, f"message_id={message.id}", "__confirm=true")

    done = await call(sandbox, "messages_delete", *words, MCP_DRY_RUN="false")

    assert done.code == 0
    assert message.id not in sandbox.world.channels[demo.GENERAL].messages


async def test_a_confirmation_is_not_enough_while_the_server_is_armed(sandbox: Sandbox) -> None:
    message = demo.message_with(sandbox.world, demo.GENERAL, "old bridge")

    shown = await call(sandbox, "messages_delete", GENERAL, f"message_id={message.id}", "__confirm=true")

    assert (shown.code, shown.json["code"]) == (3, "DRY_RUN_PREVIEW")


async def test_a_write_leaves_its_audit_record_on_stderr(sandbox: Sandbox) -> None:
    sent = await call(sandbox, "messages_send", GENERAL, "content=for your eyes only")

    assert '"caller":"shell"' in sent.err
    assert "for your eyes only" not in sent.err


async def test_without_a_token_a_call_says_where_to_get_one() -> None:
    failed = await ran("call", "guild_get", f"guild_id={demo.GUILD}")

    assert (failed.code, failed.json["code"]) == (3, "DISCORD_AUTH_INVALID")
    assert "DISCORD_TOKEN" in failed.json["recovery_hint"]
    assert "Developer Portal" in failed.json["recovery_hint"]


async def test_discord_out_of_reach_is_an_answer_too() -> None:
    failed = await ran(
        "call",
        "guild_get",
        f"guild_id={demo.GUILD}",
        DISCORD_TOKEN=demo.TOKEN,
        DISCORD_API_BASE_URL="http://127.0.0.1:1/api",
        MCP_RETRY_ENABLED="false",
    )

    assert (failed.code, failed.json["code"]) == (3, "DISCORD_SERVER_ERROR")


async def test_a_wrong_configuration_refuses_the_call() -> None:
    refused = await ran("call", "guild_get", f"guild_id={demo.GUILD}", MCP_DRY_RUN="perhaps")

    assert (refused.code, refused.out) == (4, "")
    assert refused.err == "Invalid configuration:\n  - MCP_DRY_RUN: must be true or false\n"


async def test_an_interrupted_call_ends_as_a_shell_expects_and_without_a_traceback() -> None:
    async with silent_server() as (base_url, asked):
        way_in = {"DISCORD_TOKEN": demo.TOKEN, "DISCORD_API_BASE_URL": base_url}
        async with started("call", "guild_get", f"guild_id={demo.GUILD}", **way_in) as running:
            await asked.wait()
            left = await running.end(signal.SIGINT)

    assert (left.code, left.out) == (130, "")
    assert "Traceback" not in left.err


async def test_a_tool_whose_name_is_no_text_is_not_there(sandbox: Sandbox) -> None:
    failed = await call(sandbox, "guild\udcff")

    assert (failed.code, failed.json["code"]) == (3, "TOOL_NOT_AVAILABLE")


async def test_a_state_that_cannot_be_opened_refuses_the_call(sandbox: Sandbox) -> None:
    refused = await call(sandbox, "guild_get", MCP_STATE_URL="sqlite:////dev/null/state.db")

    assert (refused.code, refused.out) == (4, "")
    assert "MCP_STATE_URL: names no place for state" in refused.err
