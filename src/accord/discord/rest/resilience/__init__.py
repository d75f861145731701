"""What stands between a request and the wire, without I/O of its own: circuit breaker, retry, bulkhead and time-out.

Discord's client and every object wrapped by `wrap_rest_with_resilience` use these same layers.
"""

from __future__ import annotations

from accord.discord.rest.resilience.classify import classify_discord_error
from accord.discord.rest.resilience.failures import BulkheadRejected, CircuitBroken
from accord.discord.rest.resilience.layers import composed
from accord.discord.rest.resilience.policy import Policy, build_policy
from accord.discord.rest.resilience.wrapping import WrapResilienceOptions, wrap_rest_with_resilience

__all__ = [
    "BulkheadRejected",
    "CircuitBroken",
    "Policy",
    "WrapResilienceOptions",
    "build_policy",
    "classify_discord_error",
    "composed",
    "wrap_rest_with_resilience",
]
