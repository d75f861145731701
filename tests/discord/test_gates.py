"""Every gate open and closed, for each tool that it concerns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked
from tests.discord.tools.usual_calls import GUILD_TOOLS, MISSING, READS, TOOLS, WRITES, example
from tests.served import desk, environment

from accord.discord import ConfigError, build_server, define_tool, load_config
from accord.discord.access import secrets_of
from accord.discord.app import own_tools
from accord.discord.gates import PAYLOAD_TOOLS, PRECONDITIONS
from accord.discord.sandbox import demo
from accord.engine import Caller, Context, connect

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox
    from accord.engine import Tool

DESTROYING = tuple(name for name, tool in own_tools().items() if tool.effect.destroys)
ASKING_GUILD_TOOLS = [name for name in GUILD_TOOLS if own_tools()[name].open_world]
CATEGORIES = sorted({tool.category for tool in own_tools().values()})


def is_guild_optional(tool: Tool) -> bool:
    """Whether the tool takes a guild to narrow its answer, and does without."""
    slot = tool.shape.slots.get("guild_id")
    return slot is not None and not slot.required


# --- Write mode -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", WRITES)
async def test_a_write_is_only_shown_where_writes_are_previewed(sandbox: Sandbox, tool: str) -> None:
    arguments = example(sandbox, tool)

    async with desk(sandbox, MCP_WRITE_MODE="preview") as served:
        shown = await served.call(tool, arguments)

    assert (shown.code, shown.structured["retriable"]) == ("WRITE_PREVIEW", False)
    veiled = {name: "[SECRET]" for name in secrets_of(own_tools()[tool]) if name in arguments}
    given = {name: value for name, value in arguments.items() if name != "__confirm"}
    assert shown.structured["preview"].items() >= (given | veiled).items()
    assert "No action was taken" in shown.text
    assert asked(sandbox) == []


@pytest.mark.parametrize("tool", READS)
async def test_a_read_passes_where_writes_are_previewed(sandbox: Sandbox, tool: str) -> None:
    async with desk(sandbox, MCP_WRITE_MODE="preview") as served:
        read = await served.call(tool, example(sandbox, tool))

    assert not read.failed


@pytest.mark.parametrize("tool", TOOLS)
async def test_every_tool_passes_where_writes_are_allowed(sandbox: Sandbox, tool: str) -> None:
    async with desk(sandbox, MCP_WRITE_MODE="allow") as served:
        done = await served.call(tool, example(sandbox, tool))

    assert not done.failed


async def test_a_write_that_is_not_valid_is_refused_before_it_is_previewed(sandbox: Sandbox) -> None:
    async with desk(sandbox, MCP_WRITE_MODE="preview") as served:
        refused = await served.call("messages_send", channel_id=demo.GENERAL)

    assert refused.code == "VALIDATION_FAILED"


# --- Categories -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_tool_of_an_enabled_category_is_listed_and_runs(sandbox: Sandbox, tool: str) -> None:
    async with desk(sandbox, MCP_CATEGORIES=own_tools()[tool].category) as served:
        listed = [one.name for one in (await served.client.list_tools()).tools]
        done = await served.call(tool, example(sandbox, tool))

    assert tool in listed
    assert not done.failed


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_tool_of_another_category_is_neither_listed_nor_runs(sandbox: Sandbox, tool: str) -> None:
    own = own_tools()[tool].category
    others = [name for name in CATEGORIES if name != own]

    async with desk(sandbox, MCP_CATEGORIES=",".join(others)) as served:
        listed = [one.name for one in (await served.client.list_tools()).tools]
        refused = await served.call(tool, example(sandbox, tool))

    assert tool not in listed
    assert tool not in served.built.registered_tools
    assert refused.code == "SCOPE_REJECTED"
    assert (refused.structured["required"], refused.structured["granted"]) == (own, others)
    assert asked(sandbox) == []


async def test_a_category_that_does_not_exist_refuses_to_start(sandbox: Sandbox) -> None:
    known = sorted({*CATEGORIES, "meta"})  # what is about tools is always there, and may be named
    with pytest.raises(ConfigError, match=f"has no massages; the categories are {', '.join(known)}"):
        async with desk(sandbox, MCP_CATEGORIES="massages,guild"):
            pass


# --- Confirmation ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", DESTROYING)
@pytest.mark.parametrize("dry_run", ["true", "1", "YES"])
async def test_a_destructive_call_is_only_shown_while_the_server_is_armed(
    sandbox: Sandbox, tool: str, dry_run: str
) -> None:
    async with desk(sandbox, MCP_DRY_RUN=dry_run) as served:
        shown = await served.call(tool, example(sandbox, tool))

    assert shown.code == "DRY_RUN_PREVIEW"
    assert served.writes == []


@pytest.mark.parametrize("tool", DESTROYING)
async def test_a_server_is_armed_unless_it_is_told_otherwise(sandbox: Sandbox, tool: str) -> None:
    async with desk(sandbox, MCP_DRY_RUN=None) as served:
        shown = await served.call(tool, example(sandbox, tool))

    assert shown.code == "DRY_RUN_PREVIEW"
    assert served.writes == []


@pytest.mark.parametrize("tool", DESTROYING)
async def test_a_disarmed_server_wants_each_destructive_call_confirmed(sandbox: Sandbox, tool: str) -> None:
    arguments = example(sandbox, tool)

    async with desk(sandbox, MCP_DRY_RUN="off") as served:
        shown = await served.call(tool, {k: v for k, v in arguments.items() if k != "__confirm"})
        done = await served.call(tool, arguments)

    assert (shown.code, done.failed) == ("DRY_RUN_PREVIEW", False)
    assert len(served.writes) == 1


@pytest.mark.parametrize("tool", [name for name in TOOLS if name not in {*DESTROYING, *PAYLOAD_TOOLS}])
async def test_what_destroys_nothing_needs_no_confirmation(sandbox: Sandbox, tool: str) -> None:
    async with desk(sandbox, MCP_DRY_RUN="true", MCP_CONFIRM_EXTRA="false") as served:
        done = await served.call(tool, example(sandbox, tool))

    assert not done.failed


async def test_a_preview_of_writes_comes_before_a_confirmation(sandbox: Sandbox) -> None:
    async with desk(sandbox, MCP_WRITE_MODE="preview") as served:
        shown = await served.call("messages_delete", example(sandbox, "messages_delete"))

    assert shown.code == "WRITE_PREVIEW"


# --- The default guild ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", ASKING_GUILD_TOOLS)
async def test_the_default_guild_stands_in_where_none_is_named(sandbox: Sandbox, tool: str) -> None:
    def unaimed() -> dict[str, Any]:
        return {k: v for k, v in example(sandbox, tool).items() if k != "guild_id"}

    async with desk(sandbox, DISCORD_DEFAULT_GUILD_ID=demo.GUILD) as served:
        bare = await served.call(tool, unaimed())
        null = await served.call(tool, unaimed() | {"guild_id": None})

    assert (bare.failed, null.failed) == (False, False)
    assert any(f"/guilds/{demo.GUILD}" in one for one in asked(sandbox))


@pytest.mark.parametrize("tool", [name for name in ASKING_GUILD_TOOLS if name != "templates_diff"])
async def test_a_named_guild_wins_over_the_default(sandbox: Sandbox, tool: str) -> None:
    async with desk(sandbox, DISCORD_DEFAULT_GUILD_ID=demo.GUILD) as served:
        await served.call(tool, example(sandbox, tool) | {"guild_id": demo.SECOND_GUILD})

    assert any(f"/guilds/{demo.SECOND_GUILD}" in one for one in asked(sandbox))
    assert not any(f"/guilds/{demo.GUILD}" in one for one in asked(sandbox))


@pytest.mark.parametrize("tool", GUILD_TOOLS)
async def test_without_a_default_guild_one_has_to_be_named(sandbox: Sandbox, tool: str) -> None:
    async with desk(sandbox) as served:
        refused = await served.call(tool, {k: v for k, v in example(sandbox, tool).items() if k != "guild_id"})

    assert [issue["path"] for issue in refused.structured["issues"]] == ["guild_id"]
    assert asked(sandbox) == []


@pytest.mark.parametrize("tool", GUILD_TOOLS)
async def test_with_a_default_guild_the_listing_says_that_none_is_needed(sandbox: Sandbox, tool: str) -> None:
    async with desk(sandbox, DISCORD_DEFAULT_GUILD_ID=demo.GUILD) as served:
        (listed,) = [one for one in (await served.client.list_tools()).tools if one.name == tool]

    assert "guild_id" not in listed.input_schema["required"]
    assert "guild_id" in listed.input_schema["properties"]


@pytest.mark.parametrize("tool", [name for name in DESTROYING if "guild_id" in own_tools()[name].shape.slots])
async def test_the_default_guild_never_aims_what_destroys(sandbox: Sandbox, tool: str) -> None:
    arguments = {k: v for k, v in example(sandbox, tool).items() if k != "guild_id"}

    async with desk(sandbox, DISCORD_DEFAULT_GUILD_ID=demo.GUILD) as served:
        refused = await served.call(tool, arguments)

    assert [issue["path"] for issue in refused.structured["issues"]] == ["guild_id"]
    assert asked(sandbox) == []


@pytest.mark.parametrize("tool", [name for name, tool in own_tools().items() if is_guild_optional(tool)])
async def test_the_default_guild_never_becomes_a_filter(sandbox: Sandbox, tool: str) -> None:
    arguments = {k: v for k, v in example(sandbox, tool).items() if k != "guild_id"}

    async with desk(sandbox, DISCORD_DEFAULT_GUILD_ID=demo.GUILD) as served:
        await served.call(tool, arguments)

    assert all(demo.GUILD not in f"{one.query} {one.request_body!r}" for one in sandbox.requests)


@pytest.mark.parametrize("tool", [name for name in TOOLS if "guild_id" not in own_tools()[name].shape.slots])
async def test_a_tool_without_a_guild_gets_none(sandbox: Sandbox, tool: str) -> None:
    async with desk(sandbox, DISCORD_DEFAULT_GUILD_ID=demo.GUILD) as served:
        done = await served.call(tool, example(sandbox, tool))

    assert not done.failed


# --- Who acted ------------------------------------------------------------------------------------------------------


async def _reason_of(sandbox: Sandbox, caller_id: str, reason: str | None) -> str | None:
    """Delete a message as this caller; the reason that the guild's audit log then holds."""
    arguments = example(sandbox, "messages_delete") | ({"audit_reason": reason} if reason else {})
    caller = Caller(id=caller_id, transport="http", scopes=frozenset({"write"}))
    async with desk(sandbox) as served:
        await served.built.calls.enter(caller, "messages_delete", arguments)
    return sandbox.world.guilds[demo.GUILD].audit[-1].reason


