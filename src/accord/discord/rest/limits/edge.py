"""Blocks at Discord's edge: they hold for this machine's address, so everything stops until they are over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.rest.answers import error_of
from accord.discord.rest.errors import DiscordCloudflareBlocked
from accord.discord.rest.limits.cooldown import whole_ms
from accord.engine import logger

if TYPE_CHECKING:
    from accord.discord.rest.exchange import Answer
    from accord.discord.rest.limits.turnstile import Room

__all__ = ["Edge", "blocked_seconds"]

EDGE_STATUSES = frozenset({403, 429})

BLOCK_SECONDS = 10 * 60.0
"""How long everything stops where the answer does not say it; a block that is longer says so at the next request."""

log = logger(__name__)


def blocked_seconds(answer: Answer) -> float | None:
    """Return how long the edge blocks this address by this answer, None if it does not."""
    if answer.status not in EDGE_STATUSES:
        return None
    row = error_of(answer.status, answer.headers, answer.body)
    if not isinstance(row, DiscordCloudflareBlocked):
        return None
    return row.retry_after_ms / 1000 if "Retry-After" in answer.headers else BLOCK_SECONDS


class Edge:
    """The road to Discord, one for all bots of a process: open, or blocked until a time.

    `room` is everybody who waits for a turn. Times are the scheduler's, in seconds.
    """

    def __init__(self) -> None:
        self.room: Room = set()
        self._until = 0.0

    def heed(self, answer: Answer, now: float) -> None:
        """Close if the answer is a block; those who wait for a turn are told at once.

        Raises:
            DiscordCloudflareBlocked: It is one.
        """
        seconds = blocked_seconds(answer)
        if seconds is None:
            return
        self._until = max(self._until, now + seconds)
        log.warning("blocked at discord's edge", seconds=seconds)
        for waiter in self.room:
            if not waiter.done():
                waiter.set_exception(self._blocked(now))
        raise self._blocked(now)

    def check(self, now: float) -> None:
        """Let a request go on if the road is open.

        Raises:
            DiscordCloudflareBlocked: It is not, for `retry_after_ms` more.
        """
        if now < self._until:
            raise self._blocked(now)

    def _blocked(self, now: float) -> DiscordCloudflareBlocked:
        return DiscordCloudflareBlocked(retry_after_ms=whole_ms(self._until - now))
