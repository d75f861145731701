"""Which calls need a confirmation by their arguments, though their tools destroy nothing by themselves.

A condition takes checked arguments and says in a few words why the call is asked about, or None where it is not. What
arguments cannot show to be harmless counts as harmful: the id of a role does not tell what the role may do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

from accord.discord.models.permissions import BITS, Permission
from accord.engine import Condition

__all__ = [
    "ELEVATED",
    "always",
    "as_long_as",
    "changes_the_application",
    "grants",
    "handles_a_member",
    "names_of",
    "opens_a_channel",
    "opens_overwrites",
    "puts_under_a_category",
    "reaches_newcomers",
    "replaces_overwrites",
    "takes_players_out",
    "weakens_a_guild",
]

Arguments: TypeAlias = Mapping[str, Any]

ELEVATED: Final[frozenset[Permission]] = frozenset(
    {
        # Those for which Discord asks moderators for a second factor:
        # https://discord.com/developers/docs/topics/permissions#permissions-bitwise-permission-flags
        "ADMINISTRATOR",
        "BAN_MEMBERS",
        "KICK_MEMBERS",
        "MANAGE_CHANNELS",
        "MANAGE_GUILD",
        "MANAGE_GUILD_EXPRESSIONS",
        "MANAGE_MESSAGES",
        "MANAGE_ROLES",
        "MANAGE_THREADS",
        "MANAGE_WEBHOOKS",
        "VIEW_CREATOR_MONETIZATION_ANALYTICS",
        # Further power over other members, their things, or everybody's attention
        "DEAFEN_MEMBERS",
        "MANAGE_EVENTS",
        "MANAGE_NICKNAMES",
        "MENTION_EVERYONE",
        "MODERATE_MEMBERS",
        "MOVE_MEMBERS",
        "MUTE_MEMBERS",
        "PRIORITY_SPEAKER",
        # What is not shown to every member
        "VIEW_AUDIT_LOG",
        "VIEW_GUILD_INSIGHTS",
    }
)
"""Permissions that make somebody more than a member: over others, over the guild, or over what is seen of it."""

_EVERYDAY_BITS: Final = sum(bit for name, bit in BITS.items() if name not in ELEVATED)
"""A bit without a name may be anything, so it is none of these."""

BYPASSES_VERIFICATION: Final = 1 << 2
"""https://discord.com/developers/docs/resources/guild#guild-member-object-guild-member-flags."""

MOST_NAMED: Final = 5


def always(why: str) -> Condition:
    """Return the condition that every call of a tool is asked about."""
    return lambda _: why


def as_long_as(name: str, why: str) -> Condition:
    """Return the condition that calls with this argument are asked about."""
    return lambda arguments: why if name in arguments else None


def names_of(bits: int) -> list[str]:
    """Return the permissions in a bit set by name; bits without a name as one number."""
    named = [name for name, bit in BITS.items() if bits & bit]
    rest = bits & ~sum(BITS.values())
    return [*named, *([f"bits {rest}"] if rest else [])]


# --- Roles and members ----------------------------------------------------------------------------------------------


def grants(arguments: Arguments) -> str | None:
    """Ask about a role with elevated permissions, and about any of the role that every member has."""
    given = int(arguments.get("permissions", 0))
    if elevated := given & ~_EVERYDAY_BITS:
        return f"it grants {_listed(names_of(elevated))}"
    is_everyones = arguments.get("role_id") == arguments["guild_id"]
    return "it changes what every member may do" if is_everyones and _touches("permissions", arguments) else None


def handles_a_member(arguments: Arguments) -> str | None:
    """Ask about a member's whole set of roles, time-outs, disconnecting, and letting past the verification."""
    done = {
        "it replaces all roles of a member": "roles" in arguments,
        "it times a member out": "communication_disabled_until" in arguments,
        "it disconnects a member": "channel_id" in arguments.get("clear", ()),
        "it lets a member past the verification": arguments.get("flags", 0) & BYPASSES_VERIFICATION,
    }
    return next((why for why, holds in done.items() if holds), None)


# --- Channels -------------------------------------------------------------------------------------------------------


def opens_a_channel(arguments: Arguments) -> str | None:
    """Ask about an overwrite, unless all it does is to allow nothing any more.

    What is denied replaces what was denied: a permission that is left out of it is open again.
    """
    lifts = int(arguments.get("allow", 0)) or "deny" in arguments
    return "it can open the channel to more people" if lifts else None


def opens_overwrites(arguments: Arguments) -> str | None:
    """Ask about a new channel that allows somebody something beyond the guild's rules."""
    allowed = any(int(one.get("allow", 0)) for one in arguments.get("permission_overwrites", ()))
    return "it allows more than the guild's roles do" if allowed else None


def replaces_overwrites(arguments: Arguments) -> str | None:
    """Ask about a channel's overwrites: those that are not named any more deny nothing any more."""
    return "it replaces who may see and use the channel" if _touches("permission_overwrites", arguments) else None


def puts_under_a_category(arguments: Arguments) -> str | None:
    """Ask about channels that take over the overwrites of a category."""
    locked = any(one.get("lock_permissions") for one in arguments["positions"])
    return "it replaces who may see and use channels by what their category says" if locked else None


# --- Guilds, applications, lobbies ----------------------------------------------------------------------------------

GUARDS: Final = ("verification_level", "explicit_content_filter", "features")
"""What keeps strangers and what they post away, and what a guild is to the public."""


def weakens_a_guild(arguments: Arguments) -> str | None:
    """Ask about settings that guard a guild: whether they get stronger or weaker, arguments do not tell."""
    touched = [name for name in GUARDS if _touches(name, arguments)]
    return f"it changes what guards the guild: {_listed(touched)}" if touched else None


def reaches_newcomers(arguments: Arguments) -> str | None:
    """Ask about onboarding that is replaced: its answers give roles, and what is not listed is removed."""
    replaced = [name for name in ("prompts", "default_channel_ids") if name in arguments]
    return f"it replaces the onboarding's {_listed(replaced)}" if replaced else None


LOOKS: Final = frozenset({"application_id", "description", "icon", "cover_image", "tags"})
"""What of an application is no more than what people see of it."""


def changes_the_application(arguments: Arguments) -> str | None:
    """Ask about what an application is allowed, where it is installed with what, and where it is sent things."""
    touched = {*arguments, *arguments.get("clear", ())} - LOOKS - {"clear"}
    return f"it changes how the application works: {_listed(sorted(touched))}" if touched else None


def takes_players_out(arguments: Arguments) -> str | None:
    """Ask about a list of players that takes some out of a lobby."""
    removed = any(one.get("remove_member") for one in arguments["members"])
    return "it takes players out of the lobby" if removed else None


def _touches(name: str, arguments: Arguments) -> bool:
    return name in arguments or name in arguments.get("clear", ())


def _listed(names: Iterable[str]) -> str:
    known = list(names)
    more = [f"{len(known) - MOST_NAMED} more"] if len(known) > MOST_NAMED else []
    return ", ".join([*known[:MOST_NAMED], *more])
