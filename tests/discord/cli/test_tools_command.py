"""`discord-mcp tools`: the list, one tool whole, and both as JSON."""

from __future__ import annotations

import orjson
import pytest
from tests.discord.cli.shell import ran

from accord.discord.app import own_tools
from accord.discord.cli.showing import show_one
from accord.engine import entry


async def test_every_tool_has_a_line_that_fits_80_columns() -> None:
    told = await ran("tools")

    lines = told.out.splitlines()
    assert told.code == 0
    assert [line.split()[0] for line in lines[1 : 1 + len(own_tools())]] == list(own_tools())
    assert max(map(len, lines)) <= 80


async def test_the_list_marks_what_needs_a_confirmation() -> None:
    told = await ran("tools")

    rows = [line.split()[:2] for line in told.out.splitlines() if len(line.split()) > 1]
    marked = {name for name, effect in rows if effect.endswith("*")}
    assert marked == {tool.name for tool in own_tools().values() if tool.confirms}


async def test_the_list_as_json_is_what_a_client_is_told() -> None:
    told = await ran("tools", "--json")

    assert told.json == orjson.loads(orjson.dumps([entry(tool) for tool in own_tools().values()]))


async def test_one_tool_as_json_is_what_a_client_is_told() -> None:
    told = await ran("tools", "messages_send", "--json")

    assert told.json == orjson.loads(orjson.dumps(entry(own_tools()["messages_send"])))


def test_each_tool_is_shown_with_all_its_arguments_and_fits_80_columns(
    capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for name, tool in own_tools().items():
        show_one(name, as_json=False)
        *about, _, example = capsysbinary.readouterr().out.decode().splitlines()

        shown = {line.split()[0].rstrip("*") for line in about if line.strip()}
        assert set(tool.shape.published["properties"]) <= shown
        assert max(map(len, about)) <= 80
        assert example.startswith(f"  discord-mcp call {name}")


@pytest.mark.parametrize(
    ("name", "example"),
    [
        ("messages_send", "discord-mcp call messages_send channel_id=… content=…"),
        ("messages_read", "discord-mcp call messages_read channel_id=…"),
        ("messages_delete", "discord-mcp call messages_delete channel_id=… message_id=… __confirm=true"),
        ("reactions_create", "discord-mcp call reactions_create channel_id=… message_id=… emoji=…"),
        ("users_list_current_user_guilds", "discord-mcp call users_list_current_user_guilds"),
    ],
)
async def test_one_tool_is_shown_with_a_call_to_start_from(name: str, example: str) -> None:
    told = await ran("tools", name)

    assert told.out.splitlines()[-1].strip() == example


async def test_limits_are_told_in_words() -> None:
    told = await ran("tools", "messages_read", COLUMNS="120")

    assert "an id of 17 to 20 digits" in told.out
    assert "1 to 100; 50 unless given" in told.out


@pytest.mark.parametrize("more", [(), ("--json",)])
async def test_an_unknown_tool_is_told_with_the_nearest_name(more: tuple[str, ...]) -> None:
    told = await ran("tools", "message_send", *more)

    assert (told.code, told.out) == (3, "")
    assert told.err == "there is no tool 'message_send'; did you mean 'messages_send'?\n"


async def test_a_tool_like_no_other_is_told_without_a_guess() -> None:
    told = await ran("tools", "qqqq")

    assert told.err == "there is no tool 'qqqq'; `discord-mcp tools` lists them\n"


async def test_tools_are_shown_whatever_the_configuration() -> None:
    told = await ran("tools", MCP_DRY_RUN="maybe")

    assert told.code == 0
