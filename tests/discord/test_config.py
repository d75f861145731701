"""What the environment may say, and what a configuration never shows."""

from __future__ import annotations

import pickle
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from accord.discord.config import RULES, UNSUPPORTED, Config, ConfigError, document, load_config
from accord.engine import edits, read_settings
from accord.engine.secrets import Secret

TOKEN = "MTIzNDU2Nzg5MDEyMzQ1Njc4.GabcDE." + "x" * 38
GUILD = "123456789012345678"
OTHER_GUILD = "223456789012345678"
KEY = "k" * 32
PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"

DEFAULTS = {
    "DISCORD_TOKEN": None,
    "DISCORD_EXPECTED_BOT_ID": None,
    "DISCORD_DEFAULT_GUILD_ID": None,
    "ALLOWED_GUILDS": None,
    "DISCORD_API_BASE_URL": "https://discord.com/api",
    "DISCORD_GLOBAL_REQUESTS_PER_SECOND": 50,
    "DISCORD_MCP_ACCESS_TOKEN": None,
    "MCP_HTTP_MAX_BODY_BYTES": 4194304,
    "MCP_HTTP_MAX_IN_FLIGHT": 16,
    "MCP_HTTP_ALLOWED_HOSTS": None,
    "MCP_HTTP_ALLOWED_ORIGINS": None,
    "LOG_LEVEL": "info",
    "GATEWAY": False,
    "MCP_UPLOAD_DIR": None,
    "MCP_UPLOAD_MAX_BYTES": 104857600,
    "MCP_CATEGORIES": None,
    "MCP_TOOL_SURFACE": "full",
    "MCP_WRITE_MODE": "allow",
    "MCP_DRY_RUN": True,
    "MCP_CONFIRM_EXTRA": True,
    "MCP_ACCESS_MODE": "advisory",
    "MCP_DM_CONSENT_MODE": "advisory",
    "MCP_ALLOW_USER_SCOPED": False,
    "MCP_APPROVAL_MODE": "caller",
    "MCP_APPROVAL_ELICITATION": True,
    "MCP_APPROVAL_STATE_DIR": None,
    "MCP_APPROVAL_HMAC_KEY": None,
    "MCP_BLUEPRINT_STATE_DIR": None,
    "MCP_STATE_URL": None,
    "MCP_RETRY_ENABLED": True,
    "MCP_RETRY_MAX_ATTEMPTS": 3,
    "MCP_RETRY_BASE_DELAY_MS": 200,
    "MCP_RETRY_MAX_DELAY_MS": 10000,
    "MCP_RETRY_JITTER": "full",
    "MCP_TIMEOUT_DEFAULT_MS": 30000,
    "MCP_CIRCUIT_ENABLED": True,
    "MCP_CIRCUIT_FAILURE_THRESHOLD": 10,
    "MCP_CIRCUIT_HALF_OPEN_AFTER_MS": 60000,
    "MCP_BULKHEAD_LIMIT": 100,
    "MCP_AUDIT_ENABLED": True,
    "MCP_AUDIT_SINK": "stderr",
    "MCP_AUDIT_FILE": "./discord-mcp-audit.jsonl",
    "MCP_AUDIT_REQUIRED": False,
    "MCP_AUDIT_READS": False,
    "OTEL_ENABLED": False,
    "OTEL_SERVICE_NAME": "discord-mcp",
    "OTEL_SERVICE_VERSION": None,
    "OTEL_EXPORTER_OTLP_ENDPOINT": None,
    "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
    "OTEL_EXPORTER_OTLP_HEADERS": None,
    "OTEL_TRACES_SAMPLER": "parentbased_always_on",
    "OTEL_TRACES_SAMPLER_ARG": 1.0,
    "OTEL_CONSOLE_EXPORTER": False,
}

RANGES = {
    "DISCORD_GLOBAL_REQUESTS_PER_SECOND": (0, 50),
    "MCP_HTTP_MAX_BODY_BYTES": (1024, 67108864),
    "MCP_HTTP_MAX_IN_FLIGHT": (1, 1024),
    "MCP_UPLOAD_MAX_BYTES": (1024, 524288000),
    "MCP_RETRY_MAX_ATTEMPTS": (1, 10),
    "MCP_RETRY_BASE_DELAY_MS": (50, 5000),
    "MCP_RETRY_MAX_DELAY_MS": (500, 60000),
    "MCP_TIMEOUT_DEFAULT_MS": (1000, 120000),
    "MCP_CIRCUIT_FAILURE_THRESHOLD": (3, 100),
    "MCP_CIRCUIT_HALF_OPEN_AFTER_MS": (5000, 600000),
    "MCP_BULKHEAD_LIMIT": (1, 1000),
}

