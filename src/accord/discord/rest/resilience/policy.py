"""The layers of a client, and how the settings make them."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from accord.discord.rest.resilience.backoff import Random
from accord.discord.rest.resilience.bulkhead import Bulkhead
from accord.discord.rest.resilience.circuit import CircuitBreaker
from accord.discord.rest.resilience.clock import Clock, Sleep, loop_time
from accord.discord.rest.resilience.hooks import Hooks
from accord.discord.rest.resilience.layers import A, Layer, R
from accord.discord.rest.resilience.retry import Retry
from accord.discord.rest.resilience.timeout import Timeout

if TYPE_CHECKING:
    from accord.discord.config import Config

__all__ = ["Policy", "build_policy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The layers of a client; its bulkhead and, unless made afresh, its circuits are shared by all who use it."""

    circuit: CircuitBreaker | None
    retry: Retry
    bulkhead: Bulkhead
    timeout: Timeout

    def around(self, *middle: Layer[R, A]) -> tuple[Layer[R, A], ...]:
        """Return all layers, the outermost first, with the given ones between the retries and the wire.

        The bulkhead lies within the retries, so that nothing holds a slot while it waits to be sent again.
        """
        outer: tuple[Layer[R, A], ...] = (self.retry,) if self.circuit is None else (self.circuit, self.retry)
        return (*outer, *middle, self.bulkhead, self.timeout)


def build_policy(
    config: Config,
    *,
    hooks: Hooks | None = None,
    clock: Clock = loop_time,
    sleep: Sleep = asyncio.sleep,
    random: Random = random.random,
) -> Policy:
    """Make the policy of the settings MCP_RETRY_*, MCP_CIRCUIT_*, MCP_BULKHEAD_LIMIT and MCP_TIMEOUT_DEFAULT_MS.

    MCP_RETRY_MAX_ATTEMPTS counts the attempts after the first. `clock` and `sleep` are in seconds, `random` is in [0,
    1).
    """
    circuit = CircuitBreaker(
        failure_threshold=config.MCP_CIRCUIT_FAILURE_THRESHOLD,
        half_open_after_ms=config.MCP_CIRCUIT_HALF_OPEN_AFTER_MS,
        hooks=hooks,
        clock=clock,
    )
    retry = Retry(
        retries=config.MCP_RETRY_MAX_ATTEMPTS if config.MCP_RETRY_ENABLED else 0,
        base_wait_ms=config.MCP_RETRY_BASE_DELAY_MS,
        longest_wait_ms=config.MCP_RETRY_MAX_DELAY_MS,
        jitter=config.MCP_RETRY_JITTER,
        hooks=hooks,
        clock=clock,
        sleep=sleep,
        random=random,
    )
    return Policy(
        circuit=circuit if config.MCP_CIRCUIT_ENABLED else None,
        retry=retry,
        bulkhead=Bulkhead(config.MCP_BULKHEAD_LIMIT, hooks=hooks, clock=clock),
        timeout=Timeout(config.MCP_TIMEOUT_DEFAULT_MS, clock=clock),
    )
