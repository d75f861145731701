"""What the environment may say to the wallet service."""

from __future__ import annotations

import pytest

from accord.deside.config import ConfigError, document, load_config

DEFAULTS = {
    "DESIDE_DATABASE_URL": None,
    "DESIDE_PUBLIC_URL": None,
    "DESIDE_MODE": "local",
    "DESIDE_SESSION_MODE": "lazy",
    "DESIDE_ALLOWED_HOSTS": None,
    "DESIDE_ALLOWED_ORIGINS": None,
    "DESIDE_MAX_BODY_BYTES": 1_048_576,
    "DESIDE_MAX_IN_FLIGHT": 64,
    "DESIDE_SENDS_PER_HOUR": 200,
    "DESIDE_BURST_PER_RECIPIENT": 20,
    "SESSION_TTL_MS": 2_700_000,
    "OAUTH_ACCESS_TOKEN_TTL_MS": 2_700_000,
    "OAUTH_SIGN_INS_PER_5_MIN": 5,
    "OAUTH_CHALLENGES_PER_MIN": 30,
    "LOG_LEVEL": "info",
}


def test_without_variables_every_setting_has_its_default() -> None:
    assert load_config({}).model_dump() == DEFAULTS


@pytest.mark.parametrize(
    ("env", "blamed"),
    [
        ({"DESIDE_MODE": "prod"}, "DESIDE_MODE: must be one of local, production"),
        ({"DESIDE_MODE": ""}, "DESIDE_MODE: is set but empty"),
        ({"DESIDE_SESION_MODE": "strict"}, "did you mean DESIDE_SESSION_MODE"),
        ({"OAUTH_ACCESS_TOKEN_TTL_S": "1"}, "did you mean OAUTH_ACCESS_TOKEN_TTL_MS"),
        ({"SESSION_TTL_MS": "45m"}, "SESSION_TTL_MS: must be a whole number from 1000 to 86400000"),
        ({"DESIDE_DATABASE_URL": "mysql://x"}, "DESIDE_DATABASE_URL: must be sqlite:///path or postgresql://"),
        ({"DESIDE_PUBLIC_URL": "https://user@host"}, "DESIDE_PUBLIC_URL: must be an https URL"),
        ({"DESIDE_PUBLIC_URL": "https://host/path"}, "DESIDE_PUBLIC_URL: must be an https URL"),
        ({"DESIDE_PUBLIC_URL": "javascript:alert(1)"}, "DESIDE_PUBLIC_URL: must be an https URL"),
    ],
)
def test_what_is_wrong_is_named(env: dict[str, str], blamed: str) -> None:
    with pytest.raises(ConfigError, match=blamed):
        load_config(env)


@pytest.mark.parametrize("url", [None, "http://example.test"])
def test_production_needs_a_public_url_over_https(url: str | None) -> None:
    env = {"DESIDE_MODE": "production"} | ({"DESIDE_PUBLIC_URL": url} if url else {})

    with pytest.raises(ConfigError, match="must be an https URL where DESIDE_MODE=production"):
        load_config(env)


def test_a_databases_password_is_never_shown() -> None:
    config = load_config({"DESIDE_DATABASE_URL": "postgresql://me:canary@host/db"})

    assert "canary" not in f"{config!r} {config.model_dump()}"
    assert config.database_url == "postgresql://me:canary@host/db"


def test_the_page_names_every_variable() -> None:
    assert all(f"`{name}`" in document() for name in DEFAULTS)
