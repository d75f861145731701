"""Who a message may ping: nobody, unless the caller says so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, TypedDict

from accord.discord.models.ids import RoleId, UserId
from accord.engine import Field, Issue

__all__ = ["NOBODY", "AllowedMentions", "ShortMentions", "mentions_are_one", "mentions_of"]


class Mentions(TypedDict, total=False):
    """Whole kinds of mentions in `parse`, or single ids; `replied_user` pings the author of the message replied to."""

    parse: Annotated[list[Literal["users", "roles", "everyone"]], Field(max_items=3)]
    users: Annotated[list[UserId], Field(max_items=100)]
    roles: Annotated[list[RoleId], Field(max_items=100)]
    replied_user: bool


AllowedMentions = Annotated[Mentions, Field(description="who may be pinged; nobody by default")]
ShortMentions = Annotated[
    AllowedMentions, Field(opaque=True, description="{parse, users, roles, replied_user}; by default nobody is pinged")
]

NOBODY: dict[str, Any] = {"parse": [], "replied_user": False}
"""Discord pings everybody that a text names where this is left out."""


def mentions_of(opened: Mentions | None) -> dict[str, Any]:
    """Return the explicit form that every send and edit carries. Discord takes nobody twice."""
    once = {name: list(dict.fromkeys(who)) if isinstance(who, list) else who for name, who in (opened or {}).items()}
    return {**NOBODY, **once}


def mentions_are_one(arguments: Mapping[str, Any]) -> Iterator[Issue]:
    """Refuse a kind that is opened as a whole and by single ids: Discord takes one of the two."""
    opened = arguments.get("allowed_mentions", {})
    for kind in {"users", "roles"} & set(opened.get("parse", ())):
        if opened.get(kind):
            message = f"conflicts with `{kind}` in parse; give one"
            yield Issue(path=f"allowed_mentions.{kind}", message=message, code="conflict")
