"""Clients of other makes behind the layers."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.discord.rest.resilience.service import (
    READ,
    Clock,
    Gate,
    Service,
    StatusError,
    breaker,
    retry,
    until_idle,
)

from accord.discord.rest.errors import (
    DiscordRetryableError,
)
from accord.discord.rest.resilience import (
    Policy,
    WrapResilienceOptions,
    wrap_rest_with_resilience,
)
from accord.discord.rest.resilience.bulkhead import Bulkhead
from accord.discord.rest.resilience.timeout import Timeout
from accord.engine.errors import BulkheadFullError, CircuitOpenError, InternalError


@dataclass
class Foreign:
    """A REST client of another make: each verb does what `service` does next."""

    service: Service = field(default_factory=Service)
    calls: list[tuple[str, Any, Any]] = field(default_factory=list)

    async def get(self, path: str, **options: Any) -> str:
        return await self._call("get", path, options)

    async def post(self, path: str, **options: Any) -> str:
        return await self._call("post", path, options)

    async def patch(self, path: str, **options: Any) -> str:
        return await self._call("patch", path, options)

    async def put(self, path: str, **options: Any) -> str:
        return await self._call("put", path, options)

    async def delete(self, path: str, **options: Any) -> str:
        return await self._call("delete", path, options)

    async def _call(self, verb: str, path: str, options: dict[str, Any]) -> str:
        self.calls.append((verb, path, dict(options)))
        options.clear()
        return await self.service(READ)


def policy(clock: Clock, *, retries: int = 1, limit: int = 10, timeout_ms: int = 1000) -> Policy:
    return Policy(
        circuit=breaker(clock),
        retry=retry(clock, retries=retries),
        bulkhead=Bulkhead(limit, clock=clock),
        timeout=Timeout(timeout_ms, clock=clock),
    )


def foreign(*outcomes: Exception | str) -> Foreign:
    return Foreign(Service([*outcomes]))


async def test_the_same_object_comes_back_and_its_verbs_do_what_they_did() -> None:
    rest = foreign("one", "two")

    wrapped = wrap_rest_with_resilience(rest, policy(Clock()))

    assert wrapped is rest
    assert await rest.get("/gateway") == "one"
    assert await rest.post("/channels", body={"name": "x"}) == "two"
    assert rest.calls == [("get", "/gateway", {}), ("post", "/channels", {"body": {"name": "x"}})]


@pytest.mark.parametrize("verb", ["get", "put", "delete"])
async def test_an_idempotent_verb_is_called_again_with_the_same_arguments(verb: str) -> None:
    rest = wrap_rest_with_resilience(foreign(StatusError(503)), policy(Clock()))

    await getattr(rest, verb)("/x", query="q")

    assert rest.calls == [(verb, "/x", {"query": "q"})] * 2


@pytest.mark.parametrize("verb", ["post", "patch"])
async def test_a_verb_that_is_not_idempotent_is_not_called_again(verb: str) -> None:
    rest = wrap_rest_with_resilience(foreign(StatusError(503)), policy(Clock()))

    with pytest.raises(StatusError):
        await getattr(rest, verb)("/x")

    assert len(rest.calls) == 1


@pytest.mark.parametrize("error", [StatusError(503), ConnectionResetError(), StatusError(404)])
async def test_the_original_error_comes_out_and_not_the_marker(error: Exception) -> None:
    rest = wrap_rest_with_resilience(foreign(error, error), policy(Clock()))

    with pytest.raises(type(error)) as raised:
        await rest.get("/x")

    assert raised.value is error


async def test_an_object_that_keeps_failing_is_left_alone_with_the_remaining_time() -> None:
    clock = Clock()
    rest = wrap_rest_with_resilience(foreign(*[StatusError(503)] * 3), policy(clock))
    for _ in range(3):
        with pytest.raises(StatusError):
            await rest.post("/x")
    clock.now += 2

    with pytest.raises(CircuitOpenError) as raised:
        await rest.get("/y")

    assert raised.value.retry_after_ms == 3000
    assert len(rest.calls) == 3


async def test_each_object_has_a_circuit_of_its_own() -> None:
    shared = policy(Clock())
    broken = wrap_rest_with_resilience(foreign(*[StatusError(503)] * 3), shared)
    sound = wrap_rest_with_resilience(foreign(), shared)
    for _ in range(3):
        with pytest.raises(StatusError):
            await broken.post("/x")

    assert await sound.get("/x") == "ok"


async def test_the_options_may_say_how_long_the_circuit_stays_open() -> None:
    clock = Clock()
    options = WrapResilienceOptions(circuit_half_open_after_ms=60_000)
    rest = wrap_rest_with_resilience(foreign(*[StatusError(503)] * 3), policy(clock), options)
    for _ in range(3):
        with pytest.raises(StatusError):
            await rest.post("/x")

    with pytest.raises(CircuitOpenError) as raised:
        await rest.get("/x")

    assert raised.value.retry_after_ms == 60_000


def retry_key_errors(error: BaseException) -> DiscordRetryableError | None:
    return DiscordRetryableError(original=error) if isinstance(error, KeyError) else None


@pytest.mark.parametrize("given_as", [retry_key_errors, WrapResilienceOptions(classifier=retry_key_errors)])
async def test_a_classifier_of_ones_own_decides_what_is_called_again(given_as: Any) -> None:
    rest = wrap_rest_with_resilience(foreign(KeyError("k"), StatusError(503)), policy(Clock()), given_as)

    with pytest.raises(StatusError):
        await rest.get("/x")

    assert len(rest.calls) == 2


async def test_a_call_without_a_slot_is_refused_as_a_row() -> None:
    gate = Gate()
    rest = Foreign(gate)  # type: ignore[arg-type] # another last step
    wrap_rest_with_resilience(rest, policy(Clock(), limit=1))
    first = asyncio.create_task(rest.get("/x"))
    await until_idle()

    with pytest.raises(BulkheadFullError):
        await rest.get("/x")

    gate.opened.set()
    await first


async def test_a_call_that_hangs_is_a_time_out_as_a_row() -> None:
    rest = Foreign(Gate())  # type: ignore[arg-type] # another last step
    wrap_rest_with_resilience(rest, policy(Clock(), retries=0, timeout_ms=10))

    with pytest.raises(InternalError) as raised:
        await rest.get("/x")

    assert raised.value.reason == "timeout"


@pytest.mark.parametrize(
    ("verb", "outcome"), [("get", None), ("delete", None), ("post", "unknown"), ("patch", "unknown")]
)
async def test_a_write_that_hangs_leaves_its_outcome_open(verb: str, outcome: str | None) -> None:
    rest = Foreign(Gate())  # type: ignore[arg-type] # another last step
    wrap_rest_with_resilience(rest, policy(Clock(), retries=0, timeout_ms=10))

    with pytest.raises(InternalError) as raised:
        await getattr(rest, verb)("/x")

    assert (raised.value.outcome, raised.value.retriable) == (outcome, outcome is None)
