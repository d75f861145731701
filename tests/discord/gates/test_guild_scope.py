"""ALLOWED_GUILDS: whatever a call names has to lie in an allowed guild, and that is found out by GETs alone."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked
from tests.discord.tools.usual.calling import MISSING, own_message
from tests.discord.tools.usual_calls import TOOLS, example
from tests.served import desk, environment

from accord.discord import Config, GuildId, build_rest, build_server, define_tool, load_config
from accord.discord.access import guild_source, reach_of
from accord.discord.app import own_tools
from accord.discord.rest.places import Places
from accord.discord.sandbox import demo, demo_shop
from accord.discord.sandbox.world import Channel
from accord.engine import connect

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox
    from accord.engine import Context, Tool

BOTH = f"{demo.GUILD},{demo.SECOND_GUILD}"

PUBLIC = {
    "application_get_authorization",
    "application_get_gateway",
    "application_get_public_keys",
    "components_v2_build_container",
    "components_v2_build_media_gallery",
    "components_v2_build_section",
    "components_v2_preview",
    "components_v2_validate",
    "soundboard_list_default_sounds",
    "stickers_get_pack",
    "stickers_list_packs",
    "users_get",
    "users_get_current",
    "users_list_current_user_guilds",
    "voice_list_regions",
}
"""What lies in no guild and is open to everybody, or shows allowed guilds only. A new tool has to say so."""

IN_NO_GUILD = {"users_create_dm", "channels_remove_recipient"}
"""What reaches users by themselves: a group of them is no guild."""

UNPROVABLE = {name for name in TOOLS if name.startswith("interactions_")}
"""What acts in a guild that no argument tells."""

IN_A_GUILD = [name for name in TOOLS if name not in PUBLIC and guild_source(own_tools()[name]) != "none"]


def test_every_tool_says_what_it_touches() -> None:
    """Who adds a tool adds it here, or it acts in guilds."""
    tools = own_tools()

    assert {name for name in TOOLS if reach_of(tools[name]) == "none" and name not in IN_A_GUILD} == PUBLIC
    assert {name for name in TOOLS if reach_of(tools[name]) == "user"} == IN_NO_GUILD
    in_no_guild = {name for name in TOOLS if reach_of(tools[name]) == "guild" and name not in IN_A_GUILD}
    assert in_no_guild == UNPROVABLE


@pytest.mark.parametrize("tool", IN_A_GUILD)
async def test_what_lies_in_an_allowed_guild_is_done(sandbox: Sandbox, tool: str) -> None:
    arguments = example(sandbox, tool)
    guilds = ",".join(sandbox.world.guilds)  # an example may have made one

    async with desk(sandbox, ALLOWED_GUILDS=guilds, MCP_ALLOW_USER_SCOPED="true") as served:
        done = await served.call(tool, arguments)

    assert not done.failed


@pytest.mark.parametrize("tool", IN_A_GUILD)
async def test_what_lies_in_another_guild_is_refused_without_a_write(sandbox: Sandbox, tool: str) -> None:
    arguments = example(sandbox, tool)

    async with desk(sandbox, ALLOWED_GUILDS=MISSING) as served:
        refused = await served.call(tool, arguments)

    assert served.writes == []
    if tool in IN_NO_GUILD:
        assert (refused.code, refused.structured["resource"]) == ("GUILD_SCOPE_UNRESOLVED", f"tool {tool}")
    else:
        assert refused.code == "GUILD_NOT_ALLOWED"
        assert refused.structured["guild_id"] in sandbox.world.guilds
    assert asked(sandbox) == [] if "guild_id" in arguments else len(asked(sandbox)) <= 2


@pytest.mark.parametrize("tool", sorted(PUBLIC))
async def test_what_is_public_is_open_everywhere(sandbox: Sandbox, tool: str) -> None:
    async with desk(sandbox, ALLOWED_GUILDS=MISSING, DISCORD_EXPECTED_BOT_ID=None) as served:
        done = await served.call(tool, example(sandbox, tool))

    assert not done.failed


@pytest.mark.parametrize("tool", sorted(UNPROVABLE))
async def test_what_no_argument_proves_is_refused(sandbox: Sandbox, tool: str) -> None:
    async with desk(sandbox, ALLOWED_GUILDS=BOTH) as served:
        refused = await served.call(tool, example(sandbox, tool))

    assert (refused.code, refused.structured["resource"]) == ("GUILD_SCOPE_UNRESOLVED", f"tool {tool}")
    assert asked(sandbox) == []


async def test_without_an_allowlist_nothing_is_looked_up(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        await served.call("messages_list_pins", channel_id=demo.SECOND_GENERAL)

    assert asked(sandbox) == [f"GET /channels/{demo.SECOND_GENERAL}/messages/pins?limit=50"]


# --- What can be named ----------------------------------------------------------------------------------------------

WELCOME = {"channel_id": demo.SECOND_GENERAL, "description": "Read here"}
OPTION = {"title": "Books", "channel_ids": [demo.SECOND_GENERAL]}
PROMPT = {"title": "What do you like?", "type": 0, "options": [OPTION], "single_select": False, "required": False}
ALERT = {"type": 2, "metadata": {"channel_id": demo.SECOND_GENERAL}}
MENU = {"type": 8, "custom_id": "to", "default_values": [{"id": demo.SECOND_GENERAL, "type": "channel"}]}
FOR_ALL = {"permissions": [{"id": str(int(demo.GUILD) - 1), "type": 3, "permission": True}]}

NAMED: dict[str, tuple[str, dict[str, Any]]] = {
    "a preselected channel": (
        "messages_send",
        {"channel_id": demo.GENERAL, "content": "Where to?", "components": [{"type": 1, "components": [MENU]}]},
    ),
    "a category": ("channels_modify", {"channel_id": demo.GENERAL, "parent_id": demo.SECOND_GENERAL}),
    "a channel among positions": (
        "channels_modify_positions",
        {"guild_id": demo.GUILD, "positions": [{"id": demo.SECOND_GENERAL, "position": 1}]},
    ),
    "where a follower's messages go": (
        "channels_follow_announcement",
        {"channel_id": demo.ANNOUNCEMENTS, "webhook_channel_id": demo.SECOND_GENERAL},
    ),
    "a channel to search": ("messages_search", {"guild_id": demo.GUILD, "channel_ids": [demo.SECOND_GENERAL]}),
    "where members wait": ("guild_modify", {"guild_id": demo.GUILD, "afk_channel_id": demo.SECOND_GENERAL}),
    "a voice channel to move to": (
        "members_modify",
        {"guild_id": demo.GUILD, "user_id": demo.LENA, "channel_id": demo.SECOND_GENERAL},
    ),
    "a channel of the welcome screen": (
        "guild_modify_welcome_screen",
        {"guild_id": demo.GUILD, "welcome_channels": [WELCOME]},
    ),
    "a channel of an onboarding option": ("onboarding_modify", {"guild_id": demo.GUILD, "prompts": [PROMPT]}),
    "a default channel": ("onboarding_modify", {"guild_id": demo.GUILD, "default_channel_ids": [demo.SECOND_GENERAL]}),
    "where auto moderation alerts": (
        "automod_create_rule",
        {
            "guild_id": demo.GUILD,
            "name": "No",
            "event_type": 1,
            "trigger_type": 1,
            "trigger_metadata": {"keyword_filter": ["no"]},
            "actions": [ALERT],
        },
    ),
    "a channel that auto moderation spares": (
        "automod_create_rule",
        {
            "guild_id": demo.GUILD,
            "name": "No",
            "event_type": 1,
            "trigger_type": 5,
            "trigger_metadata": {"mention_total_limit": 5},
            "actions": [{"type": 1}],
            "exempt_channels": [demo.SECOND_GENERAL],
        },
    ),
    "the guild of a sound": (
        "soundboard_send_sound",
        {"channel_id": demo.VOICE, "sound_id": "1", "source_guild_id": demo.SECOND_GUILD},
    ),
    "a channel that may use a command": (
        "commands_edit_command_permissions",
        {
            "guild_id": demo.GUILD,
            "command_id": MISSING,
            "bearer_token": "a-token-of-lena",
            "permissions": [{"id": demo.SECOND_GENERAL, "type": 3, "permission": True}],
        },
    ),
    "whose entitlements": ("entitlements_list", {"guild_id": demo.SECOND_GUILD}),
    "the guild that gets an entitlement": (
        "entitlements_create_test",
        {"sku_id": demo_shop.CLUB, "owner_id": demo.SECOND_GUILD, "owner_type": 1},
    ),
    "the guild of an activity": (
        "application_get_activity_instance",
        {"instance_id": f"i-1-gc-{demo.SECOND_GUILD}-{demo.SECOND_GENERAL}"},
    ),
}


@pytest.mark.parametrize("case", NAMED)
async def test_every_way_to_name_another_guild_is_seen(sandbox: Sandbox, case: str) -> None:
    tool, arguments = NAMED[case]

    async with desk(sandbox, ALLOWED_GUILDS=demo.GUILD) as served:
        refused = await served.call(tool, arguments)

    assert (refused.code, refused.structured.get("guild_id")) == ("GUILD_NOT_ALLOWED", demo.SECOND_GUILD)
    assert served.writes == []


async def test_a_users_entitlement_names_no_guild(sandbox: Sandbox) -> None:
    arguments = {"sku_id": demo_shop.CLUB, "owner_id": demo.LENA, "owner_type": 2}

    async with desk(sandbox, ALLOWED_GUILDS=demo.GUILD) as served:
        done = await served.call("entitlements_create_test", arguments)

    assert not done.failed


async def test_an_entitlement_of_another_guild_is_not_touched(sandbox: Sandbox) -> None:
    sandbox.world.entitlements[demo_shop.BULBS_ENTITLEMENT]["guild_id"] = demo.SECOND_GUILD

    async with desk(sandbox, ALLOWED_GUILDS=demo.GUILD) as served:
        refused = await served.call("entitlements_get", entitlement_id=demo_shop.BULBS_ENTITLEMENT)

    assert refused.structured["guild_id"] == demo.SECOND_GUILD


async def test_a_lobby_that_is_linked_to_another_guild_is_not_touched(sandbox: Sandbox) -> None:
    arguments = example(sandbox, "lobbies_create_invite_for_user")
    sandbox.world.lobbies[arguments["lobby_id"]]["linked_channel"] = demo.SECOND_GENERAL

    async with desk(sandbox, ALLOWED_GUILDS=demo.GUILD) as served:
        refused = await served.call("lobbies_create_invite_for_user", arguments)

    assert refused.structured["guild_id"] == demo.SECOND_GUILD
    assert served.writes == []


async def test_all_channels_of_a_guild_can_still_be_meant(sandbox: Sandbox) -> None:
    arguments = example(sandbox, "commands_edit_command_permissions")

    async with desk(sandbox, ALLOWED_GUILDS=demo.GUILD) as served:
        done = await served.call("commands_edit_command_permissions", arguments | FOR_ALL)

    assert not done.failed


async def test_a_standard_sticker_is_nobodys(sandbox: Sandbox) -> None:
    (pack,) = sandbox.world.sticker_packs.values()

    async with desk(sandbox, ALLOWED_GUILDS=demo.SECOND_GUILD) as served:
        standard = await served.call("stickers_get", sticker_id=pack["stickers"][0]["id"])
        foreign = await served.call("stickers_get", sticker_id=demo.WAVE_STICKER)

    assert (standard.code, foreign.code) == (None, "GUILD_NOT_ALLOWED")


async def test_a_guild_that_is_named_is_checked_before_anything_is_asked(sandbox: Sandbox) -> None:
    arguments = {"guild_id": demo.SECOND_GUILD, "user_id": demo.LENA, "channel_id": demo.VOICE}

    async with desk(sandbox, proven=False, ALLOWED_GUILDS=demo.GUILD) as served:
        refused = await served.call("members_modify", arguments)

    assert refused.code == "GUILD_NOT_ALLOWED"
    assert asked(sandbox) == []


async def test_a_filter_that_is_left_out_would_show_all_guilds(sandbox: Sandbox) -> None:
    async with desk(sandbox, ALLOWED_GUILDS=demo.GUILD) as served:
        refused = await served.call("entitlements_list")
        shown = await served.call("entitlements_list", guild_id=demo.GUILD)

    assert (refused.code, refused.structured["resource"]) == ("GUILD_SCOPE_UNRESOLVED", "tool entitlements_list")
    assert "`guild_id`" in refused.structured["recovery_hint"]
    assert not shown.failed


async def test_the_list_of_guilds_shows_the_allowed_ones_and_counts_the_others(sandbox: Sandbox) -> None:
    async with desk(sandbox, ALLOWED_GUILDS=demo.SECOND_GUILD) as served:
        some = await served.call("users_list_current_user_guilds")
        beyond = await served.call("users_list_current_user_guilds", after=demo.GUILD)
    async with desk(sandbox) as served:
        every = await served.call("users_list_current_user_guilds")

    assert [one["id"] for one in some.structured["guilds"]] == [demo.SECOND_GUILD]
    assert (some.structured["count"], some.structured["left_out"]) == (1, 1)
    assert "Lantern" not in some.text
    assert (beyond.structured["count"], beyond.structured["left_out"]) == (1, 0)
    assert (every.structured["count"], every.structured["left_out"]) == (2, 0)


# --- Direct messages --------------------------------------------------------------------------------------------------


def _direct_messages(sandbox: Sandbox) -> str:
    made = Channel(sandbox.world.new_id(), 1, recipient_id=demo.LENA)
    sandbox.world.channels[made.id] = made
    return made.id


@pytest.mark.parametrize("tool", ["messages_send", "messages_edit", "messages_read"])
async def test_direct_messages_need_the_owners_word(sandbox: Sandbox, tool: str) -> None:
    place = own_message(sandbox, _direct_messages(sandbox))
    arguments = {
        "messages_send": {"channel_id": place["channel_id"], "content": "Hello"},
        "messages_edit": {**place, "content": "Hello"},
        "messages_read": {"channel_id": place["channel_id"]},
    }[tool]

    async with desk(sandbox, ALLOWED_GUILDS=demo.GUILD) as served:
        refused = await served.call(tool, arguments)
        assert served.writes == []
    async with desk(sandbox, ALLOWED_GUILDS=demo.GUILD, MCP_ALLOW_USER_SCOPED="true") as served:
        done = await served.call(tool, arguments)

    assert (refused.code, refused.structured["resource"]) == (
        "GUILD_SCOPE_UNRESOLVED",
        f"channel {place['channel_id']}",
    )
    assert "MCP_ALLOW_USER_SCOPED" in refused.structured["recovery_hint"]
    assert not done.failed


async def test_opening_direct_messages_needs_the_owners_word(sandbox: Sandbox) -> None:
    async with desk(sandbox, ALLOWED_GUILDS=demo.GUILD) as served:
        refused = await served.call("users_create_dm", recipient_id=demo.LENA)
        assert asked(sandbox) == []
    async with desk(sandbox, ALLOWED_GUILDS=demo.GUILD, MCP_ALLOW_USER_SCOPED="true") as served:
        done = await served.call("users_create_dm", recipient_id=demo.LENA)
    async with desk(sandbox, DISCORD_EXPECTED_BOT_ID=None) as served:
        without_a_list = await served.call("users_create_dm", recipient_id=demo.LENA)

    assert (refused.code, refused.structured["resource"]) == ("GUILD_SCOPE_UNRESOLVED", "tool users_create_dm")
    assert not done.failed
    assert not without_a_list.failed


async def test_a_word_before_a_ban_is_a_direct_message_too(sandbox: Sandbox) -> None:
    arguments = {"guild_id": demo.GUILD, "user_id": demo.OMAR, "__confirm": True}

    async with desk(sandbox, ALLOWED_GUILDS=demo.GUILD) as served:
        refused = await served.call("members_ban", arguments | {"notify": "Bye"})
        assert served.writes == []
        silent = await served.call("members_ban", arguments)

    assert (refused.code, refused.structured["resource"]) == ("GUILD_SCOPE_UNRESOLVED", "tool members_ban with notify")
    assert not silent.failed


# --- Lookups ----------------------------------------------------------------------------------------------------------


async def test_a_channel_is_looked_up_once(sandbox: Sandbox) -> None:
    async with desk(sandbox, ALLOWED_GUILDS=demo.GUILD) as served:
        await asyncio.gather(*(served.call("channels_trigger_typing", channel_id=demo.GENERAL) for _ in range(4)))

    assert asked(sandbox).count(f"GET /channels/{demo.GENERAL}") == 1


async def test_many_channels_are_looked_up_together(sandbox: Sandbox) -> None:
    channels = [demo.GENERAL, demo.WELCOME, demo.STAFF, demo.FORUM]

    async with desk(sandbox, ALLOWED_GUILDS=demo.GUILD) as served:
        await served.call("messages_search", guild_id=demo.GUILD, channel_ids=channels)

    assert asked(sandbox)[0] == f"GET /guilds/{demo.GUILD}/channels"
    assert len(asked(sandbox)) == 2


async def test_what_discord_does_not_show_is_its_failure(sandbox: Sandbox) -> None:
    async with desk(sandbox, ALLOWED_GUILDS=demo.GUILD) as served:
        twice = [await served.call("messages_read", channel_id=MISSING) for _ in range(2)]

    assert [one.code for one in twice] == ["DISCORD_NOT_FOUND"] * 2
    assert asked(sandbox) == [f"GET /channels/{MISSING}"] * 2


async def test_a_webhook_is_looked_up_with_its_own_token(sandbox: Sandbox) -> None:
    arguments = example(sandbox, "webhooks_get_with_token")

    async with desk(sandbox, ALLOWED_GUILDS=demo.SECOND_GUILD) as served:
        refused = await served.call("webhooks_get_with_token", arguments)

    assert refused.structured["guild_id"] == demo.GUILD
    assert asked(sandbox) == [f"GET /webhooks/{arguments['webhook_id']}/{arguments['token']}"]
    assert "authorization" not in {name.lower() for name in sandbox.requests[0].request_headers}


class Clock:
    """A time that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_what_was_found_counts_for_a_while() -> None:
    clock, answers = Clock(), iter(["1", "2"])
    places = Places(lifetime_seconds=300, clock=clock)

    async def ask() -> str:
        return next(answers)

    found = [await places.find(("channel", "x"), ask)]
    for clock.now in (299.0, 301.0):
        found.append(await places.find(("channel", "x"), ask))

    assert found == ["1", "1", "2"]