CHOICES = {
    "LOG_LEVEL": ("fatal", "error", "warn", "info", "debug", "trace"),
    "MCP_TOOL_SURFACE": ("full", "progressive"),
    "MCP_WRITE_MODE": ("allow", "preview"),
    "MCP_ACCESS_MODE": ("advisory", "warn", "enforce"),
    "MCP_DM_CONSENT_MODE": ("advisory", "require"),
    "MCP_APPROVAL_MODE": ("caller", "person"),
    "MCP_RETRY_JITTER": ("none", "full", "decorrelated"),
    "MCP_AUDIT_SINK": ("stderr", "file", "otlp", "none"),
    "OTEL_EXPORTER_OTLP_PROTOCOL": ("http/protobuf", "http/json", "grpc"),
    "OTEL_TRACES_SAMPLER": (
        "always_on",
        "always_off",
        "traceidratio",
        "parentbased_always_on",
        "parentbased_always_off",
        "parentbased_traceidratio",
    ),
}

FLAGS = tuple(name for name, default in DEFAULTS.items() if isinstance(default, bool))

# One value other than the default of each variable that no feature heeds yet.
WITHOUT_A_FEATURE = {
    "GATEWAY": "true",
    "MCP_BLUEPRINT_STATE_DIR": "blueprints",
    "MCP_TOOL_SURFACE": "progressive",
    "OTEL_CONSOLE_EXPORTER": "true",
    "OTEL_ENABLED": "true",
}

# Variables that take any text at all.
FREE_TEXT = {
    "MCP_APPROVAL_STATE_DIR",
    "MCP_AUDIT_FILE",
    "MCP_BLUEPRINT_STATE_DIR",
    "MCP_CATEGORIES",
    "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_SERVICE_NAME",
    "OTEL_SERVICE_VERSION",
}

SECRETS = {
    "DISCORD_TOKEN": TOKEN,
    "DISCORD_MCP_ACCESS_TOKEN": KEY,
    "MCP_APPROVAL_HMAC_KEY": KEY,
    "MCP_STATE_URL": "postgresql://accord:hunter2@localhost/accord",
    "OTEL_EXPORTER_OTLP_ENDPOINT": "https://user:hunter2@collector.example",
    "OTEL_EXPORTER_OTLP_HEADERS": "authorization=hunter2",
}


OTLP = {"OTEL_ENABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318"}


def complete(**env: str) -> Config:
    """Load as a version would in which every feature exists."""
    return read_settings(Config, env, replace(RULES, unsupported={}))


def issues(**env: str) -> list[str]:
    """List what is wrong where every feature exists, a line an issue."""
    with pytest.raises(ConfigError) as refused:
        complete(**env)
    return str(refused.value).splitlines()[1:]


def refused_names(**env: str) -> list[str]:
    return [line.removeprefix("  - ").partition(":")[0] for line in issues(**env)]


def values(config: Config) -> dict[str, object]:
    return {name: getattr(config, name) for name in Config.model_fields}


# The whole


def test_an_empty_environment_gives_every_variable_its_default() -> None:
    assert values(load_config({})) == DEFAULTS


def test_without_an_argument_the_environment_of_the_process_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCP_RETRY_MAX_ATTEMPTS", "7")

    assert load_config().MCP_RETRY_MAX_ATTEMPTS == 7


def test_a_given_environment_is_read_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCP_RETRY_MAX_ATTEMPTS", "7")

    assert load_config({}).MCP_RETRY_MAX_ATTEMPTS == 3


def test_a_config_cannot_be_changed() -> None:
    config = load_config({})

    with pytest.raises(ValidationError, match="frozen"):
        config.MCP_DRY_RUN = False


