"""Errors are rows: code, category, hint and message in the class, facts as keywords."""

from __future__ import annotations

import copy
import pickle
import re
from typing import Any

import pytest

from accord.engine import (
    CircuitOpenError,
    ClientError,
    InternalError,
    PayloadApprovalExpiredError,
    ServerError,
    ToolError,
    ToolNotAvailableError,
    ValidationError,
    rows,
)


class PlaceClosedError(ClientError, code="PLACE_CLOSED", hint="Wait until {opens_at}.", status=423):
    """`{place}` is closed.

    Only the first paragraph is the message.
    """

    place: str
    opens_at: str = "tomorrow"
    reason: str | None = None


class LateError(ServerError):
    """Too late."""


CLOSED = PlaceClosedError(place="the hall")


def test_a_row_says_its_code_category_status_and_whether_to_try_again() -> None:
    assert (CLOSED.code, CLOSED.category, CLOSED.http_status, CLOSED.retriable) == (
        "PLACE_CLOSED",
        "client",
        423,
        False,
    )


def test_a_row_inherits_what_it_does_not_say() -> None:
    late = LateError()

    assert (late.code, late.category, late.retriable, late.http_status) == ("SERVER_ERROR", "server", True, 502)


def test_message_and_hint_are_filled_from_the_facts() -> None:
    assert str(CLOSED) == CLOSED.message == "`the hall` is closed."
    assert CLOSED.next_step == "Wait until tomorrow."


def test_a_failure_may_bring_a_hint_of_its_own_which_is_not_filled() -> None:
    assert PlaceClosedError(place="x", recovery_hint="Use {place}.").next_step == "Use {place}."


def test_a_value_with_braces_is_not_filled_a_second_time() -> None:
    assert PlaceClosedError(place="{opens_at}").message == "`{opens_at}` is closed."


def test_facts_are_the_fields_that_have_a_value() -> None:
    assert CLOSED.facts == {"place": "the hall", "opens_at": "tomorrow"}
    assert PlaceClosedError(place="x", reason="rain").facts["reason"] == "rain"


def test_common_facts_are_told_when_they_are_given() -> None:
    lost = LateError(outcome="unknown", nonce="n", trace_id="t", retriable=False)

    assert lost.facts == {"outcome": "unknown", "nonce": "n", "trace_id": "t"}
    assert not lost.retriable


def test_a_failure_after_a_part_says_what_was_done_and_is_not_to_be_repeated() -> None:
    partly = LateError(trace_id="t").left_partial("do the rest", ["1", "2"], nonce="n")

    assert partly.facts == {"outcome": "partial", "done": ["1", "2"], "nonce": "n", "trace_id": "t"}
    assert (partly.retriable, partly.next_step) == (False, "do the rest")
    assert partly.left_open("again", nonce="n", retriable=True).facts == partly.facts


def test_what_is_not_known_of_the_rest_stays_unknown_beside_what_was_done() -> None:
    assert LateError(outcome="unknown").left_partial("look", ["1"]).facts == {"outcome": "unknown", "done": ["1"]}


def test_one_failures_facts_are_not_its_rows() -> None:
    LateError(retriable=False)

    assert LateError().retriable


@pytest.mark.parametrize(
    ("row", "facts", "named"),
    [
        (PlaceClosedError, {}, "needs the field 'place'"),
        (PlaceClosedError, {"place": "x", "plaec": "y"}, "has no field 'plaec'"),
        (LateError, {"place": "x"}, "has no field 'place'"),
        (ValidationError, {}, "needs the field 'issues'"),
        (PayloadApprovalExpiredError, {"tool": "x"}, "needs the field 'approval_id'"),
    ],
)
def test_a_field_too_few_or_too_many_is_named(row: type[ToolError], facts: dict[str, Any], named: str) -> None:
    with pytest.raises(TypeError, match=named):
        row(**facts)


def test_a_row_takes_keywords_only() -> None:
    with pytest.raises(TypeError):
        PlaceClosedError("the hall")  # type: ignore[call-arg]  # the very thing under test


@pytest.mark.parametrize("remake", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])  # noqa: S301 - our own bytes
def test_a_copy_is_the_same_failure(remake: Any) -> None:
    error = PlaceClosedError(place="x", reason="rain", retriable=True, recovery_hint="Wait.")

    made = remake(error)

    assert type(made) is PlaceClosedError
    assert (made.facts, made.retriable, made.next_step, str(made)) == (
        error.facts,
        error.retriable,
        error.next_step,
        str(error),
    )


def test_a_failure_with_a_note_can_be_copied() -> None:
    error = PlaceClosedError(place="x")
    error.add_note("seen in a group")

    assert copy.copy(error).facts == error.facts


def test_rows_are_all_that_can_be_served() -> None:
    served = rows()

    assert {ValidationError, CircuitOpenError, InternalError, ToolNotAvailableError} <= set(served)
    assert {ToolError, ClientError, ServerError}.isdisjoint(served)
    assert not any(row.__name__.startswith("_") for row in served)


def test_rows_of_a_family_are_that_family() -> None:
    assert all(issubclass(row, ServerError) for row in rows(ServerError))


ENGINE_ROWS = [row for row in rows() if row.__module__ == "accord.engine.errors"]


@pytest.mark.parametrize("row", ENGINE_ROWS)
def test_every_row_of_the_engine_can_be_worded(row: type[ToolError]) -> None:
    error = row(**dict.fromkeys(row.fields, "x"))

    assert error.message.endswith((".", "?"))
    assert error.next_step.endswith(".")
    assert "{" not in error.message + error.next_step
    assert "None" not in error.message + error.next_step


@pytest.mark.parametrize("row", ENGINE_ROWS)
def test_every_row_of_the_engine_states_its_code(row: type[ToolError]) -> None:
    assert row.code not in {ToolError.code, ServerError.code}
    assert re.fullmatch("[A-Z][A-Z_]+", row.code)


@pytest.mark.parametrize("row", [row for row in ENGINE_ROWS if issubclass(row, ServerError)])
def test_what_failed_this_time_may_be_tried_again(row: type[ToolError]) -> None:
    assert row(**dict.fromkeys(row.fields, "x")).retriable