@pytest.mark.parametrize(
    ("reason", "signed"),
    [
        ("spam", "spam (via ci)"),
        (None, "via ci"),
        ("x" * 512, "x" * 503 + " (via ci)"),
    ],
    ids=["given", "none", "as long as can be"],
)
async def test_what_an_access_token_does_is_signed_with_its_name(
    sandbox: Sandbox, reason: str | None, signed: str
) -> None:
    assert await _reason_of(sandbox, "token:ci", reason) == signed


@pytest.mark.parametrize("reason", ["spam", None])
async def test_what_the_local_caller_does_is_not_signed(sandbox: Sandbox, reason: str | None) -> None:
    assert await _reason_of(sandbox, "local", reason) == reason


# --- Tools of one's own ---------------------------------------------------------------------------------------------


async def _echo(arguments: dict[str, Any], _context: Context) -> dict[str, Any]:
    return {"guild_id": arguments.get("guild_id")}


def _tool(*preconditions: str, optional: bool = False, destructive: bool = False) -> Tool:
    return define_tool(
        name="echo",
        description="Say which guild it was.",
        input_schema={"guild_id?" if optional else "guild_id": str},
        handler=_echo,
        preconditions=preconditions,
        annotations={"destructive": destructive},
    )


async def _called(sandbox: Sandbox, tool: Tool, arguments: dict[str, Any]) -> dict[str, Any]:
    config = load_config(environment(sandbox, DISCORD_DEFAULT_GUILD_ID=demo.GUILD, DISCORD_EXPECTED_BOT_ID=None))
    built = build_server(rest=None, config=config, toolsets=[[tool]], transport="memory")
    async with connect(built.server) as client:
        result = await client.call_tool("echo", arguments)
    await built.state.close()
    return result.structured_content or {}


