"""The layers between a request and the wire, with a clock that the tests turn."""

from __future__ import annotations

import asyncio
import errno
import socket
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accord.discord.config import load_config
from accord.discord.rest.errors import (
    DiscordAuthError,
    DiscordCloudflareBlocked,
    DiscordNotFoundError,
    DiscordRateLimitError,
    DiscordRetryableError,
    DiscordServerError,
    DiscordUpstreamError,
    timed_out,
)
from accord.discord.rest.resilience import (
    Bulkhead,
    BulkheadRejected,
    CircuitBreaker,
    CircuitBroken,
    DeadlinePassed,
    Hooks,
    Jitter,
    Policy,
    Request,
    Retry,
    Timeout,
    WrapResilienceOptions,
    build_policy,
    classify_discord_error,
    composed,
    surely_undone,
    wrap_rest_with_resilience,
)
from accord.engine.errors import BulkheadFullError, CircuitOpenError, InternalError, ValidationError

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from accord.discord.rest.resilience import Layer, Next

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


# Retry


async def test_a_read_is_sent_again_until_it_is_answered() -> None:
    service = Service([OUTAGE, OUTAGE])

    answer = await retry(Clock())(READ, service)

    assert answer == "ok"
    assert [request.attempt for request in service.requests] == [1, 2, 3]


async def test_the_last_failure_is_raised_when_the_retries_are_used_up() -> None:
    service = Service([OUTAGE, OUTAGE, RESET])

    with pytest.raises(DiscordRetryableError) as raised:
        await retry(Clock(), retries=2)(READ, service)

    assert raised.value is RESET
    assert len(service.requests) == 3


async def test_a_failure_that_does_not_pass_by_itself_is_not_retried() -> None:
    service = Service([NOT_FOUND])

    with pytest.raises(DiscordNotFoundError):
        await retry(Clock())(READ, service)

    assert len(service.requests) == 1


@pytest.mark.parametrize("failure", [OUTAGE, RESET, DiscordRetryableError(original=timed_out(1000))])
async def test_a_request_that_is_not_replayable_is_not_sent_again_when_it_may_have_been_acted_on(
    failure: DiscordRetryableError,
) -> None:
    service = Service([failure])

    with pytest.raises(DiscordRetryableError):
        await retry(Clock())(SEND, service)

    assert len(service.requests) == 1


@pytest.mark.parametrize("failure", [REFUSED, limited(50)])
async def test_what_surely_had_no_effect_is_sent_again_whatever_it_is(failure: DiscordRetryableError) -> None:
    service = Service([failure])

    assert await retry(Clock())(SEND, service) == "ok"


@pytest.mark.parametrize(
    ("base_ms", "longest_ms", "waits_ms"), [(50, 10_000, [50, 100, 200]), (200, 500, [200, 400, 500])]
)
async def test_waits_without_jitter_double_up_to_the_longest(
    base_ms: int, longest_ms: int, waits_ms: list[int]
) -> None:
    clock = Clock()

    await retry(clock, base_wait_ms=base_ms, longest_wait_ms=longest_ms)(READ, Service([OUTAGE, OUTAGE, OUTAGE]))

    assert clock.waits_ms == waits_ms


async def test_full_jitter_takes_a_random_part_of_the_wait() -> None:
    clock = Clock()

    await retry(clock, jitter="full", random=lambda: 0.5)(READ, Service([OUTAGE, OUTAGE]))

    assert clock.waits_ms == [25, 50]


async def test_decorrelated_jitter_follows_pollys_formula() -> None:
    clock = Clock()

    await retry(clock, jitter="decorrelated", base_wait_ms=1000, random=lambda: 0.5)(READ, Service([OUTAGE, OUTAGE]))

    # 2**0.5 * tanh(sqrt(2)) = 1.2563; 2**1.5 * tanh(sqrt(6)) = 2.7865; each difference / 1.4 * 1000
    assert clock.waits_ms == [897, 1093]


