"""Buckets and lanes as answers tell of them, with times given by the tests."""

from __future__ import annotations

from math import inf, isinf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.discord.rest.timeline import headers_of

from accord.discord.rest.limits.buckets import Bucket, Lane, Told, told_by
from accord.discord.rest.limits.cooldown import MARGIN_SECONDS

NOW = 100.0


def told(remaining: int, reset_after: float = 1.0, limit: int = 5, name: str = "b") -> Told:
    return Told(name, limit, remaining, reset_after)


def learnt(*answers: Told, now: float = NOW) -> Bucket:
    """A bucket that was discovered by these answers, none of whose requests it counted itself."""
    bucket = Bucket(answers[0])
    for answer in answers:
        bucket.learn(answer, now)
    return bucket


def entered(bucket: Bucket, times: int = 1) -> Bucket:
    for _ in range(times):
        bucket.enter(NOW)
    return bucket


def left(bucket: Bucket, now: float = NOW) -> int:
    """How many may go at once."""
    return next(ahead for ahead in range(1000) if bucket.opens_in(now, ahead) > 0)


# Headers


def test_the_headers_of_an_answer_are_read() -> None:
    assert told_by(headers_of("b", 5, 4, 0.75)) == Told("b", 5, 4, 0.75)


@pytest.mark.parametrize("absent", ["Bucket", "Limit", "Remaining", "Reset-After"])
def test_an_answer_without_all_headers_tells_nothing(absent: str) -> None:
    headers = headers_of("b", 5, 4, 0.75)
    del headers[f"X-RateLimit-{absent}"]

    assert told_by(headers) is None


@pytest.mark.parametrize("limit", ["0", "-1", "many", ""])
def test_a_limit_that_makes_no_sense_tells_nothing(limit: str) -> None:
    assert told_by(headers_of("b", 5, 4, 0.75) | {"X-RateLimit-Limit": limit}) is None


@pytest.mark.parametrize("reset_after", ["nan", "inf", "-1", "soon"])
def test_a_reset_that_makes_no_sense_tells_nothing(reset_after: str) -> None:
    assert told_by(headers_of("b", 5, 4, 0.75) | {"X-RateLimit-Reset-After": reset_after}) is None


# Buckets


def test_as_many_may_go_as_are_left() -> None:
    assert left(learnt(told(3))) == 3


def test_an_empty_bucket_opens_at_its_reset_and_a_margin_after_it() -> None:
    bucket = learnt(told(0, reset_after=0.5))

    assert bucket.opens_in(NOW) == pytest.approx(0.5 + MARGIN_SECONDS)
    assert left(bucket, NOW + 0.52) == 5


def test_those_behind_wait_for_as_many_windows_as_they_need() -> None:
    bucket = learnt(told(2, reset_after=1.0))

    waits = [bucket.opens_in(NOW, ahead) for ahead in (1, 2, 6, 7, 11, 12)]

    assert waits == pytest.approx([0, 1.02, 1.02, 2.02, 2.02, 3.02])


def test_what_is_in_flight_is_not_left() -> None:
    bucket = entered(learnt(told(4)), 3)

    assert left(bucket) == 1


def test_an_answer_that_was_overtaken_never_raises_what_is_left() -> None:
    bucket = entered(learnt(told(4)), 2)

    bucket.end(told(2), NOW)
    bucket.end(told(3), NOW)

    assert left(bucket) == 1  # 2 told less the one then in flight, which may not have been counted


def test_an_answer_that_tells_less_than_was_counted_here_is_believed() -> None:
    bucket = entered(learnt(told(4)))

    bucket.end(told(1), NOW)

    assert left(bucket) == 1


def test_a_reset_while_requests_are_in_flight_leaves_room_for_those() -> None:
    bucket = entered(learnt(told(4, reset_after=1.0)), 3)

    assert left(bucket, NOW + 1.1) == 2


def test_a_window_never_becomes_shorter_by_a_later_answer() -> None:
    bucket = entered(learnt(told(1, reset_after=2.0)))

    bucket.end(told(0, reset_after=0.3), NOW)

    assert bucket.opens_in(NOW) == pytest.approx(2.02)


def test_a_full_reset_leaves_everything_to_those_who_come_and_waits_for_the_first_answer() -> None:
    bucket = learnt(told(0, reset_after=1.0))
    later = NOW + 1.1

    assert left(bucket, later) == 5
    entered(bucket, 5)
    assert isinf(bucket.opens_in(later))


