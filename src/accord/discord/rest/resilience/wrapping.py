"""Sending another make's client through a policy: the same layers around an object's verbs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial, wraps
from typing import Any, TypeVar

from accord.discord.rest.answers import unknown_outcome
from accord.discord.rest.resilience.classify import Classifier, classify_discord_error
from accord.discord.rest.resilience.failures import RAW_FAILURES, plain
from accord.discord.rest.resilience.layers import A, Next, R, Request, composed
from accord.discord.rest.resilience.policy import Policy
from accord.engine import InternalError

__all__ = ["WrapResilienceOptions", "wrap_rest_with_resilience"]

Rest = TypeVar("Rest")

VERBS = ("get", "post", "patch", "put", "delete")
REPLAYABLE_VERBS = frozenset({"get", "put", "delete"})
"""What HTTP defines as idempotent (RFC 9110, 9.2.2). PATCH is not, and of another's tool nothing more is known."""


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
        InternalError: (by the wrapped verbs) an attempt took too long; the outcome of a `post` or `patch` is unknown.
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
        if isinstance(error, InternalError) and not call.replayable:
            error = unknown_outcome(error)  # a time-out: the call may have arrived
        raise error

    return through_the_policy