@given(st.sampled_from(["none", "full", "decorrelated"]), st.floats(0, 1, exclude_max=True))
def test_no_jitter_waits_longer_than_the_longest_wait(jitter: Jitter, chance: float) -> None:
    clock = Clock()
    layer = retry(clock, retries=10, jitter=jitter, base_wait_ms=5000, random=lambda: chance)

    asyncio.run(_answered(layer(READ, Service([OUTAGE] * 10))))

    assert max(clock.waits_ms) <= 10_000
    assert min(clock.waits_ms) >= 0


async def _answered(call: Awaitable[str]) -> str:
    return await call


async def test_a_stated_wait_takes_the_place_of_the_backoff_and_still_advances_it() -> None:
    clock = Clock()

    await retry(clock)(READ, Service([limited(250), OUTAGE]))

    assert clock.waits_ms == [250, 100]


async def test_a_stated_wait_above_the_longest_is_not_waited_for() -> None:
    service = Service([limited(501)])

    with pytest.raises(DiscordRetryableError):
        await retry(Clock(), longest_wait_ms=500)(READ, service)

    assert len(service.requests) == 1


async def test_nothing_is_sent_again_that_could_not_begin_before_the_deadline() -> None:
    clock = Clock()
    service = Service([OUTAGE, OUTAGE])

    with pytest.raises(DiscordRetryableError):
        await retry(clock)(Request(route="r", replayable=True, deadline=clock.now + 0.12), service)

    assert clock.waits_ms == [50]


async def test_a_later_attempt_knows_that_an_earlier_one_may_have_been_acted_on() -> None:
    service = Service([REFUSED, RESET, REFUSED])

    await retry(Clock())(READ, service)

    assert [request.doubtful for request in service.requests] == [False, False, True, True]


async def test_a_cancelled_request_is_not_sent_again() -> None:
    gate = Gate()
    task = asyncio.create_task(_answered(retry(Clock())(READ, gate)))
    await until_idle()

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert gate.entered == 1


async def test_only_what_was_given_up_after_a_passing_failure_is_a_dead_letter() -> None:
    letters: list[tuple[str, BaseException]] = []
    layer = retry(Clock(), retries=1, hooks=Hooks(on_dead_letter=lambda *letter: letters.append(letter)))

    await layer(READ, Service([OUTAGE]))
    with pytest.raises(DiscordNotFoundError):
        await layer(READ, Service([NOT_FOUND]))
    with pytest.raises(DiscordRetryableError):
        await layer(READ, Service([OUTAGE, OUTAGE]))

    assert letters == [(READ.route, OUTAGE.original)]


async def test_a_hook_that_fails_changes_nothing() -> None:
    def fail(*_: object) -> None:
        raise RuntimeError

    layer = retry(Clock(), retries=0, hooks=Hooks(on_dead_letter=fail))

    with pytest.raises(DiscordRetryableError):
        await layer(READ, Service([OUTAGE]))


# Circuit breaker


async def test_a_route_that_fails_as_often_as_the_threshold_is_left_alone() -> None:
    circuit = await opened(Clock())
    service = Service()

    with pytest.raises(CircuitBroken):
        await circuit(READ, service)

    assert service.requests == []


async def test_other_routes_go_on_when_one_is_left_alone() -> None:
    circuit = await opened(Clock())

    assert await circuit(SEND, Service()) == "ok"


@pytest.mark.parametrize("error", [NOT_FOUND, limited(1000), ValidationError(issues=[]), BulkheadRejected()])
async def test_errors_that_are_no_outage_never_open_a_circuit(error: Exception) -> None:
    circuit = breaker(Clock())

    await failed(circuit, *[error] * 5)

    assert await circuit(READ, Service()) == "ok"


async def test_a_time_out_counts_as_a_failure() -> None:
    circuit = breaker(Clock())

    await failed(circuit, *[DiscordRetryableError(original=timed_out(1000))] * 3)

    with pytest.raises(CircuitBroken):
        await circuit(READ, Service())