def test_answers_whose_headers_are_gone_do_not_lock_a_bucket() -> None:
    bucket = learnt(told(0, reset_after=1.0))
    later = NOW + 1.1
    bucket.opens_in(later)
    entered(bucket, 5)

    for _ in range(5):
        bucket.end(None, later)

    assert bucket.opens_in(later) == pytest.approx(1.02)
    assert left(bucket, later + 1.02) == 5


def test_one_that_was_never_sent_goes_back() -> None:
    bucket = entered(learnt(told(1)))

    bucket.undo(NOW)

    assert left(bucket) == 1


def test_a_limit_that_changes_counts_from_the_next_window_on() -> None:
    bucket = learnt(told(1, limit=5))

    bucket.learn(told(8, limit=10), NOW)

    assert left(bucket) == 1
    assert left(bucket, NOW + 1.1) == 10


def test_a_cooldown_outlasts_the_reset_and_is_never_shortened() -> None:
    bucket = learnt(told(0, reset_after=1.0))

    bucket.close(NOW + 9, "user")
    bucket.close(NOW + 3, "shared")

    assert bucket.opens_in(NOW) == 9
    assert (bucket.refusal(9.0).scope, bucket.refusal(9.0).bucket, bucket.refusal(9.0).retry_after_ms) == (
        "user",
        "b",
        9000,
    )


def test_a_bucket_may_be_forgotten_once_it_is_full_and_nothing_flies() -> None:
    bucket = entered(learnt(told(3)))

    assert not bucket.is_idle(NOW + 5)
    bucket.end(told(2), NOW)
    assert not bucket.is_idle(NOW + 0.5)
    assert bucket.is_idle(NOW + 1.1)


events = st.one_of(
    st.tuples(st.just("pass"), st.floats(0, 3)),
    st.tuples(st.just("enter"), st.just(0.0)),
    st.tuples(st.just("lose"), st.just(0.0)),
    st.tuples(st.just("undo"), st.just(0.0)),
    st.tuples(st.just("answer"), st.floats(0, 3)),
)


@given(st.integers(1, 6), st.lists(st.tuples(events, st.integers(0, 6)), max_size=60))
def test_a_bucket_never_has_more_in_flight_than_its_limit_and_always_opens_again(
    limit: int, steps: list[tuple[tuple[str, float], int]]
) -> None:
    bucket, now, flying = learnt(told(limit - 1, limit=limit)), NOW, 0
    for (event, seconds), remaining in steps:
        if event == "pass":
            now += seconds
        elif event == "enter" and bucket.opens_in(now) == 0:
            bucket.enter(now)
            flying += 1
        elif event in {"lose", "undo", "answer"} and flying:
            flying -= 1
            if event == "undo":
                bucket.undo(now)
            else:
                bucket.end(told(min(remaining, limit), seconds, limit) if event == "answer" else None, now)
        assert flying <= limit

    for _ in range(flying):
        bucket.end(None, now)
    assert bucket.opens_in(now) < inf
    assert left(bucket, now + bucket.opens_in(now)) > 0


# Lanes


def test_an_unknown_lane_lets_one_pass_as_a_probe() -> None:
    lane = Lane()

    assert lane.opens_in(NOW) == 0
    lane.enter(NOW)
    assert isinf(lane.opens_in(NOW))


def test_a_lane_is_open_once_its_probe_was_answered() -> None:
    lane = Lane()
    lane.enter(NOW)

    lane.end(None, answered=True)

    assert [lane.opens_in(NOW, ahead) for ahead in (0, 5)] == [0, 0]


def test_a_probe_that_was_lost_is_followed_by_another() -> None:
    lane = Lane()
    lane.enter(NOW)

    lane.end(None, answered=False)

    assert lane.opens_in(NOW) == 0
    assert isinf(lane.opens_in(NOW, 1))


def test_a_probe_that_was_never_sent_leaves_it_to_the_next() -> None:
    lane = Lane()
    lane.enter(NOW)

    lane.undo(NOW)

    assert lane.opens_in(NOW) == 0


def test_an_unknown_lane_that_is_closed_says_for_how_long() -> None:
    lane = Lane()
    lane.close(NOW + 2, "shared")

    assert lane.opens_in(NOW, 3) == 2
    assert lane.refusal(2.0).scope == "shared"
