"""What stands between a request and the wire, without I/O of its own: circuit breaker, retry, bulkhead and time-out.

Each is a layer, an async function `(request, following) -> answer`, and they are composed once for all requests.
Discord's client and every object wrapped by `wrap_rest_with_resilience` use these same layers.
"""

from __future__ import annotations

import asyncio
import errno
import random
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import partial, wraps
from itertools import count
from math import ceil, floor, sqrt, tanh
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from accord.discord.rest.errors import DiscordRetryableError, timed_out
from accord.engine import BulkheadFullError, CircuitOpenError, InternalError, ToolError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping

    from accord.discord.config import Config

__all__ = [
    "RAW_FAILURES",
    "BulkheadRejected",
    "CircuitBroken",
    "CircuitState",
    "Classified",
    "Classifier",
    "DeadlinePassed",
    "Hooks",
    "Jitter",
    "Layer",
    "Loss",
    "Next",
    "Policy",
    "RawFailure",
    "Request",
    "WrapResilienceOptions",
    "build_policy",
    "classify_discord_error",
    "composed",
    "lost_connection",
    "surely_undone",
    "wrap_rest_with_resilience",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the layers know of a request.

    `route` names the circuit it belongs to. `replayable` says that it may be sent again although the service may have
    acted on it. `deadline` is the clock's time in seconds by which the answer is needed; `attempt` counts from 1.
    `doubtful` says that an earlier attempt may have been acted on. `paced` says that a layer within the retries
    holds the request back for as long as the service said.
    """

    route: str
    replayable: bool
    deadline: float | None = None
    attempt: int = 1
    doubtful: bool = False
    paced: bool = False


R = TypeVar("R", bound=Request)
A = TypeVar("A")
Rest = TypeVar("Rest")

Next: TypeAlias = "Callable[[R], Awaitable[A]]"
Clock: TypeAlias = "Callable[[], float]"
Sleep: TypeAlias = "Callable[[float], Awaitable[object]]"
Random: TypeAlias = "Callable[[], float]"
Classifier: TypeAlias = "Callable[[BaseException], DiscordRetryableError | None]"
Jitter: TypeAlias = Literal["none", "full", "decorrelated"]
CircuitState: TypeAlias = Literal["open", "half_open", "closed"]


class Layer(Protocol[R, A]):
    """One step around the rest of the way."""

    def __call__(self, request: R, following: Next[R, A]) -> Awaitable[A]:
        """Answer the request, by what follows or without it."""


def composed(layers: Iterable[Layer[R, A]], last: Next[R, A]) -> Next[R, A]:
    """Make one function of the layers, the outermost first, around the last step."""
    for layer in reversed(tuple(layers)):
        last = partial(layer, following=last)
    return last


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

NEVER_SENT = (BulkheadRejected, DeadlinePassed, BulkheadFullError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """Who wants to know. What a hook raises is ignored.

    `on_circuit(route, state)` hears of every change, `on_reject(route)` of each request without a slot, and
    `on_dead_letter(route, error)` of each request given up after a failure that would have been worth a retry.
    """

    on_circuit: Callable[[str, CircuitState], None] | None = None
    on_reject: Callable[[str], None] | None = None
    on_dead_letter: Callable[[str, BaseException], None] | None = None


def tell(hook: Callable[..., None] | None, *facts: object) -> None:
    """Call the hook, if there is one. An observer's own failure must not become the request's."""
    if hook is not None:
        with suppress(Exception):
            hook(*facts)


def loop_time() -> float:
    """Return the running event loop's time, in which deadlines are given."""
    return asyncio.get_running_loop().time()


# Backoff: the waits of one request in milliseconds, one for each failure.


def plain_waits(base_ms: int, longest_ms: int, _random: Random) -> Iterator[int]:
    """Double the wait each time."""
    return (min(longest_ms, base_ms * 2**n) for n in count())


def full_waits(base_ms: int, longest_ms: int, random: Random) -> Iterator[int]:
    """Take any part of the plain wait, so that clients that failed together do not come back together."""
    return (floor(random() * wait_ms) for wait_ms in plain_waits(base_ms, longest_ms, random))


def decorrelated_waits(base_ms: int, longest_ms: int, random: Random) -> Iterator[int]:
    """Spread the waits smoothly, by the formula of Polly v2's DecorrelatedJitterBackoffV2."""
    before = 0.0
    for n in count():
        at = n + random()
        after = 2**at * tanh(sqrt(4 * at))
        yield min(floor(max(0.0, after - before) / 1.4 * base_ms), longest_ms)
        before = after


WAITS: Mapping[Jitter, Callable[[int, int, Random], Iterator[int]]] = {
    "none": plain_waits,
    "full": full_waits,
    "decorrelated": decorrelated_waits,
}


class Retry:
    """Send again what failed and may be sent again, at most `retries` times.

    What the service refused for a stated while, or what never reached it, is sent again whatever it is; all else only
    where the request is replayable. A failure stands whose wait would be longer than `longest_wait_ms` or would reach
    the deadline.
    """

    def __init__(
        self,
        *,
        retries: int,
        base_wait_ms: int,
        longest_wait_ms: int,
        jitter: Jitter = "full",
        hooks: Hooks | None = None,
        clock: Clock = loop_time,
        sleep: Sleep = asyncio.sleep,
        random: Random = random.random,
    ) -> None:
        self._retries = retries
        self._longest_wait_ms = longest_wait_ms
        self._new_waits = partial(WAITS[jitter], base_wait_ms, longest_wait_ms, random)
        self._hooks = hooks or Hooks()
        self._clock = clock
        self._sleep = sleep

    async def __call__(self, request: R, following: Next[R, A]) -> A:
        """Send the request until it is answered or has to be given up.

        Raises:
            DiscordRetryableError: The last failure, given up.
        """
        waits: Iterator[int] | None = None
        while True:
            try:
                return await following(request)
            except DiscordRetryableError as failure:
                waits = waits or self._new_waits()
                wait_ms = self._wait_ms(request, failure, next(waits))
                if wait_ms is None:
                    tell(self._hooks.on_dead_letter, request.route, failure.original)
                    raise
                held_back = request.paced and failure.retry_after_ms is not None
                doubtful = request.doubtful or not surely_undone(failure)
            if not held_back:
                await self._sleep(wait_ms / 1000)
            request = replace(request, attempt=request.attempt + 1, doubtful=doubtful)

    def _wait_ms(self, request: Request, failure: DiscordRetryableError, backoff_ms: int) -> int | None:
        """Return how long to wait before the next attempt, None where there is to be none."""
        if request.attempt > self._retries or not (request.replayable or surely_undone(failure)):
            return None
        wait_ms = backoff_ms if failure.retry_after_ms is None else failure.retry_after_ms
        if wait_ms > self._longest_wait_ms:
            return None
        if request.deadline is not None and self._clock() + wait_ms / 1000 >= request.deadline:
            return None
        return wait_ms


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


class Bulkhead:
    """Let at most `limit` requests be on the wire at once.

    A request with a deadline waits for a slot until then, first come first served; one without is refused at once.
    """

    def __init__(self, limit: int, *, hooks: Hooks | None = None, clock: Clock = loop_time) -> None:
        self._slots = asyncio.Semaphore(limit)
        self._hooks = hooks or Hooks()
        self._clock = clock

    async def __call__(self, request: R, following: Next[R, A]) -> A:
        """Hold a slot while the request is on the wire.

        Raises:
            BulkheadRejected: There was no free slot in time.
        """
        await self._enter(request)
        try:
            return await following(request)
        finally:
            self._slots.release()

    async def _enter(self, request: Request) -> None:
        if not self._slots.locked():
            await self._slots.acquire()
            return
        try:
            async with asyncio.timeout(seconds_left(request.deadline, self._clock) or 0.0):
                await self._slots.acquire()
        except TimeoutError:
            tell(self._hooks.on_reject, request.route)
            raise BulkheadRejected from None


class Timeout:
    """Give each attempt `timeout_ms`, or what is left until the deadline if that is less."""

    def __init__(self, timeout_ms: int, *, clock: Clock = loop_time) -> None:
        self._timeout_ms = timeout_ms
        self._clock = clock

    async def __call__(self, request: R, following: Next[R, A]) -> A:
        """Cancel the attempt when its time is over.

        Raises:
            InternalError: It was over; nobody knows whether the service acted.
            DeadlinePassed: There was no time left to begin.
        """
        limit_ms = self._limit_ms(request.deadline)
        if limit_ms <= 0:
            raise DeadlinePassed
        try:
            async with asyncio.timeout(limit_ms / 1000) as scope:
                return await following(request)
        except TimeoutError as error:
            if not scope.expired():
                raise
            raise timed_out(limit_ms) from error

    def _limit_ms(self, deadline: float | None) -> int:
        if deadline is None:
            return self._timeout_ms
        return min(self._timeout_ms, floor((deadline - self._clock()) * 1000))


def seconds_left(deadline: float | None, clock: Clock) -> float | None:
    """Return the time until the deadline, None where there is none."""
    return None if deadline is None else deadline - clock()


@dataclass(frozen=True, slots=True)
class Classified:
    """Mark the failures that are worth a retry, for the layers around this one."""

    classifier: Classifier

    async def __call__(self, request: R, following: Next[R, A]) -> A:
        """Raise what the classifier makes of a failure; what it does not know passes unchanged.

        Raises:
            DiscordRetryableError: The failure may pass by itself.
        """
        try:
            return await following(request)
        except Exception as error:
            failure = self.classifier(error)
            if failure is None:
                raise
            raise failure from error


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


# Classification: which failures may pass by themselves, and which of those surely changed nothing.


class Loss(NamedTuple):
    """How a connection was lost, in a stable word, and whether it is certain that no request had been sent over it."""

    kind: str
    unsent: bool


LOSSES: Mapping[str, Loss] = {
    # By the names of the classes (Python's own, aiohttp's, httpx's), so that no HTTP library has to be imported.
    "gaierror": Loss("dns", unsent=True),
    "ClientConnectorDNSError": Loss("dns", unsent=True),
    "ConnectionRefusedError": Loss("refused", unsent=True),
    "ClientSSLError": Loss("tls", unsent=True),
    "ConnectionTimeoutError": Loss("connect_timeout", unsent=True),
    "ConnectTimeout": Loss("connect_timeout", unsent=True),
    "PoolTimeout": Loss("pool_timeout", unsent=True),
    "ClientHttpProxyError": Loss("proxy", unsent=True),
    "ClientConnectorError": Loss("connection", unsent=True),
    "ConnectError": Loss("connection", unsent=True),
    "TimeoutError": Loss("timeout", unsent=False),
    "ConnectionError": Loss("reset", unsent=False),
    "ClientConnectionError": Loss("reset", unsent=False),
    "ClientPayloadError": Loss("cut_off", unsent=False),
    "IncompleteReadError": Loss("cut_off", unsent=False),
    "SSLError": Loss("tls", unsent=False),
    "TransportError": Loss("reset", unsent=False),
}

UNREACHABLE = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EHOSTDOWN})

