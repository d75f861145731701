"""The names that `accord.discord` exports: errors, ids, classification, a wrapped client, a formatted failure."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson
import pytest

import accord.discord
import accord.engine
from accord.discord import (
    ApplicationId,
    AttachmentId,
    AutoModRuleId,
    BulkheadFullError,
    BulkheadRejected,
    CancelledError,
    ChannelId,
    CircuitBroken,
    CircuitOpenError,
    DiscordAuthError,
    DiscordClientError,
    DiscordCloudflareBlocked,
    DiscordError,
    DiscordNotFoundError,
    DiscordPermissionError,
    DiscordRateLimitError,
    DiscordRetryableError,
    DiscordServerError,
    DryRunPreview,
    EmojiId,
    EntitlementId,
    FormatErrorContext,
    GuildId,
    GuildNotAllowedError,
    IntegrationId,
    InteractionId,
    InternalError,
    InviteCode,
    MessageId,
    RoleId,
    ScheduledEventId,
    ScopeRejectedError,
    SkuId,
    Snowflake,
    SoundboardSoundId,
    StageInstanceId,
    StickerId,
    SubscriptionId,
    UserId,
    ValidationError,
    WebhookId,
    WebhookToken,
    WrapResilienceOptions,
    build_policy,
    classify_discord_error,
    format_error_for_user,
    load_config,
    wrap_rest_with_resilience,
)

CONTEXT = FormatErrorContext(tool_name="messages_send", transport="stdio")

# --- All names ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("door", [accord.discord, accord.engine])
def test_every_name_that_is_public_can_be_imported(door: Any) -> None:
    assert len(door.__all__) == len(set(door.__all__))
    for name in door.__all__:
        assert getattr(door, name) is not None
    assert set(door.__all__) <= set(dir(door))


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        importlib.import_module("accord.discord").no_such_name  # noqa: B018 - looking is the act


def test_one_name_loads_only_what_it_needs() -> None:
    program = """
