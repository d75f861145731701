"""What comes out of the layers raw, and what callers are told instead."""

from __future__ import annotations

from typing import TypeAlias

from accord.discord.rest.answers import timed_out
from accord.discord.rest.errors import DiscordRetryableError
from accord.engine import BulkheadFullError, CircuitOpenError, ToolError

__all__ = [
    "RAW_FAILURES",
    "BulkheadRejected",
    "CircuitBroken",
    "DeadlinePassed",
    "RawFailure",
    "plain",
    "refusal",
]


class CircuitBroken(Exception):  # noqa: N818 - a raw failure; callers get CircuitOpenError
    """A circuit is open. `retry_after_ms` is the time until it lets a request through again."""

    def __init__(self, retry_after_ms: int) -> None:
        super().__init__("circuit is open")
        self.retry_after_ms = retry_after_ms


class BulkheadRejected(Exception):  # noqa: N818 - a raw failure; callers get BulkheadFullError
    """There was no free slot, so nothing was sent."""

    def __init__(self) -> None:
        super().__init__("bulkhead is full")


class DeadlinePassed(Exception):  # noqa: N818 - a raw failure; callers get the row of a time-out
    """The deadline came before the request could be sent."""

    def __init__(self) -> None:
        super().__init__("deadline has passed")


RawFailure: TypeAlias = DiscordRetryableError | CircuitBroken | BulkheadRejected | DeadlinePassed
RAW_FAILURES = (DiscordRetryableError, CircuitBroken, BulkheadRejected, DeadlinePassed)
"""What comes out of the layers besides errors that they do not know; `plain` makes it fit for callers."""


def plain(failure: RawFailure) -> Exception:
    """Return what callers are told: the original error, or the row that stands for a refusal of the policy."""
    return failure.original if isinstance(failure, DiscordRetryableError) else refusal(failure)


def refusal(failure: CircuitBroken | BulkheadRejected | DeadlinePassed) -> ToolError:
    """Return the row of a refusal of the policy itself."""
    if isinstance(failure, CircuitBroken):
        return CircuitOpenError(retry_after_ms=failure.retry_after_ms)
    return BulkheadFullError() if isinstance(failure, BulkheadRejected) else timed_out()
