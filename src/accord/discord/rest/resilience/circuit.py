"""Leaving a route alone that keeps failing."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from enum import Enum, auto
from math import ceil

from accord.discord.rest.errors import DiscordRetryableError
from accord.discord.rest.resilience.clock import Clock, loop_time, seconds_left
from accord.discord.rest.resilience.failures import BulkheadRejected, CircuitBroken, DeadlinePassed
from accord.discord.rest.resilience.hooks import Hooks, tell
from accord.discord.rest.resilience.layers import A, Next, R, Request
from accord.engine import BulkheadFullError

__all__ = ["CircuitBreaker"]

NEVER_SENT = (BulkheadRejected, DeadlinePassed, BulkheadFullError)


class Verdict(Enum):
    """What the end of a request says about its route."""

    HEALTHY = auto()
    ALIVE = auto()
    """Refused for the request's own faults, or for a stated while: no sign of an outage."""
    FAILED = auto()
    UNKNOWN = auto()
    """It was cancelled or never sent."""


def verdict_on(error: BaseException) -> Verdict:
    """Judge a route by the error of one of its requests."""
    if isinstance(error, DiscordRetryableError):
        return Verdict.FAILED if error.retry_after_ms is None else Verdict.ALIVE
    if isinstance(error, NEVER_SENT) or not isinstance(error, Exception):
        return Verdict.UNKNOWN
    return Verdict.ALIVE


@dataclass(slots=True)
class Circuit:
    """One route: its failures in a row, since when it is left alone, and the probe that is under way."""

    failures: int = 0
    opened_at: float | None = None
    probe: asyncio.Event | None = None


class CircuitBreaker:
    """Leave a route alone after `failure_threshold` failures in a row, each after its retries.

    After `half_open_after_ms` one request goes out as a probe while others wait for its end: a failure opens the
    circuit again, any other answer closes it.
    """

    def __init__(
        self,
        *,
        failure_threshold: int,
        half_open_after_ms: int,
        hooks: Hooks | None = None,
        clock: Clock = loop_time,
    ) -> None:
        self._failure_threshold = failure_threshold
        self._half_open_after_ms = half_open_after_ms
        self._hooks = hooks or Hooks()
        self._clock = clock
        self._circuits: dict[str, Circuit] = {}

    def afresh(self, half_open_after_ms: int | None = None) -> CircuitBreaker:
        """Return a breaker with these settings and circuits of its own."""
        return CircuitBreaker(
            failure_threshold=self._failure_threshold,
            half_open_after_ms=half_open_after_ms or self._half_open_after_ms,
            hooks=self._hooks,
            clock=self._clock,
        )

    async def __call__(self, request: R, following: Next[R, A]) -> A:
        """Let the request through where its circuit allows it, and learn from its end.

        Raises:
            CircuitBroken: The circuit is open.
        """
        circuit = self._circuits.setdefault(request.route, Circuit())
        probing = circuit.opened_at is not None and await self._becomes_probe(request, circuit)
        try:
            answer = await following(request)
        except BaseException as error:
            self._learn(request.route, circuit, verdict_on(error), probing=probing)
            raise
        self._learn(request.route, circuit, Verdict.HEALTHY, probing=probing)
        return answer

    async def _becomes_probe(self, request: Request, circuit: Circuit) -> bool:
        """Wait until the circuit is closed (False) or this request is the one to find out (True)."""
        while circuit.opened_at is not None:
            wait_ms = ceil((circuit.opened_at - self._clock()) * 1000 + self._half_open_after_ms)
            if wait_ms > 0:
                raise CircuitBroken(wait_ms)
            if circuit.probe is None:
                circuit.probe = asyncio.Event()
                tell(self._hooks.on_circuit, request.route, "half_open")
                return True
            await self._end_of(circuit.probe, request.deadline)
        return False

    async def _end_of(self, probe: asyncio.Event, deadline: float | None) -> None:
        try:
            async with asyncio.timeout(seconds_left(deadline, self._clock)):
                await probe.wait()
        except TimeoutError:
            raise CircuitBroken(self._half_open_after_ms) from None

    def _learn(self, route: str, circuit: Circuit, verdict: Verdict, *, probing: bool) -> None:
        if probing:
            self._end_probe(route, circuit, verdict)
        elif circuit.opened_at is not None:
            return  # sent before the circuit opened: the probe is what counts now
        elif verdict is Verdict.HEALTHY:
            circuit.failures = 0
        elif verdict is Verdict.FAILED:
            circuit.failures += 1
            if circuit.failures >= self._failure_threshold:
                self._open(route, circuit)

    def _end_probe(self, route: str, circuit: Circuit, verdict: Verdict) -> None:
        probe, circuit.probe = circuit.probe, None
        if verdict is Verdict.FAILED:
            self._open(route, circuit)
        elif verdict is not Verdict.UNKNOWN:
            circuit.failures, circuit.opened_at = 0, None
            tell(self._hooks.on_circuit, route, "closed")
        if probe is not None:
            probe.set()

    def _open(self, route: str, circuit: Circuit) -> None:
        circuit.opened_at = self._clock()
        tell(self._hooks.on_circuit, route, "open")
