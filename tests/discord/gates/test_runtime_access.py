"""The bot's permissions, rank and intents, held against every call before it is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import pytest
from tests.discord.tools.asked import asked
from tests.discord.tools.usual.calling import own_message, somebodys_message
from tests.discord.tools.usual.threads import own_thread
from tests.discord.tools.usual.webhooks import own_webhook
from tests.discord.tools.usual_calls import TOOLS, WRITES, example
from tests.served import Called, desk

from accord.discord.access import CIRCUMSTANCES, access_of
from accord.discord.app import own_tools
from accord.discord.gates.circumstances import COUNTED_ELSEWHERE, TELLERS
from accord.discord.models.permissions import bits_of
from accord.discord.sandbox import Sandbox, demo, demo_channels, demo_voice
from accord.discord.sandbox.demo_plans import NIGHT_MARKET, SOLDERING
from accord.discord.sandbox.world import Overwrite

Arguments: TypeAlias = dict[str, Any]
Make: TypeAlias = Callable[[Sandbox], Arguments]

DENIED, UNKNOWN = "RUNTIME_ACCESS_DENIED", "RUNTIME_ACCESS_UNKNOWN"


async def enforced(sandbox: Sandbox, tool: str, arguments: Arguments) -> Called:
    """Make the call where access is enforced; whatever is refused has written nothing."""
    async with desk(sandbox, MCP_ACCESS_MODE="enforce", MCP_CONFIRM_EXTRA="false") as served:
        called = await served.call(tool, arguments)
    if called.code in {DENIED, UNKNOWN}:
        assert served.writes == []
    return called


def take(sandbox: Sandbox, *names: str) -> None:
    """Take permissions from every role in every guild."""
    gone = bits_of(list(names))
    for guild in sandbox.world.guilds.values():
        for role in guild.roles.values():
            role.permissions &= ~gone


def deny(sandbox: Sandbox, channel_id: str, *names: str) -> None:
    """Deny the bot permissions in one channel."""
    overwrite = Overwrite(demo.BOT, 1, deny=bits_of(list(names)))
    sandbox.world.channels[channel_id].overwrites[demo.BOT] = overwrite


# --- Every tool, open and closed --------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_bot_with_all_that_is_needed_is_let_through(sandbox: Sandbox, tool: str) -> None:
    assert not (await enforced(sandbox, tool, example(sandbox, tool))).failed


def _needed() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each permission that a tool always needs of the bot, and those of which it needs one."""
    for name, tool in own_tools().items():
        access = access_of(tool)
        if access.auth == "bot":
            yield from ((name, (permission,)) for permission in access.permissions)
            if access.any_of:
                yield name, access.any_of


NEEDED = list(_needed())


def test_most_writes_in_guilds_need_something() -> None:
    assert len({tool for tool, _ in NEEDED} & set(WRITES)) > 50


@pytest.mark.parametrize(("tool", "permissions"), NEEDED, ids=[f"{tool}-{'|'.join(names)}" for tool, names in NEEDED])
async def test_a_bot_without_a_permission_is_refused_and_writes_nothing(
    sandbox: Sandbox, tool: str, permissions: tuple[str, ...]
) -> None:
    arguments = example(sandbox, tool)
    in_threads = ["SEND_MESSAGES_IN_THREADS"] if permissions == ("SEND_MESSAGES",) else []
    take(sandbox, *permissions, *in_threads)

    refused = await enforced(sandbox, tool, arguments)

    assert refused.code == DENIED
    assert {*permissions, *in_threads} & set(refused.structured["missing_permissions"])
    assert refused.structured["missing_intents"] == []
    assert "No action was taken" in refused.text


@pytest.mark.parametrize("tool", [name for name, tool in own_tools().items() if access_of(tool).intents])
async def test_a_privileged_intent_is_one_of_the_applications_flags(sandbox: Sandbox, tool: str) -> None:
    arguments = example(sandbox, tool)
    sandbox.world.application |= {"flags": 0, "flags_new": "0"}

    refused = await enforced(sandbox, tool, arguments)

    assert refused.code == DENIED
    assert refused.structured["missing_intents"] == list(access_of(own_tools()[tool]).intents)
    assert refused.structured["missing_permissions"] == []