def test_every_issue_is_listed_a_line_each_under_one_heading() -> None:
    env = {"DISCORD_TOKEN": "short", "GATEWAY": "on", "MCP_CATEGORIES": "", "MCP_DRYRUN": "0", "LOG_LEVEL": "loud"}

    with pytest.raises(ConfigError) as refused:
        load_config(env)

    assert str(refused.value).splitlines() == [
        "Invalid configuration:",
        "  - DISCORD_TOKEN: is too short: a bot token has at least 50 characters",
        "  - GATEWAY: is not supported by this version; unset it",
        "  - LOG_LEVEL: must be one of fatal, error, warn, info, debug, trace",
        "  - MCP_CATEGORIES: is set but empty; give it a value or unset it",
        "  - MCP_DRYRUN: is not known; did you mean MCP_DRY_RUN?",
    ]


@pytest.mark.parametrize("name", sorted(DEFAULTS.keys() - FREE_TEXT))
def test_an_error_never_shows_the_value(name: str) -> None:
    with pytest.raises(ConfigError) as refused:
        complete(**{name: "hunter2, {x}"})

    assert name in str(refused.value)
    assert "hunter2" not in str(refused.value)
    assert refused.value.__context__ is None


@pytest.mark.parametrize("url", ["https://[hunter2]/api", "https://discord.com:hunter2/api", "hunter2"])
def test_an_error_about_an_address_never_shows_it(url: str) -> None:
    assert "hunter2" not in "".join(issues(DISCORD_API_BASE_URL=url))


def test_a_clash_is_reported_only_once_each_variable_is_right_by_itself() -> None:
    clash = {"ALLOWED_GUILDS": GUILD, "DISCORD_DEFAULT_GUILD_ID": OTHER_GUILD}

    assert refused_names(**clash, MCP_RETRY_MAX_ATTEMPTS="0") == ["MCP_RETRY_MAX_ATTEMPTS"]
    assert refused_names(**clash) == ["DISCORD_DEFAULT_GUILD_ID"]


def test_every_clash_is_listed() -> None:
    names = refused_names(
        ALLOWED_GUILDS=GUILD,
        DISCORD_DEFAULT_GUILD_ID=OTHER_GUILD,
        DISCORD_GLOBAL_REQUESTS_PER_SECOND="0",
        MCP_ALLOW_USER_SCOPED="true",
        MCP_APPROVAL_STATE_DIR="approvals",
    )

    assert names == [
        "DISCORD_DEFAULT_GUILD_ID",
        "DISCORD_GLOBAL_REQUESTS_PER_SECOND",
        "MCP_ALLOW_USER_SCOPED",
        "MCP_APPROVAL_STATE_DIR",
    ]


# Kinds of values


@pytest.mark.parametrize("name", FLAGS)
@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("1", True),
        ("TRUE", True),
        ("Yes", True),
        ("on", True),
        (" 0 ", False),
        ("False", False),
        ("NO", False),
        ("off", False),
    ],
)
def test_a_boolean_has_four_spellings_a_side_in_any_case(name: str, text: str, meaning: bool) -> None:
    needed = {"DISCORD_EXPECTED_BOT_ID": GUILD, "MCP_APPROVAL_MODE": "person"}

    assert getattr(complete(**{name: text}, **needed), name) is meaning


@pytest.mark.parametrize("name", FLAGS)
@pytest.mark.parametrize("text", ["y", "t", "2", "enabled", "true false", "falsch"])
def test_any_other_boolean_is_refused(name: str, text: str) -> None:
    assert issues(**{name: text}) == [f"  - {name}: must be true or false"]


@pytest.mark.parametrize(("name", "low", "high"), [(name, low, high) for name, (low, high) in RANGES.items()])
def test_a_number_reaches_from_its_lowest_to_its_highest(name: str, low: int, high: int) -> None:
    loopback = {"DISCORD_API_BASE_URL": "http://127.0.0.1:8080"}

    assert getattr(complete(**{name: str(low)}, **loopback), name) == low
    assert getattr(complete(**{name: f" {high}\n"}, **loopback), name) == high


@pytest.mark.parametrize(("name", "low", "high"), [(name, low, high) for name, (low, high) in RANGES.items()])
def test_a_number_just_outside_its_range_is_refused(name: str, low: int, high: int) -> None:
    expected = [f"  - {name}: must be a whole number from {low} to {high}"]

    assert issues(**{name: str(low - 1)}) == expected
    assert issues(**{name: str(high + 1)}) == expected


