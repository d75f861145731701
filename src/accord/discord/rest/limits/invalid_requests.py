"""How many requests of this address Discord refused lately: too many of them, and it bans the address.

Source: https://discord.com/developers/docs/topics/rate-limits#invalid-request-limit-aka-cloudflare-bans
"""

from __future__ import annotations

from collections import deque

from accord.discord.rest.errors import DiscordRateLimitError
from accord.discord.rest.limits.cooldown import whole_ms
from accord.engine import logger

__all__ = ["INVALID_STATUSES", "InvalidRequests"]

INVALID_STATUSES = frozenset({401, 403, 429})
"""A 429 of scope `shared` is not counted."""

PERIOD_SECONDS = 10 * 60.0
BAN_AT = 10_000
WARN_AT = BAN_AT // 10
STOP_AT = BAN_AT - 1000
"""Well before the ban: others may share the address, and what is on its way still counts."""

HINT = (
    "Make no Discord call before `retry_after_ms` has passed. "
    "Have the owner find what causes many 401, 403 or 429 answers: Discord bans the address at 10,000 in 10 minutes."
)

log = logger(__name__)


class InvalidRequests:
    """The refused requests of the last 10 minutes. Times are the scheduler's, in seconds."""

    def __init__(self) -> None:
        self._times: deque[float] = deque()

    def count(self, now: float) -> int:
        """Return how many there were."""
        while self._times and self._times[0] <= now - PERIOD_SECONDS:
            self._times.popleft()
        return len(self._times)

    def add(self, now: float) -> None:
        """Count one more; the thousandth is warned of."""
        self._times.append(now)
        if self.count(now) == WARN_AT:
            log.warning("many requests are refused by discord", count=WARN_AT, ban_at=BAN_AT)

    def check(self, now: float) -> None:
        """Let a request go on if it may fail.

        Raises:
            DiscordRateLimitError: There were 9,000; `reason` is `invalid_requests`.
        """
        if self.count(now) >= STOP_AT:
            wait_ms = whole_ms(self._times[0] + PERIOD_SECONDS - now)
            raise DiscordRateLimitError(retry_after_ms=wait_ms, reason="invalid_requests", recovery_hint=HINT)
