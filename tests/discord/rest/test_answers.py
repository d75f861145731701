"""Which row a failed request becomes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.discord.rest.contract import CONTRACT_CODES

from accord.discord.rest.answers import (
    LONGEST_WAIT_SECONDS,
    MOST_ISSUES,
    error_of,
    timed_out,
    unknown_outcome,
    unreachable,
)
from accord.discord.rest.errors import (
    EDGE_BLOCK_MS,
    DiscordCloudflareBlocked,
    DiscordNotFoundError,
    DiscordPermissionError,
    DiscordRateLimitError,
    DiscordRequestError,
    DiscordUpstreamError,
)
from accord.discord.voice import voice
from accord.engine.errors import InternalError, ToolError, ValidationError

VIA = {"Via": "1.1 google", "Content-Type": "application/json"}
PAGE = b"<!DOCTYPE html><html><title>Access denied</title>error code: 1015</html>"
BODIES = (
    None,
    b"",
    b"   ",
    b"{}",
    b"[]",
    b"null",
    b'{"message": "no", "code": 0}',
    PAGE,
    b"\xff\xfe\x00",
    b'{"code": ',
)


def answer(status: int, body: object, headers: dict[str, str] | None = None, route: str | None = None) -> ToolError:
    return error_of(status, VIA if headers is None else headers, json.dumps(body).encode(), route=route)


# --- From an answer to a row ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (400, "VALIDATION_FAILED"),
        (401, "DISCORD_AUTH_INVALID"),
        (403, "DISCORD_PERMISSION_DENIED"),
        (404, "DISCORD_NOT_FOUND"),
        (503, "DISCORD_SERVER_ERROR"),
    ],
)
def test_an_api_error_has_the_code_of_its_status(status: int, code: str) -> None:
    error = answer(status, {"message": "no", "code": 50000 + status})
    assert error.code == code
    assert (error.facts["status"], error.facts["discord_code"]) == (status, 50000 + status)


@pytest.mark.parametrize(
    ("status", "row", "reason"),
    [
        (304, InternalError, "unexpected_status"),
        (405, InternalError, "http_405"),
        (408, DiscordUpstreamError, "request_timeout"),
        (409, DiscordRequestError, "conflict"),
        (410, DiscordNotFoundError, "gone"),
        (413, DiscordRequestError, "too_large"),
        (415, InternalError, "http_415"),
        (418, DiscordRequestError, None),
        (422, DiscordRequestError, None),
        (502, DiscordUpstreamError, None),
        (599, DiscordUpstreamError, None),
        (600, InternalError, "unexpected_status"),
    ],
)
def test_a_rarer_status_has_a_row(status: int, row: type[ToolError], reason: str | None) -> None:
    error = error_of(status, VIA, b"")
    assert type(error) is row
    assert error.facts.get("reason") == reason


def test_a_request_of_the_wrong_form_is_not_retriable() -> None:
    assert not error_of(405, VIA, b"").retriable


def test_a_file_that_is_too_large_says_so_as_json_and_as_a_page() -> None:
    as_json, as_page = answer(413, {"code": 40005, "message": "Request entity too large"}), error_of(413, {}, PAGE)
    assert as_json.facts["reason"] == as_page.facts["reason"] == "too_large"
    assert as_json.next_step == as_page.next_step


def test_what_discord_refuses_can_be_caught_as_a_validation_error() -> None:
    assert isinstance(answer(400, {"code": 50035}), ValidationError)


def test_field_errors_become_issues() -> None:
    too_long = {"code": "BASE_TYPE_MAX_LENGTH", "message": "Must be 256 or fewer in length."}
    missing = {"code": "BASE_TYPE_REQUIRED", "message": "This field is required"}
    errors = {
        "embeds": {"0": {"title": {"_errors": [too_long]}, "fields": {"2": {"name": {"_errors": [missing]}}}}},
        "_errors": [{"code": "FORM", "message": "Nothing to send"}],
    }
    error = answer(400, {"code": 50035, "message": "Invalid Form Body", "errors": errors})
    assert error.facts["issues"] == [
        {"path": "embeds[0].title", "message": "Must be 256 or fewer in length.", "code": "BASE_TYPE_MAX_LENGTH"},
        {"path": "embeds[0].fields[2].name", "message": "This field is required", "code": "BASE_TYPE_REQUIRED"},
        {"path": "", "message": "Nothing to send", "code": "FORM"},
    ]
    assert error.facts["discord_message"] == "Invalid Form Body"


def test_a_flood_of_field_errors_is_cut() -> None:
    flood = {"embeds": {str(i): {"_errors": [{"code": "X", "message": "y"}]} for i in range(1000)}}
    assert len(answer(400, {"code": 50035, "errors": flood}).facts["issues"]) == MOST_ISSUES


def test_a_bottomless_tree_of_field_errors_is_survived() -> None:
    body = b'{"code": 50035, "errors": ' + b'{"a": ' * 900 + b"{}" + b"}" * 900 + b"}"
    assert error_of(400, VIA, body).facts["issues"] == []


@pytest.mark.parametrize("status", [400, 403])
def test_a_user_who_cannot_be_messaged_is_told_alike_in_both_shapes(status: int) -> None:
    error = answer(status, {"code": 50007, "message": "Cannot send messages to this user"})
    assert error.facts["reason"] == "cannot_dm_user"
    assert "shares no server" in error.next_step
    assert not error.retriable


def test_listing_members_without_the_intent_names_the_intent() -> None:
    error = answer(403, {"code": 50001, "message": "Missing Access"}, route="/guilds/{}/members")
    assert error.facts["reason"] == "members_intent_required"
    assert "Server Members Intent" in error.next_step
    assert "members_get" in error.next_step


def test_missing_access_elsewhere_names_the_permission() -> None:
    error = answer(403, {"code": 50001, "message": "Missing Access"}, route="/channels/{}/messages")
    assert error.facts["reason"] == "missing_access"
    assert "View Channel" in error.next_step


@pytest.mark.parametrize(
    ("status", "code", "word"),
    [
        (403, 50013, "grant the bot"),
        (404, 10003, "channels_list"),
        (404, 10008, "messages_read"),
        (400, 10014, "emojis_list_guild"),
        (401, 40001, "DISCORD_TOKEN"),
        (403, 50005, "only its own"),
        (400, 50083, "Open the thread"),
        (400, 50034, "14 days"),
        (400, 30005, "roles"),
        (429, 20016, "slow mode"),
        (400, 40003, "Stop opening"),
        (503, 130000, "overloaded"),
    ],
)
def test_discords_numeric_code_gets_a_hint_that_fits(status: int, code: int, word: str) -> None:
    error = answer(status, {"code": code, "message": "no", "retry_after": 1})
    assert word in error.next_step


def test_an_unknown_channel_says_what_type_was_not_found() -> None:
    error = answer(404, {"code": 10003, "message": "Unknown Channel"})
    assert error.facts["resource_type"] == "channel"
    assert error.facts["suggested_tool"] == "channels_list"


@pytest.mark.parametrize("code", ["access_denied", True, None, 1.5, [50013]])
def test_a_code_that_is_no_whole_number_is_left_out(code: object) -> None:
    assert "discord_code" not in answer(403, {"code": code, "message": "no"}).facts


def test_a_retriable_server_error_keeps_the_wait_that_it_asks_for() -> None:
    assert error_of(503, {"retry-after": "7"}, b"").facts["retry_after_ms"] == 7000


# --- Rate limits and edge blocks ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "milliseconds"),
    [(0.75, 750), (0.3, 300), (1.5, 1500), (0.0001, 1), (0, 0), (-3, 0), (86000, 86_000_000)],
)
def test_the_bodys_seconds_become_milliseconds_rounded_up(seconds: float, milliseconds: int) -> None:
    error = answer(429, {"message": "You are being rate limited.", "retry_after": seconds, "global": False})
    assert type(error) is DiscordRateLimitError
    assert error.retry_after_ms == milliseconds
    assert error.retriable


def test_an_absurd_wait_is_cut_to_a_year() -> None:
    assert answer(429, {"retry_after": 1e300}).facts["retry_after_ms"] == LONGEST_WAIT_SECONDS * 1000


def test_the_body_stands_above_the_header() -> None:
    error = answer(429, {"retry_after": 0.3}, VIA | {"Retry-After": "1"})
    assert error.facts["retry_after_ms"] == 300


def test_headers_are_read_in_any_case() -> None:
    heads = {"VIA": "1.1 google", "x-RateLimit-BUCKET": "abcd", "X-RATELIMIT-SCOPE": "shared", "RETRY-AFTER": "2"}
    error = answer(429, {"message": "slow"}, heads)
    assert error.facts["bucket"] == "abcd"
    assert error.facts["scope"] == "shared"
    assert error.facts["retry_after_ms"] == 2000


@pytest.mark.parametrize("heads", [{"Via": "1.1 google"}, {"X-RateLimit-Global": "true"}])
def test_a_global_limit_is_told_with_and_without_the_scope_header(heads: dict[str, str]) -> None:
    assert answer(429, {"retry_after": 1, "global": True}, heads).facts["scope"] == "global"


def test_an_unheard_of_scope_is_left_out() -> None:
    assert "scope" not in answer(429, {"retry_after": 1}, VIA | {"X-RateLimit-Scope": "galaxy"}).facts


def test_a_limit_of_discords_without_a_wait_has_none() -> None:
    error = answer(429, {"message": "no", "code": 50429})
    assert type(error) is DiscordRateLimitError
    assert "retry_after_ms" not in error.facts


@pytest.mark.parametrize("status", [403, 429])
@pytest.mark.parametrize("body", [PAGE, b"error code: 1015", b'{"error_code": 1015, "status": 429}'])
def test_a_page_of_the_edge_is_a_cloudflare_block(status: int, body: bytes) -> None:
    error = error_of(status, {"Content-Type": "text/html"}, body)
    assert type(error) is DiscordCloudflareBlocked
    assert error.retry_after_ms == EDGE_BLOCK_MS


def test_an_edge_block_lasts_as_long_as_it_says() -> None:
    error = error_of(429, {"Content-Type": "text/html", "Retry-After": "30"}, PAGE)
    assert error.facts["retry_after_ms"] == 30_000


def test_the_notice_of_a_ban_is_a_cloudflare_block() -> None:
    notice = {"code": 0, "message": "You are being blocked from accessing our API temporarily"}
    assert type(answer(429, notice, {"Content-Type": "application/json"})) is DiscordCloudflareBlocked


def test_an_empty_429_that_did_not_pass_discords_gateway_is_a_cloudflare_block() -> None:
    assert type(error_of(429, {}, b"")) is DiscordCloudflareBlocked


def test_an_empty_403_is_a_refusal() -> None:
    assert type(error_of(403, {}, b"")) is DiscordPermissionError


def test_where_the_body_was_not_kept_nothing_is_said_about_the_edge() -> None:
    assert type(error_of(429, {}, None)) is DiscordRateLimitError


# --- Every answer ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("body", BODIES)
def test_every_status_has_a_served_row_whatever_the_body(body: bytes | None) -> None:
    for status in range(300, 600):
        for heads in ({}, VIA):
            error = error_of(status, heads, body)
            assert error.code in CONTRACT_CODES
            json.dumps(voice(error, "messages_send").structured)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text() | st.just("_errors"), below, max_size=3),
)
bodies = (
    st.none()
    | st.binary()
    | st.fixed_dictionaries(
        {}, optional=dict.fromkeys(("code", "message", "errors", "retry_after", "global", "error_code"), anything)
    ).map(lambda body: json.dumps(body).encode())
)
headers = st.dictionaries(
    st.sampled_from(["Via", "Retry-After", "X-RateLimit-Bucket", "X-RateLimit-Scope", "X-RateLimit-Global"])
    | st.text(),
    st.text() | st.integers().map(str) | st.floats().map(str),
)


@given(st.integers() | st.integers(300, 599), headers, bodies, st.none() | st.sampled_from(["/guilds/{}/members"]))
def test_any_answer_at_all_has_a_row_that_can_be_served(
    status: int, heads: dict[str, str], body: bytes | None, route: str | None
) -> None:
    reply = voice(error_of(status, heads, body, route=route), "messages_send")
    assert reply.structured is not None
    assert reply.structured["code"] in CONTRACT_CODES
    json.dumps(reply.structured)


def test_no_header_and_no_route_reaches_an_error() -> None:
    heads = VIA | {"Authorization": "Bot secret", "X-Request": "secret", "Location": "https://discord.com/api/secret"}
    for status in range(300, 600):
        reply = voice(answer(status, {"message": "no", "token": "secret"}, heads, route="/secret/{}"), "messages_send")
        told = json.dumps(reply.structured) + reply.text
        assert "secret" not in told
        assert "discord.com/api" not in told


# --- Failures without an answer -------------------------------------------------------------------------------------


def test_a_time_out_is_an_internal_error_with_its_reason() -> None:
    error = timed_out(30_000)
    assert error.code == "INTERNAL_ERROR"
    assert error.facts["reason"] == "timeout"
    assert error.facts["timeout_ms"] == 30_000
    assert error.retriable


def test_a_lost_connection_is_a_server_error_with_its_kind() -> None:
    error = unreachable("reset")
    assert (error.code, error.reason, error.retriable) == ("DISCORD_SERVER_ERROR", "reset", True)


@pytest.mark.parametrize(
    "cause", [timed_out(1000), unreachable("reset"), error_of(502, VIA, PAGE), error_of(404, VIA, b'{"code": 10003}')]
)
def test_an_unknown_outcome_keeps_the_code_and_is_not_retriable(cause: ToolError) -> None:
    error = unknown_outcome(cause)
    assert type(error) is type(cause)
    assert not error.retriable
    assert error.facts == cause.facts | {"outcome": "unknown"}
    assert "read the target" in error.next_step


def test_an_unknown_outcome_leaves_its_cause_as_it_was() -> None:
    cause = unreachable("reset")
    unknown_outcome(cause)
    assert cause.retriable
    assert "outcome" not in cause.facts


def test_an_unknown_outcome_says_with_which_nonce_a_repeat_is_harmless() -> None:
    error = unknown_outcome(unreachable("reset"), nonce="n-17")
    assert error.facts["nonce"] == "n-17"
    assert "`nonce: n-17`" in error.next_step