async def test_the_longest_unused_is_forgotten() -> None:
    places, asked_for = Places(most=2), list[str]()

    async def look(name: str) -> None:
        async def ask() -> str:
            asked_for.append(name)
            return "guild"

        await places.find(("channel", name), ask)

    for name in ("a", "b", "a", "c", "a", "b"):
        await look(name)

    assert asked_for == ["a", "b", "c", "b"]


async def test_a_caller_that_gives_up_ends_only_itself() -> None:
    places, may_answer, asked_for = Places(), asyncio.Event(), list[int]()

    async def ask() -> str:
        asked_for.append(1)
        await may_answer.wait()
        return "guild"

    first, second = (asyncio.create_task(places.find(("channel", "x"), ask)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    may_answer.set()

    assert await second == "guild"
    assert first.cancelled()
    assert asked_for == [1]


async def test_a_failure_is_not_kept() -> None:
    places = Places()

    async def fail() -> str:
        raise ValueError

    async def ask() -> str:
        return "guild"

    with pytest.raises(ValueError):  # noqa: PT011 - its own
        await places.find(("channel", "x"), fail)

    assert await places.find(("channel", "x"), ask) == "guild"


# --- Tools of one's own -----------------------------------------------------------------------------------------------


async def _done(_arguments: dict[str, Any], _context: Context) -> dict[str, Any]:
    return {}


@pytest.mark.parametrize(
    ("takes", "arguments", "code"),
    [
        ({"guild_id": str}, {"guild_id": demo.GUILD}, None),
        ({"guild_id": str}, {"guild_id": demo.SECOND_GUILD}, "GUILD_NOT_ALLOWED"),
        ({"where": GuildId}, {"where": demo.SECOND_GUILD}, "GUILD_NOT_ALLOWED"),
        ({"channel_id": str}, {"channel_id": demo.GENERAL}, None),
        ({"channel_id": str}, {"channel_id": demo.SECOND_GENERAL}, "GUILD_NOT_ALLOWED"),
        ({"title": str}, {"title": "x"}, "GUILD_SCOPE_UNRESOLVED"),
    ],
)
async def test_a_tool_of_ones_own_is_held_to_the_list(
    sandbox: Sandbox, takes: dict[str, Any], arguments: dict[str, Any], code: str | None
) -> None:
    tool = define_tool(name="mine", description="Do.", input_schema=takes, handler=_done)
    config = load_config(environment(sandbox, ALLOWED_GUILDS=demo.GUILD))
    rest = build_rest(config)

    assert await _code(tool, rest, config, arguments) == code
    await rest.aclose()


@pytest.mark.parametrize(("name", "code"), [("channel_id", "GUILD_SCOPE_UNRESOLVED"), ("guild_id", None)])
async def test_a_client_that_is_not_ours_proves_nothing(sandbox: Sandbox, name: str, code: str | None) -> None:
    tool = define_tool(name="mine", description="Do.", input_schema={name: str}, handler=_done)
    config = load_config(environment(sandbox, ALLOWED_GUILDS=demo.GUILD, DISCORD_EXPECTED_BOT_ID=None))

    assert await _code(tool, None, config, {name: demo.GUILD}) == code


async def _code(tool: Tool, rest: Any, config: Config, arguments: dict[str, Any]) -> str | None:
    built = build_server(rest=rest, config=config, toolsets=[[tool]], transport="memory")
    async with connect(built.server) as client:
        result = await client.call_tool(tool.name, arguments)
    await built.state.close()
    return (result.structured_content or {}).get("code")
