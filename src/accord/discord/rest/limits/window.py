"""The global limit: so many requests a second for one bot, over all of its routes."""

from __future__ import annotations

from collections import deque

from accord.discord.rest.limits.cooldown import Cooldown

__all__ = ["WINDOW_SECONDS", "Window"]

WINDOW_SECONDS = 1.05
"""Discord counts in seconds (docs, topics/rate-limits); requests that leave evenly can arrive closer together."""


class Window(Cooldown):
    """At most `most` starts in any 1.05 seconds, wherever those begin; closed as a whole by a global 429."""

    def __init__(self, most: int) -> None:
        super().__init__(scope="global")
        self._most = most
        self._starts: deque[float] = deque(maxlen=most)

    def opens_in(self, now: float, ahead: int = 0) -> float:
        """Return the seconds until the start that comes after so many others."""
        free = self._most - len(self._starts)
        if ahead < free:
            return super().opens_in(now)
        rounds, place = divmod(ahead - free, self._most)
        opens_at = self._starts[place] + WINDOW_SECONDS if place < len(self._starts) else now + WINDOW_SECONDS
        return max(opens_at - now, super().opens_in(now)) + rounds * WINDOW_SECONDS

    def enter(self, now: float) -> None:
        """Count a start; the oldest of so many is outside of the window by now."""
        self._starts.append(now)

    def undo(self, entered_at: float) -> None:
        """Take a start back."""
        if entered_at in self._starts:
            self._starts.remove(entered_at)

    def is_idle(self, now: float) -> bool:
        """Whether it is open and its last start is outside of the window."""
        return super().is_idle(now) and (not self._starts or now >= self._starts[-1] + WINDOW_SECONDS)
