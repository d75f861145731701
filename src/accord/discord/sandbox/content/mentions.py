"""Decides whom a message really mentions: what its text names, its sender allowed and its permissions cover."""

# The rules: https://discord.com/developers/docs/resources/message#allowed-mentions-object

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from accord.discord.sandbox.forms import Check, Complaints, form, listed, one_of, snowflake, truth

if TYPE_CHECKING:
    from accord.discord.sandbox.world import Guild, World

USER = re.compile(r"<@!?([0-9]{17,20})>")
ROLE = re.compile(r"<@&([0-9]{17,20})>")
EVERYONE = re.compile(r"@(everyone|here)\b")
KINDS = ("users", "roles", "everyone")
MOST_IDS = 100

_FIELDS = form(
    {
        "parse": listed(one_of(*KINDS), most=len(KINDS)),
        "users": listed(snowflake, most=MOST_IDS),
        "roles": listed(snowflake, most=MOST_IDS),
        "replied_user": truth,
    }
)


def _check(value: Any, complaints: Complaints) -> Any:
    checked = _FIELDS(value, complaints)
    for kind in ("users", "roles"):
        if kind in (checked.get("parse") or ()) and checked.get(kind):
            complaints.at("parse").say(
                "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
                f'parse:["{kind}"] and {kind}: [ids...] are mutually exclusive.',
            )
    return checked


ALLOWED_MENTIONS: Check = _check


@dataclass(frozen=True, slots=True)
class Mentions:
    """Whom a message mentions, in the order in which its text does."""

    users: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    everyone: bool = False


def mentions_in(
    text: str,
    allowed: dict[str, Any] | None,
    *,
    world: World,
    guild: Guild | None,
    may_mention_all: bool,
    replied_user_id: str | None,
) -> Mentions:
    """Who is mentioned; without allowed mentions everything in the text counts, and so does the author replied to."""
    opened: dict[str, Any] = {"parse": list(KINDS), "replied_user": True} if allowed is None else allowed
    users = [each for each in USER.findall(text) if each in world.users and _is_allowed(each, "users", opened)]
    if replied_user_id and opened.get("replied_user"):
        users.append(replied_user_id)
    roles = [
        each
        for each in ROLE.findall(text)
        if guild and each in guild.roles and (guild.roles[each].mentionable or may_mention_all)
        if _is_allowed(each, "roles", opened)
    ]
    everyone = bool(EVERYONE.search(text)) and may_mention_all and "everyone" in (opened.get("parse") or ())
    return Mentions(tuple(dict.fromkeys(users)), tuple(dict.fromkeys(roles)), everyone)


def _is_allowed(mentioned_id: str, kind: str, opened: dict[str, Any]) -> bool:
    return kind in (opened.get("parse") or ()) or mentioned_id in (opened.get(kind) or ())
