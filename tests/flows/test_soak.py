"""Many mixed calls while everything fails at random: what each call was told is what stands in Discord afterwards.

600 calls, or as many as the environment says: `ACCORD_SOAK_CALLS=10000 pytest tests/flows/test_soak.py -s`.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import pytest

from accord.discord import Discord, DiscordError, build_rest, load_config
from accord.discord.sandbox import Exchange, Sandbox, demo
from accord.discord.sandbox.world import Message

CALLS = int(os.environ.get("ACCORD_SOAK_CALLS", "600"))
SEED = 20151221
WORKERS = 48
CHANNELS = (demo.GENERAL, demo.SECOND_GENERAL)
EMOJI = "🏮"
SETTINGS = {
    "DISCORD_GLOBAL_REQUESTS_PER_SECOND": "0",
    "MCP_CIRCUIT_FAILURE_THRESHOLD": "100",
    "MCP_RETRY_BASE_DELAY_MS": "50",
    "MCP_TIMEOUT_DEFAULT_MS": "1000",
}
TIMEOUT_SECONDS, TOO_LATE_SECONDS = 1.0, 1.2

Outcome: TypeAlias = Literal["success", "failed", "unknown"]


@dataclass(frozen=True)
class Planned:
    """A call to be made; nobody else touches its message, and nobody else writes its content."""

    kind: str
    channel_id: str
    message_id: str
    content: str

    @property
    def place(self) -> tuple[str, str]:
        return self.channel_id, self.message_id


@dataclass(frozen=True)
class Kind:
    """A kind of call: its route, how it is made, and how often its effect stands in the sandbox."""

    route: str
    make: Callable[[Discord, Planned], Awaitable[Any]]
    effects: Callable[[Sandbox, Planned], int]
    idempotent: bool = True


@dataclass
class Tally:
    """What came of it all."""

    outcomes: Counter[tuple[str, Outcome]] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    doubled: int = 0
    seconds: float = 0.0

    def hear(self, exchange: Exchange) -> None:
        self.statuses[exchange.status] += 1

    def total(self, outcome: Outcome) -> int:
        return sum(count for (_kind, told), count in self.outcomes.items() if told == outcome)

    def __str__(self) -> str:
        kinds = (f"  {kind:<10} {told:<8} {count:6}" for (kind, told), count in sorted(self.outcomes.items()))
        head = (
            f"{self.outcomes.total()} calls in {self.seconds:.1f} s, {self.statuses.total()} requests: "
            f"{self.statuses[429]} answered 429, {self.statuses[0]} without an answer; "
            f"{self.total('unknown')} outcomes unknown, {self.doubled} doubled, {len(self.wrong)} told wrongly"
        )
        return "\n".join((head, *kinds))


async def send(discord: Discord, one: Planned) -> None:
    await discord.post("/channels/{}/messages", one.channel_id, into=dict, body={"content": one.content})


async def send_once(discord: Discord, one: Planned) -> None:
    body = {"content": one.content}
    await discord.post("/channels/{}/messages", one.channel_id, into=dict, body=body, nonce=one.content)


async def edit(discord: Discord, one: Planned) -> None:
    await discord.patch("/channels/{}/messages/{}", *one.place, into=dict, body={"content": one.content})


async def react(discord: Discord, one: Planned) -> None:
    await discord.do("PUT", "/channels/{}/messages/{}/reactions/{}/@me", *one.place, EMOJI)


async def delete(discord: Discord, one: Planned) -> None:
    await discord.do("DELETE", "/channels/{}/messages/{}", *one.place)


async def read(discord: Discord, one: Planned) -> None:
    await discord.get("/channels/{}/messages", one.channel_id, into=list, query={"limit": 5})


def times_written(sandbox: Sandbox, one: Planned) -> int:
    return sum(each.content == one.content for each in sandbox.world.channels[one.channel_id].messages.values())


def times_reacted(sandbox: Sandbox, one: Planned) -> int:
    reactions = sandbox.world.channels[one.channel_id].messages[one.message_id].reactions
    return sum(len(each.user_ids) for each in reactions.values())


def times_deleted(sandbox: Sandbox, one: Planned) -> int:
    return int(one.message_id not in sandbox.world.channels[one.channel_id].messages)


SEND, READ = "POST /channels/{}/messages", "GET /channels/{}/messages"
KINDS: Mapping[str, Kind] = {
    "send": Kind(SEND, send, times_written, idempotent=False),
    "send once": Kind(SEND, send_once, times_written, idempotent=False),
    "edit": Kind("PATCH /channels/{}/messages/{}", edit, times_written, idempotent=False),
    "react": Kind("PUT /channels/{}/messages/{}/reactions/{}/@me", react, times_reacted),
    "delete": Kind("DELETE /channels/{}/messages/{}", delete, times_deleted),
    "read": Kind(READ, read, lambda _sandbox, _one: 1),
}

ALLOWED: Mapping[Outcome, set[int]] = {"success": {1}, "failed": {0}, "unknown": {0, 1}}
"""How often the effect of a call may stand there, by what the call was told."""

Fault: TypeAlias = tuple[str, Mapping[str, Any]]

OUTAGES: tuple[Fault, ...] = (
    ("status", {"status": 500}),
    ("status", {"status": 503, "message": "upstream connect error", "html": True}),
    ("bad_gateway_html", {"after": False}),
    ("bad_gateway_html", {"after": True}),
    ("drop", {"after": False}),
    ("drop", {"after": True}),
    ("delay", {"seconds": 0.05}),
    ("delay", {"seconds": 0.05, "after": True}),
    ("delay", {"seconds": TOO_LATE_SECONDS}),
    ("delay", {"seconds": TOO_LATE_SECONDS, "after": True}),
)
LIMITS: tuple[Fault, ...] = (
    ("status", {"status": 403, "code": 50013, "message": "Missing Permissions"}),
    ("rate_limited", {"retry_after": 0.05}),
    ("rate_limited", {"retry_after": 0.05, "hidden": True}),
    ("rate_limited", {"retry_after": 0.2, "scope": "shared"}),
    ("rate_limited", {"retry_after": 0.05, "scope": "global"}),
    ("no_limit_headers", {}),
    ("headers", {"set": {"X-RateLimit-Remaining": "many"}}),
    ("headers", {"set": {"X-RateLimit-Scope": None}}),
    ("clock_skew", {"seconds": -3600}),
    ("clock_skew", {"seconds": 3600}),
)
CUT_OFF: tuple[Fault, ...] = (("malformed_json", {}),) * 3
"""A 403 or 429 that is no JSON is the edge's block of the whole address, so these two never meet."""

