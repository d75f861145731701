"""The environment as one frozen Config, whose class body is the table that defaults, checks and the page come from."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field

from accord.engine import (
    AnyCase,
    Clash,
    ConfigError,
    Flag,
    Form,
    Gap,
    HostNames,
    LogLevel,
    Origins,
    Secret,
    Settings,
    SettingsRules,
    Whole,
    entries,
    read_settings,
    refusal,
    setting_rows,
)

MOST_UPLOAD_BYTES = 100 * 1024 * 1024
"""What a guild of the highest boost level takes."""

__all__ = ["Config", "ConfigError", "document", "load_config"]

TOKEN_MIN_CHARACTERS = 50
CLIENT_SECRET_CHARACTERS = 32
KEY_MIN_CHARACTERS = 32


def bot_token(given: Secret) -> Secret | None:
    """Take off what gets copied along with a token: white space, quotes and the `Bot ` of the HTTP header."""
    bare = re.sub(r"^bot\s+", "", given.reveal().strip("\"' \t\r\n"), flags=re.IGNORECASE).strip("\"' \t\r\n")
    if not bare:
        return None
    if len(bare) == CLIENT_SECRET_CHARACTERS:
        raise refusal("looks like the application's client secret; use the token from its Bot page")
    if len(bare) < TOKEN_MIN_CHARACTERS:
        raise refusal(f"is too short: a bot token has at least {TOKEN_MIN_CHARACTERS} characters")
    if not re.fullmatch(r"[A-Za-z0-9._-]+", bare):
        raise refusal("has characters that no bot token has, such as white space; copy it again")
    return Secret(bare)


def long_key(given: Secret) -> Secret:
    if len(given.reveal()) < KEY_MIN_CHARACTERS:
        raise ValueError
    return given


def state_url(given: Secret) -> Secret:
    if not re.fullmatch(r"(sqlite:///|postgresql://)\S.*", given.reveal()):
        raise ValueError
    return given


def exporter_url(given: Secret) -> Secret:
    parts = urlsplit(given.reveal())
    if not (parts.scheme and (parts.netloc or parts.path)):
        raise ValueError
    return given


def is_http(url: Secret | None) -> bool:
    parts = urlsplit(url.reveal() if url else "")
    return parts.scheme in {"http", "https"} and bool(parts.hostname)


def folder(text: str) -> Path:
    """Accept a folder that is there: a root would put every file of the machine within reach."""
    path = Path(text).expanduser()
    if not path.is_dir() or path.resolve() == Path(path.resolve().anchor):
        raise ValueError
    return path.resolve()


def is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def host_of(url: str) -> str:
    return urlsplit(url).hostname or ""


def api_base_url(text: str) -> str:
    """Accept an address that the bot token may be sent to: encrypted, or never leaving this machine."""
    parts = urlsplit(text)
    # Reading the port checks it.
    if re.search(r"[\s\\?#@]", text) or not parts.hostname or parts.port == 0:
        raise ValueError
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(parts.hostname)):
        raise ValueError
    if re.search(r"/v[0-9]+/*$", parts.path):
        raise refusal("must not end in an API version: the client adds it")
    return text.rstrip("/")


TEXT = Form("text")
PATH = Form("a path")
FOLDER = Form("the path of a folder that exists and is not the whole disk")

Ratio = Annotated[float, Form("a number")]

_Id = Annotated[str, Field(pattern=r"^[0-9]{17,20}$")]
_Name = Annotated[str, Field(min_length=1)]
Snowflake = Annotated[_Id | None, Form("an id of 17 to 20 digits")]
Snowflakes = Annotated[
    Annotated[tuple[_Id, ...], BeforeValidator(entries)] | None,
    Form("ids of 17 to 20 digits, separated by commas"),
]
Names = Annotated[Annotated[tuple[_Name, ...], BeforeValidator(entries)] | None, Form("names, separated by commas")]
BotToken = Annotated[
    Annotated[Secret, AfterValidator(bot_token)] | None,
    Form(f"a bot token of at least {TOKEN_MIN_CHARACTERS} characters", secret=True),
]
LongKey = Annotated[
    Annotated[Secret, AfterValidator(long_key)] | None,
    Form(f"a secret of at least {KEY_MIN_CHARACTERS} characters", secret=True),
]
StateUrl = Annotated[
    Annotated[Secret, AfterValidator(state_url)] | None,
    Form("sqlite:///path or postgresql://…", secret=True),
]
ExporterUrl = Annotated[Annotated[Secret, AfterValidator(exporter_url)] | None, Form("a URL", secret=True)]
Headers = Annotated[Secret | None, Form("name=value pairs, separated by commas", secret=True)]
ApiBaseUrl = Annotated[
    str,
    BeforeValidator(api_base_url),
    Form("an https URL, or an http URL of this machine, without credentials or query"),
]
Sampler = Annotated[
    Literal[
        "always_on",
        "always_off",
        "traceidratio",
        "parentbased_always_on",
        "parentbased_always_off",
        "parentbased_traceidratio",
    ],
    AnyCase,
]


class Config(Settings):
    """Every setting, checked, under its variable's name; made by `load_config`.

    Where None is not simply "off", the meaning says what it stands for.
    """

    DISCORD_TOKEN: BotToken = Field(
        None, description="The bot's token, with or without `Bot `. Needed by everything that talks to Discord."
    )
    DISCORD_EXPECTED_BOT_ID: Snowflake = Field(
        None, description="The one bot whose token is accepted. Needed by tools that change the bot itself."
    )
    DISCORD_DEFAULT_GUILD_ID: Snowflake = Field(
        None, description="The guild a call means when it names none. Must be listed in ALLOWED_GUILDS if both are set."
    )
    ALLOWED_GUILDS: Snowflakes = Field(
        None, description="The only guilds that calls may reach. Unset: all of the bot's."
    )
    DISCORD_API_BASE_URL: ApiBaseUrl = Field(
        "https://discord.com/api", description="Where Discord's API is, without a version such as `/v10`."
    )
    DISCORD_GLOBAL_REQUESTS_PER_SECOND: Whole = Field(
        50,
        ge=0,
        le=50,
        description="Requests a second over all routes; a share of 50 where several processes use one token. "
        "0 sets no limit, on this machine's own addresses only.",
    )
    DISCORD_MCP_ACCESS_TOKEN: LongKey = Field(None, description="What HTTP clients present as their bearer token.")

    MCP_HTTP_MAX_BODY_BYTES: Whole = Field(
        4_194_304, ge=1024, le=67_108_864, description="The longest HTTP request body, in bytes."
    )
    MCP_HTTP_MAX_IN_FLIGHT: Whole = Field(16, ge=1, le=1024, description="HTTP requests served at the same time.")
    MCP_HTTP_ALLOWED_HOSTS: HostNames = Field(None, description="Names under which it may be called over HTTP.")
    MCP_HTTP_ALLOWED_ORIGINS: Origins = Field(None, description="Origins of web pages that may call it over HTTP.")
    LOG_LEVEL: LogLevel = Field("info", description="The least severe log line that is written to stderr.")
    GATEWAY: Flag = Field(default=False, description="Listen to Discord's live events.")

    MCP_UPLOAD_DIR: Annotated[Annotated[Path, BeforeValidator(folder)] | None, FOLDER] = Field(
        None, description="The only folder from which files can be sent. Unset: none can."
    )
    MCP_UPLOAD_MAX_BYTES: Whole = Field(
        MOST_UPLOAD_BYTES, ge=1024, le=MOST_UPLOAD_BYTES * 5, description="The largest file that is sent, in bytes."
    )

    MCP_CATEGORIES: Names = Field(None, description="The only tool categories that are offered. Unset: all.")
    MCP_TOOL_SURFACE: Annotated[Literal["full", "progressive"], AnyCase] = Field(
        "full", description="List every tool, or a few that find and run the others."
    )
    MCP_WRITE_MODE: Annotated[Literal["allow", "preview"], AnyCase] = Field(
        "allow", description="Carry writes out, or only show what they would do."
    )
    MCP_DRY_RUN: Flag = Field(
        default=True, description="Show a destructive call instead of carrying it out, until the call confirms itself."
    )
    MCP_CONFIRM_EXTRA: Flag = Field(
        default=True,
        description="Ask the same of calls that are destructive by their arguments only, such as granting privileges.",
    )
    MCP_ACCESS_MODE: Annotated[Literal["advisory", "warn", "enforce"], AnyCase] = Field(
        "advisory",
        description="What missing permissions of the bot lead to before a call: nothing, a warning, a refusal.",
    )
    MCP_DM_CONSENT_MODE: Annotated[Literal["advisory", "require"], AnyCase] = Field(
        "advisory", description="Whether each direct message needs an approval of its recipient."
    )
    MCP_ALLOW_USER_SCOPED: Flag = Field(
        default=False,
        description="Allow direct messages although ALLOWED_GUILDS is set. Needs DISCORD_EXPECTED_BOT_ID.",
    )

    MCP_APPROVAL_MODE: Annotated[Literal["caller", "person"], AnyCase] = Field(
        "caller", description="Who confirms: the caller, or a person asked apart from it."
    )
    MCP_APPROVAL_ELICITATION: Flag = Field(
        default=True,
        description="Let a client that can ask a person do so. False: only `discord-mcp approvals` in a terminal "
        "decides. Needs MCP_APPROVAL_MODE=person.",
    )
    MCP_APPROVAL_STATE_DIR: Annotated[str | None, PATH] = Field(
        None,
        description="The folder of approvals, apart from other state; several processes may share it. "
        "Needs MCP_APPROVAL_HMAC_KEY.",
    )
    MCP_APPROVAL_HMAC_KEY: LongKey = Field(
        None,
        description="The key that seals those approvals: one that was changed in the file is missing. "
        "Needs MCP_APPROVAL_STATE_DIR.",
    )
    MCP_BLUEPRINT_STATE_DIR: Annotated[str | None, PATH] = Field(
        None, description="The folder of blueprint checkpoints. Unset: in the user's state folder."
    )
    MCP_STATE_URL: StateUrl = Field(
        None, description="The database for what must outlive the process. Unset: SQLite in the user's state folder."
    )

    MCP_RETRY_ENABLED: Flag = Field(default=True, description="Repeat failed requests that are safe to repeat.")
    MCP_RETRY_MAX_ATTEMPTS: Whole = Field(3, ge=1, le=10, description="Repeats after the first attempt.")
    MCP_RETRY_BASE_DELAY_MS: Whole = Field(
        200, ge=50, le=5000, description="The wait before the first repeat, in milliseconds."
    )
    MCP_RETRY_MAX_DELAY_MS: Whole = Field(
        10_000,
        ge=500,
        le=60_000,
        description="The longest wait before a repeat, Discord's own included, in milliseconds.",
    )
    MCP_RETRY_JITTER: Annotated[Literal["none", "full", "decorrelated"], AnyCase] = Field(
        "full", description="How waits are spread."
    )
    MCP_TIMEOUT_DEFAULT_MS: Whole = Field(
        30_000, ge=1000, le=120_000, description="The longest single attempt, in milliseconds."
    )
    MCP_CIRCUIT_ENABLED: Flag = Field(default=True, description="Stop calling a route that keeps failing.")
    MCP_CIRCUIT_FAILURE_THRESHOLD: Whole = Field(10, ge=3, le=100, description="Failures in a row that stop a route.")
    MCP_CIRCUIT_HALF_OPEN_AFTER_MS: Whole = Field(
        60_000, ge=5000, le=600_000, description="The time until a stopped route is tried again, in milliseconds."
    )
    MCP_BULKHEAD_LIMIT: Whole = Field(100, ge=1, le=1000, description="Requests to Discord at the same time.")

    MCP_AUDIT_ENABLED: Flag = Field(default=True, description="Record calls. False wins over MCP_AUDIT_SINK.")
    MCP_AUDIT_SINK: Annotated[Literal["stderr", "file", "otlp", "none"], AnyCase] = Field(
        "stderr", description="Where records go."
    )
    MCP_AUDIT_FILE: Annotated[str, PATH] = Field(
        "./discord-mcp-audit.jsonl", description="The file of the `file` sink."
    )
    MCP_AUDIT_REQUIRED: Flag = Field(
        default=False,
        description="Refuse writes that cannot be recorded. Needs MCP_AUDIT_ENABLED and the sink file or stderr.",
    )
    MCP_AUDIT_READS: Flag = Field(default=False, description="Record reads too.")

    OTEL_ENABLED: Flag = Field(
        default=False, description="Send telemetry; without it, no other OTEL variable has an effect."
    )
    OTEL_SERVICE_NAME: Annotated[str, TEXT] = Field("discord-mcp", description="The service's name in telemetry.")
    OTEL_SERVICE_VERSION: Annotated[str | None, TEXT] = Field(
        None, description="The service's version in telemetry. Unset: that of the package."
    )
    OTEL_EXPORTER_OTLP_ENDPOINT: ExporterUrl = Field(
        None, description="The collector; `/v1/traces`, `/v1/metrics` and `/v1/logs` are appended."
    )
    OTEL_EXPORTER_OTLP_PROTOCOL: Annotated[Literal["http/protobuf", "http/json", "grpc"], AnyCase] = Field(
        "http/protobuf", description="The collector's protocol."
    )
    OTEL_EXPORTER_OTLP_HEADERS: Headers = Field(
        None, description="Headers sent to the collector. Malformed pairs are skipped."
    )
    OTEL_TRACES_SAMPLER: Sampler = Field("parentbased_always_on", description="Which traces are kept.")
    OTEL_TRACES_SAMPLER_ARG: Ratio = Field(1.0, ge=0, le=1, description="The share kept by the ratio samplers.")
    OTEL_CONSOLE_EXPORTER: Flag = Field(default=False, description="Write spans to stderr.")


# Set but empty is a mistake where "unset" would open a gate or drop a credential; elsewhere it means unset.
REFUSED_EMPTY = frozenset(
    {
        "ALLOWED_GUILDS",
        "DISCORD_EXPECTED_BOT_ID",
        "DISCORD_MCP_ACCESS_TOKEN",
        "MCP_CATEGORIES",
        "MCP_APPROVAL_MODE",
        "MCP_APPROVAL_ELICITATION",
        "MCP_APPROVAL_STATE_DIR",
        "MCP_APPROVAL_HMAC_KEY",
    }
)

# A typo in one of these must not leave a gate open; OTEL and LOG names are common for other programs.
GUARDED_PREFIXES = ("MCP_", "DISCORD_", "ALLOWED_")

NOT_SUPPORTED = Gap(lambda _: True, "is not supported by this version; unset it", "no")

# Nothing fails open: a value that would be ignored refuses to start. A feature that comes takes its row away.
UNSUPPORTED: Mapping[str, Gap] = dict.fromkeys(
    (
        "GATEWAY",
        "MCP_BLUEPRINT_STATE_DIR",
        "MCP_TOOL_SURFACE",
        "OTEL_CONSOLE_EXPORTER",
    ),
    NOT_SUPPORTED,
) | {
    "OTEL_ENABLED": Gap(
        lambda c: c.MCP_AUDIT_SINK != "otlp",
        "for traces and metrics is not supported by this version; set it for MCP_AUDIT_SINK=otlp alone",
        "for MCP_AUDIT_SINK=otlp alone",
    ),
}


CLASHES = (
    Clash(
        "DISCORD_DEFAULT_GUILD_ID",
        lambda c: c.ALLOWED_GUILDS is not None and c.DISCORD_DEFAULT_GUILD_ID not in {None, *c.ALLOWED_GUILDS},
        "must be listed in ALLOWED_GUILDS",
    ),
    Clash(
        "MCP_ALLOW_USER_SCOPED",
        lambda c: c.MCP_ALLOW_USER_SCOPED and c.DISCORD_EXPECTED_BOT_ID is None,
        "needs DISCORD_EXPECTED_BOT_ID",
    ),
    Clash(
        "MCP_APPROVAL_ELICITATION",
        lambda c: not c.MCP_APPROVAL_ELICITATION and c.MCP_APPROVAL_MODE != "person",
        "needs MCP_APPROVAL_MODE=person",
    ),
    Clash(
        "MCP_APPROVAL_STATE_DIR",
        lambda c: (c.MCP_APPROVAL_STATE_DIR is None) != (c.MCP_APPROVAL_HMAC_KEY is None),
        "must be set together with MCP_APPROVAL_HMAC_KEY",
    ),
    Clash(
        "DISCORD_GLOBAL_REQUESTS_PER_SECOND",
        lambda c: c.DISCORD_GLOBAL_REQUESTS_PER_SECOND == 0 and not is_loopback(host_of(c.DISCORD_API_BASE_URL)),
        "may be 0 only when DISCORD_API_BASE_URL is an address of this machine",
    ),
    Clash(
        "MCP_AUDIT_REQUIRED",
        lambda c: c.MCP_AUDIT_REQUIRED and (not c.MCP_AUDIT_ENABLED or c.MCP_AUDIT_SINK in {"none", "otlp"}),
        "needs MCP_AUDIT_ENABLED and MCP_AUDIT_SINK=file or stderr: a collector cannot promise to keep a record",
    ),
    Clash(
        "MCP_AUDIT_SINK",
        lambda c: c.MCP_AUDIT_SINK == "otlp" and not (c.OTEL_ENABLED and c.OTEL_EXPORTER_OTLP_ENDPOINT),
        "otlp needs OTEL_ENABLED and OTEL_EXPORTER_OTLP_ENDPOINT",
    ),
    Clash(
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        lambda c: c.MCP_AUDIT_SINK == "otlp" and not is_http(c.OTEL_EXPORTER_OTLP_ENDPOINT),
        "must be an http or https URL for MCP_AUDIT_SINK=otlp",
    ),
    Clash(
        "OTEL_EXPORTER_OTLP_PROTOCOL",
        lambda c: c.MCP_AUDIT_SINK == "otlp" and c.OTEL_EXPORTER_OTLP_PROTOCOL != "http/protobuf",
        "must be http/protobuf for MCP_AUDIT_SINK=otlp: nothing here sends grpc or http/json",
    ),
)


RULES = SettingsRules(guarded=GUARDED_PREFIXES, refused_empty=REFUSED_EMPTY, unsupported=UNSUPPORTED, clashes=CLASHES)


def load_config(env: Mapping[str, str] | None = None) -> Config:
    """Check the environment (the process's own by default) and fill in every default.

    Unknown variables are ignored, apart from near misses of a known name. Raises ConfigError, which lists everything
    wrong with single variables or, if nothing is, everything wrong between them.
    """
    return read_settings(Config, os.environ if env is None else env, RULES)


PAGE = """\
# Configuration

<!-- Written by docs/generate/configuration.py; change accord/discord/config.py, not this page. -->

discord-mcp is configured by environment variables, and refuses to start when one of them is wrong: the message names
every variable at fault and never shows a value.

- White space around a value is not part of it. Choices and booleans may be written in any case.
- Booleans are `1`, `true`, `yes`, `on` or `0`, `false`, `no`, `off`; anything else is an error.
- Set but empty means unset, but is an error for {refused_empty}.
- A variable that this version does not support refuses to start with any value but its default. Those that only tune
  telemetry (`OTEL_*`) are checked, and have no effect while it is off.
- A near miss of a known name that starts with {prefixes} is an error; other unknown variables are ignored.

| Variable | Value | Default | Supported | Meaning |
| --- | --- | --- | --- | --- |
{rows}
"""


def document() -> str:
    """Write the page of all variables, docs/configuration.md, in Markdown."""
    return PAGE.format(
        refused_empty=", ".join(f"`{name}`" for name in sorted(REFUSED_EMPTY)),
        prefixes=", ".join(f"`{prefix}`" for prefix in GUARDED_PREFIXES),
        rows="\n".join(
            f"| `{name}` | {form} | {default} | {supported} | {meaning} |"
            for name, form, default, supported, meaning in setting_rows(Config, RULES)
        ),
    )
