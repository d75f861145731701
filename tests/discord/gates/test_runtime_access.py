"""The bot's permissions, rank and intents, held against every call before it is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

import pytest
from tests.discord.tools.asked import asked
from tests.discord.tools.usual.calling import own_message, somebodys_message
from tests.discord.tools.usual.threads import own_thread
from tests.discord.tools.usual.webhooks import own_webhook
from tests.discord.tools.usual_calls import MISSING, TOOLS, WRITES, example
from tests.served import Called, desk, environment

from accord.discord import build_rest, build_server, define_tool, load_config, needs
from accord.discord.access import CIRCUMSTANCES, access_of
from accord.discord.app import own_tools
from accord.discord.evidence import Evidence
from accord.discord.gates import runtime_access
from accord.discord.gates.circumstances import COUNTED_ELSEWHERE, TELLERS
from accord.discord.models.ids import GuildId
from accord.discord.models.permissions import BITS, bits_of
from accord.discord.rest.errors import DiscordUpstreamError, RuntimeAccessDeniedError, RuntimeAccessUnknownError
from accord.discord.sandbox import Sandbox, demo, demo_channels, demo_voice
from accord.discord.sandbox.demo_members import BANNED
from accord.discord.sandbox.demo_plans import NIGHT_MARKET, SOLDERING
from accord.discord.sandbox.world import Channel, Message, Overwrite
from accord.engine import Call, Caller, Context, Reply, connect

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


async def test_flags_of_a_member_need_no_more_than_one_of_what_discord_lists(sandbox: Sandbox) -> None:
    take(sandbox, "MANAGE_GUILD", "MANAGE_ROLES")

    assert not (await enforced(sandbox, "members_modify", {**LENA, "flags": 4})).failed


@pytest.mark.parametrize(
    ("tool", "own", "anothers"),
    [
        ("stickers_modify_guild_sticker", {}, {"sticker_id": demo.WAVE_STICKER}),
        ("soundboard_modify_guild_sound", {"emoji_id": demo.BLOB}, {"sound_id": demo_voice.SOUND}),
        ("emojis_modify", {}, {"emoji_id": demo.BLOB}),
        ("events_delete", {}, {"event_id": NIGHT_MARKET}),
    ],
)
async def test_who_made_something_is_told_by_what_it_is(
    sandbox: Sandbox, tool: str, own: Arguments, anothers: Arguments
) -> None:
    arguments = example(sandbox, tool)
    take(sandbox, "MANAGE_GUILD_EXPRESSIONS", "MANAGE_EVENTS")
    sandbox.world.guilds[demo.GUILD].events.get(arguments.get("event_id", ""), {})["creator_id"] = demo.BOT

    refused = await enforced(sandbox, tool, arguments | anothers)
    done = await enforced(sandbox, tool, arguments | own)

    assert refused.code in {DENIED, UNKNOWN}  # what came with the guild has no maker
    assert not done.failed


# --- How the bot stands -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stand:
    """How things stand, a call, and what is missing for it; None where it is let through."""

    why: str
    tool: str
    make: Make
    missing: tuple[str, ...] | None
    arrange: Callable[[Sandbox], object]
    hierarchy: str = "satisfied"


def _own_role(sandbox: Sandbox, permissions: int) -> None:
    sandbox.world.guilds[demo.GUILD].roles[demo.BOT_ROLE].permissions = permissions


def _administrator(sandbox: Sandbox) -> None:
    take(sandbox, *(set(BITS) - {"ADMINISTRATOR"}))
    _own_role(sandbox, BITS["ADMINISTRATOR"])


def _owner(sandbox: Sandbox) -> None:
    take(sandbox, *BITS)
    sandbox.world.guilds[demo.GUILD].owner_id = demo.BOT


def _timed_out(sandbox: Sandbox, hours: int = 1) -> None:
    until = datetime.now(UTC) + timedelta(hours=hours)
    sandbox.world.guilds[demo.GUILD].members[demo.BOT].timed_out_until = until.isoformat()


def hidden(*lacks: str, joined: bool) -> Callable[[Sandbox], None]:
    """The thread is private, and the bot lacks these permissions."""

    def arrange(sandbox: Sandbox) -> None:
        take(sandbox, *lacks)
        thread = sandbox.world.channels[demo.THREAD]
        thread.type = 12
        assert thread.thread is not None
        if not joined:
            del thread.thread.members[demo.BOT]

    return arrange


def _dm(sandbox: Sandbox, **more: Any) -> Arguments:
    made = Channel(sandbox.world.new_id(), 1, recipient_id=demo.LENA)
    sandbox.world.channels[made.id] = made
    made.add(Message("1196399999999999998", made.id, demo.LENA, "hello"))
    return {"channel_id": made.id, **more}


def _nothing(_: Sandbox) -> None:
    return None


def without(*names: str) -> Callable[[Sandbox], None]:
    return lambda sandbox: take(sandbox, *names)


def denied_in(channel_id: str, *names: str) -> Callable[[Sandbox], None]:
    return lambda sandbox: deny(sandbox, channel_id, *names)


def ranked(user_id: str, *role_ids: str) -> Callable[[Sandbox], None]:
    def arrange(sandbox: Sandbox) -> None:
        sandbox.world.guilds[demo.GUILD].members[user_id].roles = list(role_ids)

    return arrange


SEND = always(channel_id=demo.GENERAL, content="hi")
IN_THREAD = always(channel_id=demo.THREAD, content="hi")
STATUS = like("voice_set_channel_status")
BAN = {**PLACE, "delete_message_seconds": 0, "__confirm": True}
NIGHT = {**PLACE, "name": "Night"}


def overwrite(**sides: str) -> Make:
    return always(channel_id=demo.GENERAL, overwrite_id=demo.LENA, type=1, **sides)


def _allowing(sandbox: Sandbox, *names: str, to: str = demo.BOT) -> None:
    sandbox.world.channels[demo.GENERAL].overwrites[to] = Overwrite(to, 1, allow=bits_of(list(names)))


def _reply(sandbox: Sandbox) -> Arguments:
    return {**SEND(sandbox), "message_reference": {"message_id": somebodys_message(sandbox)["message_id"]}}


def _granting_in_voice(sandbox: Sandbox, *names: str) -> None:
    """Only the voice channel grants these permissions."""
    take(sandbox, *names)
    sandbox.world.channels[demo.VOICE].overwrites[demo.BOT] = Overwrite(demo.BOT, 1, allow=bits_of(list(names)))


POLL = {"question": {"text": "?"}, "answers": [{"poll_media": {"text": "!"}}]}
MORE: list[tuple[str, Make, str]] = [
    ("embeds", always(**SAY, embeds=[{"title": "x"}]), "EMBED_LINKS"),
    ("poll", always(channel_id=demo.GENERAL, poll=POLL), "SEND_POLLS"),
    ("reply_to", lambda sandbox: {**SEND(sandbox), "reply_to": _reply(sandbox)["message_reference"]["message_id"]},
     "READ_MESSAGE_HISTORY"),
    ("message_reference", _reply, "READ_MESSAGE_HISTORY"),
]  # fmt: skip

STANDS = [
    # Above all rules
    Stand("the owner lacks nothing", "guild_modify", like("guild_modify"), None, _owner),
    Stand("the owner acts on everybody", "members_kick", like("members_kick"), None, _owner),
    Stand("an administrator lacks nothing", "messages_pin", like("messages_pin"), None, _administrator),
    Stand("an administrator is bound by rank", "members_kick", always(**PLACE, user_id=demo.THEO, __confirm=True), (),
          _administrator, "not_satisfied"),
    # Timed out
    Stand("a time-out silences", "messages_send", SEND, ("SEND_MESSAGES",), _timed_out),
    Stand("a time-out ends", "messages_send", SEND, None, lambda sandbox: _timed_out(sandbox, -1)),
    Stand("a time-out lets read", "messages_read", always(channel_id=demo.GENERAL), None, _timed_out),
    Stand("a time-out takes moderation", "members_kick", like("members_kick"), ("KICK_MEMBERS",), _timed_out),
    # Overwrites
    Stand("a channel denies", "messages_send", SEND, ("SEND_MESSAGES",), denied_in(demo.GENERAL, "SEND_MESSAGES")),
    Stand("another channel denies", "messages_send", SEND, None, denied_in(demo.WELCOME, "SEND_MESSAGES")),
    Stand("no sight, nothing", "messages_send", SEND, ("VIEW_CHANNEL",), denied_in(demo.GENERAL, "VIEW_CHANNEL")),
    Stand("no sending, no files", "messages_send", always(channel_id=demo.GENERAL, content="hi", tts=True),
          ("SEND_MESSAGES", "SEND_TTS_MESSAGES"), without("SEND_MESSAGES")),
    # Arguments that need more
    *(Stand(f"{name} needs more", "messages_send", make, (more,), without(more)) for name, make, more in MORE),
    # Threads
    Stand("a thread asks for its own right", "messages_send", IN_THREAD, None, without("SEND_MESSAGES")),
    Stand("a parent denies for its threads", "messages_send", IN_THREAD, ("SEND_MESSAGES_IN_THREADS",),
          denied_in(demo.GENERAL, "SEND_MESSAGES_IN_THREADS")),
    Stand("in a private thread", "messages_send", IN_THREAD, None, hidden("MANAGE_THREADS", joined=True)),
    Stand("outside of a private thread", "messages_send", IN_THREAD, ("VIEW_CHANNEL",),
          hidden("MANAGE_THREADS", joined=False)),
    Stand("a moderator of private threads", "messages_send", IN_THREAD, None, hidden(joined=False)),
    Stand("a thread is woken up", "channels_modify", always(channel_id=demo.THREAD, archived=False), None,
          without("MANAGE_THREADS")),
    Stand("a thread of others is put away", "channels_modify", always(channel_id=demo.THREAD, archived=True),
          ("MANAGE_THREADS",), without("MANAGE_THREADS")),
    # Events
    Stand("an event's channel grants what the guild does not", "events_create", always(**VOICE), None,
          lambda sandbox: _granting_in_voice(sandbox, "CREATE_EVENTS")),
    Stand("managing events in their channel", "events_delete", always(**PLACE, event_id=SOLDERING, __confirm=True),
          None, lambda sandbox: _granting_in_voice(sandbox, "CREATE_EVENTS", "MANAGE_EVENTS")),
    Stand("managing events nowhere", "events_delete", always(**PLACE, event_id=SOLDERING, __confirm=True),
          ("MANAGE_EVENTS",), without("MANAGE_EVENTS")),
    # Voice
    Stand("no connecting, no voice", "voice_set_channel_status", STATUS,
          ("SET_VOICE_CHANNEL_STATUS", "MANAGE_CHANNELS"), denied_in(demo.VOICE, "CONNECT")),
    # Direct messages
    Stand("a direct message has no permissions", "messages_send", lambda sandbox: _dm(sandbox, content="hi"), None,
          without(*BITS)),
    Stand("one's own side of it", "messages_delete",
          lambda sandbox: _dm(sandbox, message_id="1196399999999999998", __confirm=True), ("MANAGE_MESSAGES",),
          _nothing),
    Stand("no intent for direct messages", "messages_read", _dm, None,
          lambda sandbox: sandbox.world.application.update(flags=0, flags_new="0")),
    # Members
    Stand("nobody acts on the owner", "members_modify", always(**PLACE, user_id=demo.MAYA, nick="x"), (), _nothing,
          "not_satisfied"),
    Stand("rank does not count for mute", "members_modify", always(**PLACE, user_id=demo.THEO, mute=True), None,
          lambda sandbox: demo_channels.in_voice(sandbox.world.guilds[demo.GUILD], demo.VOICE, demo.THEO)),
    Stand("clearing needs what setting needs", "members_modify", always(**LENA, clear=["nick"]), ("MANAGE_NICKNAMES",),
          without("MANAGE_NICKNAMES")),
    Stand("clearing is bound by rank", "members_modify", always(**PLACE, user_id=demo.THEO, clear=["nick"]), (),
          _nothing, "not_satisfied"),
    Stand("who is not there has no rank", "members_ban", always(**BAN, user_id=BANNED), None, _nothing),
    Stand("one of many stands too high", "members_bulk_ban", always(**BAN, user_ids=[demo.LENA, demo.MAYA]), (),
          _nothing, "not_satisfied"),
    Stand("many, and a permission too", "members_bulk_ban", always(**BAN, user_ids=[demo.THEO, demo.LENA]),
          ("BAN_MEMBERS",), without("BAN_MEMBERS"), "not_satisfied"),
    # Roles handed on
    Stand("a role above", "members_add_role", always(**LENA, role_id=demo.MODERATOR_ROLE), (), _nothing,
          "not_satisfied"),
    Stand("the bot's own role", "members_add_role", always(**LENA, role_id=demo.BOT_ROLE), (), _nothing,
          "not_satisfied"),
    Stand("everybody's role", "members_add_role", always(**LENA, role_id=demo.GUILD), (), _nothing, "not_satisfied"),
    Stand("a role above among all roles", "members_modify",
          always(**LENA, roles=[demo.MEMBER_ROLE, demo.MODERATOR_ROLE]), (), _nothing, "not_satisfied"),
    Stand("a role above is taken", "members_modify", always(**LENA, roles=[demo.MEMBER_ROLE]), (),
          ranked(demo.LENA, demo.MEMBER_ROLE, demo.MODERATOR_ROLE), "not_satisfied"),
    Stand("an invite gives a role above", "invites_create_channel",
          always(channel_id=demo.GENERAL, role_ids=[demo.MODERATOR_ROLE]), (), _nothing, "not_satisfied"),
    Stand("one of many roles to move", "roles_modify_positions",
          always(**PLACE, positions=[{"id": demo.MEMBER_ROLE, "position": 1}, {"id": demo.ADMIN_ROLE, "position": 1}]),
          (), _nothing, "not_satisfied"),
    # Permissions handed on
    Stand("a permission of one's own", "roles_create", always(**NIGHT, permissions="KICK_MEMBERS"), None, _nothing),
    Stand("a permission beyond", "roles_create", always(**NIGHT, permissions="ADMINISTRATOR,KICK_MEMBERS"),
          ("ADMINISTRATOR",), _nothing),
    Stand("a permission without a name", "roles_create", always(**NIGHT, permissions=str(1 << 60)), ("1<<60",),
          _nothing),
    Stand("a role comes to more", "roles_modify",
          always(**PLACE, role_id=demo.MEMBER_ROLE, permissions="VIEW_CREATOR_MONETIZATION_ANALYTICS"),
          ("VIEW_CREATOR_MONETIZATION_ANALYTICS",), _nothing),
    # Overwrites handed on
    Stand("an overwrite of one's own", "channels_modify_permissions", overwrite(deny="KICK_MEMBERS"), None, _nothing),
    Stand("allowing beyond", "channels_modify_permissions", overwrite(allow="PRIORITY_SPEAKER"), ("PRIORITY_SPEAKER",),
          _nothing),
    Stand("denying beyond", "channels_modify_permissions", overwrite(deny="PRIORITY_SPEAKER"), ("PRIORITY_SPEAKER",),
          _nothing),
    Stand("what is allowed already", "channels_modify_permissions", overwrite(allow="PRIORITY_SPEAKER"), None,
          lambda sandbox: _allowing(sandbox, "PRIORITY_SPEAKER", to=demo.LENA)),
    Stand("MANAGE_ROLES in the channel", "channels_modify_permissions", overwrite(allow="PRIORITY_SPEAKER"), None,
          lambda sandbox: _allowing(sandbox, "MANAGE_ROLES")),
    Stand("a new channel with more", "channels_create_guild_channel",
          always(**NIGHT, permission_overwrites=[{"id": demo.LENA, "type": 1, "allow": "STREAM"}]), ("STREAM",),
          _nothing),
]  # fmt: skip


@pytest.mark.parametrize("stand", STANDS, ids=[stand.why for stand in STANDS])
async def test_what_a_call_needs_is_held_against_how_the_bot_stands(sandbox: Sandbox, stand: Stand) -> None:
    arguments = stand.make(sandbox)
    stand.arrange(sandbox)

    called = await enforced(sandbox, stand.tool, arguments)

    if stand.missing is None:
        assert called.code not in {DENIED, UNKNOWN, "VALIDATION_FAILED"}
    else:
        told = called.structured
        assert called.code == DENIED
        assert (set(told["missing_permissions"]), told["hierarchy"]) == (set(stand.missing), stand.hierarchy)


@pytest.mark.parametrize(
    ("tool", "arguments", "reason"),
    [
        (
            "messages_send",
            {"channel_id": MISSING, "content": "hi"},
            "the channel could not be read",
        ),
        (
            "members_kick",
            {"guild_id": MISSING, "user_id": demo.LENA, "__confirm": True},
            "the guild could not be read",
        ),
        (
            "webhooks_delete",
            {"webhook_id": MISSING, "__confirm": True},
            "the webhook could not be read",
        ),
        ("invites_delete", {"code": "nowhere", "__confirm": True}, "the invite could not be read"),
        ("members_add_role", {**LENA, "role_id": MISSING}, "the guild has no such role"),
        ("events_create", {**VOICE, "channel_id": demo_voice.STAGE_CHANNEL}, "the channel is in another guild"),
        ("guild_modify_current_voice_state", {**STAGED, **PLACE, "suppress": False}, "the channel is in another guild"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_what_cannot_be_found_out_is_refused(
    sandbox: Sandbox, tool: str, arguments: Arguments, reason: str
) -> None:
    take(sandbox, "CONNECT")  # what the event needs in its channel is not there anyway

    refused = await enforced(sandbox, tool, arguments)

    assert refused.code == UNKNOWN
    assert refused.structured["reason"].removesuffix(" (DISCORD_NOT_FOUND)") == reason
    assert "MCP_ACCESS_MODE=warn" in refused.structured["recovery_hint"]


# --- Who is not held against anything ---------------------------------------------------------------------------------


def _own_rights(tool: str) -> bool:
    return access_of(own_tools()[tool]).auth in {"none", "bearer"} or not own_tools()[tool].open_world


@pytest.mark.parametrize("tool", [name for name in TOOLS if _own_rights(name)])
async def test_nothing_is_asked_for_a_call_that_does_not_use_the_bots_rights(sandbox: Sandbox, tool: str) -> None:
    arguments = example(sandbox, tool)

    await enforced(sandbox, tool, arguments)

    assert "GET /users/@me" not in asked(sandbox)


async def test_a_token_of_its_own_needs_no_right_of_the_bot(sandbox: Sandbox) -> None:
    take(sandbox, *BITS)
    arguments = example(sandbox, "webhooks_modify_with_token")

    assert not (await enforced(sandbox, "webhooks_modify_with_token", arguments)).failed
    assert "GET /users/@me" not in asked(sandbox)


async def test_a_tool_of_others_that_does_not_say_what_it_needs_is_refused(sandbox: Sandbox) -> None:
    assert (await _own_tool(sandbox, "enforce"))["code"] == UNKNOWN
    assert (await _own_tool(sandbox, "warn")) == {"done": True}


async def test_a_tool_of_others_can_say_what_it_needs(sandbox: Sandbox) -> None:
    needed = needs("KICK_MEMBERS")

    assert (await _own_tool(sandbox, "enforce", access=needed)) == {"done": True}
    take(sandbox, "KICK_MEMBERS")
    assert (await _own_tool(sandbox, "enforce", access=needed))["missing_permissions"] == ["KICK_MEMBERS"]


async def _own_tool(sandbox: Sandbox, mode: str, **said: Any) -> dict[str, Any]:
    async def done(_arguments: dict[str, Any], _context: Context) -> dict[str, Any]:
        return {"done": True}

    tool = define_tool(name="own", description="Do it.", input_schema={"guild_id": GuildId}, handler=done, **said)
    config = load_config(environment(sandbox, MCP_ACCESS_MODE=mode))
    rest = build_rest(config)
    built = build_server(rest=rest, config=config, toolsets=[[tool]], transport="memory")
    async with connect(built.server) as client:
        result = await client.call_tool("own", {"guild_id": demo.GUILD})
    await built.state.close()
    await rest.aclose()
    return result.structured_content or {}


# --- Modes and order --------------------------------------------------------------------------------------------------


def _warnings(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    lines: list[Any] = [one.msg for one in caplog.records if one.name == "accord.access"]
    return lines


async def test_a_warning_is_logged_without_content_and_the_call_goes_on(
    sandbox: Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    take(sandbox, "SEND_MESSAGES")

    async with desk(sandbox, MCP_ACCESS_MODE="warn") as served:
        called = await served.call("messages_send", channel_id=demo.GENERAL, content="canary")

    (line,) = _warnings(caplog)
    assert (line["level"], line["tool"], line["outcome"]) == ("warning", "messages_send", "denied")
    assert line["missing_permissions"] == ["SEND_MESSAGES"]
    assert "canary" not in str(line)
    assert called.code == "DISCORD_PERMISSION_DENIED"
    assert len(served.writes) == 1


@pytest.mark.parametrize("tool", ["messages_send", "messages_read"])
async def test_nothing_is_logged_of_a_call_that_lacks_nothing(
    sandbox: Sandbox, tool: str, caplog: pytest.LogCaptureFixture
) -> None:
    arguments = example(sandbox, tool)

    async with desk(sandbox, MCP_ACCESS_MODE="warn") as served:
        await served.call(tool, arguments)

    assert _warnings(caplog) == []
    assert "GET /users/@me" in asked(sandbox)


@pytest.mark.parametrize("tool", ["messages_send", "members_kick"])
async def test_nothing_is_found_out_about_what_is_only_previewed(sandbox: Sandbox, tool: str) -> None:
    arguments = example(sandbox, tool)

    async with desk(sandbox, MCP_ACCESS_MODE="enforce", MCP_WRITE_MODE="preview") as served:
        shown = await served.call(tool, arguments)

    assert shown.code == "WRITE_PREVIEW"
    assert asked(sandbox) == []


async def test_nobody_is_asked_to_confirm_what_the_bot_may_not_do(sandbox: Sandbox) -> None:
    take(sandbox, "MANAGE_CHANNELS")

    refused = await enforced(sandbox, "channels_delete", {"channel_id": demo.WELCOME})

    assert refused.code == DENIED


# --- What was read before ---------------------------------------------------------------------------------------------

PIN = ("messages_list_pins", {"channel_id": demo.GENERAL})


async def test_reads_share_what_was_found_out(sandbox: Sandbox) -> None:
    async with desk(sandbox, MCP_ACCESS_MODE="enforce") as served:
        for _ in range(3):
            await served.call(*PIN)

    assert [asked(sandbox).count(f"GET {path}") for path in ("/users/@me", f"/guilds/{demo.GUILD}")] == [1, 1]


async def test_what_was_found_out_before_a_write_does_not_count_after_it(sandbox: Sandbox) -> None:
    async with desk(sandbox, MCP_ACCESS_MODE="enforce") as served:
        await served.call(*PIN)
        take(sandbox, "SEND_MESSAGES")
        first = await served.call("messages_send", channel_id=demo.GENERAL, content="by what was known")
        second = await served.call("messages_send", channel_id=demo.GENERAL, content="by what is")

    assert (first.code, second.code) == ("DISCORD_PERMISSION_DENIED", DENIED)


async def test_what_was_found_out_during_a_write_does_not_count_after_it(sandbox: Sandbox) -> None:
    evidence, seen = Evidence(), []
    config = load_config(environment(sandbox))
    rest = build_rest(config)

    async def write(_call: Call) -> Reply:
        seen.append(await evidence.channel(rest, demo.VOICE))  # another call's reading, meanwhile
        sandbox.world.channels[demo.VOICE].name = "after"
        return Reply(structured={}, text="")

    await runtime_access("enforce", evidence)(_call(rest, "messages_send", SEND(sandbox)), write)
    seen.append(await evidence.channel(rest, demo.VOICE))
    await rest.aclose()

    assert [one["name"] for one in seen] == ["Workbench", "after"]


async def test_a_write_that_failed_may_have_been_carried_out(sandbox: Sandbox) -> None:
    evidence = Evidence()
    rest = build_rest(load_config(environment(sandbox)))

    async def lose(_call: Call) -> Reply:
        await evidence.guild(rest, demo.GUILD)
        raise DiscordUpstreamError

    with pytest.raises(DiscordUpstreamError):
        await runtime_access("warn", evidence)(_call(rest, "messages_send", SEND(sandbox)), lose)
    await evidence.guild(rest, demo.GUILD)
    await rest.aclose()

    assert asked(sandbox).count(f"GET /guilds/{demo.GUILD}") == 3


# --- Who the bot is ---------------------------------------------------------------------------------------------------


async def _passed(_call: Call) -> Reply:
    return Reply(structured={}, text="")


def _call(client: Any, tool: str, arguments: Arguments) -> Call:
    return Call(
        tool=own_tools()[tool],
        arguments=arguments,
        caller=Caller(id="local", transport="memory"),
        client=client,
        door=None,  # type: ignore[arg-type]  # no inner calls
        id="1",
        deadline=0.0,
    )


async def test_another_bot_than_the_expected_one_is_refused(sandbox: Sandbox) -> None:
    rest = build_rest(load_config(environment(sandbox)))
    call = _call(rest, "messages_send", SEND(sandbox))

    await runtime_access("enforce", expected_bot_id=demo.BOT)(call, _passed)
    with pytest.raises(RuntimeAccessDeniedError) as refused:
        await runtime_access("enforce", expected_bot_id=MISSING)(call, _passed)
    await rest.aclose()

    facts = refused.value.facts
    assert (facts["missing_permissions"], facts["missing_intents"], facts["hierarchy"]) == ([], [], "unknown")


@pytest.mark.parametrize("mode", ["warn", "enforce"])
async def test_a_token_that_is_not_good_stays_the_reason(sandbox: Sandbox, mode: str) -> None:
    async with desk(sandbox, MCP_ACCESS_MODE=mode, DISCORD_TOKEN=f"{sandbox.token}x") as served:
        refused = await served.call("messages_send", channel_id=demo.GENERAL, content="hi")

    assert refused.code == "DISCORD_AUTH_INVALID"
    assert served.writes == []


@pytest.mark.parametrize("mode", ["warn", "enforce"])
async def test_without_a_client_nothing_is_proven(mode: Any) -> None:
    call = _call(None, "messages_send", {"channel_id": demo.GENERAL, "content": "hi"})
    gate = runtime_access(mode)

    if mode == "enforce":
        with pytest.raises(RuntimeAccessUnknownError):
            await gate(call, _passed)
    else:
        assert await gate(call, _passed)
    assert call.facts["access"]["outcome"] == "unknown"