ROW_STATUSES: Mapping[str, int] = {"DISCORD_RATE_LIMITED": 429, "DISCORD_SERVER_ERROR": 500, "SERVER_ERROR": 500}
"""The HTTP statuses that our own rows stand for, where they may pass by themselves. An edge block never does."""


def lost_connection(error: BaseException) -> Loss | None:
    """Return how the connection was lost, looking one level down as well, or None where the error is no such loss.

    An HTTP library's class is the better witness than the error number within it: "unreachable" may also come up on a
    connection that was long in use.
    """
    causes = (error,) if error.__cause__ is None else (error, error.__cause__)
    names = (cls.__name__ for cause in causes for cls in type(cause).__mro__)
    known = next((LOSSES[name] for name in names if name in LOSSES), None)
    if known is None and any(getattr(cause, "errno", None) in UNREACHABLE for cause in causes):
        return Loss("network", unsent=True)
    return known


def surely_undone(failure: DiscordRetryableError) -> bool:
    """Whether it is certain that the service did not act: it said when to come back, or it was never reached."""
    loss = lost_connection(failure.original)
    return failure.retry_after_ms is not None or (loss is not None and loss.unsent)


def classify_discord_error(error: BaseException) -> DiscordRetryableError | None:
    """Return the failure as one that may pass by itself, or None where sending again is of no use.

    That is a lost connection, a time-out, a status of 500 to 599, and a 429 that says when to come back; one that
    does not say it is a block at Discord's edge, which more requests make worse. Understands the rows of this server,
    aiohttp's and httpx's errors, and all others with a `status` (or `status_code`) and `retry_after` in seconds.
    """
    if isinstance(error, DiscordRetryableError):
        return error
    if isinstance(error, ToolError):
        return _classified_row(error)
    if not isinstance(error, Exception):
        return None
    if lost_connection(error) is not None:
        return DiscordRetryableError(original=error)
    return _classified_status(error, _status_of(error), _retry_after_ms_of(error))


