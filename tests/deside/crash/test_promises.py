"""What does not hold is noticed: the crash test could not fail otherwise."""

from __future__ import annotations

import pytest
from tests.deside.crash.promises import Heard, Letter, Place, Promises

CONVERSATION = "A:B"


def letter(number: int, key: str | None = None) -> Letter:
    return Letter("A", "B", f"text {number}", key)


def heard(number: int, seq: int, *, id: str | None = None) -> Heard:  # noqa: A002 - the contract's word
    return Heard(id or f"id {number}", Place(CONVERSATION, seq), "A", f"text {number}")


def delivered(seq: int) -> dict[str, object]:
    return {"status": "delivered", "convId": CONVERSATION, "seq": seq}


@pytest.fixture
def promises() -> Promises:
    """Three messages without a key; the first two were acknowledged."""
    made = Promises()
    for number in (1, 2, 3):
        made.attempt(letter(number))
    assert list(made.answered(letter(1), delivered(1))) == []
    assert list(made.answered(letter(2), delivered(2))) == []
    return made


GOOD = [heard(1, 1), heard(2, 2)]


@pytest.mark.parametrize("log", [GOOD, [*GOOD, heard(3, 3)]])
def test_what_was_not_acknowledged_may_be_there_or_not(promises: Promises, log: list[Heard]) -> None:
    assert list(promises.faults_of("B", log)) == []


@pytest.mark.parametrize(
    ("log", "fault"),
    [
        (GOOD[:1], "'text 2' was acknowledged at"),
        ([heard(2, 1), heard(1, 2)], "'text 1' was acknowledged at"),
        ([*GOOD, heard(3, 4)], "4 follows 2"),
        ([*GOOD, heard(3, 2)], "2 follows 2"),
        ([*GOOD, heard(3, 3, id="id 1")], "'id 1' came twice"),
        ([*GOOD, heard(2, 3, id="another")], "'text 2' came twice"),
        ([*GOOD, heard(4, 3)], "was never sent"),
    ],
)
def test_a_gap_a_double_and_a_loss_are_noticed(promises: Promises, log: list[Heard], fault: str) -> None:
    assert any(fault in told for told in promises.faults_of("B", log))


def test_a_key_whose_first_result_changes_is_noticed(promises: Promises) -> None:
    promises.attempt(letter(4, "a key"))
    assert promises.unanswered() == [letter(4, "a key")]
    assert list(promises.answered(letter(4, "a key"), delivered(3))) == []

    assert promises.unanswered() == []
    assert list(promises.answered(letter(4, "a key"), delivered(3))) == []
    assert len(list(promises.answered(letter(4, "a key"), delivered(4)))) == 1


@pytest.mark.parametrize(
    ("log", "requests", "count"),
    [([], {"A": ["text 3"]}, 1), ([heard(3, 3)], {}, 1), ([], {}, 0), ([heard(3, 3)], {"A": ["text 3"]}, 2)],
)
def test_what_waits_for_consent_is_in_one_place(
    promises: Promises, log: list[Heard], requests: dict[str, list[str]], count: int
) -> None:
    assert list(promises.answered(letter(3), {"status": "pending_acceptance"})) == []

    assert bool(list(promises.faults_of_waiting("B", log, requests))) is (count != 1)


@pytest.mark.parametrize(
    ("read", "unread", "faults"),
    [({"A:B": 1}, {"A:B": 1}, 0), ({"A:B": 1}, {"A:B": 2}, 1), ({"A:B": 0}, {"A:B": 2}, 1)],
)
def test_a_mark_that_moved_back_and_a_wrong_count_are_noticed(
    promises: Promises, read: dict[str, int], unread: dict[str, int], faults: int
) -> None:
    promises.read["B", CONVERSATION] = 1

    assert len(list(promises.faults_of_unread("B", GOOD, read, unread))) == faults
