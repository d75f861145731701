"""The environment as one frozen Config, whose class body is the table that defaults, checks and the page come from."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field
from solders.pubkey import Pubkey

from accord.deside.models.completions import TierName
from accord.engine import (
    AnyCase,
    Clash,
    ConfigError,
    Flag,
    Form,
    HostNames,
    LogLevel,
    Origins,
    Secret,
    Settings,
    SettingsRules,
    Whole,
    entries,
    read_settings,
    setting_rows,
    state_folder,
)

__all__ = ["DOMAIN", "Config", "ConfigError", "PaymentSettings", "TierSettings", "document", "load_config"]

MINUTE_MS = 60_000
DAY_MS = 24 * 60 * MINUTE_MS

DOMAIN: Final = r"[A-Za-z0-9_.:\[\]-]+"
"""A host, perhaps with a port, as a wallet signs it: a name in other letters is written in its ASCII form."""

TIERS: Final[tuple[TierName, ...]] = get_args(TierName)


def _database_url(given: Secret) -> Secret:
    if not re.fullmatch(r"(sqlite:///|postgresql://)\S.*", given.reveal()):
        raise ValueError
    return given


def _public_url(text: str) -> str:
    """Accept where clients find this server: tokens go there, so it has nothing that could lead elsewhere."""
    parts = urlsplit(text)
    if not re.fullmatch(DOMAIN, parts.netloc):
        raise ValueError
    # Reading the port checks it.
    if re.search(r"[\s\\?#@]", text) or not parts.hostname or parts.port == 0 or parts.path.strip("/"):
        raise ValueError
    if parts.scheme not in {"http", "https"}:
        raise ValueError
    return text.rstrip("/")


def _network(text: str) -> str:
    return str(ip_network(text))


Proxies = Annotated[
    Annotated[tuple[Annotated[str, BeforeValidator(_network)], ...], BeforeValidator(entries)] | None,
    Form("addresses or networks like 10.0.0.0/8, separated by commas"),
]
DatabaseUrl = Annotated[
    Annotated[Secret, AfterValidator(_database_url)] | None,
    Form("sqlite:///path or postgresql://…", secret=True),
]
PublicUrl = Annotated[
    Annotated[str, BeforeValidator(_public_url)] | None,
    Form("an https URL, or an http URL in local mode, without path, credentials or query, its host in ASCII"),
]


def _model_url(text: str) -> str:
    """Accept where a model is asked: prompts and a key go there, so it is https, or does not leave the own network."""
    parts = urlsplit(text)
    if re.search(r"[\s\\?#@]", text) or not parts.hostname or parts.port == 0:
        raise ValueError
    if parts.scheme != "https" and not (parts.scheme == "http" and _is_near(parts.hostname)):
        raise ValueError
    return text.rstrip("/")


def _is_near(host: str) -> bool:
    """Whether a host is this machine or in its own network: by its address, or by a name without a dot."""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host


def _usdc(text: str) -> Decimal:
    if not re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,6})?", text):
        raise ValueError
    return Decimal(text)


ModelUrl = Annotated[
    Annotated[str, BeforeValidator(_model_url)] | None,
    Form("an https URL, or an http URL of this machine or its own network, such as http://127.0.0.1:8080/v1"),
]
ModelName = Annotated[str | None, Form("a model's name at its provider")]
ModelKey = Annotated[Annotated[Secret, AfterValidator(lambda key: key)] | None, Form("a key", secret=True)]
Usdc = Annotated[Decimal, BeforeValidator(_usdc), Form("an amount of USDC with at most six decimals")]


def _node_url(given: Secret) -> Secret:
    """Accept where Solana is asked: its path or its query may hold a key."""
    url, _, _ = given.reveal().partition("?")
    _model_url(url)
    return given


def _address(text: str) -> str:
    """Accept who is paid: any owner of a token account, so that a program's vault is one too."""
    return str(Pubkey.from_string(text))


def _key_file(text: str) -> Path:
    path = Path(text)
    if not path.is_absolute():
        raise ValueError
    return path


Address = Annotated[Annotated[str, BeforeValidator(_address)] | None, Form("an address of Solana in base58")]
NodeUrl = Annotated[
    Annotated[Secret, AfterValidator(_node_url)] | None,
    Form("an https URL, or an http URL of this machine or its own network", secret=True),
]
KeyFile = Annotated[Annotated[Path, BeforeValidator(_key_file)] | None, Form("an absolute path")]
SolanaKey = Annotated[
    Annotated[Secret, AfterValidator(lambda key: key)] | None, Form("a key pair in base58", secret=True)
]


def _url_of(tier: str) -> Any:
    return Field(None, description=f"Where the tier {tier} is answered: any endpoint that speaks OpenAI's protocol.")


def _model_of(tier: str) -> Any:
    return Field(None, description=f"The model that answers the tier {tier}.")


def _key_of(tier: str) -> Any:
    return Field(None, description=f"The key for the tier {tier}'s provider, if it wants one.")


def _price_of(tier: str, usdc: str) -> Any:
    return Field(Decimal(usdc), description=f"What a call of the tier {tier} costs, in USDC. 0 makes it free.")


