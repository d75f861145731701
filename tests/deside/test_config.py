"""What the environment may say to the wallet service."""

from __future__ import annotations

from decimal import Decimal

import pytest

from accord.deside.config import ConfigError, document, load_config

DEFAULTS = {
    "DESIDE_DATABASE_URL": None,
    "DESIDE_PUBLIC_URL": None,
    "DESIDE_MODE": "local",
    "DESIDE_SESSION_MODE": "lazy",
    "DESIDE_ALLOWED_HOSTS": None,
    "DESIDE_ALLOWED_ORIGINS": None,
    "DESIDE_TRUSTED_PROXIES": None,
    "DESIDE_MAX_BODY_BYTES": 1_048_576,
    "DESIDE_MAX_IN_FLIGHT": 64,
    "DESIDE_ANONYMOUS_SESSIONS_PER_MIN": 60,
    "DESIDE_SENDS_PER_HOUR": 200,
    "DESIDE_BURST_PER_RECIPIENT": 20,
    "SESSION_TTL_MS": 2_700_000,
    "OAUTH_ACCESS_TOKEN_TTL_MS": 2_700_000,
    "OAUTH_SIGN_INS_PER_5_MIN": 5,
    "OAUTH_CHALLENGES_PER_MIN": 30,
    "OAUTH_REGISTRATIONS_PER_5_MIN": 30,
    "LLM_ENABLED": None,
    "DESIDE_LLM_FREE_BASE_URL": None,
    "DESIDE_LLM_FREE_MODEL": None,
    "DESIDE_LLM_FREE_API_KEY": None,
    "DESIDE_LLM_FREE_MAX_TOKENS": 1024,
    "DESIDE_LLM_CHEAP_BASE_URL": None,
    "DESIDE_LLM_CHEAP_MODEL": None,
    "DESIDE_LLM_CHEAP_API_KEY": None,
    "DESIDE_LLM_CHEAP_MAX_TOKENS": 1024,
    "DESIDE_LLM_CHEAP_PRICE_USDC": Decimal("0.002"),
    "DESIDE_LLM_BALANCED_BASE_URL": None,
    "DESIDE_LLM_BALANCED_MODEL": None,
    "DESIDE_LLM_BALANCED_API_KEY": None,
    "DESIDE_LLM_BALANCED_MAX_TOKENS": 2048,
    "DESIDE_LLM_BALANCED_PRICE_USDC": Decimal("0.010"),
    "DESIDE_LLM_STRONG_BASE_URL": None,
    "DESIDE_LLM_STRONG_MODEL": None,
    "DESIDE_LLM_STRONG_API_KEY": None,
    "DESIDE_LLM_STRONG_MAX_TOKENS": 4096,
    "DESIDE_LLM_STRONG_PRICE_USDC": Decimal("0.050"),
    "DESIDE_PAY_TO": None,
    "DESIDE_SOLANA_NETWORK": "mainnet",
    "DESIDE_SOLANA_RPC_URL": None,
    "DESIDE_FEE_PAYER_KEY_FILE": None,
    "DESIDE_FEE_PAYER_KEY": None,
    "DESIDE_FACILITATOR_URL": None,
    "LOG_LEVEL": "info",
}

TIER = {"DESIDE_LLM_FREE_BASE_URL": "http://127.0.0.1:8080/v1", "DESIDE_LLM_FREE_MODEL": "tiny-1"}


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
        ({"DESIDE_TRUSTED_PROXIES": "*"}, "DESIDE_TRUSTED_PROXIES: must be addresses or networks"),
        ({"DESIDE_TRUSTED_PROXIES": "10.0.0.1/8"}, "DESIDE_TRUSTED_PROXIES: must be addresses or networks"),
        ({"DESIDE_PUBLIC_URL": "https://host/path"}, "DESIDE_PUBLIC_URL: must be an https URL"),
        ({"DESIDE_PUBLIC_URL": "https://bücher.example"}, "DESIDE_PUBLIC_URL: must be an https URL.* host in ASCII"),
        ({"DESIDE_PUBLIC_URL": "https://a!b.example"}, "DESIDE_PUBLIC_URL: must be an https URL"),
        ({"DESIDE_PUBLIC_URL": "https://[fe80::1%eth0]"}, "DESIDE_PUBLIC_URL: must be an https URL"),
        ({"LLM_ENABLED": "maybe"}, "LLM_ENABLED: must be true or false"),
        ({"LLM_ENABLED": "true"}, "LLM_ENABLED: needs a tier with a provider"),
        ({"LLM_ENABELD": "false"}, "did you mean LLM_ENABLED"),
        ({"DESIDE_LLM_FREE_MODEL": "m"}, "DESIDE_LLM_FREE_BASE_URL: and DESIDE_LLM_FREE_MODEL are set both or neither"),
        ({**TIER, "DESIDE_LLM_FREE_MODEL": ""}, "DESIDE_LLM_FREE_BASE_URL: and DESIDE_LLM_FREE_MODEL are set both"),
        ({"DESIDE_LLM_CHEAP_API_KEY": "canary"}, "DESIDE_LLM_CHEAP_BASE_URL: .* a key needs them"),
        (
            {**TIER, "DESIDE_LLM_FREE_BASE_URL": "http://api.example.com/v1"},
            "DESIDE_LLM_FREE_BASE_URL: must be an https",
        ),
        ({**TIER, "DESIDE_LLM_FREE_BASE_URL": "http://8.8.8.8/v1"}, "DESIDE_LLM_FREE_BASE_URL: must be an https"),
        ({**TIER, "DESIDE_LLM_FREE_BASE_URL": "https://me:pw@host/v1"}, "DESIDE_LLM_FREE_BASE_URL: must be an https"),
        (
            {"DESIDE_LLM_CHEAP_BASE_URL": "http://127.0.0.1:1", "DESIDE_LLM_CHEAP_MODEL": "m"},
            "DESIDE_LLM_CHEAP_PRICE_USDC: needs DESIDE_PAY_TO, or is set to 0",
        ),
        ({"DESIDE_LLM_CHEAP_PRICE_USDC": "0.0000001"}, "DESIDE_LLM_CHEAP_PRICE_USDC: must be an amount of USDC"),
        ({"DESIDE_LLM_CHEAP_PRICE_USDC": "-1"}, "DESIDE_LLM_CHEAP_PRICE_USDC: must be an amount of USDC"),
        ({"DESIDE_LLM_CHEAP_PRICE_USDC": "1e3"}, "DESIDE_LLM_CHEAP_PRICE_USDC: must be an amount of USDC"),
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