def _classified_row(error: ToolError) -> DiscordRetryableError | None:
    if isinstance(error, InternalError) and error.reason == "timeout":
        return DiscordRetryableError(original=error)
    return _classified_status(error, ROW_STATUSES.get(error.code), getattr(error, "retry_after_ms", None))


def _classified_status(
    error: Exception, status: int | None, retry_after_ms: int | None
) -> DiscordRetryableError | None:
    if status == 429 and retry_after_ms is not None:  # noqa: PLR2004 - HTTP's Too Many Requests
        return DiscordRetryableError(original=error, retry_after_ms=retry_after_ms)
    if status is not None and 500 <= status <= 599:  # noqa: PLR2004 - HTTP's server errors
        return DiscordRetryableError(original=error)
    return None


def _status_of(error: Exception) -> int | None:
    holders = (error, getattr(error, "response", None))
    found = (getattr(holder, name, None) for holder in holders for name in ("status", "status_code"))
    return next((int(status) for status in found if isinstance(status, int)), None)


def _retry_after_ms_of(error: Exception) -> int | None:
    seconds = getattr(error, "retry_after", None)
    return ceil(seconds * 1000) if isinstance(seconds, int | float) else None


# Objects of other makes.


VERBS = ("get", "post", "patch", "put", "delete")
REPLAYABLE_VERBS = frozenset({"get", "put", "delete"})
"""What HTTP defines as idempotent (RFC 9110, 9.2.2). PATCH is not, and of another's tool nothing more is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrapResilienceOptions:
    """What judges the object's errors, and how long its circuit stays open (None: as long as the policy says)."""

    classifier: Classifier = classify_discord_error
    circuit_half_open_after_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignCall(Request):
    """A call of another's method, ready to be made."""

    make: Callable[[], Awaitable[Any]]


