"""The tiers of a configuration, each with a provider of its own."""

from __future__ import annotations

from accord.deside.completions.echo import Echo
from accord.deside.completions.provider import Provider
from accord.deside.completions.tiers import ATOMS_PER_USDC, Tier, Tiers
from accord.deside.config import Config, ConfigError, TierSettings
from accord.deside.models.completions import TierName

__all__ = ["SANDBOX_TIERS", "configured_tiers"]

SANDBOX_TIERS: Tiers = {
    "free": Tier(name="free", price=0, most_tokens=1024, provider=Echo()),
    "cheap": Tier(name="cheap", price=2_000, most_tokens=1024, provider=Echo()),
    "balanced": Tier(name="balanced", price=10_000, most_tokens=2048, provider=Echo()),
    "strong": Tier(name="strong", price=50_000, most_tokens=4096, provider=Echo()),
}
"""Every tier at its usual price, answered without a model."""


def configured_tiers(config: Config) -> Tiers:
    """Return the tiers that have a provider, where there are completions at all.

    Raises:
        ConfigError: What speaks to providers is not installed.
    """
    if not config.has_completions:
        return {}
    return {name: _tier(name, settings) for name, settings in config.tiers.items()}


def _tier(name: TierName, settings: TierSettings) -> Tier:
    return Tier(
        name=name,
        price=int(settings.price * ATOMS_PER_USDC),
        most_tokens=settings.most_tokens,
        provider=_provider(name, settings),
    )


def _provider(name: TierName, settings: TierSettings) -> Provider:
    try:
        # Only a server that asks models loads the SDK.
        from accord.deside.completions.compatible import Compatible  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"httpx2", "openai"}:
            raise
        reason = "asking models needs an extra: install accord-mcp[llm]"
        raise ConfigError({f"DESIDE_LLM_{name.upper()}_BASE_URL": reason}) from None
    return Compatible.at(settings.base_url, settings.model, settings.key)