import sys
from accord.discord import ChannelId
sys.exit(", ".join({"mcp", "aiohttp", "pydantic", "sqlalchemy", "jsonschema_rs"} & set(sys.modules)))
"""
    ended = subprocess.run(  # noqa: S603 - our own interpreter and text
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert ended.stderr == "\n"


# --- Errors ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """What the contract says of an error class, and facts to build one with."""

    error: type[DiscordError]
    code: str
    retriable: bool
    side: type[DiscordError]
    facts: dict[str, Any] = field(default_factory=dict)


ROWS = [
    Row(DiscordRetryableError, "DISCORD_SERVER_ERROR", True, DiscordServerError, {"original": DiscordServerError()}),
    Row(CircuitOpenError, "CIRCUIT_OPEN", True, DiscordServerError, {"retry_after_ms": 30_000}),
    Row(BulkheadFullError, "BULKHEAD_FULL", True, DiscordServerError),
    Row(DiscordPermissionError, "DISCORD_PERMISSION_DENIED", False, DiscordClientError, {"missing": ["SEND_MESSAGES"]}),
    Row(DiscordRateLimitError, "DISCORD_RATE_LIMITED", True, DiscordClientError, {"retry_after_ms": 1500}),
    Row(DiscordNotFoundError, "DISCORD_NOT_FOUND", False, DiscordClientError, {"resource_type": "channel"}),
    Row(DiscordAuthError, "DISCORD_AUTH_INVALID", False, DiscordClientError),
    Row(DiscordCloudflareBlocked, "DISCORD_CLOUDFLARE_BLOCKED", True, DiscordClientError),
    Row(DiscordServerError, "DISCORD_SERVER_ERROR", True, DiscordServerError),
    Row(ValidationError, "VALIDATION_FAILED", False, DiscordClientError, {"issues": []}),
    Row(
        ScopeRejectedError,
        "SCOPE_REJECTED",
        False,
        DiscordClientError,
        {"tool": "messages_send", "required": "messages", "granted": ["guild"]},
    ),
    Row(GuildNotAllowedError, "GUILD_NOT_ALLOWED", False, DiscordClientError, {"guild_id": "111122223333444455"}),
    Row(DryRunPreview, "DRY_RUN_PREVIEW", False, DiscordClientError, {"tool": "messages_delete", "preview": {}}),
    Row(CancelledError, "CANCELLED", False, DiscordClientError),
    Row(InternalError, "INTERNAL_ERROR", True, DiscordServerError),
]
fifteen = pytest.mark.parametrize("row", ROWS, ids=[row.error.__name__ for row in ROWS])


@fifteen
def test_each_error_is_served_with_its_code_and_whether_a_retry_helps(row: Row) -> None:
    structured = format_error_for_user(row.error(**row.facts), CONTEXT)["structuredContent"]
    assert structured["code"] == row.code
    assert structured["retriable"] is row.retriable
    assert structured["category"] == ("server" if row.side is DiscordServerError else "client")
    assert structured["recovery_hint"]


@fifteen
def test_each_error_is_caught_as_a_discord_error_and_as_its_side(row: Row) -> None:
    for caught in (DiscordError, row.side):
        with pytest.raises(caught):
            raise row.error(**row.facts)


@fifteen
def test_each_error_takes_a_hint_of_its_own(row: Row) -> None:
    error = row.error(**row.facts, recovery_hint="ask Maya")
    assert error.next_step == "ask Maya"


@fifteen
def test_no_error_takes_a_fact_that_it_does_not_have(row: Row) -> None:
    with pytest.raises(TypeError, match=f"{row.error.__name__} has no field 'colour'"):
        row.error(**row.facts, colour="red")


def test_a_formatted_error_is_the_contracts_example() -> None:
    err = DiscordPermissionError(
        resource="channels/123",
        missing=["SEND_MESSAGES"],
        have=["VIEW_CHANNEL"],
        recovery_hint="grant SEND_MESSAGES to the bot",
    )
    result = format_error_for_user(err, FormatErrorContext(tool_name="messages_send", transport="stdio"))
    assert result == {
        "isError": True,
        "content": [
            {
                "type": "text",
                "text": (
                    "**Permission Denied**\n\n"
                    "`messages_send`: Discord does not let the bot do this. Resource: `channels/123`. "
                    "Missing: `SEND_MESSAGES`. Held: `VIEW_CHANNEL`.\n\n"
                    "**Recovery:** grant SEND_MESSAGES to the bot"
                ),
            }
        ],
        "structuredContent": {
            "code": "DISCORD_PERMISSION_DENIED",
            "retriable": False,
            "category": "client",
            "recovery_hint": "grant SEND_MESSAGES to the bot",
            "missing": ["SEND_MESSAGES"],
            "have": ["VIEW_CHANNEL"],
            "resource": "channels/123",
        },
    }


def test_the_event_id_of_the_context_becomes_the_trace_id() -> None:
    context = FormatErrorContext(tool_name="messages_send", transport="http", sentry_event_id="ev-1")
    assert format_error_for_user(InternalError(), context)["structuredContent"]["trace_id"] == "ev-1"


@pytest.mark.parametrize("thrown", [RuntimeError("hunter2"), "hunter2", None, KeyboardInterrupt("hunter2")])
def test_anything_that_is_not_known_is_formatted_without_its_words(thrown: object) -> None:
    result = format_error_for_user(thrown, CONTEXT)
    assert result["structuredContent"]["code"] == "INTERNAL_ERROR"
    assert "hunter2" not in json.dumps(result)


@pytest.mark.parametrize(
    ("raw", "code"), [(CircuitBroken(1200), "CIRCUIT_OPEN"), (BulkheadRejected(), "BULKHEAD_FULL")]
)
def test_the_raw_failures_of_a_policy_are_formatted_as_their_rows(raw: Exception, code: str) -> None:
    assert format_error_for_user(raw, CONTEXT)["structuredContent"]["code"] == code


# --- Ids ------------------------------------------------------------------------------------------------------------

KINDS = [
    Snowflake,
    ApplicationId,
    AttachmentId,
    AutoModRuleId,
    ChannelId,
    EmojiId,
    EntitlementId,
    GuildId,
    IntegrationId,
    InteractionId,
    MessageId,
    RoleId,
    ScheduledEventId,
    SkuId,
    StageInstanceId,
    StickerId,
    SubscriptionId,
    UserId,
    WebhookId,
]
every_kind = pytest.mark.parametrize("kind", KINDS)
NO_IDS = [
    "",
    "1" * 16,
    "1" * 21,
    "-" + "1" * 17,
    "1" * 17 + " ",
    "1" * 17 + "\n",
    "\N{ARABIC-INDIC DIGIT ONE}" * 18,
    "1" * 17 + "a",
    "<#" + "1" * 18 + ">",
    111122223333444455,
    None,
    b"1" * 18,
]


@every_kind
@pytest.mark.parametrize("digits", [17, 18, 19, 20])
def test_17_to_20_digits_are_an_id_of_every_kind(kind: type[Snowflake], digits: int) -> None:
    parsed = kind.parse("1" * digits)
    assert type(parsed) is kind
    assert parsed == "1" * digits


@every_kind
@pytest.mark.parametrize("value", NO_IDS)
def test_anything_else_is_none(kind: type[Snowflake], value: object) -> None:
    with pytest.raises(ValueError, match=f"^{kind.__name__} must be an id of 17 to 20 digits as a string$"):
        kind.parse(value)


def test_no_kind_of_id_is_another_kind() -> None:
    own = {kind: {other for other in KINDS if isinstance(kind("1" * 18), other)} for kind in KINDS}
    assert own == {kind: {kind, Snowflake} for kind in KINDS}


@pytest.mark.parametrize("value", ["1", "9", "1" * 20])
def test_a_soundboard_sound_may_have_a_short_id(value: str) -> None:
    assert SoundboardSoundId.parse(value) == value


@pytest.mark.parametrize("value", ["", "1" * 21, "a", 1])
def test_a_soundboard_sound_has_an_id_of_digits(value: object) -> None:
    with pytest.raises(ValueError, match="SoundboardSoundId must be"):
        SoundboardSoundId.parse(value)


@pytest.mark.parametrize("value", ["a", "discord-developers", "Xy9", "a" * 32])
def test_an_invite_code_has_1_to_32_characters(value: str) -> None:
    assert type(InviteCode.parse(value)) is InviteCode


@pytest.mark.parametrize("value", ["", "a" * 33, "a b", "https://discord.gg/abc", "a_b", "é", 1])
def test_what_is_no_invite_code_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="InviteCode must be"):
        InviteCode.parse(value)


@pytest.mark.parametrize("length", [60, 68, 100])
def test_a_webhook_token_has_60_to_100_characters(length: int) -> None:
    token = ("aZ-_09" * 20)[:length]
    assert WebhookToken.parse(token).reveal() == token


@pytest.mark.parametrize("value", ["", "s" * 59, "s" * 101, "s" * 67 + "/", "s" * 67 + "\n", 1])
def test_what_is_no_webhook_token_is_refused_without_being_repeated(value: object) -> None:
    with pytest.raises(ValueError, match="WebhookToken") as caught:
        WebhookToken.parse(value)
    assert str(caught.value) == "WebhookToken must be a webhook token of 60 to 100 letters, digits, - and _"


# --- Credentials ----------------------------------------------------------------------------------------------------

SECRET = "s3cr3t" * 11
TOKEN = WebhookToken.parse(SECRET)
WAYS_TO_WRITE: list[Callable[[Any], str]] = [
    repr,
    str,
    "{}".format,
    "{!r:>80}".format,
    "{0:>80}".format,
    "%s".__mod__,
    "%r".__mod__,
    lambda token: f"{token} {token!r} {[token]}",
    lambda token: json.dumps({"token": token}, default=str),
    lambda token: orjson.dumps({"token": token}, default=repr).decode(),
]


@pytest.mark.parametrize("write", WAYS_TO_WRITE)
def test_a_credential_is_never_written(write: Callable[[Any], str]) -> None:
    assert "s3cr3t" not in write(TOKEN)


@pytest.mark.parametrize("dump", [json.dumps, orjson.dumps])
def test_a_credential_is_no_json(dump: Callable[[Any], object]) -> None:
    with pytest.raises(TypeError) as caught:
        dump({"token": TOKEN})
    assert "s3cr3t" not in str(caught.value)


def test_a_credential_is_no_text_and_gives_itself_only_when_asked() -> None:
    assert not isinstance(TOKEN, str)
    assert TOKEN.reveal() == SECRET
    assert not hasattr(TOKEN, "__dict__")
    with pytest.raises(TypeError):
        "token " + TOKEN  # type: ignore[operator] # what a careless line would do


def test_credentials_are_compared_by_value() -> None:
    assert WebhookToken.parse(SECRET) == TOKEN
    assert WebhookToken.parse("t" * 66) != TOKEN
    assert TOKEN != SECRET


# --- Classification and wrapping ------------------------------------------------------------------------------------


@dataclass
class AnsweredError(Exception):
    """A failure as another library has it: a status, and seconds to wait."""

    status: int
    retry_after: float | None = None


@pytest.mark.parametrize(
    ("error", "retry_after_ms"),
    [
        (AnsweredError(500), None),
        (AnsweredError(503), None),
        (AnsweredError(429, 1.5), 1500),
        (ConnectionResetError(), None),
        (TimeoutError(), None),
        (DiscordServerError(), None),
        (DiscordRateLimitError(retry_after_ms=200), 200),
    ],
)
def test_what_may_pass_by_itself_is_marked_with_its_wait(error: Exception, retry_after_ms: int | None) -> None:
    marked = classify_discord_error(error)
    assert marked is not None
    assert marked.original is error
    assert marked.retry_after_ms == retry_after_ms


@pytest.mark.parametrize(
    "error",
    [
        AnsweredError(400),
        AnsweredError(404),
        AnsweredError(429),
        ValueError(),
        DiscordNotFoundError(),
        DiscordCloudflareBlocked(),
    ],
)
def test_what_does_not_pass_by_itself_is_not_marked(error: Exception) -> None:
    assert classify_discord_error(error) is None


@dataclass
class Foreign:
    """A client of another make: each verb fails with what it is given in turn, then answers with its name."""

    failures: list[Exception] = field(default_factory=list)
    sent: list[tuple[str, str]] = field(default_factory=list)

    async def _send(self, verb: str, path: str) -> str:
        self.sent.append((verb, path))
        if self.failures:
            raise self.failures.pop(0)
        return verb

    async def get(self, path: str) -> str:
        return await self._send("get", path)

    async def post(self, path: str) -> str:
        return await self._send("post", path)

    async def patch(self, path: str) -> str:
        return await self._send("patch", path)

    async def put(self, path: str) -> str:
        return await self._send("put", path)

    async def delete(self, path: str) -> str:
        return await self._send("delete", path)


async def no_wait(seconds: float) -> None:
    """Pass the time of a wait."""


def wrapped(*failures: Exception, options: WrapResilienceOptions | None = None, **variables: str) -> Foreign:
    policy = build_policy(load_config(variables), sleep=no_wait)
    return wrap_rest_with_resilience(Foreign(list(failures)), policy, options)


def test_wrapping_changes_the_object_and_returns_it() -> None:
    rest = Foreign()
    before = rest.get
    assert wrap_rest_with_resilience(rest, build_policy(load_config({}))) is rest
    assert rest.get != before


@pytest.mark.parametrize("verb", ["get", "post", "patch", "put", "delete"])
async def test_a_wrapped_verb_answers_as_before(verb: str) -> None:
    rest = wrapped()
    assert await getattr(rest, verb)("/a") == verb
    assert rest.sent == [(verb, "/a")]


@pytest.mark.parametrize("verb", ["get", "put", "delete"])
async def test_a_wrapped_idempotent_verb_is_sent_again_after_a_failure_that_may_pass(verb: str) -> None:
    rest = wrapped(AnsweredError(503))
    assert await getattr(rest, verb)("/a") == verb
    assert len(rest.sent) == 2


@pytest.mark.parametrize("verb", ["post", "patch"])
async def test_a_wrapped_verb_that_is_not_idempotent_is_sent_once(verb: str) -> None:
    failure = AnsweredError(503)
    rest = wrapped(failure)
    with pytest.raises(AnsweredError) as caught:
        await getattr(rest, verb)("/a")
    assert caught.value is failure
    assert len(rest.sent) == 1


async def test_a_failure_that_does_not_pass_comes_out_unchanged() -> None:
    failure = AnsweredError(404)
    with pytest.raises(AnsweredError) as caught:
        await wrapped(failure).get("/a")
    assert caught.value is failure


async def test_an_open_circuit_is_told_as_its_row_with_the_time_of_the_options() -> None:
    rest = wrapped(
        *[AnsweredError(503)] * 3,
        options=WrapResilienceOptions(circuit_half_open_after_ms=60_000),
        MCP_RETRY_ENABLED="false",
        MCP_CIRCUIT_FAILURE_THRESHOLD="3",
    )
    for _ in range(3):
        with pytest.raises(AnsweredError):
            await rest.get("/a")
    with pytest.raises(CircuitOpenError) as caught:
        await rest.get("/a")
    assert caught.value.retry_after_ms is not None
    assert 50_000 < caught.value.retry_after_ms <= 60_000
    assert len(rest.sent) == 3


async def test_a_classifier_of_ones_own_decides_what_is_sent_again() -> None:
    def only_teapots(error: BaseException) -> DiscordRetryableError | None:
        is_teapot = isinstance(error, AnsweredError) and error.status == 418
        return DiscordRetryableError(original=error) if is_teapot and isinstance(error, Exception) else None

    policy = build_policy(load_config({}), sleep=no_wait)
    rest = wrap_rest_with_resilience(Foreign([AnsweredError(418), AnsweredError(503)]), policy, only_teapots)
    with pytest.raises(AnsweredError) as caught:
        await rest.get("/a")
    assert caught.value.status == 503
    assert len(rest.sent) == 2
