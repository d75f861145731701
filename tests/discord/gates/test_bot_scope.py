"""DISCORD_EXPECTED_BOT_ID: the one bot whose token is accepted, and what only it may do to its own application."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.discord.tools.asked import asked
from tests.discord.tools.usual.calling import MISSING
from tests.discord.tools.usual_calls import TOOLS, example
from tests.served import desk, environment

from accord.discord import build_rest, build_server, load_config
from accord.discord.access import reach_of
from accord.discord.app import own_tools
from accord.discord.models.ids import ApplicationId
from accord.discord.rest.errors import BotScopeUnresolvedError
from accord.discord.sandbox import demo
from accord.engine import unwrapped

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

OF_THE_BOT = [name for name in TOOLS if reach_of(own_tools()[name]) == "bot"]
BOT_WRITES = [name for name in OF_THE_BOT if own_tools()[name].effect.writes]
BOT_READS = [name for name in OF_THE_BOT if name not in BOT_WRITES]
OTHER_APPLICATION = [
    name
    for name, tool in own_tools().items()
    if "application_id" in tool.shape.slots and not name.startswith("interactions_")
]

WHO_AM_I = "GET /users/@me"


def test_what_belongs_to_the_bot_alone() -> None:
    """What takes an application takes the bot's own; so does all that is sold, played and named under its name."""
    categories = {"app_emojis", "application", "commands", "lobbies", "monetization"}
    own = {name for name in TOOLS if own_tools()[name].category in categories}
    others = {
        "application_get_authorization",
        "application_get_gateway",
        "application_get_public_keys",
        "commands_edit_command_permissions",
    }

    assert set(OF_THE_BOT) == own - others | {"users_modify_current"}


def test_an_application_is_always_the_bots_own_or_the_tokens() -> None:
    named = {name: own_tools()[name].shape.slots["application_id"] for name in OTHER_APPLICATION}

    assert {unwrapped(slot.hint)[0] for slot in named.values()} == {ApplicationId}
    assert set(OTHER_APPLICATION) <= {*OF_THE_BOT, "commands_edit_command_permissions"}


@pytest.mark.parametrize("tool", BOT_WRITES)
async def test_a_write_to_the_bot_needs_the_lock(sandbox: Sandbox, tool: str) -> None:
    async with desk(sandbox, DISCORD_EXPECTED_BOT_ID=None) as served:
        refused = await served.call(tool, example(sandbox, tool))

    assert (refused.code, refused.structured["resource"]) == ("BOT_SCOPE_UNRESOLVED", "DISCORD_EXPECTED_BOT_ID")
    assert asked(sandbox) == []
    assert tool not in served.built.registered_tools


@pytest.mark.parametrize("tool", BOT_WRITES)
async def test_a_write_to_the_bot_is_done_with_the_lock(sandbox: Sandbox, tool: str) -> None:
    arguments = example(sandbox, tool)

    async with desk(sandbox, proven=False, ALLOWED_GUILDS=",".join(sandbox.world.guilds)) as served:
        done = await served.call(tool, arguments | ({"guild_id": demo.GUILD} if tool == "entitlements_list" else {}))

    assert not done.failed
    assert asked(sandbox)[0] == WHO_AM_I
    assert tool in served.built.registered_tools


@pytest.mark.parametrize("tool", BOT_READS)
async def test_a_read_of_the_bot_needs_the_lock_only_beside_a_list_of_guilds(sandbox: Sandbox, tool: str) -> None:
    arguments = example(sandbox, tool)

    async with desk(sandbox, DISCORD_EXPECTED_BOT_ID=None) as served:
        done = await served.call(tool, arguments)
        assert tool in served.built.registered_tools
    async with desk(sandbox, DISCORD_EXPECTED_BOT_ID=None, ALLOWED_GUILDS=demo.GUILD) as served:
        refused = await served.call(tool, arguments)
        assert tool not in served.built.registered_tools

    assert not done.failed
    assert refused.code == "BOT_SCOPE_UNRESOLVED"


@pytest.mark.parametrize("tool", OTHER_APPLICATION)
async def test_another_application_is_never_touched(sandbox: Sandbox, tool: str) -> None:
    arguments = example(sandbox, tool) | {"application_id": demo.BOT}

    async with desk(sandbox) as served:
        refused = await served.call(tool, arguments)

    assert (refused.code, refused.structured["resource"]) == ("BOT_SCOPE_UNRESOLVED", f"application {demo.BOT}")
    assert asked(sandbox) == ["GET /applications/@me"]


# --- Whose token it is ------------------------------------------------------------------------------------------------

SOME = ["messages_send", "messages_read", "webhooks_execute", "application_get_authorization", "users_create_dm"]


@pytest.mark.parametrize("tool", SOME)
async def test_another_bot_does_nothing(sandbox: Sandbox, tool: str) -> None:
    async with desk(sandbox, proven=False, DISCORD_EXPECTED_BOT_ID=MISSING) as served:
        assert tool in served.built.registered_tools
        refused = [await served.call(tool, example(sandbox, tool)) for _ in range(2)]

    assert {one.code for one in refused} == {"BOT_SCOPE_UNRESOLVED"}
    assert refused[0].structured["resource"] == f"bot {demo.BOT}"
    assert MISSING in refused[0].structured["recovery_hint"]
    assert asked(sandbox) == [WHO_AM_I] * 2  # what failed is not remembered


async def test_a_user_is_no_bot(sandbox: Sandbox) -> None:
    sandbox.world.users[demo.BOT].bot = False

    async with desk(sandbox, proven=False) as served:
        refused = await served.call("users_get_current")

    assert refused.code == "BOT_SCOPE_UNRESOLVED"


async def test_the_right_bot_is_asked_once(sandbox: Sandbox) -> None:
    async with desk(sandbox, proven=False) as served:
        done = [await served.call("channels_trigger_typing", channel_id=demo.GENERAL) for _ in range(3)]

    assert {one.code for one in done} == {None}
    assert asked(sandbox).count(WHO_AM_I) == 1


async def test_without_the_lock_nobody_is_asked(sandbox: Sandbox) -> None:
    async with desk(sandbox, proven=False, DISCORD_EXPECTED_BOT_ID=None) as served:
        await served.call("channels_trigger_typing", channel_id=demo.GENERAL)

    assert WHO_AM_I not in asked(sandbox)


async def test_what_never_leaves_this_machine_needs_no_bot(sandbox: Sandbox) -> None:
    async with desk(sandbox, proven=False, DISCORD_EXPECTED_BOT_ID=MISSING) as served:
        done = await served.call("components_v2_validate", example(sandbox, "components_v2_validate"))

    assert not done.failed
    assert asked(sandbox) == []


@pytest.mark.parametrize(("bot_id", "ready"), [(demo.BOT, True), (MISSING, False)])
async def test_a_server_with_another_bot_is_never_ready(sandbox: Sandbox, bot_id: str, ready: bool) -> None:
    config = load_config(environment(sandbox, DISCORD_EXPECTED_BOT_ID=bot_id))
    rest = build_rest(config)
    built = build_server(rest=rest, config=config, transport="memory")

    assert await built.ready() is ready
    if not ready:
        with pytest.raises(BotScopeUnresolvedError):
            await built.check_bot()
    await built.state.close()
    await rest.aclose()