@pytest.mark.parametrize("text", ["1e3", "0x10", "5.0", "+5", "1_0", "5 5", "\u0665", "NaN", "9" * 5000])
def test_a_number_that_is_not_plain_digits_is_refused(text: str) -> None:
    assert refused_names(MCP_RETRY_MAX_ATTEMPTS=text) == ["MCP_RETRY_MAX_ATTEMPTS"]


@pytest.mark.parametrize("name", DEFAULTS)
def test_bytes_that_are_no_text_raise_nothing_but_a_config_error(name: str) -> None:
    with suppress(ConfigError):
        complete(**{name: "\udcff" * 40})


@given(st.text())
def test_any_text_for_a_number_is_either_in_range_unset_or_refused(text: str) -> None:
    try:
        config = load_config({"MCP_RETRY_MAX_ATTEMPTS": text})
    except ConfigError:
        return

    assert 1 <= config.MCP_RETRY_MAX_ATTEMPTS <= 10


@pytest.mark.parametrize("text", ["0", "0.25", "1"])
def test_the_sampler_argument_is_a_share(text: str) -> None:
    assert float(text) == complete(OTEL_TRACES_SAMPLER_ARG=text).OTEL_TRACES_SAMPLER_ARG


@pytest.mark.parametrize("text", ["2", "-1", "nan", "inf", "half"])
def test_a_sampler_argument_that_is_no_share_is_refused(text: str) -> None:
    assert issues(OTEL_TRACES_SAMPLER_ARG=text) == ["  - OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1"]


@pytest.mark.parametrize(("name", "choice"), [(name, choice) for name, all_of in CHOICES.items() for choice in all_of])
def test_a_choice_may_be_written_in_any_case(name: str, choice: str) -> None:
    assert getattr(complete(**{**OTLP, name: choice.upper()}), name) == choice


@pytest.mark.parametrize("name", CHOICES)
def test_a_choice_that_does_not_exist_is_refused_with_those_that_do(name: str) -> None:
    assert issues(**{name: "always"}) == [f"  - {name}: must be one of {', '.join(CHOICES[name])}"]


@pytest.mark.parametrize("name", ["DISCORD_DEFAULT_GUILD_ID", "DISCORD_EXPECTED_BOT_ID"])
def test_an_id_has_17_to_20_digits(name: str) -> None:
    assert getattr(complete(**{name: "1" * 17}), name) == "1" * 17
    assert getattr(complete(**{name: "1" * 20}), name) == "1" * 20


@pytest.mark.parametrize("text", ["1" * 16, "1" * 21, "general", GUILD[:-1] + "x", "\u0661" * 18])
def test_any_other_id_is_refused(text: str) -> None:
    assert issues(DISCORD_DEFAULT_GUILD_ID=text) == ["  - DISCORD_DEFAULT_GUILD_ID: must be an id of 17 to 20 digits"]


def test_allowed_guilds_are_split_at_commas_and_trimmed() -> None:
    assert complete(ALLOWED_GUILDS=f" {GUILD} , {OTHER_GUILD} ").ALLOWED_GUILDS == (GUILD, OTHER_GUILD)


@pytest.mark.parametrize("text", ["bad", f"{GUILD}, bad", f"{GUILD},", f",{GUILD}", f"{GUILD} {OTHER_GUILD}", "*"])
def test_a_list_of_guilds_with_a_wrong_entry_is_refused(text: str) -> None:
    assert issues(ALLOWED_GUILDS=text) == ["  - ALLOWED_GUILDS: must be ids of 17 to 20 digits, separated by commas"]


def test_categories_are_split_at_commas_and_trimmed() -> None:
    assert load_config({"MCP_CATEGORIES": "messages, channels"}).MCP_CATEGORIES == ("messages", "channels")


@pytest.mark.parametrize("text", ["messages,", "messages,,channels", ","])
def test_a_list_of_categories_with_an_empty_entry_is_refused(text: str) -> None:
    assert refused_names(MCP_CATEGORIES=text) == ["MCP_CATEGORIES"]


# Set but empty