@pytest.mark.parametrize("tool", [name for name in WRITES if access_of(own_tools()[name]).above == "member"])
async def test_nobody_acts_on_whoever_stands_as_high(sandbox: Sandbox, tool: str) -> None:
    arguments = example(sandbox, tool)
    last = arguments["user_ids"][-1] if "user_ids" in arguments else arguments["user_id"]
    sandbox.world.guilds[demo.GUILD].members[last].roles = [demo.BOT_ROLE]

    refused = await enforced(sandbox, tool, arguments)

    assert (refused.code, refused.structured["hierarchy"]) == (DENIED, "not_satisfied")
    assert refused.structured["missing_permissions"] == []


@pytest.mark.parametrize("tool", [name for name in WRITES if access_of(own_tools()[name]).above == "role"])
async def test_nobody_manages_a_role_as_high_as_their_own(sandbox: Sandbox, tool: str) -> None:
    arguments = example(sandbox, tool)
    guild = sandbox.world.guilds[demo.GUILD]
    role_id = arguments["positions"][-1]["id"] if "positions" in arguments else arguments["role_id"]
    guild.roles[role_id].position = guild.roles[demo.BOT_ROLE].position + 1

    refused = await enforced(sandbox, tool, arguments)

    assert (refused.code, refused.structured["hierarchy"]) == (DENIED, "not_satisfied")


@pytest.mark.parametrize("tool", WRITES)
async def test_advice_asks_discord_nothing(sandbox: Sandbox, tool: str) -> None:
    arguments = example(sandbox, tool)
    async with desk(sandbox, MCP_CONFIRM_EXTRA="false") as served:
        await served.call(tool, arguments)

    assert not {"GET /users/@me", f"GET /guilds/{demo.GUILD}/members/{demo.BOT}"} & set(asked(sandbox))


# --- Circumstances ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A call for which the circumstance holds, one for which it does not, and the permissions that the bot lacks."""

    name: str
    tool: str
    holds: Make
    otherwise: Make
    lacks: tuple[str, ...]
    code: str = DENIED
    missing: tuple[str, ...] | None = None
    arrange: Callable[[Sandbox], object] = field(default=lambda _: None)

    @property
    def told(self) -> tuple[str, ...]:
        """What is said to be missing."""
        return self.lacks if self.missing is None else self.missing


def always(**arguments: Any) -> Make:
    return lambda _: arguments


def like(tool: str, **more: Any) -> Make:
    return lambda sandbox: {**example(sandbox, tool), **more}


def _moderate_a_tag(sandbox: Sandbox) -> None:
    for tag in sandbox.world.channels[demo.FORUM].settings["available_tags"]:
        tag["moderated"] = tag["id"] == demo.BUG_TAG


def _private(sandbox: Sandbox) -> Arguments:
    arguments = own_thread(sandbox)
    sandbox.world.channels[arguments["thread_id"]].type = 12
    return {**arguments, "user_id": demo.THEO}


def _own_threads_channel(sandbox: Sandbox, **more: Any) -> Arguments:
    return {"channel_id": own_thread(sandbox)["thread_id"], **more}


def _in_voice(sandbox: Sandbox) -> Arguments:
    demo_channels.in_voice(sandbox.world.guilds[demo.GUILD], demo.VOICE, demo.BOT)
    return {"channel_id": demo.VOICE, "status": "Soldering"}


def _features(*features: str) -> Make:
    return lambda sandbox: {
        "guild_id": demo.GUILD,
        "features": [*sandbox.world.guilds[demo.GUILD].features, *features],
    }


def _welcoming(sandbox: Sandbox) -> Arguments:
    sandbox.world.guilds[demo.GUILD].features.append("WELCOME_SCREEN_ENABLED")
    return {"guild_id": demo.GUILD}


def _anothers_invite(sandbox: Sandbox) -> Arguments:
    guild = sandbox.world.guilds[demo.GUILD]
    demo_channels.standing_invite(sandbox.world, guild, "theirs", demo.GENERAL, demo.MAYA)
    return {"code": "theirs", "user_ids": [demo.LENA]}


def _anothers_webhook(sandbox: Sandbox, **more: Any) -> Arguments:
    return {**own_webhook(sandbox, application_id=None), **more}


PLACE = {"guild_id": demo.GUILD}
LENA = {**PLACE, "user_id": demo.LENA}
TIMES = {"name": "Tea", "scheduled_start_time": "2099-01-01T17:00:00Z", "scheduled_end_time": "2099-01-01T18:00:00Z"}
OUTSIDE = {**PLACE, **TIMES, "entity_type": 3, "entity_metadata": {"location": "By the bridge"}}
STAGE = {"guild_id": demo.SECOND_GUILD, **TIMES, "entity_type": 1, "channel_id": demo_voice.STAGE_CHANNEL}
VOICE = {**PLACE, **TIMES, "entity_type": 2, "channel_id": demo.VOICE}
STAGED = {"guild_id": demo.SECOND_GUILD, "channel_id": demo_voice.STAGE_CHANNEL}
SAY = {"channel_id": demo.GENERAL, "content": "hi @everyone"}
EVERYONE = {"allowed_mentions": {"parse": ["everyone"]}}
RULE = "automod_create_rule"

