"""One tool's manual: all that there is to say of it, derived from its declaration and from one real call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple, TypeAlias

import orjson

from accord.discord.access import access_of, guild_source, secrets_of
from accord.engine import Effect, Tool

__all__ = ["Argument", "Examples", "Given", "Manual", "examples_of", "manual_of", "shipped_examples"]

Json: TypeAlias = Any

EFFECTS: Mapping[Effect, str] = {
    Effect.READ: "reads",
    Effect.CREATE: "makes something",
    Effect.UPDATE: "changes something",
    Effect.DELETE: "destroys something",
}

FORMS = {"^[0-9]{17,20}$": "an id of 17 to 20 digits"}
"""Patterns in words; others are shown as they are."""

RANGES = (
    ("minimum", "maximum", ""),
    ("minLength", "maxLength", " characters"),
    ("minItems", "maxItems", " items"),
)

AUTH = {
    "bot": "the bot's token",
    "bearer": "a user's OAuth2 token",
    "opaque": "the token in its own route",
    "none": "no token",
}

HANDED = {
    "permissions": "only permissions that the bot has itself",
    "overwrites": "only permissions that the bot has in the guild or the parent, or MANAGE_ROLES in the channel itself",
    "roles": "only roles below the bot's highest one, and none that an integration manages",
}

GUILDS = {
    "argument": "the argument `guild_id`",
    "channel": "the guild of its channel",
    "webhook": "the guild of its webhook",
    "invite": "the guild that the invite leads to",
    "template": "the guild that the template was made of",
    "sticker": "the guild that the sticker belongs to",
    "lobby": "the guild that the lobby is linked to",
    "none": "none",
}


class Argument(NamedTuple):
    """One row: a name, whether it has to be given, its type, and its limits in words."""

    name: str
    required: bool
    type: str
    limits: str


class Given(NamedTuple):
    """One row of a result: a name and its type."""

    name: str
    type: str


class Examples(NamedTuple):
    """A call that succeeded on the sandbox with what it answered, and one that failed with its code."""

    arguments: Mapping[str, Json]
    answer: Mapping[str, Json]
    failing: Mapping[str, Json]
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manual:
    """Everything that is said of a tool. `needs` and `errors` are rows of (what, why)."""

    name: str
    category: str
    purpose: str
    effect: str
    arguments: tuple[Argument, ...]
    result: tuple[Given, ...]
    needs: tuple[tuple[str, str], ...]
    errors: tuple[tuple[str, str], ...]
    examples: Examples | None


def manual_of(tool: Tool) -> Manual:
    """Return the manual of one tool of ours."""
    published = tool.shape.published
    required = published.get("required", ())
    output = tool.shape.output or {"properties": {}}
    return Manual(
        name=tool.name,
        category=tool.category,
        purpose=" ".join(tool.description.split()),
        effect=_effect(tool),
        arguments=tuple(
            Argument(name, name in required, type_of(member), "; ".join(_limits(member)))
            for name, member in published["properties"].items()
        ),
        result=tuple(Given(name, type_of(member)) for name, member in output["properties"].items()),
        needs=tuple(_needs(tool)),
        errors=tuple(_errors(tool)),
        examples=examples_of(tool.name),
    )


def examples_of(name: str) -> Examples | None:
    """Return the example calls that ship with a tool; None for a tool of others."""
    return shipped_examples().get(name)


@cache
def shipped_examples() -> Mapping[str, Examples]:
    """Return the example calls of all tools, by name."""
    lines = files("accord.discord.tools").joinpath("examples.jsonl").read_bytes().splitlines()
    return {row.pop("tool"): Examples(**row) for row in map(orjson.loads, lines)}


def _effect(tool: Tool) -> str:
    parts = [EFFECTS[tool.effect]]
    if tool.effect.writes:
        parts.append("a repeat is harmless" if tool.idempotent else "a repeat does it again")
    if tool.confirms:
        parts.append("only with `__confirm: true`")
    elif tool.condition:
        parts.append("with `__confirm: true` where it does more than usual")
    return "; ".join(parts)


# --- Arguments and results --------------------------------------------------------------------------------------------


def type_of(member: Mapping[str, Json]) -> str:
    """Return a schema's type in words."""
    kind = member.get("type", "any")
    words = " or ".join(kind) if isinstance(kind, list) else str(kind)
    return f"{words} of {type_of(member['items'])}" if member.get("items") else words


