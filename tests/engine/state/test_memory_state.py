"""What is true of the state in memory alone: its bound."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from accord.engine.state.memory import MemoryState
from accord.engine.state.shelf import Shelf


async def test_a_full_memory_lets_the_least_recently_used_value_go() -> None:
    state = MemoryState(capacity=2)
    await state.put("one", b"1")
    await state.put("two", b"2")
    await state.get("one")

    await state.put("three", b"3")

    assert await state.get("one") == b"1"
    assert await state.get("two") is None
    assert await state.get("three") == b"3"


async def test_what_has_expired_makes_room_before_what_lives() -> None:
    times = [0.0]
    state = MemoryState(clock=lambda: times[-1], capacity=2)
    await state.put("living", b"1")
    await state.put("expired", b"2", lifetime_seconds=10)
    times.append(10.0)

    await state.put("new", b"3")

    assert await state.get("living") == b"1"


async def test_windows_are_bounded_too() -> None:
    state = MemoryState(capacity=2)
    for key in ("one", "two", "three"):
        await state.count_in_window(key, window_seconds=60, limit=1)

    assert await state.count_in_window("three", window_seconds=60, limit=1) > 0.0
    assert await state.count_in_window("one", window_seconds=60, limit=1) == 0.0


Steps = st.lists(st.tuples(st.sampled_from("abcdefg"), st.integers(0, 20), st.integers(0, 5)), max_size=80)


@given(Steps)
def test_a_shelf_stays_within_its_bound_and_never_shows_what_expired(steps: list[tuple[str, int, int]]) -> None:
    times = [0.0]
    shelf = Shelf[int](lambda: times[-1], 3)
    ends: dict[str, float] = {}
    for key, lifetime, pause in steps:
        shelf.put(key, lifetime, lifetime)
        ends[key] = times[-1] + lifetime
        times.append(times[-1] + pause)

        shown = {name for name in "abcdefg" if shelf.get(name) is not None}
        assert len(shown) <= 3
        assert all(ends[name] > times[-1] for name in shown)
        assert len(shelf._due) <= 6