@pytest.mark.parametrize(
    ("env", "there"),
    [({}, False), (TIER, True), ({**TIER, "LLM_ENABLED": "true"}, True), ({**TIER, "LLM_ENABLED": "false"}, False)],
)
def test_completions_are_there_where_a_tier_has_a_provider_unless_they_are_switched_off(
    env: dict[str, str], there: bool
) -> None:
    assert load_config(env).has_completions is there


@pytest.mark.parametrize(
    "url", ["https://api.example.com/v1", "http://localhost:1/v1", "http://10.0.0.7/v1", "http://vllm/v1"]
)
def test_a_model_is_asked_over_https_or_within_the_own_network(url: str) -> None:
    config = load_config(TIER | {"DESIDE_LLM_FREE_BASE_URL": url, "DESIDE_LLM_FREE_API_KEY": "canary"})

    tier = config.tiers["free"]
    assert (tier.base_url, tier.model, tier.most_tokens, tier.price) == (url, "tiny-1", 1024, Decimal(0))
    assert tier.key is not None
    assert tier.key.reveal() == "canary"
    assert "canary" not in f"{config!r} {config.model_dump()} {tier!r}"


def test_the_page_names_every_variable() -> None:
    assert all(f"`{name}`" in document() for name in DEFAULTS)


KEY_FILE = "/etc/deside/fee-payer.json"
PAYMENTS = {
    "DESIDE_PAY_TO": "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T",
    "DESIDE_SOLANA_RPC_URL": "https://rpc.example.test/?api-key=canary",
}


@pytest.mark.parametrize(
    "way",
    [
        {"DESIDE_FEE_PAYER_KEY_FILE": KEY_FILE},
        {"DESIDE_FEE_PAYER_KEY": "canary"},
        {"DESIDE_FACILITATOR_URL": "https://facilitator.example.test/v2"},
    ],
    ids=["file", "variable", "facilitator"],
)
def test_payments_take_a_receiver_a_node_and_who_pays_the_fees(way: dict[str, str]) -> None:
    config = load_config(PAYMENTS | way)

    settings = config.payments
    assert settings is not None
    assert (settings.pay_to, settings.network) == (PAYMENTS["DESIDE_PAY_TO"], "mainnet")
    assert settings.rpc_url.reveal() == PAYMENTS["DESIDE_SOLANA_RPC_URL"]
    assert "canary" not in f"{config!r} {settings!r} {config.model_dump()}"


def test_without_any_of_it_no_payments_are_taken() -> None:
    assert load_config({}).payments is None


@pytest.mark.parametrize(
    "env",
    [
        {"DESIDE_PAY_TO": PAYMENTS["DESIDE_PAY_TO"]},
        {"DESIDE_SOLANA_RPC_URL": "https://rpc.example.test"},
        {"DESIDE_FEE_PAYER_KEY_FILE": KEY_FILE},
        {"DESIDE_FACILITATOR_URL": "https://facilitator.example.test"},
        PAYMENTS,
        {"DESIDE_PAY_TO": PAYMENTS["DESIDE_PAY_TO"], "DESIDE_FEE_PAYER_KEY_FILE": KEY_FILE},
        {"DESIDE_SOLANA_RPC_URL": "https://rpc.example.test", "DESIDE_FEE_PAYER_KEY_FILE": KEY_FILE},
    ],
)
def test_half_of_what_payments_take_refuses_to_start(env: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match="DESIDE_PAY_TO: needs DESIDE_SOLANA_RPC_URL"):
        load_config(env)


def test_one_alone_pays_the_fees() -> None:
    env = PAYMENTS | {"DESIDE_FEE_PAYER_KEY_FILE": KEY_FILE, "DESIDE_FACILITATOR_URL": "https://f.example.test"}

    with pytest.raises(ConfigError, match="exclude each other"):
        load_config(env)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("DESIDE_PAY_TO", "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4"),
        ("DESIDE_PAY_TO", "canary"),
        ("DESIDE_PAY_TO", ""),
        ("DESIDE_SOLANA_RPC_URL", "http://rpc.example.test"),
        ("DESIDE_SOLANA_RPC_URL", "ftp://rpc.example.test"),
        ("DESIDE_SOLANA_RPC_URL", "https://me:canary@rpc.example.test"),
        ("DESIDE_FACILITATOR_URL", "http://facilitator.example.test"),
        ("DESIDE_SOLANA_NETWORK", "testnet"),
        ("DESIDE_FEE_PAYER_KEY_FILE", "fee-payer.json"),
        ("DESIDE_FEE_PAYER_KEY_FIEL", KEY_FILE),
    ],
)
def test_a_setting_of_payments_that_is_wrong_is_named(name: str, text: str) -> None:
    with pytest.raises(ConfigError, match=name) as refused:
        load_config(PAYMENTS | {"DESIDE_FACILITATOR_URL": "https://f.example.test"} | {name: text})

    assert "canary" not in str(refused.value)
