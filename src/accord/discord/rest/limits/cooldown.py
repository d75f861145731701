"""The simplest rule of a turnstile: closed until a time that only ever moves further away."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from accord.discord.rest.errors import DiscordRateLimitError

if TYPE_CHECKING:
    from accord.discord.rest.errors import Scope

__all__ = ["MARGIN_SECONDS", "Cooldown", "whole_ms"]

MARGIN_SECONDS = 0.02
"""Added to what Discord states: a request that leaves on the dot can arrive before the limit is open again."""


def whole_ms(seconds: float) -> int:
    """Return the milliseconds, rounded up; what times lose as floats is no part of a millisecond."""
    return ceil(round(seconds * 1000, 3))


class Cooldown:
    """Nobody passes until a stated time, then everybody does. All times are the scheduler's, in seconds."""

    def __init__(self, *, scope: Scope = "user") -> None:
        self.until = 0.0
        self.scope: Scope = scope

    def close(self, until: float, scope: Scope) -> None:
        """Stay closed until then; the longest of concurrent waits wins."""
        if until > self.until:
            self.until, self.scope = until, scope

    def opens_in(self, now: float, ahead: int = 0) -> float:  # noqa: ARG002 - other rules count
        """Return the seconds until one with so many ahead of it may pass; infinite until somebody's answer comes."""
        return max(self.until - now, 0.0)

    def enter(self, now: float) -> None:
        """Note that one passed."""

    def undo(self, entered_at: float) -> None:
        """Note that the one who passed at that time was never sent."""

    def is_idle(self, now: float) -> bool:
        """Whether nothing is lost if this is forgotten."""
        return now >= self.until

    def refusal(self, wait_seconds: float) -> DiscordRateLimitError:
        """Return the error of one who cannot wait that long."""
        return DiscordRateLimitError(retry_after_ms=whole_ms(wait_seconds), bucket=self.name, scope=self.scope)

    @property
    def name(self) -> str | None:
        """Discord's name of the limit, where it has one."""
        return None
