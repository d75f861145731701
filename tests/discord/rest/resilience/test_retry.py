"""Sending again, with a clock that the tests turn."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.discord.rest.resilience.service import (
    NOT_FOUND,
    OUTAGE,
    READ,
    REFUSED,
    RESET,
    SEND,
    Clock,
    Gate,
    Service,
    answered,
    limited,
    retry,
    until_idle,
)

from accord.discord.rest.answers import timed_out
from accord.discord.rest.errors import (
    DiscordNotFoundError,
    DiscordRetryableError,
)
from accord.discord.rest.resilience.backoff import Jitter
from accord.discord.rest.resilience.hooks import Hooks
from accord.discord.rest.resilience.layers import Request


async def test_a_read_is_sent_again_until_it_is_answered() -> None:
    service = Service([OUTAGE, OUTAGE])

    answer = await retry(Clock())(READ, service)

    assert answer == "ok"
    assert [request.attempt for request in service.requests] == [1, 2, 3]


async def test_the_last_failure_is_raised_when_the_retries_are_used_up() -> None:
    service = Service([OUTAGE, OUTAGE, RESET])

    with pytest.raises(DiscordRetryableError) as raised:
        await retry(Clock(), retries=2)(READ, service)

    assert raised.value is RESET
    assert len(service.requests) == 3


async def test_a_failure_that_does_not_pass_by_itself_is_not_retried() -> None:
    service = Service([NOT_FOUND])

    with pytest.raises(DiscordNotFoundError):
        await retry(Clock())(READ, service)

    assert len(service.requests) == 1


@pytest.mark.parametrize("failure", [OUTAGE, RESET, DiscordRetryableError(original=timed_out(1000))])
async def test_a_request_that_is_not_replayable_is_not_sent_again_when_it_may_have_been_acted_on(
    failure: DiscordRetryableError,
) -> None:
    service = Service([failure])

    with pytest.raises(DiscordRetryableError):
        await retry(Clock())(SEND, service)

    assert len(service.requests) == 1


@pytest.mark.parametrize("failure", [REFUSED, limited(50)])
async def test_what_surely_had_no_effect_is_sent_again_whatever_it_is(failure: DiscordRetryableError) -> None:
    service = Service([failure])

    assert await retry(Clock())(SEND, service) == "ok"


@pytest.mark.parametrize(
    ("base_ms", "longest_ms", "waits_ms"), [(50, 10_000, [50, 100, 200]), (200, 500, [200, 400, 500])]
)
async def test_waits_without_jitter_double_up_to_the_longest(
    base_ms: int, longest_ms: int, waits_ms: list[int]
) -> None:
    clock = Clock()

    await retry(clock, base_wait_ms=base_ms, longest_wait_ms=longest_ms)(READ, Service([OUTAGE, OUTAGE, OUTAGE]))

    assert clock.waits_ms == waits_ms


async def test_full_jitter_takes_a_random_part_of_the_wait() -> None:
    clock = Clock()

    await retry(clock, jitter="full", random=lambda: 0.5)(READ, Service([OUTAGE, OUTAGE]))

    assert clock.waits_ms == [25, 50]


async def test_decorrelated_jitter_follows_pollys_formula() -> None:
    clock = Clock()

    await retry(clock, jitter="decorrelated", base_wait_ms=1000, random=lambda: 0.5)(READ, Service([OUTAGE, OUTAGE]))

    # 2**0.5 * tanh(sqrt(2)) = 1.2563; 2**1.5 * tanh(sqrt(6)) = 2.7865; each difference / 1.4 * 1000
    assert clock.waits_ms == [897, 1093]


@given(st.sampled_from(["none", "full", "decorrelated"]), st.floats(0, 1, exclude_max=True))
def test_no_jitter_waits_longer_than_the_longest_wait(jitter: Jitter, chance: float) -> None:
    clock = Clock()
    layer = retry(clock, retries=10, jitter=jitter, base_wait_ms=5000, random=lambda: chance)

    asyncio.run(answered(layer(READ, Service([OUTAGE] * 10))))

    assert max(clock.waits_ms) <= 10_000
    assert min(clock.waits_ms) >= 0


async def test_a_stated_wait_takes_the_place_of_the_backoff_and_still_advances_it() -> None:
    clock = Clock()

    await retry(clock)(READ, Service([limited(250), OUTAGE]))

    assert clock.waits_ms == [250, 100]


async def test_a_stated_wait_above_the_longest_is_not_waited_for() -> None:
    service = Service([limited(501)])

    with pytest.raises(DiscordRetryableError):
        await retry(Clock(), longest_wait_ms=500)(READ, service)

    assert len(service.requests) == 1


async def test_nothing_is_sent_again_that_could_not_begin_before_the_deadline() -> None:
    clock = Clock()
    service = Service([OUTAGE, OUTAGE])

    with pytest.raises(DiscordRetryableError):
        await retry(clock)(Request(route="r", replayable=True, deadline=clock.now + 0.12), service)

    assert clock.waits_ms == [50]


async def test_a_later_attempt_knows_that_an_earlier_one_may_have_been_acted_on() -> None:
    service = Service([REFUSED, RESET, REFUSED])

    await retry(Clock())(READ, service)

    assert [request.doubtful for request in service.requests] == [False, False, True, True]


async def test_a_cancelled_request_is_not_sent_again() -> None:
    gate = Gate()
    task = asyncio.create_task(answered(retry(Clock())(READ, gate)))
    await until_idle()

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert gate.entered == 1


async def test_only_what_was_given_up_after_a_passing_failure_is_a_dead_letter() -> None:
    letters: list[tuple[str, BaseException]] = []
    layer = retry(Clock(), retries=1, hooks=Hooks(on_dead_letter=lambda *letter: letters.append(letter)))

    await layer(READ, Service([OUTAGE]))
    with pytest.raises(DiscordNotFoundError):
        await layer(READ, Service([NOT_FOUND]))
    with pytest.raises(DiscordRetryableError):
        await layer(READ, Service([OUTAGE, OUTAGE]))

    assert letters == [(READ.route, OUTAGE.original)]


async def test_a_hook_that_fails_changes_nothing() -> None:
    def fail(*_: object) -> None:
        raise RuntimeError

    layer = retry(Clock(), retries=0, hooks=Hooks(on_dead_letter=fail))

    with pytest.raises(DiscordRetryableError):
        await layer(READ, Service([OUTAGE]))
