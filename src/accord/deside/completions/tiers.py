"""The tiers: what each costs, how long its answers may be, and who answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from accord.deside.completions.provider import Provider
from accord.deside.models.completions import TierName

__all__ = ["ATOMS_PER_USDC", "Bucket", "Tier", "Tiers"]

Bucket: TypeAlias = Literal["free", "paid"]
"""What a completion counts in."""

ATOMS_PER_USDC: Final = 10**6
"""USDC has six decimals; amounts are whole atoms everywhere inside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """A tier that can be served. `price` is in atoms of USDC a call."""

    name: TierName
    price: int
    most_tokens: int
    provider: Provider

    @property
    def bucket(self) -> Bucket:
        """What its calls count in."""
        return "paid" if self.price else "free"

    @property
    def cost(self) -> float:
        """The price in USDC."""
        return self.price / ATOMS_PER_USDC

    def clamped(self, max_tokens: int | None) -> int:
        """Return how many tokens an answer may have, of which this many were asked for."""
        return self.most_tokens if max_tokens is None else min(max_tokens, self.most_tokens)


Tiers: TypeAlias = Mapping[TierName, Tier]
"""The tiers that can be served here; one that is not configured is not in it."""