@pytest.mark.parametrize(
    ("arguments", "outcome"),
    [({}, "VALIDATION_FAILED"), ({"guild_id": " "}, "VALIDATION_FAILED"), ({"guild_id": MISSING}, None)],
    ids=["closed for the default", "closed for a blank", "open for a named one"],
)
async def test_a_tool_can_insist_on_a_guild_that_its_caller_named(
    sandbox: Sandbox, arguments: dict[str, str], outcome: str | None
) -> None:
    told = await _called(sandbox, _tool("explicit_guild_required"), arguments)

    assert told.get("code") == outcome
    assert told.get("guild_id") == (None if outcome else arguments["guild_id"])


async def test_a_guild_that_must_be_named_is_asked_for_before_the_confirmation(sandbox: Sandbox) -> None:
    told = await _called(sandbox, _tool("explicit_guild_required", "confirm_required"), {})

    assert [issue["code"] for issue in told["issues"]] == ["explicit_guild_required"]


async def test_an_optional_guild_is_a_filter_and_never_filled_in(sandbox: Sandbox) -> None:
    assert await _called(sandbox, _tool(optional=True), {}) == {"guild_id": None}


async def test_what_destroys_has_to_be_aimed(sandbox: Sandbox) -> None:
    told = await _called(sandbox, _tool(destructive=True), {"__confirm": True})

    assert [issue["path"] for issue in told["issues"]] == ["guild_id"]


@pytest.mark.parametrize("precondition", ["category_enabled", "confirm_required"])
async def test_the_other_preconditions_are_asked_of_every_call_already(sandbox: Sandbox, precondition: str) -> None:
    told = await _called(sandbox, _tool(precondition), {"guild_id": MISSING, "__confirm": True})

    assert told == {"guild_id": MISSING}


async def test_a_tool_that_requires_a_confirmation_gets_one(sandbox: Sandbox) -> None:
    told = await _called(sandbox, _tool("confirm_required"), {"guild_id": MISSING})

    assert told["code"] == "DRY_RUN_PREVIEW"


def test_a_precondition_has_to_be_known() -> None:
    with pytest.raises(ValueError, match="unknown precondition 'moon_is_full'"):
        _tool("moon_is_full")
    assert sorted(PRECONDITIONS) == ["category_enabled", "confirm_required", "explicit_guild_required"]


async def test_a_tool_that_is_not_enabled_is_not_suggested(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        whole = await served.call("messages_read", channel_id=MISSING)
    async with desk(sandbox, MCP_CATEGORIES="messages") as served:
        narrow = await served.call("messages_read", channel_id=MISSING)

    assert whole.structured["suggested_tool"] == "channels_list"
    assert "suggested_tool" not in narrow.structured
