"""What a row says, and that the page of errors says the same."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from tests.discord.rest.contract import CONTRACT_CODES

from accord.discord.rest.codes import CODE_ADVICE, ROUTE_ADVICE, STATUS_ADVICE
from accord.discord.rest.errors import (
    DiscordAuthError,
    DiscordClientError,
    DiscordCloudflareBlocked,
    DiscordError,
    DiscordNotFoundError,
    DiscordPermissionError,
    DiscordServerError,
    DmOutcomeUnknownError,
)
from accord.engine.errors import ClientError, ServerError, ToolError, rows

RETRIABLE_CODES = frozenset(
    [
        "DISCORD_RATE_LIMITED",
        "DISCORD_CLOUDFLARE_BLOCKED",
        "DISCORD_SERVER_ERROR",
        "CIRCUIT_OPEN",
        "BULKHEAD_FULL",
        "INTERNAL_ERROR",
        "EXTERNAL_SERVICE_UNAVAILABLE",
        "QUOTA_EXCEEDED",
        "AUDIT_UNAVAILABLE",
    ]
)
OWN_CODES = frozenset({"QUOTA_EXCEEDED", "AUDIT_UNAVAILABLE"})
SERVER_CODES = RETRIABLE_CODES - {"DISCORD_RATE_LIMITED", "DISCORD_CLOUDFLARE_BLOCKED", "QUOTA_EXCEEDED"}

IMPERATIVES = frozenset(
    [
        "Call",
        "Check",
        "Choose",
        "Correct",
        "Create",
        "Do",
        "Enable",
        "Find",
        "Get",
        "Give",
        "Have",
        "Leave",
        "Let",
        "Lift",
        "Make",
        "Name",
        "Omit",
        "Open",
        "Pin",
        "Read",
        "Remove",
        "See",
        "Send",
        "Start",
        "Stop",
        "Use",
        "Verify",
        "Wait",
    ]
)


def discord_rows() -> list[type[ToolError]]:
    return [row for row in rows() if row.__module__ == "accord.discord.rest.errors"]


def served_codes() -> dict[str, type[ToolError]]:
    modules = {"accord.engine.errors", "accord.discord.rest.errors"}
    return {row.code: row for row in rows() if row.__module__ in modules and row.code != "DISCORD_RETRYABLE"}


def test_every_code_of_the_contract_is_a_row_and_only_our_own_are_added() -> None:
    assert served_codes().keys() == CONTRACT_CODES | OWN_CODES


def test_a_row_is_retriable_as_the_contract_says() -> None:
    assert {code for code, row in served_codes().items() if row.retriable} == RETRIABLE_CODES


def test_a_row_has_the_category_that_the_contract_says() -> None:
    assert {code for code, row in served_codes().items() if row.category == "server"} == SERVER_CODES


def test_the_contracts_family_names_are_the_engines_classes() -> None:
    assert (DiscordError, DiscordClientError, DiscordServerError) == (ToolError, ClientError, ServerError)


def test_the_hint_of_a_row_is_imperative() -> None:
    first_words = {row.hint.split()[0] for row in discord_rows()}
    assert first_words - IMPERATIVES - {"Try"} == set()


def test_the_hint_for_a_code_is_imperative() -> None:
    advice = (*CODE_ADVICE.values(), *ROUTE_ADVICE.values(), *STATUS_ADVICE.values())
    first_words = {each.hint.split()[0].rstrip(",") for each in advice if each.hint}
    assert first_words - IMPERATIVES == set()


def test_a_permission_error_is_built_as_the_contract_shows() -> None:
    given_facts: dict[str, Any] = {
        "resource": "channels/123",
        "missing": ["SEND_MESSAGES"],
        "have": ["VIEW_CHANNEL"],
        "recovery_hint": "grant SEND_MESSAGES to the bot",
    }
    error = DiscordPermissionError(**given_facts)
    assert error.next_step == "grant SEND_MESSAGES to the bot"
    assert (error.missing, error.have, error.resource) == (["SEND_MESSAGES"], ["VIEW_CHANNEL"], "channels/123")


def test_a_missing_channel_suggests_the_tool_that_lists_channels() -> None:
    error = DiscordNotFoundError(resource_type="channel", id="99")
    assert error.facts["suggested_tool"] == "channels_list"


def test_a_type_without_a_list_tool_suggests_none() -> None:
    assert "suggested_tool" not in DiscordNotFoundError(resource_type="stage instance", id="99").facts


def test_a_given_suggestion_stands_above_the_derived_one() -> None:
    error = DiscordNotFoundError(resource_type="channel", suggested_tool="guild_get")
    assert error.facts["suggested_tool"] == "guild_get"


def test_a_cloudflare_block_lasts_an_hour_unless_it_says_otherwise() -> None:
    assert DiscordCloudflareBlocked().facts["retry_after_ms"] == 3_600_000


def test_a_lost_direct_message_has_an_unknown_outcome() -> None:
    error = DmOutcomeUnknownError(recipient_id="99")
    assert error.facts["outcome"] == "unknown"
    assert not error.retriable


def test_an_auth_error_needs_no_facts() -> None:
    assert "DISCORD_TOKEN" in DiscordAuthError().next_step


def test_the_page_of_errors_is_current() -> None:
    root = Path(__file__).parents[3]
    spec = importlib.util.spec_from_file_location("errors_page", root / "docs" / "generate" / "errors.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.document() == (root / "docs" / "errors.md").read_text(encoding="utf-8")
