"""A layer is an async function `(request, following) -> answer`, and layers are composed once for all requests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeAlias, TypeVar

__all__ = ["A", "Layer", "Next", "R", "Request", "composed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the layers know of a request.

    `route` names the circuit it belongs to. `replayable` says that it may be sent again although the service may have
    acted on it; `once` that it may never be sent again, because its body can be read only once. `deadline` is the
    clock's time in seconds by which the answer is needed; `attempt` counts from 1. `doubtful` says that an earlier
    attempt may have been acted on. `paced` says that a layer within the retries holds the request back for as long as
    the service said.
    """

    route: str
    replayable: bool
    once: bool = False
    deadline: float | None = None
    attempt: int = 1
    doubtful: bool = False
    paced: bool = False


R = TypeVar("R", bound=Request)
A = TypeVar("A")

Next: TypeAlias = Callable[[R], Awaitable[A]]


class Layer(Protocol[R, A]):
    """One step around the rest of the way."""

    def __call__(self, request: R, following: Next[R, A]) -> Awaitable[A]:
        """Answer the request, by what follows or without it."""


def composed(layers: Iterable[Layer[R, A]], last: Next[R, A]) -> Next[R, A]:
    """Make one function of the layers, the outermost first, around the last step."""
    for layer in reversed(tuple(layers)):
        last = partial(layer, following=last)
    return last
