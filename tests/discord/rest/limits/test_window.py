"""The global window, with times given by the tests."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accord.discord.rest.limits.window import WINDOW_SECONDS, Window


def filled(window: Window, *starts: float) -> Window:
    for start in starts:
        window.enter(start)
    return window


def test_as_many_start_at_once_as_the_limit_says() -> None:
    window = Window(3)

    waits = [window.opens_in(100.0, ahead) for ahead in range(4)]

    assert waits == [0, 0, 0, pytest.approx(WINDOW_SECONDS)]


def test_one_more_waits_until_the_first_is_outside_of_the_window() -> None:
    window = filled(Window(3), 100.0, 100.5, 100.6)

    assert window.opens_in(100.7) == pytest.approx(0.35)
    assert window.opens_in(101.05) == 0


def test_those_behind_wait_for_their_own_place() -> None:
    window = filled(Window(2), 100.0, 100.5)

    waits = [window.opens_in(100.5, ahead) for ahead in range(4)]

    assert waits == pytest.approx([0.55, 1.05, 1.6, 2.1])


def test_a_start_that_is_taken_back_leaves_its_place() -> None:
    window = filled(Window(2), 100.0, 100.5)

    window.undo(100.0)

    assert window.opens_in(100.6) == 0
    window.enter(100.6)
    assert window.opens_in(100.6) == pytest.approx(0.95)


def test_taking_back_a_start_that_has_left_the_window_changes_nothing() -> None:
    window = filled(Window(1), 100.0, 102.0)

    window.undo(100.0)

    assert window.opens_in(102.0) == pytest.approx(WINDOW_SECONDS)


def test_a_closed_window_lets_nobody_start() -> None:
    window = Window(2)

    window.close(105.0, "global")
    window.close(103.0, "global")

    assert window.opens_in(100.0) == 5
    assert window.refusal(5.0).scope == "global"


@given(st.integers(1, 10), st.lists(st.floats(0, 3), max_size=80))
def test_no_window_ever_has_more_starts_than_the_limit(most: int, pauses: list[float]) -> None:
    window, now, starts = Window(most), 1000.0, list[float]()

    for pause in pauses:
        now += pause
        now += window.opens_in(now)
        window.enter(now)
        starts.append(now)

    assert all(later - earlier > WINDOW_SECONDS - 1e-6 for earlier, later in zip(starts, starts[most:], strict=False))
    assert all(earlier <= later for earlier, later in pairwise(starts))


@given(st.integers(1, 5), st.lists(st.floats(0, 1), max_size=12), st.integers(0, 20))
def test_the_wait_that_is_foretold_is_the_wait_that_comes(most: int, pauses: list[float], ahead: int) -> None:
    window, now = Window(most), 1000.0
    for pause in pauses:
        now += pause + window.opens_in(now + pause)
        window.enter(now)
    foretold = now + window.opens_in(now, ahead)

    for _ in range(ahead):
        now += window.opens_in(now)
        window.enter(now)

    assert now + window.opens_in(now) == pytest.approx(foretold)
