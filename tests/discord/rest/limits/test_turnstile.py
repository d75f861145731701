"""The queue in front of a rule, with a time that the tests turn."""

from __future__ import annotations

import asyncio
from math import inf
from typing import TYPE_CHECKING

import pytest
from tests.discord.rest.timeline import Timeline

from accord.discord.rest.errors import DiscordRateLimitError
from accord.discord.rest.limits.cooldown import Cooldown
from accord.discord.rest.limits.turnstile import Patience, Turnstile
from accord.discord.rest.limits.window import Window
from accord.discord.rest.resilience.failures import DeadlinePassed

if TYPE_CHECKING:
    from accord.discord.rest.limits.turnstile import Room

PATIENT = Patience(inf, None)


@pytest.fixture
def timeline() -> Timeline:
    return Timeline()


def turnstile_of(timeline: Timeline, most: int = 1, room: Room | None = None) -> Turnstile[Window]:
    return Turnstile(Window(most), lambda: timeline, set() if room is None else room)


class Line:
    """Who passed a turnstile, in order."""

    def __init__(self, turnstile: Turnstile[Window], timeline: Timeline) -> None:
        self.turnstile = turnstile
        self.timeline = timeline
        self.passed: list[str] = []

    async def join(self, name: str, patience: Patience = PATIENT) -> float:
        at = await self.turnstile.turn(patience)
        self.passed.append(name)
        return at

    async def joined(self, names: str) -> dict[str, asyncio.Task[float]]:
        tasks = {name: asyncio.create_task(self.join(name)) for name in names}
        await self.timeline.idle()
        return tasks


async def test_who_finds_it_open_passes_without_waiting(timeline: Timeline) -> None:
    assert await turnstile_of(timeline).turn(PATIENT) == timeline.now


async def test_those_who_wait_pass_in_the_order_of_their_arrival(timeline: Timeline) -> None:
    line = Line(turnstile_of(timeline), timeline)

    await timeline.run(*(line.join(name) for name in "abcd"))

    assert line.passed == ["a", "b", "c", "d"]
    assert timeline.now == pytest.approx(1000 + 3 * 1.05)


async def test_nobody_overtakes_those_who_wait(timeline: Timeline) -> None:
    line = Line(turnstile_of(timeline, most=2), timeline)
    await line.joined("abc")
    await timeline.advance(1.0)

    late = asyncio.create_task(line.join("d"))
    await timeline.advance(0.1)
    await late

    assert line.passed == ["a", "b", "c", "d"]


@pytest.mark.parametrize("gone", ["b", "c", "d", "bc", "bcd"])
async def test_a_cancelled_waiter_leaves_its_place_to_the_next(timeline: Timeline, gone: str) -> None:
    line = Line(turnstile_of(timeline), timeline)
    tasks = await line.joined("abcd")

    for name in gone:
        tasks[name].cancel()
    staying = [name for name in "abcd" if name not in gone]
    await timeline.advance(1.05 * (len(staying) - 1))

    assert line.passed == staying
    assert all(tasks[name].cancelled() for name in gone)


async def test_one_who_is_cancelled_in_the_moment_of_its_turn_gives_it_back(timeline: Timeline) -> None:
    line = Line(turnstile_of(timeline), timeline)
    tasks = await line.joined("abc")
    timeline.now += 1.05

    line.turnstile.pump()
    tasks["b"].cancel()
    await timeline.idle()

    assert line.passed == ["a", "c"]


async def test_a_wait_that_is_known_to_be_too_long_is_refused_at_once(timeline: Timeline) -> None:
    turnstile = turnstile_of(timeline)
    await turnstile.turn(PATIENT)

    with pytest.raises(DiscordRateLimitError) as raised:
        await turnstile.turn(Patience(timeline.now + 1, None))

    assert (raised.value.retry_after_ms, raised.value.scope) == (1050, "global")


async def test_the_wait_of_those_ahead_is_part_of_the_wait(timeline: Timeline) -> None:
    line = Line(turnstile_of(timeline), timeline)
    await line.joined("abc")

    with pytest.raises(DiscordRateLimitError) as raised:
        await line.join("d", Patience(timeline.now + 3, None))

    assert raised.value.retry_after_ms == 3150
    await timeline.advance(3)
    assert line.passed == ["a", "b", "c"]


async def test_those_for_whom_a_closing_makes_the_wait_too_long_are_told_at_once(timeline: Timeline) -> None:
    line = Line(turnstile_of(timeline), timeline)
    await line.join("a")
    short = asyncio.create_task(line.join("b", Patience(timeline.now + 2, None)))
    long = asyncio.create_task(line.join("c", Patience(timeline.now + 20, None)))
    await timeline.idle()

    line.turnstile.close(timeline.now + 5, "global")

    with pytest.raises(DiscordRateLimitError, match="limit"):
        await short
    await timeline.advance(5)
    await long
    assert line.passed == ["a", "c"]


async def test_a_deadline_ends_the_wait_for_an_answer(timeline: Timeline) -> None:
    class Shut(Cooldown):
        def opens_in(self, now: float, ahead: int = 0) -> float:
            return inf

    turnstile = Turnstile(Shut(), lambda: timeline, set())

    (outcome,) = await timeline.run(turnstile.turn(Patience(timeline.now + 2, timeline.now + 2)))

    assert isinstance(outcome, DeadlinePassed)
    assert timeline.now == 1002
    assert turnstile.is_idle(timeline.now)


async def test_everybody_who_waits_is_in_the_room_and_leaves_it(timeline: Timeline) -> None:
    room: Room = set()
    line = Line(turnstile_of(timeline, room=room), timeline)
    tasks = await line.joined("abc")

    assert len(room) == 2
    tasks["b"].cancel()
    await timeline.advance(1.05)

    assert room == set()
    assert line.passed == ["a", "c"]


async def test_those_who_are_refused_from_outside_leave_their_places(timeline: Timeline) -> None:
    room: Room = set()
    line = Line(turnstile_of(timeline, room=room), timeline)
    tasks = await line.joined("abc")

    for waiter in room:
        waiter.set_exception(DiscordRateLimitError())
    await timeline.idle()
    await timeline.advance(1.05)
    await line.join("d")

    assert line.passed == ["a", "d"]
    assert all(isinstance(tasks[name].exception(), DiscordRateLimitError) for name in "bc")