@pytest.mark.parametrize(
    "name",
    [
        "ALLOWED_GUILDS",
        "DISCORD_EXPECTED_BOT_ID",
        "DISCORD_MCP_ACCESS_TOKEN",
        "MCP_CATEGORIES",
        "MCP_APPROVAL_MODE",
        "MCP_APPROVAL_ELICITATION",
        "MCP_APPROVAL_STATE_DIR",
        "MCP_APPROVAL_HMAC_KEY",
    ],
)
@pytest.mark.parametrize("blank", ["", "  "])
def test_set_but_empty_is_refused_where_it_could_open_a_gate(name: str, blank: str) -> None:
    assert issues(**{name: blank}) == [f"  - {name}: is set but empty; give it a value or unset it"]


@pytest.mark.parametrize("blank", ["", " \n"])
def test_any_other_variable_that_is_set_but_empty_is_unset(blank: str) -> None:
    refused = {"ALLOWED_GUILDS", "DISCORD_EXPECTED_BOT_ID", "DISCORD_MCP_ACCESS_TOKEN", "MCP_CATEGORIES"}
    names = [name for name in DEFAULTS if name not in refused and not name.startswith("MCP_APPROVAL_")]

    assert load_config(dict.fromkeys(names, blank)) == load_config({})


# The token


@pytest.mark.parametrize(
    "text",
    [
        TOKEN,
        f"  {TOKEN}\n",
        f"Bot {TOKEN}",
        f"bot   {TOKEN}",
        f'"{TOKEN}"',
        f"'Bot {TOKEN}'",
        f'Bot "{TOKEN}"',
        f'" BOT {TOKEN} "',
    ],
)
def test_what_gets_copied_along_with_a_token_is_taken_off(text: str) -> None:
    assert Secret(TOKEN) == load_config({"DISCORD_TOKEN": text}).DISCORD_TOKEN


@pytest.mark.parametrize("text", ["", "   ", '""', "''"])
def test_an_empty_token_is_a_missing_token(text: str) -> None:
    assert load_config({"DISCORD_TOKEN": text}).DISCORD_TOKEN is None


def test_a_token_has_at_least_50_characters_without_its_prefix() -> None:
    assert Secret("x" * 50) == load_config({"DISCORD_TOKEN": "x" * 50}).DISCORD_TOKEN
    assert issues(DISCORD_TOKEN=f"Bot {'x' * 49}") == [
        "  - DISCORD_TOKEN: is too short: a bot token has at least 50 characters"
    ]


def test_a_client_secret_is_recognised() -> None:
    assert issues(DISCORD_TOKEN="s" * 32) == [
        "  - DISCORD_TOKEN: looks like the application's client secret; use the token from its Bot page"
    ]


@pytest.mark.parametrize("inside", [" ", "\n", '"', "\u00e9"])
def test_a_token_with_a_foreign_character_inside_is_refused(inside: str) -> None:
    assert issues(DISCORD_TOKEN=f"{TOKEN[:30]}{inside}{TOKEN[30:]}") == [
        "  - DISCORD_TOKEN: has characters that no bot token has, such as white space; copy it again"
    ]


# Other credentials


@pytest.mark.parametrize("name", ["DISCORD_MCP_ACCESS_TOKEN", "MCP_APPROVAL_HMAC_KEY"])
def test_a_key_has_at_least_32_characters(name: str) -> None:
    config = complete(**{"MCP_APPROVAL_STATE_DIR": "approvals", "MCP_APPROVAL_HMAC_KEY": KEY, name: KEY})

    assert getattr(config, name) == Secret(KEY)
    assert issues(**{name: "k" * 31}) == [f"  - {name}: must be a secret of at least 32 characters"]


def test_no_credential_shows_in_a_config() -> None:
    config = complete(**SECRETS, MCP_APPROVAL_STATE_DIR="approvals")

    shown = f"{config!r} {config} {config.model_dump()} {vars(config)}"

    assert [text for text in (TOKEN, KEY, "hunter2") if text in shown] == []
    assert all(isinstance(getattr(config, name), Secret) for name in SECRETS)


