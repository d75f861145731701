"""Faults on demand: the ways in which Discord, or the road to it, is known to fail, waiting for their requests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias, TypeGuard

from accord.discord.sandbox.fault_kinds import ANSWERS, CHANGES, KINDS, Following, Options
from accord.discord.sandbox.routes import ROUTES
from accord.discord.sandbox.wire import Answer, Request

ANY_ROUTE = "*"
PLACEHOLDER = re.compile(r"{[^}/]*}")
ROUTE_KEYS = frozenset(route.key for route in ROUTES)

Times: TypeAlias = int | Literal["usual"] | None


@dataclass(slots=True)
class Fault:
    """A fault that waits for its route, letting `skip` requests pass first.

    `times` counts down, None lasts until it is cleared.
    """

    route: str
    kind: str
    times: int | None
    skip: int
    options: Mapping[str, Any]

    def fits(self, route_key: str | None) -> bool:
        """Whether a request on this route is among those it waits for."""
        return self.route in (ANY_ROUTE, route_key)


@dataclass(frozen=True, slots=True)
class Struck:
    """What one request meets: at most one fault that answers it, and one of each kind that changes its answer."""

    answers: tuple[Fault, ...]
    changes: tuple[Fault, ...]


class Faults:
    """The faults that wait, in the order in which they were asked for."""

    def __init__(self, my_id: str) -> None:
        """Start with none; the bot's id tells whose messages keep their content."""
        self._my_id = my_id
        self._waiting: list[Fault] = []

    def add(self, route: str, kind: str, options: Options, *, times: Times = "usual", skip: int = 0) -> None:
        """Let a fault wait; raises ValueError with a readable reason for one that cannot be."""
        key = PLACEHOLDER.sub("{}", route)
        _check(key, kind, options)
        _check_numbers(times, skip)
        if times == "usual":
            times = None if KINDS[kind].lasts else 1
        usual = {name: option.usual for name, option in KINDS[kind].options.items()}
        self._waiting.append(Fault(key, kind, times, skip, {**usual, **options, "my_id": self._my_id}))

    def clear(self) -> None:
        """Let every request be answered rightly again."""
        self._waiting.clear()

    def strike(self, route_key: str | None) -> Struck:
        """What the next request on this route meets: of the faults that wait for it, the first of their kinds."""
        due = self._due(route_key)
        answers = [each for each in due if each.kind in ANSWERS][:1]
        firsts = (next((each for each in due if each.kind == kind), None) for kind in CHANGES)
        changes = [each for each in firsts if each is not None]
        for fault in (*answers, *changes):
            self._use(fault)
        return Struck(tuple(answers), tuple(changes))

    def _due(self, route_key: str | None) -> list[Fault]:
        """The faults that wait for a request on this route, without those that let it pass."""
        fitting = [each for each in self._waiting if each.fits(route_key)]
        due = [each for each in fitting if each.skip == 0]
        for each in fitting:
            each.skip = max(each.skip - 1, 0)
        return due

    def _use(self, fault: Fault) -> None:
        if fault.times is None:
            return
        fault.times -= 1
        if fault.times == 0:
            self._waiting = [each for each in self._waiting if each is not fault]


def layered(faults: Iterable[Fault], following: Following) -> Following:
    """What follows with the faults around it, the outermost first."""
    for fault in reversed(tuple(faults)):
        following = partial(_struck_by, fault, following)
    return following


async def _struck_by(fault: Fault, following: Following, request: Request) -> Answer:
    return await KINDS[fault.kind].strike(fault.options, request, following)


def _check(route: str, kind: str, options: Options) -> None:
    if kind not in KINDS:
        raise ValueError(f"unknown kind {kind!r}; known kinds: {', '.join(KINDS)}")
    if route != ANY_ROUTE and route not in ROUTE_KEYS:
        raise ValueError(f"unknown route {route!r}; give '*' or a route such as 'POST /channels/{{}}/messages'")
    known = KINDS[kind].options
    for name, value in options.items():
        if name not in known:
            raise ValueError(f"unknown option {name!r} of kind {kind!r}; known options: {', '.join(known) or 'none'}")
        if not known[name].fits(value):
            raise ValueError(f"option {name!r} of kind {kind!r} must be {known[name].wanted}")


def _check_numbers(times: Times, skip: int) -> None:
    if times not in ("usual", None) and not (_is_whole(times) and times >= 1):
        raise ValueError("times must be a whole number from 1, or null for a fault that lasts until it is cleared")
    if not (_is_whole(skip) and skip >= 0):
        raise ValueError("skip must be a whole number from 0: how many requests on the route pass before it")


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
