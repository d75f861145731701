"""What the settings make of the layers."""

from __future__ import annotations

import asyncio

import pytest
from tests.discord.rest.resilience.service import (
    OUTAGE,
    READ,
    Clock,
    Gate,
    Service,
    answered,
    until_idle,
)

from accord.discord.config import load_config
from accord.discord.rest.errors import (
    DiscordRetryableError,
)
from accord.discord.rest.resilience import (
    Policy,
    build_policy,
)
from accord.discord.rest.resilience.failures import BulkheadRejected, CircuitBroken
from accord.discord.rest.resilience.layers import Layer, Next, Request, composed


def settings(**changes: str) -> Policy:
    clock = Clock()
    return build_policy(load_config({"MCP_RETRY_JITTER": "none", **changes}), clock=clock, sleep=clock.sleep)


def through(built: Policy, last: Next[Request, str]) -> Next[Request, str]:
    layers: tuple[Layer[Request, str], ...] = built.around()
    return composed(layers, last)


async def attempts(built: Policy) -> int:
    service = Service([OUTAGE] * 20)
    with pytest.raises(DiscordRetryableError):
        await through(built, service)(READ)
    return len(service.requests)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [({}, 4), ({"MCP_RETRY_MAX_ATTEMPTS": "1"}, 2), ({"MCP_RETRY_ENABLED": "false"}, 1)],
    ids=str,
)
async def test_the_settings_say_how_often_a_request_is_sent(changes: dict[str, str], expected: int) -> None:
    assert await attempts(settings(**changes)) == expected


async def test_the_settings_say_when_a_circuit_opens() -> None:
    built = settings(MCP_CIRCUIT_FAILURE_THRESHOLD="3")
    for _ in range(3):
        await attempts(built)

    with pytest.raises(CircuitBroken):
        await through(built, Service())(READ)


async def test_without_circuits_a_failing_route_is_tried_for_ever() -> None:
    built = settings(MCP_CIRCUIT_ENABLED="false", MCP_CIRCUIT_FAILURE_THRESHOLD="3")

    assert [await attempts(built) for _ in range(5)] == [4] * 5


async def test_the_settings_say_how_many_requests_are_on_the_wire() -> None:
    send = through(settings(MCP_BULKHEAD_LIMIT="1"), Gate())
    first = asyncio.create_task(answered(send(READ)))
    await until_idle()

    with pytest.raises(BulkheadRejected):
        await send(READ)

    first.cancel()
