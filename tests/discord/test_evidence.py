"""What is read of Discord is kept for a moment, shared between calls, and never served past a write."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
from tests.clock import Clock

from accord.discord.evidence import Evidence, Unproven, Withheld
from accord.discord.permissions.facts import GuildFacts, MemberFacts, RoleFacts
from accord.discord.rest.client import Discord
from accord.discord.rest.errors import (
    DiscordAuthError,
    DiscordCloudflareBlocked,
    DiscordNotFoundError,
    DiscordPermissionError,
    DiscordUpstreamError,
)
from accord.engine import ToolError

Read: TypeAlias = Callable[[Evidence, Discord], Any]

ONE, TWO, THREE = "1196393339292667620", "1196393339292667621", "1196393339292667622"


class Scripted(Discord):
    """A Discord that answers what a test says, once it may."""

    def __init__(self, answer: Any = None) -> None:  # no connections are made
        self.answer = answer
        self.asked: Counter[str] = Counter()
        self.may = asyncio.Event()
        self.may.set()

    async def get(self, template: str, *values: Any, **_: Any) -> Any:
        path = template.format(*values)
        self.asked[path] += 1
        answer = self.answer if self.answer is not None else {"id": values[-1]}
        await self.may.wait()
        if isinstance(answer, ToolError):
            raise answer
        return answer


def channel(evidence: Evidence, discord: Discord, channel_id: str = ONE) -> Any:
    return evidence.channel(discord, channel_id)


# --- For a moment -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seconds", "asked"), [(0.0, 1), (4.9, 1), (5.0, 2), (3600.0, 2)])
async def test_what_was_read_counts_for_its_lifetime(seconds: float, asked: int) -> None:
    clock, discord = Clock(), Scripted()
    evidence = Evidence(clock=clock)

    await channel(evidence, discord)
    clock.now += seconds
    await channel(evidence, discord)

    assert discord.asked.total() == asked


async def test_no_more_is_kept_than_the_most() -> None:
    discord, evidence = Scripted(), Evidence(most=2)

    for channel_id in (ONE, TWO, THREE, TWO, THREE, ONE):
        await channel(evidence, discord, channel_id)

    assert list(discord.asked.values()) == [2, 1, 1]


async def test_a_failure_is_not_kept() -> None:
    discord, evidence = Scripted(DiscordUpstreamError()), Evidence()

    with pytest.raises(Unproven, match=r"the channel could not be read \(DISCORD_SERVER_ERROR\)"):
        await channel(evidence, discord)
    discord.answer = None

    assert await channel(evidence, discord) == {"id": ONE}


# --- Shared -----------------------------------------------------------------------------------------------------------


async def _waiting(*tasks: asyncio.Task[Any]) -> None:
    """Let the tasks run until they wait for Discord."""
    for _ in range(5 * len(tasks)):
        await asyncio.sleep(0)


@pytest.mark.parametrize("cancelled", [0, 1], ids=["the one who asked", "one who waits"])
async def test_of_calls_that_wait_for_one_answer_a_cancelled_one_ends_only_itself(cancelled: int) -> None:
    discord, evidence = Scripted(), Evidence()
    discord.may.clear()
    calls = [asyncio.create_task(channel(evidence, discord)) for _ in range(3)]
    await _waiting(*calls)

    calls[cancelled].cancel()
    await _waiting(*calls)
    discord.may.set()
    told = await asyncio.gather(*calls, return_exceptions=True)

    assert [one for one in told if one == {"id": ONE}] == [{"id": ONE}] * 2
    assert isinstance(told[cancelled], asyncio.CancelledError)
    assert discord.asked.total() == 1


async def test_a_failure_is_told_to_all_who_wait_for_it() -> None:
    discord, evidence = Scripted(DiscordUpstreamError()), Evidence()
    discord.may.clear()
    calls = [asyncio.create_task(channel(evidence, discord)) for _ in range(2)]
    await _waiting(*calls)
    discord.may.set()

    told = await asyncio.gather(*calls, return_exceptions=True)

    assert [type(one) for one in told] == [Unproven, Unproven]
    assert discord.asked.total() == 1


async def test_an_answer_that_nobody_waits_for_any_more_is_heard() -> None:
    discord, evidence = Scripted(DiscordUpstreamError()), Evidence()
    discord.may.clear()
    call = asyncio.create_task(channel(evidence, discord))
    await _waiting(call)

    call.cancel()
    discord.may.set()
    await _waiting(call)

    assert await asyncio.gather(call, return_exceptions=True)
    discord.answer = None
    assert await channel(evidence, discord) == {"id": ONE}


# --- Never past a write -----------------------------------------------------------------------------------------------


async def test_what_was_read_before_is_asked_for_anew() -> None:
    discord, evidence = Scripted(), Evidence()

    await channel(evidence, discord)
    evidence.forget()
    await channel(evidence, discord)

    assert discord.asked.total() == 2


async def test_what_was_asked_for_before_is_neither_waited_for_nor_kept() -> None:
    discord, evidence = Scripted({"id": ONE, "state": "before"}), Evidence()
    discord.may.clear()
    early = asyncio.create_task(channel(evidence, discord))
    await _waiting(early)

    evidence.forget()
    discord.answer = {"id": ONE, "state": "after"}
    late = asyncio.create_task(channel(evidence, discord))
    await _waiting(late)
    discord.may.set()

    assert (await early)["state"] == "before"
    assert (await late)["state"] == "after"
    assert (await channel(evidence, discord))["state"] == "after"
    assert discord.asked.total() == 2


# --- Only what was asked for ------------------------------------------------------------------------------------------

READS: dict[str, Read] = {
    "application": lambda evidence, discord: evidence.application(discord),
    "channel": channel,
    "emoji": lambda evidence, discord: evidence.emoji(discord, ONE, TWO),
    "event": lambda evidence, discord: evidence.event(discord, ONE, TWO),
    "guild": lambda evidence, discord: evidence.guild(discord, ONE),
    "identity": lambda evidence, discord: evidence.identity(discord),
    "invite": lambda evidence, discord: evidence.invite(discord, "code"),
    "member": lambda evidence, discord: evidence.member(discord, ONE, TWO),
    "message": lambda evidence, discord: evidence.message(discord, ONE, TWO),
    "sound": lambda evidence, discord: evidence.sound(discord, ONE, TWO),
    "sticker": lambda evidence, discord: evidence.sticker(discord, ONE, TWO),
    "voice": lambda evidence, discord: evidence.voice_channel(discord, ONE),
    "webhook": lambda evidence, discord: evidence.webhook(discord, ONE),
}

ABOUT_NOBODY = ("application", "voice")
"""Reads whose answer does not repeat whom they were about."""

each_read = pytest.mark.parametrize("read", READS.values(), ids=READS)


@each_read
@pytest.mark.parametrize("answer", [[], "text", 7, True], ids=repr)
async def test_an_answer_that_is_no_object_proves_nothing(read: Read, answer: object) -> None:
    with pytest.raises(Unproven):
        await read(Evidence(), Scripted(answer))


@pytest.mark.parametrize("read", [pytest.param(READS[name], id=name) for name in READS if name not in ABOUT_NOBODY])
@pytest.mark.parametrize("answer", [{}, {"id": THREE}, {"id": None, "user": None}, {"user": {"id": THREE}}], ids=repr)
async def test_an_answer_about_something_else_proves_nothing(read: Read, answer: object) -> None:
    with pytest.raises(Unproven):
        await read(Evidence(), Scripted(answer))


@each_read
@pytest.mark.parametrize(
    "failure", [DiscordUpstreamError(), DiscordNotFoundError(discord_code=10004)], ids=["5xx", "404"]
)
async def test_a_failure_proves_nothing(read: Read, failure: ToolError) -> None:
    with pytest.raises(Unproven) as gap:
        await read(Evidence(), Scripted(failure))
    assert not isinstance(gap.value, Withheld)


@each_read
@pytest.mark.parametrize("failure", [DiscordAuthError(), DiscordCloudflareBlocked()], ids=["401", "edge"])
async def test_a_failure_of_every_call_stays_what_it_is(read: Read, failure: ToolError) -> None:
    with pytest.raises(type(failure)):
        await read(Evidence(), Scripted(failure))


@pytest.mark.parametrize(("name", "permission"), [("channel", "VIEW_CHANNEL"), ("webhook", "MANAGE_WEBHOOKS")])
async def test_what_discord_does_not_show_proves_what_is_missing(name: str, permission: str) -> None:
    with pytest.raises(Withheld) as gap:
        await READS[name](Evidence(), Scripted(DiscordPermissionError(discord_code=50001)))
    assert gap.value.permission == permission


@pytest.mark.parametrize(
    ("name", "code"), [("channel", 40333), ("webhook", None), ("guild", 50001), ("message", 50001), ("event", 50013)]
)
async def test_any_other_refusal_proves_nothing(name: str, code: int | None) -> None:
    with pytest.raises(Unproven) as gap:
        await READS[name](Evidence(), Scripted(DiscordPermissionError(discord_code=code)))
    assert not isinstance(gap.value, Withheld)


@pytest.mark.parametrize("payload", [{"id": ONE}, {"id": ONE, "bot": False}, {"id": ONE, "bot": "yes"}, {"bot": True}])
async def test_only_a_bot_is_one(payload: object) -> None:
    with pytest.raises(Unproven, match="could not be proven to be a bot's"):
        await Evidence().identity(Scripted(payload))


async def test_who_is_no_member_and_in_no_voice_channel_is_known_not_to_be() -> None:
    evidence = Evidence()

    assert await evidence.member(Scripted(DiscordNotFoundError(discord_code=10007)), ONE, TWO) is None
    assert await evidence.voice_channel(Scripted(DiscordNotFoundError(discord_code=10065)), ONE) is None


EVERYONE = {"id": ONE, "permissions": "8", "position": 0}
A_GUILD = {"id": ONE, "owner_id": TWO, "features": ["COMMUNITY"], "roles": [EVERYONE]}
A_MEMBER = {"user": {"id": TWO}, "roles": [THREE], "communication_disabled_until": None}


async def test_a_guild_and_a_member_are_read_as_they_are_computed_with() -> None:
    guild = await Evidence().guild(Scripted(A_GUILD), ONE)
    member = await Evidence().member(Scripted(A_MEMBER), ONE, TWO)

    assert guild.facts == GuildFacts(ONE, TWO, {ONE: RoleFacts(ONE, 8)})
    assert guild.features == {"COMMUNITY"}
    assert member == MemberFacts(TWO, frozenset({THREE}))


@pytest.mark.parametrize(
    "broken",
    [
        {"owner_id": ...},
        {"features": ...},
        {"roles": ...},
        {"roles": []},
        {"roles": None},
        {"roles": [EVERYONE | {"permissions": "many"}]},
        {"roles": [EVERYONE | {"permissions": None}]},
        {"features": 7},
    ],
    ids=repr,
)
async def test_a_guild_that_is_not_as_documented_proves_nothing(broken: dict[str, Any]) -> None:
    answer = {name: value for name, value in (A_GUILD | broken).items() if value is not ...}

    with pytest.raises(Unproven, match="not what it documents"):
        await Evidence().guild(Scripted(answer), ONE)


@pytest.mark.parametrize(
    "broken", [{"roles": ...}, {"roles": None}, {"communication_disabled_until": "soon"}], ids=repr
)
async def test_a_member_that_is_not_as_documented_proves_nothing(broken: dict[str, Any]) -> None:
    answer = {name: value for name, value in (A_MEMBER | broken).items() if value is not ...}

    with pytest.raises(Unproven, match="not what it documents"):
        await Evidence().member(Scripted(answer), ONE, TWO)
