"""`discord-mcp tools`: the list, one tool whole, and both as JSON."""

from __future__ import annotations

import shlex

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
    assert [line.split()[0] for line in lines if line.startswith("  ")] == list(own_tools())
    assert [line for line in lines if line and line[0] != " "][:-1] == list(
        dict.fromkeys(tool.category for tool in own_tools().values())
    )
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
        *about, example = capsysbinary.readouterr().out.decode().splitlines()

        shown = {line.split()[0].rstrip("*") for line in about if line.strip()}
        assert set(tool.shape.published["properties"]) <= shown
        assert max(map(len, about)) <= 80
        assert example.startswith(f"  discord-mcp call --sandbox {name}")


@pytest.mark.parametrize("name", ["messages_send", "roles_modify", "users_list_current_user_guilds"])
async def test_the_example_of_a_tool_can_be_run_as_it_stands(name: str) -> None:
    told = await ran("tools", name)
    command = shlex.split(told.out.splitlines()[-1])

    done = await ran(*command[1:], MCP_DRY_RUN="false")

    assert command[:4] == ["discord-mcp", "call", "--sandbox", name]
    assert done.code == (3 if name == "roles_modify" else 0)  # which role it was is another one each time


async def test_a_tool_is_shown_with_what_it_needs_and_how_it_fails() -> None:
    told = await ran("tools", "roles_delete", COLUMNS="120")

    assert "only with `__confirm: true`" in told.out
    assert "MANAGE_ROLES" in told.out
    assert "the bot's highest role stands above the role's" in told.out
    assert "DISCORD_PERMISSION_DENIED" in told.out
    assert '"deleted": true' in told.out


async def test_the_name_of_a_category_lists_its_tools() -> None:
    told = await ran("tools", "roles")

    assert [line.split()[0] for line in told.out.splitlines() if line.startswith("  ")] == [
        tool.name for tool in own_tools().values() if tool.category == "roles"
    ]


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