async def test_a_success_takes_back_all_failures_and_a_refusal_takes_back_none() -> None:
    circuit = breaker(Clock())

    await failed(circuit, OUTAGE, OUTAGE)
    await circuit(READ, Service())
    await failed(circuit, OUTAGE, OUTAGE, NOT_FOUND, OUTAGE)

    with pytest.raises(CircuitBroken):
        await circuit(READ, Service())


async def test_an_open_circuit_says_how_long_it_stays_open() -> None:
    clock = Clock()
    circuit = await opened(clock)
    clock.now += 3.5

    with pytest.raises(CircuitBroken) as raised:
        await circuit(READ, Service())

    assert raised.value.retry_after_ms == 1500


@pytest.mark.parametrize("answer", ["ok", NOT_FOUND, limited(100)])
async def test_a_probe_that_is_answered_closes_the_circuit(answer: Exception | str) -> None:
    clock = Clock()
    circuit = await opened(clock)
    clock.now += 5

    if isinstance(answer, Exception):
        await failed(circuit, answer)
    else:
        await circuit(READ, Service())

    await failed(circuit, OUTAGE, OUTAGE)
    assert await circuit(READ, Service()) == "ok"


@pytest.mark.parametrize("failure", [OUTAGE, RESET, DiscordRetryableError(original=timed_out(1000))])
async def test_a_probe_that_fails_or_times_out_opens_the_circuit_again(failure: Exception) -> None:
    clock = Clock()
    circuit = await opened(clock)
    clock.now += 5
    await failed(circuit, failure)
    clock.now += 4

    with pytest.raises(CircuitBroken) as raised:
        await circuit(READ, Service())

    assert raised.value.retry_after_ms == 1000


async def test_one_probe_goes_out_while_the_others_wait_for_its_end() -> None:
    clock = Clock()
    circuit = await opened(clock)
    clock.now += 5
    gate = Gate()
    calls = [asyncio.create_task(_answered(circuit(READ, gate))) for _ in range(3)]
    await until_idle()
    entered_before = gate.entered

    gate.opened.set()

    assert await asyncio.gather(*calls) == ["ok", "ok", "ok"]
    assert (entered_before, gate.entered) == (1, 3)


async def test_those_who_wait_for_a_failing_probe_are_refused() -> None:
    clock = Clock()
    circuit = await opened(clock)
    clock.now += 5
    service = Service([OUTAGE])
    calls = [asyncio.create_task(_answered(circuit(READ, service))) for _ in range(3)]

    results = await asyncio.gather(*calls, return_exceptions=True)

    assert [type(result) for result in results] == [DiscordRetryableError, CircuitBroken, CircuitBroken]
    assert len(service.requests) == 1


async def test_a_cancelled_probe_gives_its_place_to_the_next() -> None:
    clock = Clock()
    circuit = await opened(clock)
    clock.now += 5
    gate = Gate()
    probe, waiter = (asyncio.create_task(_answered(circuit(READ, gate))) for _ in range(2))
    await until_idle()

    probe.cancel()
    await until_idle()
    gate.opened.set()

    assert await waiter == "ok"
    assert gate.entered == 2


async def test_nobody_waits_for_a_probe_beyond_the_deadline() -> None:
    clock = Clock()
    circuit = await opened(clock)
    clock.now += 5
    gate = Gate()
    probe = asyncio.create_task(_answered(circuit(READ, gate)))
    await until_idle()

    with pytest.raises(CircuitBroken):
        await circuit(Request(route=READ.route, replayable=True, deadline=clock.now), Service())

    gate.opened.set()
    await probe


async def test_a_late_failure_does_not_keep_the_circuit_open_for_longer() -> None:
    clock = Clock()
    circuit = breaker(clock)
    gate = Gate()

    async def fail_late(request: Request) -> str:
        await gate(request)
        raise OUTAGE

    late = asyncio.create_task(_answered(circuit(READ, fail_late)))
    await until_idle()
    await failed(circuit, OUTAGE, OUTAGE, OUTAGE)
    clock.now += 4
    gate.opened.set()
    await asyncio.wait([late])
    clock.now += 1

    assert isinstance(late.exception(), DiscordRetryableError)
    assert await circuit(READ, Service()) == "ok"


