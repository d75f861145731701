"""The environment as one frozen Config, whose class body is the table that defaults, checks and the page come from."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field

from accord.engine import (
    AnyCase,
    Clash,
    ConfigError,
    Form,
    HostNames,
    LogLevel,
    Origins,
    Secret,
    Settings,
    SettingsRules,
    Whole,
    read_settings,
    setting_rows,
    state_folder,
)

__all__ = ["Config", "ConfigError", "document", "load_config"]

MINUTE_MS = 60_000
DAY_MS = 24 * 60 * MINUTE_MS


def _database_url(given: Secret) -> Secret:
    if not re.fullmatch(r"(sqlite:///|postgresql://)\S.*", given.reveal()):
        raise ValueError
    return given


def _public_url(text: str) -> str:
    """Accept where clients find this server: tokens go there, so it has nothing that could lead elsewhere."""
    parts = urlsplit(text)
    # Reading the port checks it.
    if re.search(r"[\s\\?#@]", text) or not parts.hostname or parts.port == 0 or parts.path.strip("/"):
        raise ValueError
    if parts.scheme not in {"http", "https"}:
        raise ValueError
    return text.rstrip("/")


DatabaseUrl = Annotated[
    Annotated[Secret, AfterValidator(_database_url)] | None,
    Form("sqlite:///path or postgresql://…", secret=True),
]
PublicUrl = Annotated[
    Annotated[str, BeforeValidator(_public_url)] | None,
    Form("an https URL, or an http URL in local mode, without path, credentials or query"),
]


class Config(Settings):
    """Every setting, checked, under its variable's name; made by `load_config`."""

    DESIDE_DATABASE_URL: DatabaseUrl = Field(
        None, description="The database of everything. Unset: SQLite in the user's state folder."
    )
    DESIDE_PUBLIC_URL: PublicUrl = Field(
        None, description="Where clients find this server. Unset: the loopback name that a request came to."
    )
    DESIDE_MODE: Annotated[Literal["local", "production"], AnyCase] = Field(
        "local", description="Production takes redirects to https alone, and needs DESIDE_PUBLIC_URL over https."
    )
    DESIDE_SESSION_MODE: Annotated[Literal["lazy", "strict"], AnyCase] = Field(
        "lazy",
        description="Sessions are bound to a wallet at their first request with a token, or at `initialize`, "
        "which then needs one; strict also allows one session a wallet.",
    )
    DESIDE_ALLOWED_HOSTS: HostNames = Field(None, description="More names under which it may be called.")
    DESIDE_ALLOWED_ORIGINS: Origins = Field(None, description="Web pages that may call it.")
    DESIDE_MAX_BODY_BYTES: Whole = Field(
        1_048_576, ge=1024, le=67_108_864, description="The longest HTTP request body, in bytes."
    )
    DESIDE_MAX_IN_FLIGHT: Whole = Field(64, ge=1, le=1024, description="HTTP requests served at the same time.")
    DESIDE_SENDS_PER_HOUR: Whole = Field(
        200, ge=1, le=1_000_000, description="Messages that a wallet may send within any hour."
    )
    DESIDE_BURST_PER_RECIPIENT: Whole = Field(
        20,
        ge=0,
        le=1_000_000,
        description="Messages that a wallet may send to one other within any ten seconds; "
        "more are refused with COOLDOWN. 0 sets no limit.",
    )
    SESSION_TTL_MS: Whole = Field(
        45 * MINUTE_MS, ge=1000, le=DAY_MS, description="How long a session lives without a request, in milliseconds."
    )
    OAUTH_ACCESS_TOKEN_TTL_MS: Whole = Field(
        45 * MINUTE_MS, ge=1000, le=DAY_MS, description="How long an access token is good, in milliseconds."
    )
    OAUTH_SIGN_INS_PER_5_MIN: Whole = Field(
        5, ge=0, le=1_000_000, description="Sign-ins of one address within any five minutes. 0 sets no limit."
    )
    OAUTH_CHALLENGES_PER_MIN: Whole = Field(
        30, ge=0, le=1_000_000, description="Challenges of one address within any minute. 0 sets no limit."
    )
    LOG_LEVEL: LogLevel = Field("info", description="The least severe log line that is written to stderr.")

    @property
    def database_url(self) -> str:
        """The database's URL: the one that is set, else that of a file in the user's state folder.

        Raises:
            RuntimeError: The user has no home.
        """
        if self.DESIDE_DATABASE_URL is not None:
            return self.DESIDE_DATABASE_URL.reveal()
        return f"sqlite:///{_own_file()}"


def _own_file() -> Path:
    return state_folder("deside-mcp", os.environ) / "deside.db"


def _is_https(url: str | None) -> bool:
    return url is not None and urlsplit(url).scheme == "https"


RULES = SettingsRules(
    guarded=("DESIDE_", "OAUTH_", "SESSION_"),
    refused_empty=frozenset({"DESIDE_DATABASE_URL", "DESIDE_MODE", "DESIDE_SESSION_MODE", "DESIDE_PUBLIC_URL"}),
    clashes=(
        Clash(
            "DESIDE_PUBLIC_URL",
            lambda c: c.DESIDE_MODE == "production" and not _is_https(c.DESIDE_PUBLIC_URL),
            "must be an https URL where DESIDE_MODE=production",
        ),
    ),
)


def load_config(env: Mapping[str, str] | None = None) -> Config:
    """Check the environment (the process's own by default) and fill in every default.

    Raises:
        ConfigError: It names every variable at fault and never shows a value.
    """
    return read_settings(Config, os.environ if env is None else env, RULES)


def document() -> str:
    """Write the table of all variables in Markdown."""
    rows = [
        f"| `{name}` | {form} | {default} | {meaning} |"
        for name, form, default, _, meaning in setting_rows(Config, RULES)
    ]
    return "\n".join(["| Variable | Value | Default | Meaning |", "| --- | --- | --- | --- |", *rows])
