"""Whole exchanges, where the file comes from, and the judge as a listener."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pytest
from tests.judge import Judge, JudgedExchanges
from tests.judge_tests.wire import JSON, MESSAGES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

REFUSED = b'{"code": 10003, "message": "Unknown Channel"}'


@dataclass(frozen=True)
class Heard:
    """An exchange as a listener is told of it."""

    method: str = "POST"
    path: str = MESSAGES
    query: str = ""
    request_headers: Mapping[str, str] = field(default_factory=lambda: JSON)
    request_body: bytes = b'{"content": "hello"}'
    status: int = 404
    response_headers: Mapping[str, str] = field(default_factory=lambda: JSON)
    response_body: bytes = REFUSED


BAD_REQUEST = replace(Heard(), request_body=b'{"contnt": "hello"}')
BAD_ANSWER = replace(Heard(), response_body=b'{"code": 10003}')


def test_both_sides_of_an_exchange_are_judged_whatever_the_status(judge: Judge) -> None:
    asked, answered = judge.exchange("POST", MESSAGES, "", JSON, b'{"contnt": "x"}', 404, JSON, b"{}")

    assert asked.startswith("POST /channels/{channel_id}/messages request body: ")
    assert answered == "POST /channels/{channel_id}/messages answer 404 body: an error without a message"


def test_a_request_that_is_wrong_on_purpose_is_left_out(judge: Judge) -> None:
    body = b'{"contnt": "x"}'

    assert judge.exchange("POST", MESSAGES, "", JSON, body, 404, JSON, REFUSED, expected_bad=True) == []
    assert judge.exchange("POST", MESSAGES, "", JSON, body, 404, JSON, b"{}", expected_bad=True) != []


def test_a_listener_of_right_exchanges_is_clean(judge: Judge) -> None:
    listener = JudgedExchanges(judge)

    listener(Heard())

    listener.assert_clean()


@pytest.mark.parametrize("exchange", [BAD_REQUEST, BAD_ANSWER])
def test_a_listener_remembers_what_was_wrong(judge: Judge, exchange: Heard) -> None:
    listener = JudgedExchanges(judge)

    listener(exchange)
    listener(Heard())

    assert len(listener.violations) == 1
    with pytest.raises(AssertionError, match="Discord's file disagrees"):
        listener.assert_clean()


def test_a_violation_that_recurs_is_told_once(judge: Judge) -> None:
    listener = JudgedExchanges(judge)

    listener(BAD_REQUEST)
    listener(BAD_REQUEST)

    with pytest.raises(AssertionError) as raised:
        listener.assert_clean()
    assert str(raised.value).count("contnt") == 1


def test_a_listener_that_expects_bad_requests_still_judges_answers(judge: Judge) -> None:
    listener = JudgedExchanges(judge)

    with listener.expecting_bad_requests():
        listener(BAD_REQUEST)
        listener(BAD_ANSWER)

    (violation,) = listener.violations
    assert "answer 404" in violation


def test_a_listener_that_expects_bad_answers_still_judges_requests(judge: Judge) -> None:
    listener = JudgedExchanges(judge)

    with listener.expecting_bad_answers():
        listener(BAD_ANSWER)
        listener(BAD_REQUEST)

    (violation,) = listener.violations
    assert "request body" in violation


def test_a_listener_judges_again_after_what_it_expected(judge: Judge) -> None:
    listener = JudgedExchanges(judge)

    with listener.expecting_bad_requests(), listener.expecting_bad_answers():
        listener(BAD_REQUEST)
    listener(BAD_REQUEST)

    assert len(listener.violations) == 1


def test_the_file_is_the_one_that_the_environment_names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "openapi.json"
    file.write_text('{"paths": {}, "components": {"schemas": {}}}')
    monkeypatch.setenv("DISCORD_OPENAPI", str(file))

    judge = Judge.load()

    assert judge is not None
    assert judge.operations == frozenset()


def test_a_file_that_the_environment_misnames_does_not_switch_the_judge_off(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DISCORD_OPENAPI", str(tmp_path / "absent.json"))

    with pytest.raises(FileNotFoundError):
        Judge.load()
