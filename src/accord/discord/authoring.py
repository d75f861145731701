"""`define_tool` of the contract: a tool from named parts, for those who build on discord-mcp."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypedDict, cast

from accord.discord.gates import PRECONDITIONS
from accord.engine import CONFIRM, NAME, Call, Context, Effect, Reply, Say, Shape, Slot, Tool, fenced, replied, slots_of

__all__ = ["ToolAnnotations", "ToolMetadata", "define_tool", "metadata_of"]

Json: TypeAlias = Any
Fields: TypeAlias = "type[Any] | Mapping[str, Any]"
"""A TypedDict, or names with their types."""
Handler: TypeAlias = Callable[[dict[str, Json], Context], Awaitable[Any]]

FENCE = "untrusted_discord"
"""The tag that the server's instructions name."""


class ToolAnnotations(TypedDict, total=False):
    """MCP's hints under the contract's names; what is left out is False, but `openWorld` is True."""

    readOnly: bool
    destructive: bool
    idempotent: bool
    openWorld: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolMetadata:
    """What can be read of a tool without running anything."""

    name: str
    description: str
    category: str
    preconditions: tuple[str, ...]
    scopes: tuple[str, ...]
    input_schema: Mapping[str, Json]
    output_schema: Mapping[str, Json] | None
    annotations: Mapping[str, bool]
    idempotent: bool


def define_tool(
    *,
    name: str,
    description: str,
    input_schema: Fields,
    handler: Handler,
    category: str = "misc",
    preconditions: Sequence[str] = (),
    scopes: Sequence[str] = (),
    output_schema: Fields | None = None,
    annotations: ToolAnnotations | None = None,
    idempotent: bool = False,
    access: Mapping[str, Any] | None = None,
) -> Tool:
    """Define a tool for `build_server(..., toolsets=[[tool, ...]])`.

    Args:
        name: snake_case, at most 64 characters.
        description: What a model reads: what it does, then when not to use it.
        input_schema: A TypedDict, or a mapping of argument names to types (`Annotated` with `Field` for limits). A name
            that ends in `?` is optional.
        handler: Gets the checked arguments and the call's context (cancellation, invoke, sampling). It returns the
            structured result; without an `output_schema` text or nothing will do, and the text is fenced. A `Reply` of
            its own is passed on as it is.
        category: What MCP_CATEGORIES may enable.
        preconditions: What a call needs: `confirm_required`, `explicit_guild_required`, `category_enabled`.
        scopes: What a caller needs; for information.
        output_schema: The structured result's fields; without it none is promised.
        annotations: The hints that clients see. A destructive tool always needs a confirmation.
        idempotent: Whether it is safe to repeat.
        access: What it needs of Discord, as `needs("KICK_MEMBERS")` says it. MCP_ACCESS_MODE=enforce refuses a tool
            that does not say it, unless `openWorld` is false.

    Raises:
        ValueError: The name is none, a precondition is not known, or the tool both only reads and destroys.
    """
    if not NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name for a tool: use lower-case letters, digits and _, at most 64")
    if unknown := [one for one in preconditions if one not in PRECONDITIONS]:
        raise ValueError(f"{name}: unknown precondition {unknown[0]!r}; known are {', '.join(PRECONDITIONS)}")
    hints = annotations or {}
    if hints.get("readOnly") and hints.get("destructive"):
        raise ValueError(f"{name}: a tool that destroys does not only read")
    effect = _effect(hints, idempotent=idempotent)
    confirms = effect.destroys or "confirm_required" in preconditions
    shape = Shape(lambda: _slots(input_schema), lambda: _record(output_schema), reserved=CONFIRM if confirms else {})
    say = Say(None, shape, FENCE)

    async def run(call: Call) -> Reply:
        return _reply(await handler(call.arguments, Context(call)), call, shape, say)

    return Tool(
        name=name,
        description=inspect.cleandoc(description),
        category=category,
        effect=effect,
        idempotent=idempotent or hints.get("idempotent", False),
        open_world=hints.get("openWorld", True),
        shape=shape,
        run=run,
        scopes=tuple(scopes),
        confirms=confirms,
        facts={"preconditions": tuple(preconditions), **(access or {})},
    )


def metadata_of(tool: Tool) -> ToolMetadata:
    """Return what can be read of a tool without running anything."""
    return ToolMetadata(
        name=tool.name,
        description=tool.description,
        category=tool.category,
        preconditions=tool.facts.get("preconditions", ()),
        scopes=tool.scopes,
        input_schema=tool.shape.published,
        output_schema=tool.shape.output,
        annotations=tool.hints,
        idempotent=tool.idempotent,
    )


def _effect(hints: ToolAnnotations, *, idempotent: bool) -> Effect:
    if hints.get("destructive"):
        return Effect.DELETE
    if hints.get("readOnly"):
        return Effect.READ
    return Effect.UPDATE if idempotent or hints.get("idempotent") else Effect.CREATE


def _slots(fields: Fields) -> Mapping[str, Slot]:
    if not isinstance(fields, Mapping):
        return slots_of(fields)
    return {name.removesuffix("?"): Slot(hint, required=not name.endswith("?")) for name, hint in fields.items()}


def _record(fields: Fields | None) -> Any:
    if fields is None or not isinstance(fields, Mapping):
        return fields
    return TypedDict("Result", cast("dict[str, Any]", dict(fields)), total=False)  # type: ignore[operator]


def _reply(result: Json, call: Call, shape: Shape, say: Say) -> Reply:
    if isinstance(result, Mapping | Reply):
        return replied(result, call, shape, say)
    if shape.result is not None or not isinstance(result, str | None):
        # Clients break off at a structured result that is no object, or that was promised and is missing.
        raise TypeError(f"{call.tool.name} returned {type(result).__name__}, not what a handler may")
    return Reply(structured=None, text="It returned nothing." if result is None else fenced(result, FENCE))