def test_the_settings_library_never_sees_a_credential_as_text(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("PYDANTIC_SETTINGS_DEBUG", "1")
    caplog.set_level("DEBUG")

    complete(**SECRETS, MCP_APPROVAL_STATE_DIR="approvals")

    assert "Secret(…)" in caplog.text
    assert [text for text in (TOKEN, KEY, "hunter2") if text in caplog.text] == []


@pytest.mark.parametrize(
    "url", ["sqlite:///state.db", "sqlite:////var/lib/accord/state.db", "postgresql://u:p@db/accord"]
)
def test_the_state_lies_in_sqlite_or_postgresql(url: str) -> None:
    assert Secret(url) == complete(MCP_STATE_URL=url).MCP_STATE_URL


@pytest.mark.parametrize(
    "url",
    [
        "sqlite://",
        "sqlite:///",
        "postgresql://",
        "postgres://db/accord",
        "postgresql+asyncpg://db/a",
        "mysql://db/a",
        "a.db",
    ],
)
def test_any_other_state_url_is_refused(url: str) -> None:
    assert issues(MCP_STATE_URL=url) == ["  - MCP_STATE_URL: must be sqlite:///path or postgresql://…"]


@pytest.mark.parametrize("url", ["http://localhost:4318", "https://collector.example/otlp/", "localhost:4317"])
def test_the_collector_is_a_url(url: str) -> None:
    assert Secret(url) == complete(OTEL_EXPORTER_OTLP_ENDPOINT=url).OTEL_EXPORTER_OTLP_ENDPOINT


@pytest.mark.parametrize("url", ["not-a-url", "http://", "http://[::1"])
def test_a_collector_that_is_no_url_is_refused(url: str) -> None:
    assert issues(OTEL_EXPORTER_OTLP_ENDPOINT=url) == ["  - OTEL_EXPORTER_OTLP_ENDPOINT: must be a URL"]


# Discord's address


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://discord.com/api/", "https://discord.com/api"),
        ("https://proxy.example:8443/discord//", "https://proxy.example:8443/discord"),
        ("http://127.0.0.1:8080/api", "http://127.0.0.1:8080/api"),
        ("http://127.8.9.1", "http://127.8.9.1"),
        ("http://[::1]:8080/", "http://[::1]:8080"),
        ("http://localhost/", "http://localhost"),
    ],
)
def test_the_api_is_reached_encrypted_or_on_this_machine(url: str, address: str) -> None:
    assert address == load_config({"DISCORD_API_BASE_URL": url}).DISCORD_API_BASE_URL


@pytest.mark.parametrize(
    "url",
    [
        "http://discord.com/api",
        "http://127.0.0.1.evil.example/api",
        "http://localhost.evil.example",
        "http://localhost@evil.example",
        "http://10.0.0.1",
        "http://0.0.0.0",
        "https://user:pass@discord.com/api",
        "https://discord.com\\@evil.example",
        "https://discord.com/api?x=1",
        "https://discord.com/api#x",
        "https://discord.com/a pi",
        "https://disc\nord.com/api",
        "https://discord.com:99999/api",
        "https:///api",
        "ftp://discord.com",
        "discord.com/api",
    ],
)
def test_an_address_where_the_token_could_leak_is_refused(url: str) -> None:
    assert issues(DISCORD_API_BASE_URL=url) == [
        "  - DISCORD_API_BASE_URL: must be an https URL, or an http URL of this machine, without credentials or query"
    ]


@pytest.mark.parametrize("url", ["https://discord.com/api/v10", "https://discord.com/api/v9/", "http://localhost/v10"])
def test_an_address_with_a_version_is_refused(url: str) -> None:
    assert issues(DISCORD_API_BASE_URL=url) == [
        "  - DISCORD_API_BASE_URL: must not end in an API version: the client adds it"
    ]


# Settings that belong together


def test_the_default_guild_is_one_of_the_allowed() -> None:
    config = complete(ALLOWED_GUILDS=f"{GUILD},{OTHER_GUILD}", DISCORD_DEFAULT_GUILD_ID=OTHER_GUILD)

    assert config.DISCORD_DEFAULT_GUILD_ID == OTHER_GUILD
    assert issues(ALLOWED_GUILDS=GUILD, DISCORD_DEFAULT_GUILD_ID=OTHER_GUILD) == [
        "  - DISCORD_DEFAULT_GUILD_ID: must be listed in ALLOWED_GUILDS"
    ]


def test_allowed_guilds_need_no_default_guild() -> None:
    assert complete(ALLOWED_GUILDS=GUILD).DISCORD_DEFAULT_GUILD_ID is None


