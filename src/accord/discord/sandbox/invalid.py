"""How many requests were refused lately: too many of them, and their address is blocked at Discord's edge.

Source: https://discord.com/developers/docs/topics/rate-limits#invalid-request-limit-aka-cloudflare-bans
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from accord.discord.sandbox.wire import Answer, json_answer

if TYPE_CHECKING:
    from collections.abc import Callable

BAN_AFTER = 10_000
PERIOD_SECONDS = 10 * 60
INVALID_STATUSES = frozenset({401, 403, 429})
BANNED = (
    "You are being blocked from accessing our API temporarily due to exceeding our rate limits frequently. "
    "Please read our docs at https://discord.com/developers/docs/topics/rate-limits to prevent this moving forward."
)


class InvalidRequests:
    """The invalid requests of the last 10 minutes; `clock` tells the Unix time in seconds."""

    def __init__(self, clock: Callable[[], float], ban_after: int = BAN_AFTER) -> None:
        """Start with none."""
        self.ban_after = ban_after
        self._clock = clock
        self._times: deque[float] = deque()

    @property
    def count(self) -> int:
        """How many there were."""
        while self._times and self._times[0] <= self._clock() - PERIOD_SECONDS:
            self._times.popleft()
        return len(self._times)

    @property
    def banned(self) -> bool:
        """Whether there were so many that the address is blocked, until the oldest are 10 minutes old."""
        return self.count >= self.ban_after

    def add_if_invalid(self, answer: Answer) -> None:
        """Count a 401, 403 or 429, but for a limit of scope shared and for what the edge answered by itself."""
        shared = answer.headers.get("X-RateLimit-Scope") == "shared"
        if answer.status in INVALID_STATUSES and not shared and "Via" in answer.headers:
            self._times.append(self._clock())

    def clear(self) -> None:
        """Forget all, and let a blocked address in again."""
        self._times.clear()


def ban_notice() -> Answer:
    """The answer to an address that is blocked: a 429 with no time to wait, not from Discord's own servers."""
    return json_answer(429, {"message": BANNED, "code": 0}, headers={"Server": "cloudflare"})
