"""What the judge says of answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.judge_tests.wire import JSON, MESSAGES, answered

if TYPE_CHECKING:
    from tests.judge import Judge

USER = {
    "id": "80351110224678912",
    "username": "nelly",
    "discriminator": "0",
    "global_name": None,
    "avatar": None,
    "public_flags": 0,
    "flags": 0,
    "primary_guild": None,
}
MESSAGE: dict[str, Any] = {
    "id": "5",
    "channel_id": "110",
    "type": 0,
    "content": "hello",
    "author": USER,
    "timestamp": "2030-01-01T00:00:00.000000+00:00",
    "edited_timestamp": None,
    "tts": False,
    "pinned": False,
    "mention_everyone": False,
    "mentions": [],
    "mention_roles": [],
    "attachments": [],
    "embeds": [],
    "components": [],
    "flags": 0,
}


def test_a_right_answer_passes(judge: Judge) -> None:
    assert answered(judge, "POST", MESSAGES, 200, MESSAGE) == []


def test_an_answer_may_hold_more_than_the_file_says(judge: Judge) -> None:
    assert answered(judge, "POST", MESSAGES, 200, {**MESSAGE, "brand_new": 1}) == []


def test_an_answer_that_lacks_a_field_is_caught(judge: Judge) -> None:
    incomplete = {key: value for key, value in MESSAGE.items() if key != "author"}

    assert answered(judge, "POST", MESSAGES, 200, incomplete) == [
        'POST /channels/{channel_id}/messages answer 200 body: "author" is a required property'
    ]


def test_an_id_that_is_an_integer_is_caught_in_an_answer(judge: Judge) -> None:
    (violation,) = answered(judge, "POST", MESSAGES, 200, {**MESSAGE, "id": 5})

    assert 'answer 200 body: id: 5 is not of type "string"' in violation


def test_a_status_that_the_operation_does_not_answer_is_caught(judge: Judge) -> None:
    (violation,) = answered(judge, "POST", MESSAGES, 201, MESSAGE)

    assert violation.endswith("answer 201 status: not one of 200")


def test_an_answer_without_content_is_empty(judge: Judge) -> None:
    assert judge.answer("DELETE", f"{MESSAGES}/5", 204, {}, b"") == []
    assert judge.answer("DELETE", f"{MESSAGES}/5", 204, JSON, b"{}") == [
        "DELETE /channels/{channel_id}/messages/{message_id} answer 204 body: must be empty"
    ]


@pytest.mark.parametrize("headers", [{}, {"Content-Type": "application/json; charset=utf-8"}])
def test_the_content_type_is_exactly_json(judge: Judge, headers: dict[str, str]) -> None:
    (violation,) = judge.answer("GET", "/gateway", 200, headers, b'{"url": "wss://gateway.discord.gg"}')

    assert violation.endswith("is not exactly application/json")


def test_an_answer_that_is_no_json_is_caught(judge: Judge) -> None:
    (violation,) = judge.answer("GET", "/gateway", 200, JSON, b'{"url"')

    assert "answer 200 body: not JSON: " in violation


def test_an_answer_of_another_content_type_is_known_by_it_alone(judge: Judge) -> None:
    assert (
        judge.answer("GET", "/invites/abc/target-users", 200, {"Content-Type": "text/csv; charset=utf-8"}, b"1") == []
    )
    assert judge.answer("GET", "/guilds/1/widget.png", 200, {"Content-Type": "image/png"}, b"\x89PNG") == []
    assert judge.answer("GET", "/guilds/1/widget.png", 200, JSON, b"{}") != []


@pytest.mark.parametrize(
    "body",
    [
        {"code": 10003, "message": "Unknown Channel"},
        {"code": 50035, "message": "Invalid Form Body", "errors": {"content": {"_errors": []}}},
        {"message": "You are being rate limited.", "retry_after": 0.3, "global": False},
    ],
)
def test_an_error_has_a_message_and_may_have_a_code(judge: Judge, body: object) -> None:
    assert answered(judge, "POST", MESSAGES, 400, body) == []


@pytest.mark.parametrize("body", [{"code": 10003}, {"message": 5}, {"message": "x", "code": "10003"}, ["x"]])
def test_an_error_of_another_shape_is_caught(judge: Judge, body: object) -> None:
    (violation,) = answered(judge, "POST", MESSAGES, 400, body)

    assert "answer 400 body: " in violation


def test_an_error_that_is_half_json_is_caught(judge: Judge) -> None:
    assert judge.answer("POST", MESSAGES, 400, JSON, b'{"message') != []


@pytest.mark.parametrize("status", [403, 429, 502])
def test_what_stands_before_discord_may_answer_html(judge: Judge, status: int) -> None:
    assert judge.answer("POST", MESSAGES, status, {"Content-Type": "text/html"}, b"<html>") == []


def test_an_answer_to_what_discord_has_not_is_not_judged(judge: Judge) -> None:
    assert judge.answer("GET", "/nowhere", 200, {}, b"") == []
