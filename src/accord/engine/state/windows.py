"""Sliding windows: whether one more event may happen now, decided without I/O."""

from __future__ import annotations

Events = tuple[float, ...]
"""The times of the counted events in seconds, oldest first."""


def count_event(events: Events, now: float, *, window_seconds: float, limit: int) -> tuple[Events, float]:
    """Count one event at `now` if fewer than `limit` happened in the window before it.

    Returns the events to keep, and 0.0 when this one is among them, else the seconds until one may be. Events lie in
    the future after a clock was set back; they count as of now, so that nobody waits longer than one window.

    Raises ValueError for a window or a limit that could never admit an event.
    """
    if window_seconds <= 0 or limit < 1:
        raise ValueError(f"a window needs a length and a limit above zero, not {window_seconds} seconds and {limit}")
    recent = tuple(min(at, now) for at in events if at + window_seconds > now)
    if len(recent) < limit:
        return (*recent, now), 0.0
    return recent, recent[-limit] + window_seconds - now
