"""`deside-mcp serve --sandbox`: everything for trying out what costs money elsewhere, on this machine alone."""

from __future__ import annotations

from accord.deside.chain import ChainSandbox
from accord.deside.config import Config, ConfigError
from accord.deside.loopback import is_loopback
from accord.engine import Secret
from accord.terminal.listening import Address

__all__ = ["sandboxed"]

IN_MEMORY = "sqlite://"

UNCOUNTED = (
    "OAUTH_SIGN_INS_PER_5_MIN",
    "OAUTH_CHALLENGES_PER_MIN",
    "OAUTH_REGISTRATIONS_PER_5_MIN",
    "DESIDE_ANONYMOUS_SESSIONS_PER_MIN",
)
"""Limits by address: everybody here has the same one."""


def sandboxed(config: Config, address: Address) -> tuple[Config, ChainSandbox]:
    """Return a configuration for a sandbox, and its chain. Unless a database is named, everything is forgotten.

    Raises:
        ConfigError: It would be reached by others, or what is configured is meant in earnest.
    """
    faults = (
        ("--host", not is_loopback(address.host), "must be loopback: a sandbox gives its wallet's key to who asks"),
        ("DESIDE_MODE", config.DESIDE_MODE == "production", "must be local for a sandbox"),
        ("DESIDE_PAY_TO", config.payments is not None, "takes real money, which a sandbox does not"),
        ("LLM_ENABLED", config.LLM_ENABLED is False, "must not be false for a sandbox"),
        *((f"DESIDE_LLM_{tier.upper()}_BASE_URL", True, "is not asked by a sandbox") for tier in config.tiers),
    )
    if wrong := {name: words for name, is_wrong, words in faults if is_wrong}:
        raise ConfigError(wrong)
    database = config.DESIDE_DATABASE_URL or Secret(IN_MEMORY)
    changes = {"LLM_ENABLED": True, "DESIDE_DATABASE_URL": database, **dict.fromkeys(UNCOUNTED, 0)}
    return config.model_copy(update=changes), ChainSandbox()