FAULTS_A_CALL = 0.3
CALLS_A_SPELL = 50


def planned(sandbox: Sandbox, chance: random.Random) -> Iterator[Planned]:
    """Choose the calls, each with a message of its own to be changed."""
    for number in range(CALLS):
        channel_id = chance.choice(CHANNELS)
        message = Message(sandbox.world.new_id(), channel_id, demo.BOT, "as it was")
        sandbox.world.channels[channel_id].add(message)
        yield Planned(chance.choice(tuple(KINDS)), channel_id, message.id, f"soak {number}")


def change_weather(sandbox: Sandbox, number: int, chance: random.Random) -> tuple[Fault, ...]:
    """Give all routes other limits for a spell, or none; returns what may happen meanwhile."""
    sandbox.heal()
    if number % 2:
        return OUTAGES + CUT_OFF
    for route in {kind.route: None for kind in KINDS.values()}:
        sandbox.fail(
            route,
            "bucket",
            name=f"limit {chance.randrange(4)}",
            size=chance.randint(1, 8),
            seconds=chance.choice((0.02, 0.05, 0.1)),
            leaky=chance.random() < 0.5,
        )
    return OUTAGES + LIMITS


def queue_fault(sandbox: Sandbox, one: Planned, faults: tuple[Fault, ...], chance: random.Random) -> None:
    """Let some request of the call's route meet something, if it so happens."""
    if chance.random() < FAULTS_A_CALL:
        kind, options = chance.choice(faults)
        sandbox.fail(KINDS[one.kind].route, kind, times=chance.randint(1, 3), **options)


async def told(discord: Discord, one: Planned) -> Outcome:
    """Make the call; gives what it was told of its outcome."""
    try:
        await KINDS[one.kind].make(discord, one)
    except DiscordError as error:
        return "unknown" if error.facts.get("outcome") == "unknown" else "failed"
    return "success"


async def settled(sandbox: Sandbox, discord: Discord) -> None:
    """Outwait the requests whose callers have given up: this one is answered after all that began before it."""
    sandbox.heal()
    sandbox.fail(READ, "delay", seconds=TOO_LATE_SECONDS - TIMEOUT_SECONDS + 0.1)
    await told(discord, Planned("read", demo.GENERAL, "", ""))


async def soak(sandbox: Sandbox, discord: Discord, tally: Tally) -> None:
    """Make all calls, so many at a time, and hold what they were told against what is there."""
    chance = random.Random(SEED)  # noqa: S311 - a soak that can be repeated
    calls, ended = enumerate(planned(sandbox, chance)), list[tuple[Planned, Outcome]]()
    faults: tuple[Fault, ...] = ()

    async def work() -> None:
        nonlocal faults
        for number, one in calls:
            if number % CALLS_A_SPELL == 0:
                faults = change_weather(sandbox, number // CALLS_A_SPELL, chance)
            queue_fault(sandbox, one, faults, chance)
            ended.append((one, await told(discord, one)))

    begun = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(WORKERS)))
    tally.seconds = time.perf_counter() - begun
    await settled(sandbox, discord)
    for one, outcome in ended:
        count(sandbox, one, outcome, tally)


def count(sandbox: Sandbox, one: Planned, outcome: Outcome, tally: Tally) -> None:
    """Take one call into the tally."""
    kind = KINDS[one.kind]
    effects = kind.effects(sandbox, one)
    # A failed call that is harmless twice may have been carried out: its caller can simply repeat it.
    allowed = ALLOWED["unknown" if outcome == "failed" and kind.idempotent else outcome]
    tally.outcomes[one.kind, outcome] += 1
    tally.doubled += effects > 1
    if effects not in allowed:
        tally.wrong.append(f"{one.kind} {one.content!r} was told {outcome} and stands there {effects} times")


@pytest.mark.timeout(60 + CALLS // 10)
async def test_every_call_is_told_what_became_of_it() -> None:
    tally = Tally()
    async with Sandbox.start(limits=False, on_exchange=tally.hear) as sandbox:
        token = {"DISCORD_TOKEN": sandbox.token, "DISCORD_API_BASE_URL": sandbox.base_url}
        discord = build_rest(load_config({**token, **SETTINGS}))
        try:
            await soak(sandbox, discord, tally)
        finally:
            await discord.aclose()

    sys.stdout.write(f"{tally}\n")
    assert tally.wrong == []
    assert tally.doubled == 0
    assert tally.outcomes.total() == CALLS
    assert min(tally.total("failed"), tally.total("unknown"), tally.statuses[429]) > CALLS / 100
    assert tally.total("success") > CALLS / 2
