"""What is listed and what can pass are the same, for every tool under every configuration."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.discord.tools.usual.calling import MISSING
from tests.discord.tools.usual_calls import TOOLS, example
from tests.served import desk

from accord.discord.app import own_tools
from accord.discord.sandbox import Sandbox, demo

SCOPE_CODES = {"BOT_SCOPE_UNRESOLVED", "GUILD_NOT_ALLOWED", "GUILD_SCOPE_UNRESOLVED", "SCOPE_REJECTED"}

CONFIGURATIONS = st.fixed_dictionaries(
    {
        "DISCORD_EXPECTED_BOT_ID": st.sampled_from([demo.BOT, None]),
        "ALLOWED_GUILDS": st.sampled_from([None, "every", MISSING]),
        "MCP_ALLOW_USER_SCOPED": st.sampled_from(["true", "false"]),
        "MCP_CATEGORIES": st.sampled_from([None, "own", "another"]),
    }
)


@settings(max_examples=250, suppress_health_check=list(HealthCheck))
@given(tool=st.sampled_from(TOOLS), settings=CONFIGURATIONS)
async def test_what_is_listed_can_pass_and_what_is_not_cannot(tool: str, settings: dict[str, Any]) -> None:
    async with Sandbox.start() as sandbox:
        arguments = example(sandbox, tool)
        variables: Any = _variables(tool, settings, sandbox)
        async with desk(sandbox, **variables) as served:
            listed = tool in served.built.registered_tools
            told = await served.call(tool, arguments)
            writes = served.writes
            narrowed = await served.call(tool, _narrowed(tool, arguments))

    if told.code in SCOPE_CODES:
        assert writes == []
    if not listed:
        assert told.code in SCOPE_CODES
    elif settings["ALLOWED_GUILDS"] != MISSING:  # there, what is listed could pass for that guild
        assert narrowed.code not in SCOPE_CODES


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("users", ["true", "false"])
async def test_where_every_guild_is_allowed_what_is_listed_passes(sandbox: Sandbox, tool: str, users: str) -> None:
    arguments = example(sandbox, tool)  # which may make a guild of its own
    settings = {"ALLOWED_GUILDS": "every", "MCP_ALLOW_USER_SCOPED": users, "MCP_CATEGORIES": None}
    variables: Any = _variables(tool, settings | {"DISCORD_EXPECTED_BOT_ID": demo.BOT}, sandbox)
    async with desk(sandbox, **variables) as served:
        told = await served.call(tool, _narrowed(tool, arguments))

    assert (tool in served.built.registered_tools) == (told.code not in SCOPE_CODES)


def _variables(tool: str, settings: dict[str, Any], sandbox: Sandbox) -> dict[str, str | None]:
    own = own_tools()[tool].category
    categories = {None: None, "own": own, "another": "polls" if own != "polls" else "roles"}
    guilds = ",".join(sandbox.world.guilds)
    return {
        **settings,
        "ALLOWED_GUILDS": guilds if settings["ALLOWED_GUILDS"] == "every" else settings["ALLOWED_GUILDS"],
        "MCP_ALLOW_USER_SCOPED": settings["MCP_ALLOW_USER_SCOPED"] if settings["DISCORD_EXPECTED_BOT_ID"] else None,
        "MCP_CATEGORIES": categories[settings["MCP_CATEGORIES"]],
    }


def _narrowed(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The call with what an allowlist wants to be given."""
    return arguments | ({"guild_id": demo.GUILD} if tool == "entitlements_list" else {})


@pytest.mark.parametrize(
    ("variables", "hidden"),
    [
        ({}, set[str]()),
        ({"ALLOWED_GUILDS": demo.GUILD}, {"interactions", "users_create_dm", "channels_remove_recipient"}),
        ({"ALLOWED_GUILDS": demo.GUILD, "MCP_ALLOW_USER_SCOPED": "true"}, {"interactions"}),
    ],
)
async def test_the_whole_list(sandbox: Sandbox, variables: dict[str, Any], hidden: set[str]) -> None:
    gone = {name for name in TOOLS if name in hidden or own_tools()[name].category in hidden}

    async with desk(sandbox, **variables) as served:
        listed = [one.name for one in (await served.client.list_tools()).tools]

    assert listed == [name for name in TOOLS if name not in gone] == served.built.registered_tools
