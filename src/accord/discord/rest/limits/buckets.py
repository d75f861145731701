"""Discord's buckets: how many requests may still go, as the headers of the answers tell it; without I/O or clock.

What one request falls under is its lane (route and resource); which bucket that is, and so which lanes share it, only
answers tell.

Sources: https://discord.com/developers/docs/topics/rate-limits and what clients report to see.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, NamedTuple

from accord.discord.rest.limits.cooldown import MARGIN_SECONDS, Cooldown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from accord.discord.rest.limits.turnstile import Turnstile

__all__ = ["Bucket", "Lane", "Told", "told_by"]


class Told(NamedTuple):
    """What the X-RateLimit headers of one answer say; `reset_after` is in seconds.

    X-RateLimit-Reset is not read: it is a time of day, and this machine's clock may be wrong.
    """

    name: str
    limit: int
    remaining: int
    reset_after: float


def told_by(headers: Mapping[str, str]) -> Told | None:
    """Read an answer's headers; None where they are absent, as they may be, or make no sense."""
    name = headers.get("X-RateLimit-Bucket")
    if name is None:
        return None
    try:
        limit, remaining = int(headers["X-RateLimit-Limit"]), int(headers["X-RateLimit-Remaining"])
        reset_after = float(headers["X-RateLimit-Reset-After"])
    except (KeyError, ValueError):
        return None
    return Told(name, limit, remaining, reset_after) if limit > 0 and 0 <= reset_after < inf else None


class Bucket(Cooldown):
    """One limit on one resource: as many requests fly as it has left.

    At the time of its reset it is taken to be full but for what is in flight, which may count as new. That is right
    for limits that start anew at once and safe for those that fill up slowly, whose reset is the time to full.
    """

    def __init__(self, told: Told) -> None:
        super().__init__()
        self._name = told.name
        self._limit = told.limit
        self._remaining = told.limit
        self._in_flight = 0
        self._resets_at: float | None = None
        self._window_seconds = told.reset_after

    @property
    def name(self) -> str | None:
        """Discord's name of the limit, the same for every resource."""
        return self._name

    def opens_in(self, now: float, ahead: int = 0) -> float:
        """Return the seconds until there is one left for the request that comes after so many others."""
        self._reset_if_due(now)
        if self._remaining > ahead:
            return super().opens_in(now)
        if self._resets_at is None:
            return inf
        windows = (ahead - self._remaining) // self._limit
        return max(self._resets_at - now + windows * self._window_seconds, super().opens_in(now))

    def enter(self, now: float) -> None:  # noqa: ARG002 - the rule's form
        """Take one of what is left."""
        self._remaining -= 1
        self._in_flight += 1

    def undo(self, entered_at: float) -> None:  # noqa: ARG002 - the rule's form
        """Put one back that was never sent."""
        self._remaining = min(self._remaining + 1, self._limit)
        self._in_flight -= 1

    def end(self, told: Told | None, now: float, strangers: int = 0) -> None:
        """Learn from the end of a request; without headers, its window is taken to be as long as the last one."""
        self._in_flight -= 1
        if told is not None:
            self.learn(told, now, strangers)
        elif self._resets_at is None:
            self._resets_at = now + self._window_seconds + MARGIN_SECONDS

    def learn(self, told: Told, now: float, strangers: int = 0) -> None:
        """Take over what an answer said.

        Answers overtake each other, so within a window what is left never rises, and what else is in flight may not
        have been counted yet: neither what passed here nor `strangers`, which may turn out to belong here.
        """
        self._reset_if_due(now)
        self._limit = told.limit
        self._remaining = max(min(told.remaining - self._in_flight - strangers, self._remaining), 0)
        longest = told.reset_after if self._resets_at is None else max(self._window_seconds, told.reset_after)
        self._window_seconds = longest
        self._resets_at = max(self._resets_at or 0.0, now + told.reset_after + MARGIN_SECONDS)

    def is_idle(self, now: float) -> bool:
        """Whether it is full and nothing is in flight."""
        self._reset_if_due(now)
        return self._in_flight == 0 and self._resets_at is None and super().is_idle(now)

    def _reset_if_due(self, now: float) -> None:
        if self._resets_at is not None and now >= self._resets_at:
            self._remaining = max(self._limit - self._in_flight, 0)
            self._resets_at = None


class Lane(Cooldown):
    """One route on one resource, and the bucket that it last turned out to belong to.

    As long as nothing is known of it, one request goes as a probe while the others wait for its answer. A limit that
    no header tells of closes the lane alone: its bucket has more left.
    """

    def __init__(self) -> None:
        super().__init__()
        self.bucket: Turnstile[Bucket] | None = None
        self._known = False
        self.is_probing = False

    @property
    def name(self) -> str | None:
        """Discord's name of the bucket, once it is known."""
        return None if self.bucket is None else self.bucket.rule.name

    def opens_in(self, now: float, ahead: int = 0) -> float:
        """Return the seconds that it stays closed, else whether there is a probe to wait for."""
        cooldown = super().opens_in(now)
        return inf if cooldown == 0 and not self._known and (self.is_probing or ahead) else cooldown

    def enter(self, now: float) -> None:  # noqa: ARG002 - the rule's form
        """Go as the probe where there is none."""
        self.is_probing = not self._known

    def undo(self, entered_at: float) -> None:  # noqa: ARG002 - the rule's form
        """Leave probing to the next."""
        self.is_probing = False

    def end(self, bucket: Turnstile[Bucket] | None, *, answered: bool) -> None:
        """Open for all once an answer named the bucket, or none at all; else the next one is the probe."""
        self.bucket = bucket or self.bucket
        self._known = self._known or answered or bucket is not None
        self.is_probing = False

    def is_idle(self, now: float) -> bool:
        """Whether it is open and waits for no probe."""
        return not self.is_probing and super().is_idle(now)
