"""How long an attempt may take."""

from __future__ import annotations

import asyncio

import pytest
from tests.discord.rest.resilience.service import (
    READ,
    Clock,
    Gate,
    Service,
)

from accord.discord.rest.resilience.failures import DeadlinePassed
from accord.discord.rest.resilience.layers import Request
from accord.discord.rest.resilience.timeout import Timeout
from accord.engine.errors import InternalError


async def test_an_attempt_that_takes_too_long_is_cancelled() -> None:
    ended: list[str] = []

    async def hang(_request: Request) -> str:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")
        return "too late"

    with pytest.raises(InternalError) as raised:
        await Timeout(10)(READ, hang)

    assert (raised.value.reason, raised.value.timeout_ms) == ("timeout", 10)
    assert ended == ["cancelled"]


async def test_an_attempt_has_no_more_time_than_its_deadline_leaves() -> None:
    clock = Clock()

    with pytest.raises(InternalError) as raised:
        await Timeout(60_000, clock=clock)(Request(route="r", replayable=True, deadline=clock.now + 0.0155), Gate())

    assert raised.value.timeout_ms == 15


async def test_nothing_is_begun_after_the_deadline() -> None:
    clock = Clock()
    service = Service()

    with pytest.raises(DeadlinePassed):
        await Timeout(1000, clock=clock)(Request(route="r", replayable=True, deadline=clock.now), service)

    assert service.requests == []


async def test_a_time_out_from_within_is_not_taken_for_this_one() -> None:
    with pytest.raises(TimeoutError):
        await Timeout(1000)(READ, Service([TimeoutError()]))
