"""How many requests are on the wire at once."""

from __future__ import annotations

import asyncio

import pytest
from tests.discord.rest.resilience.service import (
    NOT_FOUND,
    OUTAGE,
    READ,
    Clock,
    Gate,
    Service,
    answered,
    until_idle,
)

from accord.discord.rest.errors import (
    DiscordNotFoundError,
)
from accord.discord.rest.resilience.bulkhead import Bulkhead
from accord.discord.rest.resilience.failures import BulkheadRejected
from accord.discord.rest.resilience.hooks import Hooks
from accord.discord.rest.resilience.layers import Request, composed
from accord.discord.rest.resilience.retry import Retry


async def test_a_request_without_a_slot_is_refused_without_being_made() -> None:
    rejected: list[str] = []
    bulkhead = Bulkhead(2, hooks=Hooks(on_reject=rejected.append), clock=Clock())
    gate = Gate()
    calls = [asyncio.create_task(answered(bulkhead(READ, gate))) for _ in range(2)]
    await until_idle()

    with pytest.raises(BulkheadRejected):
        await bulkhead(READ, gate)

    assert (gate.entered, rejected) == (2, [READ.route])
    gate.opened.set()
    await asyncio.gather(*calls)


async def test_a_request_with_a_deadline_waits_for_a_slot() -> None:
    clock = Clock()
    bulkhead = Bulkhead(1, clock=clock)
    gate = Gate()
    first = asyncio.create_task(answered(bulkhead(READ, gate)))
    await until_idle()
    patient = Request(route="r", replayable=True, deadline=clock.now + 60)
    second = asyncio.create_task(answered(bulkhead(patient, gate)))
    await until_idle()

    gate.opened.set()

    assert [await first, await second] == ["ok", "ok"]


async def test_a_request_that_gets_no_slot_by_its_deadline_is_refused() -> None:
    clock = Clock()
    bulkhead = Bulkhead(1, clock=clock)
    gate = Gate()
    first = asyncio.create_task(answered(bulkhead(READ, gate)))
    await until_idle()

    with pytest.raises(BulkheadRejected):
        await bulkhead(Request(route="r", replayable=True, deadline=clock.now + 0.01), gate)

    gate.opened.set()
    await first
    assert await bulkhead(READ, Service()) == "ok"


async def test_a_slot_that_comes_with_the_deadline_comes_too_late() -> None:
    clock = Clock()
    bulkhead = Bulkhead(1, clock=clock)
    gate = Gate()
    first = asyncio.create_task(answered(bulkhead(READ, gate)))
    await until_idle()
    late = asyncio.create_task(answered(bulkhead(Request(route="r", replayable=True, deadline=clock.now + 60), gate)))
    await until_idle()

    clock.now += 60
    gate.opened.set()

    await first
    with pytest.raises(BulkheadRejected):
        await late
    assert (gate.entered, await bulkhead(READ, Service())) == (1, "ok")


async def test_a_slot_is_free_again_after_a_failure() -> None:
    bulkhead = Bulkhead(1, clock=Clock())

    for _ in range(3):
        with pytest.raises(DiscordNotFoundError):
            await bulkhead(READ, Service([NOT_FOUND]))

    assert await bulkhead(READ, Service()) == "ok"


async def test_a_cancelled_waiter_gives_its_place_back() -> None:
    clock = Clock()
    bulkhead = Bulkhead(1, clock=clock)
    gate = Gate()
    patient = Request(route="r", replayable=True, deadline=clock.now + 60)
    calls = [asyncio.create_task(answered(bulkhead(patient, gate))) for _ in range(3)]
    await until_idle()

    calls[1].cancel()
    await until_idle()
    gate.opened.set()

    results = await asyncio.gather(*calls, return_exceptions=True)
    assert [type(result) for result in results] == [str, asyncio.CancelledError, str]


async def test_no_slot_is_held_while_a_request_waits_to_be_sent_again() -> None:
    clock = Clock()
    bulkhead = Bulkhead(1, clock=clock)
    others: list[str] = []

    async def let_another_through(_seconds: float) -> None:
        others.append(await bulkhead(READ, Service()))

    layer = Retry(retries=1, base_wait_ms=50, longest_wait_ms=500, clock=clock, sleep=let_another_through)

    await composed((layer, bulkhead), Service([OUTAGE]))(READ)

    assert others == ["ok"]
