"""Leaving a failing route alone, with a clock that the tests turn."""

from __future__ import annotations

import asyncio

import pytest
from tests.discord.rest.resilience.service import (
    NOT_FOUND,
    OUTAGE,
    READ,
    RESET,
    SEND,
    Clock,
    Gate,
    Service,
    answered,
    breaker,
    failed,
    limited,
    opened,
    until_idle,
)

from accord.discord.rest.answers import timed_out
from accord.discord.rest.errors import (
    DiscordRetryableError,
)
from accord.discord.rest.resilience.failures import BulkheadRejected, CircuitBroken
from accord.discord.rest.resilience.hooks import Hooks
from accord.discord.rest.resilience.layers import Request
from accord.engine.errors import ValidationError


async def test_a_route_that_fails_as_often_as_the_threshold_is_left_alone() -> None:
    circuit = await opened(Clock())
    service = Service()

    with pytest.raises(CircuitBroken):
        await circuit(READ, service)

    assert service.requests == []


async def test_other_routes_go_on_when_one_is_left_alone() -> None:
    circuit = await opened(Clock())

    assert await circuit(SEND, Service()) == "ok"


@pytest.mark.parametrize("error", [NOT_FOUND, limited(1000), ValidationError(issues=[]), BulkheadRejected()])
async def test_errors_that_are_no_outage_never_open_a_circuit(error: Exception) -> None:
    circuit = breaker(Clock())

    await failed(circuit, *[error] * 5)

    assert await circuit(READ, Service()) == "ok"


async def test_a_time_out_counts_as_a_failure() -> None:
    circuit = breaker(Clock())

    await failed(circuit, *[DiscordRetryableError(original=timed_out(1000))] * 3)

    with pytest.raises(CircuitBroken):
        await circuit(READ, Service())


async def test_a_success_takes_back_all_failures_and_a_refusal_takes_back_none() -> None:
    circuit = breaker(Clock())

    await failed(circuit, OUTAGE, OUTAGE)
    await circuit(READ, Service())
    await failed(circuit, OUTAGE, OUTAGE, NOT_FOUND, OUTAGE)

    with pytest.raises(CircuitBroken):
        await circuit(READ, Service())


async def test_an_open_circuit_says_how_long_it_stays_open() -> None:
    clock = Clock()
    circuit = await opened(clock)
    clock.now += 3.5

    with pytest.raises(CircuitBroken) as raised:
        await circuit(READ, Service())

    assert raised.value.retry_after_ms == 1500


@pytest.mark.parametrize("answer", ["ok", NOT_FOUND, limited(100)])
async def test_a_probe_that_is_answered_closes_the_circuit(answer: Exception | str) -> None:
    clock = Clock()
    circuit = await opened(clock)
    clock.now += 5

    if isinstance(answer, Exception):
        await failed(circuit, answer)
    else:
        await circuit(READ, Service())

    await failed(circuit, OUTAGE, OUTAGE)
    assert await circuit(READ, Service()) == "ok"


@pytest.mark.parametrize("failure", [OUTAGE, RESET, DiscordRetryableError(original=timed_out(1000))])
async def test_a_probe_that_fails_or_times_out_opens_the_circuit_again(failure: Exception) -> None:
    clock = Clock()
    circuit = await opened(clock)
    clock.now += 5
    await failed(circuit, failure)
    clock.now += 4

    with pytest.raises(CircuitBroken) as raised:
        await circuit(READ, Service())

    assert raised.value.retry_after_ms == 1000


async def test_one_probe_goes_out_while_the_others_wait_for_its_end() -> None:
    clock = Clock()
    circuit = await opened(clock)
    clock.now += 5
    gate = Gate()
    calls = [asyncio.create_task(answered(circuit(READ, gate))) for _ in range(3)]
    await until_idle()
    entered_before = gate.entered

    gate.opened.set()

    assert await asyncio.gather(*calls) == ["ok", "ok", "ok"]
    assert (entered_before, gate.entered) == (1, 3)


async def test_those_who_wait_for_a_failing_probe_are_refused() -> None:
    clock = Clock()
    circuit = await opened(clock)
    clock.now += 5
    service = Service([OUTAGE])
    calls = [asyncio.create_task(answered(circuit(READ, service))) for _ in range(3)]

    results = await asyncio.gather(*calls, return_exceptions=True)

    assert [type(result) for result in results] == [DiscordRetryableError, CircuitBroken, CircuitBroken]
    assert len(service.requests) == 1


async def test_a_cancelled_probe_gives_its_place_to_the_next() -> None:
    clock = Clock()
    circuit = await opened(clock)
    clock.now += 5
    gate = Gate()
    probe, waiter = (asyncio.create_task(answered(circuit(READ, gate))) for _ in range(2))
    await until_idle()

    probe.cancel()
    await until_idle()
    gate.opened.set()

    assert await waiter == "ok"
    assert gate.entered == 2


async def test_nobody_waits_for_a_probe_beyond_the_deadline() -> None:
    clock = Clock()
    circuit = await opened(clock)
    clock.now += 5
    gate = Gate()
    probe = asyncio.create_task(answered(circuit(READ, gate)))
    await until_idle()

    with pytest.raises(CircuitBroken):
        await circuit(Request(route=READ.route, replayable=True, deadline=clock.now), Service())

    gate.opened.set()
    await probe


async def test_a_late_failure_does_not_keep_the_circuit_open_for_longer() -> None:
    clock = Clock()
    circuit = breaker(clock)
    gate = Gate()

    async def fail_late(request: Request) -> str:
        await gate(request)
        raise OUTAGE

    late = asyncio.create_task(answered(circuit(READ, fail_late)))
    await until_idle()
    await failed(circuit, OUTAGE, OUTAGE, OUTAGE)
    clock.now += 4
    gate.opened.set()
    await asyncio.wait([late])
    clock.now += 1

    assert isinstance(late.exception(), DiscordRetryableError)
    assert await circuit(READ, Service()) == "ok"


async def test_every_change_of_a_circuit_is_told() -> None:
    clock = Clock()
    changes: list[tuple[str, str]] = []
    circuit = await opened(clock, hooks=Hooks(on_circuit=lambda route, state: changes.append((route, state))))
    clock.now += 5

    await circuit(READ, Service())

    assert changes == [(READ.route, "open"), (READ.route, "half_open"), (READ.route, "closed")]
