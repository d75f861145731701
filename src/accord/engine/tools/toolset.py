"""How a typed function becomes a tool: a toolset collects the functions of one category."""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from typing import Any, TypeAlias, TypeVar, Unpack, get_args, get_origin, get_type_hints

from accord.engine.nouns import Call, Condition, Effect, Gate, Reply, Tool, WithBlocks
from accord.engine.tools.context import Context
from accord.engine.tools.schema import Slot, is_record, slots_of
from accord.engine.tools.shape import CONFIRM, Check, Shape
from accord.engine.tools.speak import Say, replied

__all__ = ["NAME", "Toolset", "catalogue"]

Function: TypeAlias = Callable[..., Awaitable[Any]]
F = TypeVar("F", bound=Function)

NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
"""What every host takes as a tool's name; longer ones are cut or refused by some."""


class Toolset:
    """The tools of one category, in the order in which they were written.

    A tool is an async function. Its first parameter is the client that the server hands to tools, a parameter
    annotated `Context` gets the call's context, all others are arguments: their types are the schema. The docstring
    is what a model reads.
    """

    def __init__(self, category: str, *, fence: str = "untrusted") -> None:
        self.category = category
        self.fence = fence
        self.tools: list[Tool] = []

    def __iter__(self) -> Iterator[Tool]:
        return iter(self.tools)

    def tool(
        self,
        effect: Effect,
        *,
        scope: str | None = None,
        say: str | None = None,
        gates: tuple[Gate, ...] = (),
        checks: tuple[Check, ...] = (),
        idempotent: bool | None = None,
        open_world: bool = True,
        confirm_when: Condition | None = None,
        reserved: Mapping[str, Any] | None = None,
        facts: Mapping[str, Any] | None = None,
    ) -> Callable[[F], F]:
        """Make a tool of the decorated function.

        Args:
            effect: What a call does to the world.
            scope: What a caller needs, for a gate that asks for it; no gate of the engine does.
            say: One sentence for the text; `{name}` is filled from the result, else from the arguments, trusted
            values only.
            gates: Gates of this tool alone, run last.
            checks: Rules between arguments, run with the validation.
            idempotent: Whether a repeat is harmless, where the effect does not tell.
            open_world: Whether the tool reaches beyond this server.
            confirm_when: Says which calls are gated by a confirmation, where not all are; what destroys always is.
            reserved: Schemas of further `__` keys, which the tool's gates read.
            facts: The product's own facts about the tool.
        """
        confirming = CONFIRM if effect.destroys or confirm_when else {}

        def declare(function: F) -> F:
            self.tools.append(
                Tool(
                    name=_named(function.__name__),
                    description=inspect.cleandoc(function.__doc__ or ""),
                    category=self.category,
                    effect=effect,
                    idempotent=effect.repeatable if idempotent is None else idempotent,
                    open_world=open_world,
                    shape=(shape := _shape(function, checks, {**confirming, **(reserved or {})})),
                    run=partial(_run, function, shape, Say(say, shape, self.fence)),
                    gates=gates,
                    scopes=(scope,) if scope else (),
                    confirms=effect.destroys,
                    condition=confirm_when,
                    facts=facts or {},
                )
            )
            return function

        return declare


def _named(name: str) -> str:
    if not NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name for a tool: use lower-case letters, digits and _, at most 64")
    return name


def _shape(function: Function, checks: tuple[Check, ...], reserved: Mapping[str, Any]) -> Shape:
    return Shape(
        partial(_arguments_of, function),
        partial(_promised, function),
        checks=checks,
        reserved=reserved,
    )


def _promised(function: Function) -> Any:
    """Return the record that the function returns, by itself or with blocks; None for a whole Reply, or nothing."""
    hint = get_type_hints(function, include_extras=True).get("return")
    if get_origin(hint) is WithBlocks:
        (hint,) = get_args(hint)
    return hint if is_record(hint) else None


def _arguments_of(function: Function) -> dict[str, Slot]:
    """Derive the arguments: every parameter after the client that is not the context."""
    hints = get_type_hints(function, include_extras=True)
    slots: dict[str, Slot] = {}
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        hint = hints[parameter.name]
        if parameter.kind is parameter.VAR_KEYWORD:
            slots |= slots_of(get_args(hint)[0] if get_origin(hint) is Unpack else hint)
        elif hint is not Context:
            slots[parameter.name] = _slot(hint, parameter)
    return slots


def _slot(hint: Any, parameter: inspect.Parameter) -> Slot:
    if parameter.default is parameter.empty:
        return Slot(hint, required=True)
    return Slot(hint, required=False, default=parameter.default)


@cache
def _context_name(function: Function) -> str | None:
    return next((name for name, hint in get_type_hints(function).items() if hint is Context), None)


async def _run(function: Function, shape: Shape, say: Say, call: Call) -> Reply:
    context = _context_name(function)
    extra = {context: Context(call)} if context else {}
    result = await function(call.client, **call.arguments, **extra)
    return replied(result, call, shape, say)


def catalogue(toolsets: Iterable[Iterable[Tool]]) -> dict[str, Tool]:
    """Return all tools by name.

    Raises:
        ValueError: Two tools have one name.
    """
    tools: dict[str, Tool] = {}
    for tool in (tool for toolset in toolsets for tool in toolset):
        if tool.name in tools:
            raise ValueError(f"two tools are named {tool.name!r}")
        tools[tool.name] = tool
    return tools