def _cap_of(tier: str, tokens: int) -> Any:
    return Field(tokens, ge=1, le=1_000_000, description=f"The most tokens of an answer of the tier {tier}.")


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
    DESIDE_ALLOWED_ORIGINS: Origins = Field(None, description="Origins of web pages that may call it.")
    DESIDE_TRUSTED_PROXIES: Proxies = Field(
        None,
        description="Proxies before it, whose X-Forwarded-For says which address signs in, registers or opens a "
        "session. Unset: these are counted for the address that connects, which is then the proxy's.",
    )
    DESIDE_MAX_BODY_BYTES: Whole = Field(
        1_048_576, ge=1024, le=67_108_864, description="The longest HTTP request body, in bytes."
    )
    DESIDE_MAX_IN_FLIGHT: Whole = Field(64, ge=1, le=1024, description="HTTP requests served at the same time.")
    DESIDE_ANONYMOUS_SESSIONS_PER_MIN: Whole = Field(
        60,
        ge=0,
        le=1_000_000,
        description="Sessions that one address may open without a token within any minute. 0 sets no limit.",
    )
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
    OAUTH_REGISTRATIONS_PER_5_MIN: Whole = Field(
        30,
        ge=0,
        le=1_000_000,
        description="Clients registered by one address in any five minutes. 0 sets no limit.",
    )
    LLM_ENABLED: Annotated[Flag | None, Form("true or false")] = Field(
        None, description="Whether there are completions. Unset: where a tier has a provider."
    )
    DESIDE_LLM_FREE_BASE_URL: ModelUrl = _url_of("free")
    DESIDE_LLM_FREE_MODEL: ModelName = _model_of("free")
    DESIDE_LLM_FREE_API_KEY: ModelKey = _key_of("free")
    DESIDE_LLM_FREE_MAX_TOKENS: Whole = _cap_of("free", 1024)
    DESIDE_LLM_CHEAP_BASE_URL: ModelUrl = _url_of("cheap")
    DESIDE_LLM_CHEAP_MODEL: ModelName = _model_of("cheap")
    DESIDE_LLM_CHEAP_API_KEY: ModelKey = _key_of("cheap")
    DESIDE_LLM_CHEAP_MAX_TOKENS: Whole = _cap_of("cheap", 1024)
    DESIDE_LLM_CHEAP_PRICE_USDC: Usdc = _price_of("cheap", "0.002")
    DESIDE_LLM_BALANCED_BASE_URL: ModelUrl = _url_of("balanced")
    DESIDE_LLM_BALANCED_MODEL: ModelName = _model_of("balanced")
    DESIDE_LLM_BALANCED_API_KEY: ModelKey = _key_of("balanced")
    DESIDE_LLM_BALANCED_MAX_TOKENS: Whole = _cap_of("balanced", 2048)
    DESIDE_LLM_BALANCED_PRICE_USDC: Usdc = _price_of("balanced", "0.010")
    DESIDE_LLM_STRONG_BASE_URL: ModelUrl = _url_of("strong")
    DESIDE_LLM_STRONG_MODEL: ModelName = _model_of("strong")
    DESIDE_LLM_STRONG_API_KEY: ModelKey = _key_of("strong")
    DESIDE_LLM_STRONG_MAX_TOKENS: Whole = _cap_of("strong", 4096)
    DESIDE_LLM_STRONG_PRICE_USDC: Usdc = _price_of("strong", "0.050")
    DESIDE_PAY_TO: Address = Field(None, description="Who is paid, by x402. Unset: no tier may cost anything.")
    DESIDE_SOLANA_NETWORK: Annotated[Literal["mainnet", "devnet"], AnyCase] = Field(
        "mainnet", description="On which network of Solana money is taken: USDC, as Circle issues it there."
    )
    DESIDE_SOLANA_RPC_URL: NodeUrl = Field(
        None, description="The node that is asked what became of payments, and through which the own fee payer sends."
    )
    DESIDE_FEE_PAYER_KEY_FILE: KeyFile = Field(
        None,
        description="A file that only its owner reads, with the key pair that pays the fees of payments: "
        "solana-keygen's array, or base58. It needs some SOL, and no USDC.",
    )
    DESIDE_FEE_PAYER_KEY: SolanaKey = Field(None, description="The same key pair itself.")
    DESIDE_FACILITATOR_URL: ModelUrl = Field(
        None, description="Somebody else's facilitator, which pays the fees instead of an own key pair."
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

    @property
    def tiers(self) -> dict[TierName, TierSettings]:
        """The tiers that have a provider."""
        found = {tier: _tier(self, tier) for tier in TIERS}
        return {tier: settings for tier, settings in found.items() if settings is not None}

    @property
    def payments(self) -> PaymentSettings | None:
        """How money is taken; None where it is not."""
        if self.DESIDE_PAY_TO is None or self.DESIDE_SOLANA_RPC_URL is None:
            return None
        return PaymentSettings(
            pay_to=self.DESIDE_PAY_TO,
            network=self.DESIDE_SOLANA_NETWORK,
            rpc_url=self.DESIDE_SOLANA_RPC_URL,
            fee_payer_key_file=self.DESIDE_FEE_PAYER_KEY_FILE,
            fee_payer_key=self.DESIDE_FEE_PAYER_KEY,
            facilitator_url=self.DESIDE_FACILITATOR_URL,
        )

    @property
    def has_completions(self) -> bool:
        """Whether the tool of completions is there, and its scope offered."""
        return bool(self.tiers) if self.LLM_ENABLED is None else self.LLM_ENABLED


@dataclass(frozen=True, slots=True, kw_only=True)
class TierSettings:
    """What is set for a tier that has a provider. The price is in USDC a call."""

    base_url: str
    model: str
    key: Secret | None
    most_tokens: int
    price: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentSettings:
    """How money is taken. Of the last three, one is set: it says who pays the fees."""

    pay_to: str
    network: Literal["mainnet", "devnet"]
    rpc_url: Secret
    fee_payer_key_file: Path | None = None
    fee_payer_key: Secret | None = None
    facilitator_url: str | None = None


def _own_file() -> Path:
    return state_folder("deside-mcp", os.environ) / "deside.db"


def _is_https(url: str | None) -> bool:
    return url is not None and urlsplit(url).scheme == "https"


def _tier(config: Config, tier: TierName) -> TierSettings | None:
    url, model = _of_tier(config, tier, "BASE_URL"), _of_tier(config, tier, "MODEL")
    if url is None or model is None:
        return None
    return TierSettings(
        base_url=url,
        model=model,
        key=_of_tier(config, tier, "API_KEY"),
        most_tokens=_of_tier(config, tier, "MAX_TOKENS"),
        price=_of_tier(config, tier, "PRICE_USDC"),
    )


def _of_tier(config: Config, tier: TierName, what: str) -> Any:
    return getattr(config, f"DESIDE_LLM_{tier.upper()}_{what}", Decimal(0))  # free alone has no price


def _is_half_set(config: Config, tier: TierName) -> bool:
    url, model, key = (_of_tier(config, tier, what) for what in ("BASE_URL", "MODEL", "API_KEY"))
    return (url is None) is not (model is None) or (key is not None and url is None)


def _is_unpaid(config: Config, tier: TierName) -> bool:
    """Whether a tier costs what nobody takes."""
    settings = config.tiers.get(tier) if config.has_completions else None
    return settings is not None and settings.price > 0 and config.DESIDE_PAY_TO is None


def _fee_payers(config: Config) -> int:
    ways = (config.DESIDE_FEE_PAYER_KEY_FILE, config.DESIDE_FEE_PAYER_KEY, config.DESIDE_FACILITATOR_URL)
    return sum(way is not None for way in ways)


def _is_half_paid(config: Config) -> bool:
    """Whether some of what taking money needs is set, and not all of it."""
    whole = (config.DESIDE_PAY_TO is not None, config.DESIDE_SOLANA_RPC_URL is not None, _fee_payers(config) > 0)
    return any(whole) and not all(whole)


RULES = SettingsRules(
    guarded=("DESIDE_", "LLM_", "OAUTH_", "SESSION_"),
    refused_empty=frozenset(
        {"DESIDE_DATABASE_URL", "DESIDE_MODE", "DESIDE_SESSION_MODE", "DESIDE_PUBLIC_URL", "DESIDE_PAY_TO"}
    ),
    clashes=(
        Clash(
            "DESIDE_PUBLIC_URL",
            lambda c: c.DESIDE_MODE == "production" and not _is_https(c.DESIDE_PUBLIC_URL),
            "must be an https URL where DESIDE_MODE=production",
        ),
        Clash(
            "DESIDE_PAY_TO",
            _is_half_paid,
            "needs DESIDE_SOLANA_RPC_URL, and who pays the fees: DESIDE_FEE_PAYER_KEY_FILE, DESIDE_FEE_PAYER_KEY or "
            "DESIDE_FACILITATOR_URL; and each of them needs the others",
        ),
        Clash(
            "DESIDE_FEE_PAYER_KEY_FILE",
            lambda c: _fee_payers(c) > 1,
            "and DESIDE_FEE_PAYER_KEY and DESIDE_FACILITATOR_URL exclude each other",
        ),
        Clash(
            "LLM_ENABLED",
            lambda c: c.LLM_ENABLED is True and not c.tiers,
            "needs a tier with a provider: DESIDE_LLM_<TIER>_BASE_URL and _MODEL",
        ),
        *(
            Clash(
                f"DESIDE_LLM_{tier.upper()}_PRICE_USDC",
                partial(_is_unpaid, tier=tier),
                "needs DESIDE_PAY_TO, or is set to 0",
            )
            for tier in TIERS
        ),
        *(
            Clash(
                f"DESIDE_LLM_{tier.upper()}_BASE_URL",
                partial(_is_half_set, tier=tier),
                f"and DESIDE_LLM_{tier.upper()}_MODEL are set both or neither; a key needs them",
            )
            for tier in TIERS
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
