"""What the judge says of requests, right ones and wrong ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.judge_tests.wire import JSON, MESSAGES, URLENCODED, asked

if TYPE_CHECKING:
    from tests.judge import Judge

CREATE = "POST /channels/{channel_id}/messages request"

BUTTON_ROW = {"type": 1, "components": [{"type": 2, "style": 1, "label": "Go", "custom_id": "go"}]}
RULE = {
    "name": "No spam",
    "event_type": 1,
    "trigger_type": 1,
    "trigger_metadata": {"keyword_filter": ["spam"]},
    "actions": [{"type": 1, "metadata": {"custom_message": "no"}}],
}
ONBOARDING = {
    "prompts": [
        {"id": "1", "title": "Who?", "options": [{"title": "Me", "role_ids": ["5"], "channel_ids": []}], "type": 0}
    ],
    "default_channel_ids": ["7"],
    "enabled": True,
    "mode": 0,
}

GOOD: list[tuple[str, str, Any]] = [
    ("POST", MESSAGES, {"content": "hello", "allowed_mentions": {"parse": []}, "enforce_nonce": True, "nonce": "a"}),
    ("POST", MESSAGES, {"embeds": [{"title": "T", "color": 255, "fields": [{"name": "a", "value": "b"}]}]}),
    ("POST", MESSAGES, {"flags": 32768, "components": [{"type": 10, "content": "text"}, BUTTON_ROW]}),
    ("PATCH", f"{MESSAGES}/5", {"content": None}),
    ("POST", "/guilds/1/bulk-ban", {"user_ids": ["5", 6], "delete_message_seconds": 60}),
    ("PUT", "/guilds/1/onboarding", ONBOARDING),
    ("PUT", "/channels/1/permissions/2", {"type": 0, "allow": "1024", "deny": "0"}),
    ("POST", "/guilds/1/auto-moderation/rules", RULE),
    ("PATCH", "/guilds/1/members/2", {"communication_disabled_until": "2030-01-01T00:00:00Z"}),
    ("POST", "/channels/1/threads", {"name": "post", "message": {"content": "first"}, "applied_tags": ["3"]}),
    ("POST", "/channels/1/threads", {"name": "thread", "type": 11}),
    ("POST", "/interactions/1/token/callback", {"type": 4, "data": {"content": "done", "flags": 64}}),
    ("POST", "/webhooks/1/token", {"content": "hello", "username": "bot"}),
    ("PATCH", "/webhooks/1", {"channel_id": "5"}),
]

BAD: list[tuple[str, str, Any, str]] = [
    ("POST", MESSAGES, {"contnt": "x"}, "Additional properties are not allowed ('contnt' was unexpected)"),
    ("POST", MESSAGES, {"content": 5}, 'content: 5 is not of types "null", "string"'),
    ("POST", MESSAGES, {"content": "x" * 4001}, "content: "),
    ("POST", MESSAGES, {"embeds": [{"title": 4}]}, 'embeds.0.title: 4 is not of types "null", "string"'),
    ("POST", MESSAGES, {"message_reference": {"mesage_id": "1"}}, "message_reference: "),
    ("POST", MESSAGES, {"components": [{"type": 1}]}, 'components.0: "components" is a required property'),
    ("POST", MESSAGES, {"components": [{"type": 99}]}, "components.0.type: "),
    (
        "POST",
        MESSAGES,
        {"components": [{"type": 1, "components": [{"type": 2, "style": 9, "custom_id": "x"}]}]},
        "components.0.components.0.style: 9 is none of [1, 2, 3, 4, 5, 6]",
    ),
    ("POST", f"{MESSAGES}/bulk-delete", {"messages": ["1"]}, "messages: "),
    ("POST", "/guilds/1/auto-moderation/rules", {**RULE, "trigger_metadata": {"keyword_filter": [5]}}, "trigger_meta"),
    ("PATCH", "/webhooks/1", {"channel": "5"}, "Additional properties are not allowed ('channel' was unexpected)"),
    ("PATCH", "/guilds/1/widget", {"channel": "5"}, "Additional properties are not allowed"),
    ("POST", "/interactions/1/token/callback", {"type": 4, "data": {"text": "x"}}, "data: Additional properties"),
    ("POST", "/guilds/1/roles", ["x"], 'is not of type "object"'),
]


@pytest.mark.parametrize(("method", "path", "body"), GOOD)
def test_a_right_body_passes(judge: Judge, method: str, path: str, body: Any) -> None:
    assert asked(judge, method, path, body) == []


@pytest.mark.parametrize(("method", "path", "body", "said"), BAD)
def test_a_wrong_body_is_caught_where_it_is_wrong(judge: Judge, method: str, path: str, body: Any, said: str) -> None:
    (violation, *_) = asked(judge, method, path, body)

    assert f"request body: {said}" in violation or violation.endswith(said)


def test_a_violation_names_the_operation_the_part_and_the_field(judge: Judge) -> None:
    assert asked(judge, "POST", MESSAGES, {"tts": "yes"}) == [
        f'{CREATE} body: tts: "yes" is not of types "null", "boolean"'
    ]


def test_a_violation_quotes_only_a_little_of_a_large_value(judge: Judge) -> None:
    (violation,) = asked(judge, "POST", MESSAGES, {"content": ["x" * 10_000]})

    assert len(violation) < 300


@pytest.mark.parametrize(
    ("method", "path"),
    [("PUT", "/guilds/1/bans/2"), ("DELETE", "/guilds/1/bans/2"), ("PUT", "/channels/1/recipients/2")],
)
def test_no_body_is_needed_where_every_field_is_optional(judge: Judge, method: str, path: str) -> None:
    assert judge.request(method, path, "", {}, b"") == []


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/guilds/1/channels"), ("POST", "/channels/1/threads"), ("POST", "/guilds/1/stickers")],
)
def test_a_body_is_missed_where_a_field_is_required(judge: Judge, method: str, path: str) -> None:
    (violation,) = judge.request(method, path, "", {}, b"")

    assert violation.endswith("request body: missing")


def test_a_body_where_discord_takes_none_is_caught(judge: Judge) -> None:
    assert asked(judge, "POST", "/channels/1/typing", {}) == [
        "POST /channels/{channel_id}/typing request body: the operation takes none"
    ]


def test_a_body_that_is_no_json_is_caught(judge: Judge) -> None:
    (violation,) = judge.request("POST", MESSAGES, "", JSON, b'{"content": NaN}')

    assert violation.startswith(f"{CREATE} body: not JSON: ")


@pytest.mark.parametrize("headers", [{}, {"Content-Type": "text/plain"}])
def test_a_body_needs_a_content_type_that_the_operation_takes(judge: Judge, headers: dict[str, str]) -> None:
    (violation,) = judge.request("POST", MESSAGES, "", headers, b"{}")

    assert violation.startswith(f"{CREATE} body: content type ")


def test_a_charset_may_follow_the_content_type(judge: Judge) -> None:
    assert judge.request("POST", MESSAGES, "", {"content-type": "application/json; charset=utf-8"}, b"{}") == []


def test_an_urlencoded_body_is_read_by_its_schema(judge: Judge) -> None:
    assert judge.request("POST", MESSAGES, "", URLENCODED, b"content=123&tts=true&flags=4") == []
    assert judge.request("POST", MESSAGES, "", URLENCODED, b"content=x&tts=yes") == [
        f'{CREATE} body: tts: "yes" is not of types "null", "boolean"'
    ]
    assert judge.request("POST", MESSAGES, "", URLENCODED, b"contnt=x") != []


def test_an_urlencoded_body_that_is_no_text_is_caught(judge: Judge) -> None:
    assert judge.request("POST", MESSAGES, "", URLENCODED, b"content=\xff") != []


@pytest.mark.parametrize(
    ("path", "query"),
    [
        (MESSAGES, "limit=100&before=1234567890123456789"),
        ("/guilds/1", "with_counts=true"),
        ("/guilds/1/prune", "days=7&include_roles=5,6"),
        ("/guilds/1/messages/search", "content=12&author_id=5&author_id=6&has=image"),
        ("/guilds/1/messages/search", "author_id=5"),
        ("/guilds/1/members/search", "query=a%20b&limit=1000"),
        ("/channels/1/threads/archived/public", "before=2030-01-01T00%3A00%3A00Z"),
    ],
)
def test_a_right_query_passes(judge: Judge, path: str, query: str) -> None:
    assert asked(judge, "GET", path, query=query) == []


@pytest.mark.parametrize(
    ("path", "query", "said"),
    [
        (MESSAGES, "limit=101", "query limit: 101 is greater than the maximum of 100"),
        (MESSAGES, "limit=0", "query limit: 0 is less than the minimum of 1"),
        (MESSAGES, "limit=ten", 'query limit: "ten" is not of type "integer"'),
        (MESSAGES, "limit=5&limit=6", "query limit: "),
        (MESSAGES, "limit=", "query limit: "),
        (MESSAGES, "befor=5", "query befor: unknown"),
        (MESSAGES, "before=x5", "query before: "),
        (MESSAGES, "limit", "query: bad query field"),
        ("/guilds/1", "with_counts=True", "query with_counts: "),
        ("/guilds/1/messages/search", "author_id=5&author_id=x", 'query author_id: 1: "x" does not match'),
        ("/guilds/1/members/search", "limit=5", "query query: missing"),
    ],
)
def test_a_wrong_query_is_caught(judge: Judge, path: str, query: str, said: str) -> None:
    (violation,) = asked(judge, "GET", path, query=query)

    assert f"request {said}" in violation


@pytest.mark.parametrize(
    ("path", "name"),
    [("/channels/general/messages", "channel_id"), ("/channels/05/messages", "channel_id"), ("/users/me", "user_id")],
)
def test_a_wrong_id_in_the_path_is_caught(judge: Judge, path: str, name: str) -> None:
    (violation,) = asked(judge, "GET", path)

    assert f"request path {name}: " in violation


@pytest.mark.parametrize("reason", ["spam", "spam and more", "50%25%20off", "%E2%9C%93", "%F0%9F%91%8D" * 512])
def test_a_right_audit_log_reason_passes(judge: Judge, reason: str) -> None:
    assert judge.request("DELETE", f"{MESSAGES}/5", "", {"X-Audit-Log-Reason": reason}, b"") == []


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("\N{CHECK MARK}", "not percent-encoded ASCII"),
        ("a\nb", "not percent-encoded ASCII"),
        ("", "not percent-encoded ASCII"),
        ("50% off", "not percent-encoded ASCII"),
        ("%FF", "not UTF-8 when decoded"),
        ("x" * 513, "513 characters, more than 512"),
    ],
)
def test_a_wrong_audit_log_reason_is_caught(judge: Judge, reason: str, said: str) -> None:
    (violation,) = judge.request("DELETE", f"{MESSAGES}/5", "", {"X-Audit-Log-Reason": reason}, b"")

    assert violation.endswith(f"request header x-audit-log-reason: {said}")
