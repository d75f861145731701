"""What a sliding window promises for any times."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from accord.engine.state.windows import Events, count_event

Pauses = st.lists(st.floats(0, 30), max_size=60)


@given(Pauses, st.floats(0.5, 60), st.integers(1, 5))
def test_no_window_ever_holds_more_than_its_limit(pauses: list[float], window_seconds: float, limit: int) -> None:
    counted: list[float] = []
    events: Events = ()
    now = 0.0
    for pause in pauses:
        now += pause
        events, wait = count_event(events, now, window_seconds=window_seconds, limit=limit)
        counted += [now] if wait == 0.0 else []

        assert 0.0 <= wait <= window_seconds + 1e-9
        assert sum(at + window_seconds > now for at in counted) <= limit


def test_the_wait_is_until_enough_events_have_left() -> None:
    _, wait = count_event((0.0, 10.0, 20.0), 30.0, window_seconds=60.0, limit=2)

    assert wait == 40.0