def _limits(member: Mapping[str, Json]) -> Iterator[str]:
    """Say everything that a schema says of one argument."""
    if "description" in member:
        yield member["description"]
    for low, high, unit in RANGES:
        if low in member or high in member:
            yield _range(member.get(low), member.get(high)) + unit
    if "pattern" in member:
        yield FORMS.get(member["pattern"], f"of the form {member['pattern']}")
    choices = member.get("enum") or member.get("items", {}).get("enum")
    if choices:
        yield "one of " + ", ".join(map(str, choices))
    if "default" in member:
        yield f"{orjson.dumps(member['default']).decode()} unless given"


def _range(least: float | None, most: float | None) -> str:
    if least is None:
        return f"at most {most}"
    return f"at least {least}" if most is None else f"{least} to {most}"


# --- What it needs ----------------------------------------------------------------------------------------------------


def _needs(tool: Tool) -> Iterator[tuple[str, str]]:
    access = access_of(tool)
    if access.permissions:
        yield "permissions", ", ".join(access.permissions)
    if access.any_of:
        yield "one of", ", ".join(access.any_of)
    for case, more in access.when.items():
        words = f"with `{case}`" if case in tool.shape.slots else case
        yield words, ", ".join(more)
    if access.above:
        cases = f", with {' or '.join(f'`{name}`' for name in access.above_for)}" if access.above_for else ""
        yield "hierarchy", f"the bot's highest role stands above the {access.above}'s{cases}"
    if access.counts_in:
        yield "they count in", f"the channel `{access.counts_in}`, where it is given"
    if access.hands_on:
        yield "hands on", HANDED[access.hands_on]
    if access.intents:
        yield "privileged intents", ", ".join(access.intents)
    if access.auth != "bot":
        yield "authorization", AUTH[access.auth]
    yield "guild", GUILDS[guild_source(tool)]
    if secrets := secrets_of(tool):
        yield "secret arguments", ", ".join(f"`{name}`" for name in secrets)


# --- How it fails -----------------------------------------------------------------------------------------------------


def _errors(tool: Tool) -> Iterator[tuple[str, str]]:
    access = access_of(tool)
    wrong = "an argument is wrong" if tool.shape.slots else "an argument is given, and it takes none"
    yield "VALIDATION_FAILED", f"{wrong}; nothing was sent"
    if tool.confirms or tool.condition:
        yield "DRY_RUN_PREVIEW", "it was not confirmed, or MCP_DRY_RUN is on; nothing was sent"
    if "__confirm_hash" in tool.shape.published["properties"]:
        yield "PAYLOAD_CONFIRMATION_REQUIRED", "what would be sent is shown first, and approved; nothing was sent"
    if "__consent_hash" in tool.shape.published["properties"]:
        yield "DM_CONSENT_REQUIRED", "MCP_DM_CONSENT_MODE is `require`, and its recipient is not approved"
    if tool.effect.writes:
        yield "WRITE_PREVIEW", "MCP_WRITE_MODE is `preview`; nothing was sent"
    if access.permissions or access.any_of or access.when or access.above:
        yield "DISCORD_PERMISSION_DENIED", "the bot may not do it, by its permissions or its highest role"
    if any(name.endswith(("_id", "code")) for name in tool.shape.slots):
        yield "DISCORD_NOT_FOUND", "what an id names is not there, or not for the bot"
    if tool.effect.writes and not tool.idempotent:
        yield "any code with `outcome: unknown`", "the answer was lost: read before you write again"