def test_user_scoped_tools_need_the_identity_lock() -> None:
    assert complete(MCP_ALLOW_USER_SCOPED="true", DISCORD_EXPECTED_BOT_ID=GUILD).MCP_ALLOW_USER_SCOPED is True
    assert issues(MCP_ALLOW_USER_SCOPED="true") == ["  - MCP_ALLOW_USER_SCOPED: needs DISCORD_EXPECTED_BOT_ID"]


def test_a_client_that_may_not_ask_needs_a_person_to_be_asked() -> None:
    person = {"MCP_APPROVAL_MODE": "person", "MCP_APPROVAL_ELICITATION": "false"}

    assert complete(**person).MCP_APPROVAL_ELICITATION is False
    assert issues(MCP_APPROVAL_ELICITATION="false") == ["  - MCP_APPROVAL_ELICITATION: needs MCP_APPROVAL_MODE=person"]


def test_shared_approvals_need_a_folder_and_a_key() -> None:
    expected = ["  - MCP_APPROVAL_STATE_DIR: must be set together with MCP_APPROVAL_HMAC_KEY"]

    assert complete(MCP_APPROVAL_STATE_DIR="a", MCP_APPROVAL_HMAC_KEY=KEY).MCP_APPROVAL_STATE_DIR == "a"
    assert issues(MCP_APPROVAL_STATE_DIR="a") == expected
    assert issues(MCP_APPROVAL_HMAC_KEY=KEY) == expected


@pytest.mark.parametrize("url", ["http://127.0.0.1:8080", "http://[::1]", "https://localhost/api"])
def test_the_global_window_may_be_switched_off_on_this_machine(url: str) -> None:
    config = complete(DISCORD_GLOBAL_REQUESTS_PER_SECOND="0", DISCORD_API_BASE_URL=url)

    assert config.DISCORD_GLOBAL_REQUESTS_PER_SECOND == 0


def test_the_global_window_cannot_be_switched_off_towards_discord() -> None:
    assert refused_names(DISCORD_GLOBAL_REQUESTS_PER_SECOND="0") == ["DISCORD_GLOBAL_REQUESTS_PER_SECOND"]


@pytest.mark.parametrize("without", [{"MCP_AUDIT_ENABLED": "false"}, {"MCP_AUDIT_SINK": "none"}])
def test_a_required_audit_must_be_written_somewhere(without: dict[str, str]) -> None:
    assert complete(MCP_AUDIT_REQUIRED="true").MCP_AUDIT_REQUIRED is True
    assert refused_names(MCP_AUDIT_REQUIRED="true", **without) == ["MCP_AUDIT_REQUIRED"]


def test_records_go_to_a_collector_that_is_named() -> None:
    config = load_config({"MCP_AUDIT_SINK": "otlp", **OTLP})

    assert (config.MCP_AUDIT_SINK, config.OTEL_ENABLED) == ("otlp", True)


@pytest.mark.parametrize(
    ("changed", "blamed"),
    [
        ({"OTEL_ENABLED": "false"}, "MCP_AUDIT_SINK: otlp needs OTEL_ENABLED and OTEL_EXPORTER_OTLP_ENDPOINT"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": ""}, "MCP_AUDIT_SINK: otlp needs OTEL_ENABLED"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "ftp://host/"}, "OTEL_EXPORTER_OTLP_ENDPOINT: must be an http or https URL"),
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "OTEL_EXPORTER_OTLP_PROTOCOL: must be http/protobuf"),
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "http/json"}, "OTEL_EXPORTER_OTLP_PROTOCOL: must be http/protobuf"),
        ({"MCP_AUDIT_REQUIRED": "true"}, "MCP_AUDIT_REQUIRED: .* a collector cannot promise to keep a record"),
        ({"MCP_AUDIT_SINK": "file"}, "OTEL_ENABLED: for traces and metrics is not supported by this version"),
    ],
)
def test_a_collector_that_cannot_be_used_refuses_to_start(changed: dict[str, str], blamed: str) -> None:
    with pytest.raises(ConfigError, match=blamed):
        load_config({"MCP_AUDIT_SINK": "otlp", **OTLP, **changed})


# Nothing fails open


def test_each_variable_without_a_feature_has_a_row_here() -> None:
    assert WITHOUT_A_FEATURE.keys() == UNSUPPORTED.keys()


