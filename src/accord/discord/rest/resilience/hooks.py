"""Who wants to know what the layers do."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["CircuitState", "Hooks", "tell"]

CircuitState: TypeAlias = Literal["open", "half_open", "closed"]


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
