"""Gates and the last step become one function: an onion, so that a gate sees both the way in and the way out."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterable

    from accord.engine.nouns import Call, Gate, Next, Reply

__all__ = ["chain"]


def chain(gates: Iterable[Gate], last: Next) -> Next:
    """Return a function that walks a call through the gates, the first of them outermost, to the last step."""
    following = last
    for gate in reversed(tuple(gates)):
        following = partial(_through, gate, following)
    return following


def _through(gate: Gate, following: Next, call: Call) -> Awaitable[Reply]:
    return gate(call, following)