@pytest.mark.parametrize(("name", "text"), WITHOUT_A_FEATURE.items())
def test_a_setting_that_no_feature_heeds_refuses_to_start(name: str, text: str) -> None:
    with pytest.raises(ConfigError, match=f"^Invalid configuration:\n  - {name}: .* supported by this version; "):
        load_config({name: text})


@pytest.mark.parametrize("name", [name for name in UNSUPPORTED if DEFAULTS[name] is not None])
def test_the_default_of_such_a_setting_may_be_spelt_out(name: str) -> None:
    assert load_config({name: str(DEFAULTS[name])}) == load_config({})


def test_the_parts_of_a_setting_that_exist_can_be_used() -> None:
    config = load_config({"MCP_AUDIT_SINK": "none", "MCP_STATE_URL": "sqlite:///state.db"})

    assert ("none", Secret("sqlite:///state.db")) == (config.MCP_AUDIT_SINK, config.MCP_STATE_URL)


def test_telemetry_variables_meant_for_other_programs_are_accepted() -> None:
    config = load_config({"OTEL_SERVICE_NAME": "shop", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318"})

    assert config.OTEL_SERVICE_NAME == "shop"


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("MCP_DRYRUN", "MCP_DRY_RUN"),
        ("MCP_WRTIE_MODE", "MCP_WRITE_MODE"),
        ("MCP_CATEGORIE", "MCP_CATEGORIES"),
        ("ALLOWED_GUILD", "ALLOWED_GUILDS"),
        ("DISCORD_TOKENS", "DISCORD_TOKEN"),
        ("mcp_write_mode", "MCP_WRITE_MODE"),
    ],
)
def test_a_near_miss_of_a_known_name_refuses_to_start(name: str, known: str) -> None:
    assert issues(**{name: "x"}) == [f"  - {name}: is not known; did you mean {known}?"]


@pytest.mark.parametrize(
    "name",
    [
        "MCP_CATEGORY",
        "DISCORD_OPENAPI",
        "DISCORD_TOKEN_FILE",
        "MCP_TIMEOUT",
        "DISCORD_",
        "LOGLEVEL",
        "GATEWAYS",
        "PATH",
    ],
)
def test_any_other_unknown_variable_is_ignored(name: str) -> None:
    assert load_config({name: "x"}) == load_config({})


@pytest.mark.parametrize(
    ("one", "other", "count"), [("", "", 0), ("abc", "abc", 0), ("abc", "abxc", 1), ("abc", "acb", 2), ("", "ab", 2)]
)
def test_edits_are_letters_inserted_dropped_or_replaced(one: str, other: str, count: int) -> None:
    assert edits(one, other) == edits(other, one) == count


# The page


def test_the_page_of_variables_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == document(), "write document() to docs/configuration.md"


def test_the_page_has_a_row_for_each_variable() -> None:
    rows = [line for line in document().splitlines() if line.startswith("| `")]

    assert [row.split("`")[1] for row in rows] == list(DEFAULTS)


def test_a_row_tells_value_default_support_and_meaning() -> None:
    assert (
        "| `MCP_RETRY_MAX_ATTEMPTS` | a whole number from 1 to 10 | `3` | yes | Repeats after the first attempt. |"
        in document().splitlines()
    )


# Secrets


def test_a_secret_gives_its_text_only_when_asked() -> None:
    secret = Secret("hunter2")

    assert secret.reveal() == "hunter2"
    assert f"{secret!r} {secret} {secret:>20} {[secret]}" == "Secret(…) [secret] [secret] [Secret(…)]"


def test_a_secret_is_no_text() -> None:
    assert not isinstance(Secret("hunter2"), str)
    assert Secret("hunter2") != "hunter2"


def test_secrets_are_equal_when_their_texts_are() -> None:
    assert Secret("hunter2é") == Secret("hunter2é")
    assert Secret("\udcff") == Secret("\udcff")
    assert Secret("hunter2") != Secret("hunter3")
    assert len({Secret("hunter2"), Secret("hunter2")}) == 1


def test_a_secret_cannot_be_changed() -> None:
    secret = Secret("hunter2")

    with pytest.raises(AttributeError):
        secret._text = "other"
    with pytest.raises(AttributeError):
        del secret._text


def test_a_secret_cannot_be_serialised() -> None:
    with pytest.raises(TypeError):
        orjson.dumps(Secret("hunter2"))
    with pytest.raises(TypeError):
        pickle.dumps(Secret("hunter2"))