def wrap_rest_with_resilience(
    rest: Rest, policy: Policy, classifier_or_options: Classifier | WrapResilienceOptions | None = None
) -> Rest:
    """Send every `get`, `post`, `patch`, `put` and `delete` of the object through the policy.

    Changes the object, and returns it. It has one circuit for all its calls, and shares the policy's bulkhead. Errors
    come out as they were raised, apart from three that the policy itself makes.

    Raises:
        CircuitOpenError: (by the wrapped verbs) the object is left alone for a while.
        BulkheadFullError: (by the wrapped verbs) too many calls are under way.
        InternalError: (by the wrapped verbs) an attempt took too long.
    """
    options = _options_of(classifier_or_options)
    circuit = policy.circuit and policy.circuit.afresh(options.circuit_half_open_after_ms)
    own: Policy = replace(policy, circuit=circuit)
    send = composed(own.around(Classified(options.classifier)), _make)
    for verb in VERBS:
        setattr(rest, verb, _wrapped(getattr(rest, verb), verb, type(rest).__name__, send))
    return rest


def _options_of(given: Classifier | WrapResilienceOptions | None) -> WrapResilienceOptions:
    if isinstance(given, WrapResilienceOptions):
        return given
    return WrapResilienceOptions() if given is None else WrapResilienceOptions(classifier=given)


async def _make(call: ForeignCall) -> Any:
    return await call.make()


def _wrapped(
    original: Callable[..., Awaitable[Any]], verb: str, route: str, send: Next[ForeignCall, Any]
) -> Callable[..., Awaitable[Any]]:
    @wraps(original)
    async def through_the_policy(*args: Any, **options: Any) -> Any:
        call = ForeignCall(route=route, replayable=verb in REPLAYABLE_VERBS, make=partial(original, *args, **options))
        try:
            return await send(call)
        except RAW_FAILURES as failure:
            error = plain(failure)
        raise error

    return through_the_policy


def plain(failure: RawFailure) -> Exception:
    """Return what callers are told: the original error, or the row that stands for a refusal of the policy."""
    return failure.original if isinstance(failure, DiscordRetryableError) else refusal(failure)


def refusal(failure: CircuitBroken | BulkheadRejected | DeadlinePassed) -> ToolError:
    """Return the row of a refusal of the policy itself."""
    if isinstance(failure, CircuitBroken):
        return CircuitOpenError(retry_after_ms=failure.retry_after_ms)
    return BulkheadFullError() if isinstance(failure, BulkheadRejected) else timed_out()
