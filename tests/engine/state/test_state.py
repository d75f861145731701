"""What every state promises, whatever keeps it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from tests.clock import Clock

from accord.engine.state.listening import LISTENER_CAPACITY
from accord.engine.state.memory import MemoryState
from accord.engine.state.postgres import PostgresState
from accord.engine.state.sql import SqlState

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from accord.engine.nouns import State


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["memory", "sqlite", "sqlite file", "postgresql"])
async def state(request: pytest.FixtureRequest, clock: Clock, tmp_path: Path) -> AsyncIterator[State]:
    opened: State
    if request.param == "memory":
        opened = MemoryState(clock=clock)
    elif request.param == "postgresql":
        opened = PostgresState.open(next(request.getfixturevalue("postgres")), clock=clock)
    elif request.param == "sqlite":
        opened = SqlState.open("sqlite://", clock=clock)
    else:
        opened = SqlState.open(f"sqlite:///{tmp_path / 'state.db'}", clock=clock)
    yield opened
    await opened.close()


async def test_what_was_never_put_is_none(state: State) -> None:
    assert await state.get("key") is None
    assert await state.take_once("key") is None


async def test_a_value_is_read_back_byte_for_byte(state: State) -> None:
    value = bytes(range(256))

    assert await state.put("key", value)

    assert await state.get("key") == value


async def test_an_empty_value_is_not_an_absent_one(state: State) -> None:
    await state.put("key", b"")

    assert await state.get("key") == b""
    assert not await state.put("key", b"other", only_if_absent=True)
    assert await state.take_once("key") == b""


async def test_a_later_value_replaces_an_earlier_one(state: State) -> None:
    await state.put("key", b"old")

    assert await state.put("key", b"new")

    assert await state.get("key") == b"new"


async def test_keys_are_told_apart_to_the_letter(state: State) -> None:
    await state.put("Key", b"upper")
    await state.put("key", b"lower")
    await state.put("clé 🔑", b"wide")

    assert await state.get("Key") == b"upper"
    assert await state.get("key") == b"lower"
    assert await state.get("clé 🔑") == b"wide"


async def test_a_value_is_gone_when_its_lifetime_is_over(state: State, clock: Clock) -> None:
    await state.put("key", b"value", lifetime_seconds=10)

    clock.now += 9.5
    before = await state.get("key")
    clock.now += 0.5
    after = await state.get("key")

    assert (before, after) == (b"value", None)


async def test_an_expired_value_cannot_be_taken(state: State, clock: Clock) -> None:
    await state.put("key", b"value", lifetime_seconds=10)

    clock.now += 10

    assert await state.take_once("key") is None


async def test_a_value_without_a_lifetime_stays(state: State, clock: Clock) -> None:
    await state.put("key", b"value")

    clock.now += 100 * 365 * 24 * 3600

    assert await state.get("key") == b"value"


async def test_putting_again_begins_a_new_lifetime(state: State, clock: Clock) -> None:
    await state.put("key", b"value", lifetime_seconds=10)
    clock.now += 9
    await state.put("key", b"value", lifetime_seconds=10)

    clock.now += 9

    assert await state.get("key") == b"value"


async def test_a_lifetime_already_over_leaves_nothing(state: State) -> None:
    await state.put("key", b"old")

    await state.put("key", b"new", lifetime_seconds=0)

    assert await state.get("key") is None


async def test_only_if_absent_leaves_what_is_there(state: State) -> None:
    first = await state.put("key", b"first", only_if_absent=True)
    second = await state.put("key", b"second", only_if_absent=True)

    assert (first, second) == (True, False)
    assert await state.get("key") == b"first"


async def test_an_expired_value_counts_as_absent(state: State, clock: Clock) -> None:
    await state.put("key", b"first", lifetime_seconds=10)
    clock.now += 10

    assert await state.put("key", b"second", only_if_absent=True)

    assert await state.get("key") == b"second"


async def test_of_many_racing_to_put_exactly_one_does(state: State) -> None:
    answers = await asyncio.gather(*(state.put("key", b"%d" % i, only_if_absent=True) for i in range(50)))

    assert answers.count(True) == 1


async def test_of_many_racing_takers_exactly_one_gets_the_value(state: State) -> None:
    await state.put("key", b"value")

    taken = await asyncio.gather(*(state.take_once("key") for _ in range(50)))

    assert sorted(taken, key=bool) == [None] * 49 + [b"value"]
    assert await state.get("key") is None


async def test_a_deleted_value_is_absent(state: State) -> None:
    await state.put("key", b"value")

    await state.delete("key")

    assert await state.get("key") is None


async def test_deleting_what_is_not_there_is_fine(state: State) -> None:
    await state.delete("key")


async def test_keys_are_those_of_living_values_that_begin_so_in_order(state: State, clock: Clock) -> None:
    for key in ("token:b", "token:a", "tokens:x", "token_c", "TOKEN:d", "other"):
        await state.put(key, b"value")
    await state.put("token:short", b"value", lifetime_seconds=10)
    await state.count_in_window("token:window", window_seconds=60, limit=1)
    before = await state.keys("token:")
    clock.now += 10

    assert before == ["token:a", "token:b", "token:short"]
    assert await state.keys("token:") == ["token:a", "token:b"]
    assert len(await state.keys("")) == 6
    assert await state.keys("%") == []


async def test_a_window_admits_its_limit_and_says_how_long_the_next_must_wait(state: State, clock: Clock) -> None:
    first = await state.count_in_window("key", window_seconds=60, limit=2)
    clock.now += 20
    second = await state.count_in_window("key", window_seconds=60, limit=2)
    clock.now += 10
    third = await state.count_in_window("key", window_seconds=60, limit=2)

    assert (first, second, third) == (0.0, 0.0, 30.0)


async def test_a_window_slides(state: State, clock: Clock) -> None:
    await state.count_in_window("key", window_seconds=60, limit=2)
    clock.now += 20
    await state.count_in_window("key", window_seconds=60, limit=2)
    clock.now += 40

    freed = await state.count_in_window("key", window_seconds=60, limit=2)
    full = await state.count_in_window("key", window_seconds=60, limit=2)

    assert (freed, full) == (0.0, 20.0)


async def test_a_refused_event_is_not_counted(state: State, clock: Clock) -> None:
    await state.count_in_window("key", window_seconds=60, limit=1)
    clock.now += 59
    await state.count_in_window("key", window_seconds=60, limit=1)

    clock.now += 1

    assert await state.count_in_window("key", window_seconds=60, limit=1) == 0.0


async def test_each_key_has_its_own_window(state: State) -> None:
    await state.count_in_window("one", window_seconds=60, limit=1)

    assert await state.count_in_window("other", window_seconds=60, limit=1) == 0.0


async def test_a_lowered_limit_holds_at_once(state: State, clock: Clock) -> None:
    for _ in range(3):
        await state.count_in_window("key", window_seconds=60, limit=3)
        clock.now += 1

    assert await state.count_in_window("key", window_seconds=60, limit=1) == 59.0


async def test_of_many_racing_to_count_exactly_the_limit_do(state: State) -> None:
    waits = await asyncio.gather(*(state.count_in_window("key", window_seconds=60, limit=7) for _ in range(50)))

    assert waits.count(0.0) == 7


async def test_a_clock_set_back_makes_nobody_wait_longer_than_one_window(state: State, clock: Clock) -> None:
    await state.count_in_window("key", window_seconds=60, limit=1)
    clock.now -= 10_000

    wait = await state.count_in_window("key", window_seconds=60, limit=1)
    clock.now += wait

    assert wait == 60.0
    assert await state.count_in_window("key", window_seconds=60, limit=1) == 0.0


@pytest.mark.parametrize(("window_seconds", "limit"), [(0, 1), (-1, 1), (60, 0)])
async def test_a_window_that_admits_nothing_is_refused(state: State, window_seconds: float, limit: int) -> None:
    with pytest.raises(ValueError, match="above zero"):
        await state.count_in_window("key", window_seconds=window_seconds, limit=limit)


async def test_a_window_and_a_value_under_one_key_do_not_meet(state: State) -> None:
    await state.count_in_window("key", window_seconds=60, limit=1)

    assert await state.get("key") is None
    assert await state.put("key", b"value", only_if_absent=True)


async def test_deleting_a_key_forgets_its_window(state: State) -> None:
    await state.count_in_window("key", window_seconds=60, limit=1)

    await state.delete("key")

    assert await state.count_in_window("key", window_seconds=60, limit=1) == 0.0


async def test_every_listener_of_a_topic_hears_a_message(state: State) -> None:
    async with state.listen("topic") as one, state.listen("topic") as other:
        await state.notify("topic", b"hello")

        assert await anext(one) == b"hello"
        assert await anext(other) == b"hello"


async def test_a_waiting_listener_is_woken(state: State) -> None:
    async with state.listen("topic") as messages:
        waiting = asyncio.ensure_future(anext(messages))
        await asyncio.sleep(0)

        await state.notify("topic", b"hello")

        assert await waiting == b"hello"


async def test_messages_told_before_the_first_read_are_kept_in_order(state: State) -> None:
    async with state.listen("topic") as messages:
        for text in (b"1", b"2", b"3"):
            await state.notify("topic", text)

        assert [await anext(messages) for _ in range(3)] == [b"1", b"2", b"3"]


async def test_a_listener_hears_only_its_topic(state: State) -> None:
    async with state.listen("topic") as messages:
        await state.notify("other", b"not for you")
        await state.notify("topic", b"for you")

        assert await anext(messages) == b"for you"


async def test_one_listener_hears_several_topics_in_the_order_of_telling(state: State) -> None:
    async with state.listen("one", "two", "two") as messages:
        for number, topic in enumerate(("two", "one", "other", "two")):
            await state.notify(topic, b"%d" % number)

        assert [await anext(messages) for _ in range(3)] == [b"0", b"1", b"3"]


async def test_nobody_needs_to_listen(state: State) -> None:
    await state.notify("topic", b"hello")


async def test_a_listener_gone_from_its_context_hears_nothing_more(state: State) -> None:
    async with state.listen("topic") as messages:
        pass

    await state.notify("topic", b"late")

    assert [message async for message in messages] == []


async def test_a_cancelled_wait_loses_no_message(state: State) -> None:
    async with state.listen("topic") as messages:
        waiting = asyncio.ensure_future(anext(messages))
        await asyncio.sleep(0)
        await state.notify("topic", b"hello")
        waiting.cancel()
        await asyncio.wait([waiting])

        assert (await anext(messages) if waiting.cancelled() else waiting.result()) == b"hello"


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
async def test_a_slow_listener_loses_its_oldest_messages_and_they_are_counted(kind: str) -> None:
    state = MemoryState() if kind == "memory" else SqlState.open("sqlite://")
    async with state.listen("topic") as messages:
        for number in range(LISTENER_CAPACITY + 3):
            await state.notify("topic", b"%d" % number)

        assert messages.dropped == 3
        assert await anext(messages) == b"3"
    await state.close()


async def test_closing_the_state_ends_its_listeners_after_what_they_were_told(state: State) -> None:
    async with state.listen("topic") as messages:
        await state.notify("topic", b"last")

        await state.close()

        assert [message async for message in messages] == [b"last"]


async def test_closing_twice_is_fine(state: State) -> None:
    await state.close()
    await state.close()
