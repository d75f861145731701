"""What the tests of the layers send, to whom, and by which clock."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from accord.discord.rest.errors import (
    DiscordNotFoundError,
    DiscordRateLimitError,
    DiscordRetryableError,
    DiscordUpstreamError,
)
from accord.discord.rest.resilience.circuit import CircuitBreaker
from accord.discord.rest.resilience.layers import Request
from accord.discord.rest.resilience.retry import Retry

if TYPE_CHECKING:
    from collections.abc import Awaitable


READ = Request(route="GET /channels/{}", replayable=True)
SEND = Request(route="POST /channels/{}/messages", replayable=False)
OUTAGE = DiscordRetryableError(original=DiscordUpstreamError(status=503))
RESET = DiscordRetryableError(original=ConnectionResetError())
REFUSED = DiscordRetryableError(original=ConnectionRefusedError())
NOT_FOUND = DiscordNotFoundError()


def limited(retry_after_ms: int) -> DiscordRetryableError:
    return DiscordRetryableError(original=DiscordRateLimitError(), retry_after_ms=retry_after_ms)


@dataclass
class Clock:
    """Time in seconds that passes only in its own `sleep`."""

    now: float = 1000.0
    waits_ms: list[int] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.waits_ms.append(round(seconds * 1000))
        self.now += seconds


@dataclass
class Service:
    """The last step: what it does with each request in turn; then it answers "ok"."""

    outcomes: list[Exception | str] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)

    async def __call__(self, request: Request) -> str:
        self.requests.append(request)
        outcome = self.outcomes.pop(0) if self.outcomes else "ok"
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


@dataclass
class Gate:
    """A last step that answers when it is opened."""

    opened: asyncio.Event = field(default_factory=asyncio.Event)
    entered: int = 0

    async def __call__(self, request: Request) -> str:
        self.entered += 1
        await self.opened.wait()
        return "ok"


async def until_idle() -> None:
    """Let everything run that can run."""
    for _ in range(10):
        await asyncio.sleep(0)


def retry(clock: Clock, **changes: Any) -> Retry:
    settings: dict[str, Any] = {"retries": 3, "base_wait_ms": 50, "longest_wait_ms": 10_000, "jitter": "none"}
    return Retry(**(settings | changes), clock=clock, sleep=clock.sleep)


def breaker(clock: Clock, **changes: Any) -> CircuitBreaker:
    settings: dict[str, Any] = {"failure_threshold": 3, "half_open_after_ms": 5000}
    return CircuitBreaker(**(settings | changes), clock=clock)


async def failed(circuit: CircuitBreaker, *errors: Exception, request: Request = READ) -> None:
    for error in errors:
        with pytest.raises(type(error)):
            await circuit(request, Service([error]))


async def opened(clock: Clock, **changes: Any) -> CircuitBreaker:
    circuit = breaker(clock, **changes)
    await failed(circuit, OUTAGE, OUTAGE, OUTAGE)
    return circuit


class StatusError(Exception):
    """An HTTP library's error for a failed status."""

    def __init__(self, status: int, retry_after: float | None = None) -> None:
        super().__init__()
        self.status = status
        self.retry_after = retry_after


async def answered(call: Awaitable[str]) -> str:
    return await call