async def test_every_change_of_a_circuit_is_told() -> None:
    clock = Clock()
    changes: list[tuple[str, str]] = []
    circuit = await opened(clock, hooks=Hooks(on_circuit=lambda route, state: changes.append((route, state))))
    clock.now += 5

    await circuit(READ, Service())

    assert changes == [(READ.route, "open"), (READ.route, "half_open"), (READ.route, "closed")]


# Bulkhead


async def test_a_request_without_a_slot_is_refused_without_being_made() -> None:
    rejected: list[str] = []
    bulkhead = Bulkhead(2, hooks=Hooks(on_reject=rejected.append), clock=Clock())
    gate = Gate()
    calls = [asyncio.create_task(_answered(bulkhead(READ, gate))) for _ in range(2)]
    await until_idle()

    with pytest.raises(BulkheadRejected):
        await bulkhead(READ, gate)

    assert (gate.entered, rejected) == (2, [READ.route])
    gate.opened.set()
    await asyncio.gather(*calls)


async def test_a_request_with_a_deadline_waits_for_a_slot() -> None:
    clock = Clock()
    bulkhead = Bulkhead(1, clock=clock)
    gate = Gate()
    first = asyncio.create_task(_answered(bulkhead(READ, gate)))
    await until_idle()
    patient = Request(route="r", replayable=True, deadline=clock.now + 60)
    second = asyncio.create_task(_answered(bulkhead(patient, gate)))
    await until_idle()

    gate.opened.set()

    assert [await first, await second] == ["ok", "ok"]


async def test_a_request_that_gets_no_slot_by_its_deadline_is_refused() -> None:
    clock = Clock()
    bulkhead = Bulkhead(1, clock=clock)
    gate = Gate()
    first = asyncio.create_task(_answered(bulkhead(READ, gate)))
    await until_idle()

    with pytest.raises(BulkheadRejected):
        await bulkhead(Request(route="r", replayable=True, deadline=clock.now + 0.01), gate)

    gate.opened.set()
    await first
    assert await bulkhead(READ, Service()) == "ok"


async def test_a_slot_is_free_again_after_a_failure() -> None:
    bulkhead = Bulkhead(1, clock=Clock())

    for _ in range(3):
        with pytest.raises(DiscordNotFoundError):
            await bulkhead(READ, Service([NOT_FOUND]))

    assert await bulkhead(READ, Service()) == "ok"


async def test_a_cancelled_waiter_gives_its_place_back() -> None:
    clock = Clock()
    bulkhead = Bulkhead(1, clock=clock)
    gate = Gate()
    patient = Request(route="r", replayable=True, deadline=clock.now + 60)
    calls = [asyncio.create_task(_answered(bulkhead(patient, gate))) for _ in range(3)]
    await until_idle()

    calls[1].cancel()
    await until_idle()
    gate.opened.set()

    results = await asyncio.gather(*calls, return_exceptions=True)
    assert [type(result) for result in results] == [str, asyncio.CancelledError, str]


async def test_no_slot_is_held_while_a_request_waits_to_be_sent_again() -> None:
    clock = Clock()
    bulkhead = Bulkhead(1, clock=clock)
    others: list[str] = []

    async def let_another_through(_seconds: float) -> None:
        others.append(await bulkhead(READ, Service()))

    layer = Retry(retries=1, base_wait_ms=50, longest_wait_ms=500, clock=clock, sleep=let_another_through)

    await composed((layer, bulkhead), Service([OUTAGE]))(READ)

    assert others == ["ok"]


# Time-out


async def test_an_attempt_that_takes_too_long_is_cancelled() -> None:
    ended: list[str] = []

    async def hang(_request: Request) -> str:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")
        return "too late"

    with pytest.raises(InternalError) as raised:
        await Timeout(10)(READ, hang)

    assert (raised.value.reason, raised.value.timeout_ms) == ("timeout", 10)
    assert ended == ["cancelled"]


async def test_an_attempt_has_no_more_time_than_its_deadline_leaves() -> None:
    clock = Clock()

    with pytest.raises(InternalError) as raised:
        await Timeout(60_000, clock=clock)(Request(route="r", replayable=True, deadline=clock.now + 0.0155), Gate())

    assert raised.value.timeout_ms == 15