CASES = [
    Case(
        "an action of type 3, a time-out",
        RULE,
        like(RULE),
        like(RULE, actions=[{"type": 1}]),
        ("MODERATE_MEMBERS",),
    ),
    Case(
        "MANAGE_ROLES in permission_overwrites",
        "channels_create_guild_channel",
        always(**PLACE, name="x", permission_overwrites=[{"id": demo.THEO, "type": 1, "allow": "MANAGE_ROLES"}]),
        always(**PLACE, name="x", permission_overwrites=[{"id": demo.THEO, "type": 1, "allow": "VIEW_CHANNEL"}]),
        ("ADMINISTRATOR",),
    ),
    Case(
        "flags, without MANAGE_ROLES or all of MODERATE_, KICK_ and BAN_MEMBERS",
        "members_modify",
        always(**LENA, flags=4),
        always(**LENA, nick="Lamp"),
        ("MANAGE_GUILD", "MANAGE_ROLES", "KICK_MEMBERS"),
        missing=("MANAGE_GUILD",),
    ),
    Case(
        "send_start_notification is true",
        "stage_instances_create",
        like("stage_instances_create", send_start_notification=True),
        like("stage_instances_create", send_start_notification=False),
        ("MENTION_EVERYONE",),
    ),
    Case(
        "suppress is false",
        "guild_modify_current_voice_state",
        always(**STAGED, suppress=False),
        always(**STAGED, suppress=True),
        ("MUTE_MEMBERS",),
    ),
    Case(
        "to ask to speak",
        "guild_modify_current_voice_state",
        always(**STAGED, request_to_speak_timestamp="2026-11-30T17:00:00Z"),
        always(**STAGED, clear=["request_to_speak_timestamp"]),
        ("REQUEST_TO_SPEAK",),
    ),
    Case(
        "to ping @everyone",
        "messages_send",
        always(**SAY, **EVERYONE),
        always(**SAY | {"content": "hi"}, **EVERYONE),
        ("MENTION_EVERYONE",),
    ),
    Case("tts is true", "messages_send", always(**SAY, tts=True), always(**SAY, tts=False), ("SEND_TTS_MESSAGES",)),
    Case(
        "type 10 or 11",
        "threads_create",
        always(channel_id=demo.GENERAL, name="x", type=11),
        always(channel_id=demo.GENERAL, name="x", type=12),
        ("CREATE_PUBLIC_THREADS",),
    ),
    Case(
        "type 12",
        "threads_create",
        always(channel_id=demo.GENERAL, name="x", type=12),
        always(channel_id=demo.GENERAL, name="x", type=11),
        ("CREATE_PRIVATE_THREADS",),
    ),
    Case(
        "a moderated tag in applied_tags",
        "channels_forum_create_thread",
        like("channels_forum_create_thread", applied_tags=["bug"]),
        like("channels_forum_create_thread", applied_tags=["idea"]),
        ("MANAGE_THREADS",),
        arrange=_moderate_a_tag,
    ),
    Case(
        "a thread that is not the bot's own private one",
        "threads_remove_member",
        lambda sandbox: {**own_thread(sandbox), "user_id": demo.THEO},
        _private,
        ("MANAGE_THREADS",),
    ),
    Case(
        "a thread, beyond what its creator may change",
        "channels_modify",
        lambda sandbox: _own_threads_channel(sandbox, rate_limit_per_user=5),
        lambda sandbox: _own_threads_channel(sandbox, name="Glue, again"),
        ("MANAGE_THREADS",),
    ),
    Case(
        "channel",
        "channels_delete",
        like("channels_delete"),
        lambda sandbox: _own_threads_channel(sandbox, __confirm=True),
        ("MANAGE_CHANNELS",),
    ),
    Case(
        "thread",
        "channels_delete",
        lambda sandbox: _own_threads_channel(sandbox, __confirm=True),
        like("channels_delete"),
        ("MANAGE_THREADS",),
    ),
    Case(
        "in a thread, in place of SEND_MESSAGES",
        "messages_send",
        always(channel_id=demo.THREAD, content="hi"),
        always(channel_id=demo.GENERAL, content="hi"),
        ("SEND_MESSAGES_IN_THREADS",),
    ),
    Case(
        "in a voice channel",
        "messages_read",
        always(channel_id=demo.VOICE),
        always(channel_id=demo.GENERAL),
        ("CONNECT",),
    ),
    Case(
        "in the channel to move to",
        "members_modify",
        always(**LENA, channel_id=demo.VOICE),
        always(**LENA, nick="Lamp"),
        ("CONNECT",),
    ),
    Case(
        "the bot is not in the channel",
        "voice_set_channel_status",
        like("voice_set_channel_status"),
        _in_voice,
        ("MANAGE_CHANNELS",),
    ),
    Case(
        "another author's message",
        "messages_delete",
        lambda sandbox: {**somebodys_message(sandbox), "__confirm": True},
        lambda sandbox: {**own_message(sandbox), "__confirm": True},
        ("MANAGE_MESSAGES",),
    ),
    Case(
        "first to use the emoji",
        "reactions_create",
        lambda sandbox: {**_fish(sandbox), "emoji": "👍"},
        lambda sandbox: {**_fish(sandbox), "emoji": "🐟"},
        ("ADD_REACTIONS",),
    ),
    Case(
        "a stage event, in its channel",
        "events_create",
        always(**STAGE),
        always(**OUTSIDE),
        ("MUTE_MEMBERS",),
        missing=("MANAGE_CHANNELS", "MUTE_MEMBERS", "MOVE_MEMBERS", "CREATE_EVENTS"),
    ),
    Case("a voice event, in its channel", "events_create", always(**VOICE), always(**OUTSIDE), ("CONNECT",)),
    Case(
        "stage and voice events",
        "events_get",
        always(**PLACE, event_id=SOLDERING),
        always(**PLACE, event_id=NIGHT_MARKET),
        ("VIEW_CHANNEL",),
        code=UNKNOWN,
    ),
    Case(
        "features adds or removes COMMUNITY or DISCOVERABLE",
        "guild_modify",
        _features("DISCOVERABLE"),
        _features("INVITES_DISABLED"),
        ("ADMINISTRATOR",),
    ),
    Case("the welcome screen is off", "guild_get_welcome_screen", always(**PLACE), _welcoming, ("MANAGE_GUILD",)),
    Case(
        "an invite of somebody else",
        "invites_update_target_users",
        _anothers_invite,
        like("invites_update_target_users"),
        ("MANAGE_GUILD",),
    ),
    Case(
        "created by somebody else",
        "emojis_modify",
        always(**PLACE, emoji_id=demo.BLOB, name="lamp"),
        like("emojis_modify"),
        ("MANAGE_GUILD_EXPRESSIONS",),
    ),
    Case(
        "token left out, webhook not the bot's own",
        "webhooks_execute",
        lambda sandbox: _anothers_webhook(sandbox, content="hi"),
        lambda sandbox: {**own_webhook(sandbox), "content": "hi"},
        ("MANAGE_WEBHOOKS",),
    ),
    Case("webhook not the bot's own", "webhooks_get", _anothers_webhook, own_webhook, ("MANAGE_WEBHOOKS",)),
]


def _fish(sandbox: Sandbox) -> Arguments:
    return {"channel_id": demo.GENERAL, "message_id": demo.message_with(sandbox.world, demo.GENERAL, "first fish").id}


def test_every_circumstance_can_be_told_and_is_tried() -> None:
    assert set(TELLERS) == CIRCUMSTANCES == {case.name for case in CASES}
    assert COUNTED_ELSEWHERE < CIRCUMSTANCES


each_case = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])


@each_case
async def test_a_circumstance_that_holds_needs_its_permissions(sandbox: Sandbox, case: Case) -> None:
    arguments = case.holds(sandbox)
    case.arrange(sandbox)
    take(sandbox, *case.lacks)

    refused = await enforced(sandbox, case.tool, arguments)

    assert refused.code == case.code
    assert set(refused.structured.get("missing_permissions", case.told)) == set(case.told)


@each_case
async def test_a_circumstance_that_does_not_hold_needs_nothing(sandbox: Sandbox, case: Case) -> None:
    arguments = case.otherwise(sandbox)
    case.arrange(sandbox)
    take(sandbox, *case.lacks)

    assert (await enforced(sandbox, case.tool, arguments)).code not in {DENIED, UNKNOWN, "VALIDATION_FAILED"}