async def test_nothing_is_begun_after_the_deadline() -> None:
    clock = Clock()
    service = Service()

    with pytest.raises(DeadlinePassed):
        await Timeout(1000, clock=clock)(Request(route="r", replayable=True, deadline=clock.now), service)

    assert service.requests == []


async def test_a_time_out_from_within_is_not_taken_for_this_one() -> None:
    with pytest.raises(TimeoutError):
        await Timeout(1000)(READ, Service([TimeoutError()]))


# Classification


class StatusError(Exception):
    """An HTTP library's error for a failed status."""

    def __init__(self, status: int, retry_after: float | None = None) -> None:
        super().__init__()
        self.status = status
        self.retry_after = retry_after


class ConnectTimeout(Exception):  # noqa: N818 - httpx's name
    """Named as httpx names it."""


def connector_error(kind: type[aiohttp.ClientConnectorError], cause: OSError) -> aiohttp.ClientConnectorError:
    return kind(None, cause)  # type: ignore[arg-type] # the connection's key is only read to be printed


def caused_by(cause: BaseException) -> Exception:
    error = RuntimeError("request failed")
    error.__cause__ = cause
    return error


PASSING: list[tuple[BaseException, bool]] = [
    (ConnectionRefusedError(), True),
    (socket.gaierror(socket.EAI_NONAME, "unknown"), True),
    (OSError(errno.ENETUNREACH, "unreachable"), True),
    (OSError(errno.EHOSTUNREACH, "unreachable"), True),
    (connector_error(aiohttp.ClientConnectorError, OSError(errno.ETIMEDOUT, "timed out")), True),
    (connector_error(aiohttp.ClientConnectorDNSError, OSError(-2, "unknown")), True),
    (aiohttp.ConnectionTimeoutError(), True),
    (ConnectTimeout(), True),
    (caused_by(ConnectionRefusedError()), True),
    (ConnectionResetError(), False),
    (BrokenPipeError(), False),
    (TimeoutError(), False),
    (aiohttp.ServerDisconnectedError(), False),
    (aiohttp.ClientPayloadError(), False),
    (aiohttp.SocketTimeoutError(), False),
    (aiohttp.ClientOSError(errno.EHOSTUNREACH, "lost while in use"), False),
    (caused_by(ConnectionResetError()), False),
    (timed_out(1000), False),
    (DiscordUpstreamError(status=500), False),
    (DiscordServerError(), False),
    (StatusError(502), False),
    (StatusError(429, retry_after=0.75), True),
    (DiscordRateLimitError(retry_after_ms=750), True),
]


@pytest.mark.parametrize(("error", "undone"), PASSING, ids=repr)
def test_a_failure_that_may_pass_is_told_from_one_that_surely_had_no_effect(error: BaseException, undone: bool) -> None:
    failure = classify_discord_error(error)

    assert failure is not None
    assert surely_undone(failure) is undone


@pytest.mark.parametrize(
    "error",
    [
        DiscordCloudflareBlocked(),
        DiscordRateLimitError(),
        DiscordAuthError(),
        DiscordNotFoundError(),
        InternalError(),
        StatusError(404),
        StatusError(429),
        StatusError(600),
        ValueError("bad"),
        BulkheadRejected(),
        asyncio.CancelledError(),
    ],
    ids=repr,
)
def test_a_failure_that_does_not_pass_by_itself_is_not_worth_a_retry(error: BaseException) -> None:
    assert classify_discord_error(error) is None


def test_a_stated_wait_in_seconds_becomes_milliseconds_rounded_up() -> None:
    failure = classify_discord_error(StatusError(429, retry_after=0.0501))

    assert failure is not None
    assert failure.retry_after_ms == 51


# Objects of other makes


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


# The settings


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
    first = asyncio.create_task(_answered(send(READ)))
    await until_idle()

    with pytest.raises(BulkheadRejected):
        await send(READ)

    first.cancel()
