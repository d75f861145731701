"""What a tool needs of Discord before it can work: permissions, intents, rank, a token; said beside its declaration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias, get_args

from accord.discord.models.ids import ChannelId, EntityId, GuildId, InviteCode, OwnerId, UserId, WebhookId
from accord.discord.models.permissions import Permission
from accord.engine import Credential, Leaf, Tool, unwrapped

__all__ = [
    "CIRCUMSTANCES",
    "PLACES",
    "Access",
    "Auth",
    "Circumstance",
    "GuildSource",
    "Intent",
    "Reach",
    "access_of",
    "guild_source",
    "kind_at",
    "kind_of",
    "needs",
    "reach_of",
    "secrets_of",
]

Auth: TypeAlias = Literal["bot", "bearer", "opaque", "none"]
"""Whose right a call uses: the bot's token, a user's OAuth2 token, a token that the route itself holds, or nobody's."""

Intent: TypeAlias = Literal["GUILD_MEMBERS", "GUILD_PRESENCES", "MESSAGE_CONTENT"]
"""https://discord.com/developers/docs/events/gateway#privileged-intents: switched on in the developer portal."""

Rank: TypeAlias = Literal["member", "role"]
"""What the bot's highest role must stand above: the member's highest role, or the role."""

Handed: TypeAlias = Literal["permissions", "overwrites", "roles"]
"""What a call hands on of its own: permissions to a role, overwrites to a channel, roles to a member."""

Circumstance: TypeAlias = Literal[
    # Told by the arguments alone
    "an action of type 3, a time-out",
    "MANAGE_ROLES in permission_overwrites",
    "flags, without MANAGE_ROLES or all of MODERATE_, KICK_ and BAN_MEMBERS",
    "send_start_notification is true",
    "suppress is false",
    "to ask to speak",
    "to ping @everyone",
    "tts is true",
    "type 10 or 11",
    "type 12",
    # Told by the channel, or counting in another one
    "a moderated tag in applied_tags",
    "a thread that is not the bot's own private one",
    "a thread, beyond what its creator may change",
    "channel",
    "in a thread, in place of SEND_MESSAGES",
    "in a voice channel",
    "in the channel to move to",
    "thread",
    # Told by the message
    "another author's message",
    "first to use the emoji",
    # Told by the event; its permissions count in its channel
    "a stage event, in its channel",
    "a voice event, in its channel",
    "stage and voice events",
    # Told by the guild
    "features adds or removes COMMUNITY or DISCOVERABLE",
    "the welcome screen is off",
    # Told by where the bot is in voice
    "the bot is not in the channel",
    # Told by who made it
    "an invite of somebody else",
    "created by somebody else",
    "token left out, webhook not the bot's own",
    "webhook not the bot's own",
]
"""A circumstance that needs permissions, in the words of the manual. `gates/circumstances.py` tells when it is one."""

CIRCUMSTANCES: Final[frozenset[str]] = frozenset(get_args(Circumstance))

GuildSource: TypeAlias = Literal["argument", "channel", "webhook", "invite", "template", "sticker", "lobby", "none"]
"""What tells in which guild a call acts: an argument, or what stands behind one; none for what lies in no guild."""

Reach: TypeAlias = Literal["guild", "bot", "user", "none"]
"""What a tool touches: guilds, the bot and its application as a whole, a user alone, or nothing that has an owner.

A tool of the bot may touch guilds besides, if its arguments name some.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What Discord asks for, by its documentation.

    All of `permissions`, and one of `any_of` where there are some; `when` adds those that a circumstance needs, or an
    argument by its name, given or cleared. `above` counts for every call, or only with one of the arguments in
    `above_for`. Permissions count in the guild or channel that the call is about (see `guild_source`; `guild` is only
    said where the arguments do not tell), or in the channel of the argument `counts_in` where that is given. With the
    argument `direct_message` the call also writes to a user.
    """

    permissions: tuple[Permission, ...] = ()
    any_of: tuple[Permission, ...] = ()
    when: Mapping[str, tuple[Permission, ...]] = field(default_factory=dict)
    intents: tuple[Intent, ...] = ()
    above: Rank | None = None
    above_for: tuple[str, ...] = ()
    hands_on: Handed | None = None
    counts_in: str | None = None
    auth: Auth = "bot"
    guild: GuildSource | None = None
    reach: Reach | None = None
    direct_message: str | None = None


def needs(
    *permissions: Permission,
    any_of: tuple[Permission, ...] = (),
    when: Mapping[str, Permission | tuple[Permission, ...]] | None = None,
    intents: tuple[Intent, ...] = (),
    above: Rank | None = None,
    above_for: tuple[str, ...] = (),
    hands_on: Handed | None = None,
    counts_in: str | None = None,
    auth: Auth = "bot",
    guild: GuildSource | None = None,
    reach: Reach | None = None,
    direct_message: str | None = None,
) -> Mapping[str, Any]:
    """Return the facts of a tool that needs this; see `Access` for the words."""
    more = {case: (names,) if isinstance(names, str) else names for case, names in (when or {}).items()}
    said = Access(
        permissions=permissions,
        any_of=any_of,
        when=more,
        intents=intents,
        above=above,
        above_for=above_for,
        hands_on=hands_on,
        counts_in=counts_in,
        auth=auth,
        guild=guild,
        reach=reach,
        direct_message=direct_message,
    )
    return {"access": said}


def access_of(tool: Tool) -> Access:
    """Return what the tool says that it needs; nothing beyond the bot's token for one that says nothing."""
    said: Access = tool.facts.get("access", Access())
    return said


_SOURCES: Mapping[type, GuildSource] = {
    GuildId: "argument",
    ChannelId: "channel",
    WebhookId: "webhook",
    InviteCode: "invite",
}


PLACES: Final = frozenset(_SOURCES)
"""What a call can act in."""

_USUAL_NAMES: Mapping[str, type] = {
    "guild_id": GuildId,
    "channel_id": ChannelId,
    "thread_id": ChannelId,
    "webhook_channel_id": ChannelId,
    "parent_id": ChannelId,
    "webhook_id": WebhookId,
}
"""What plain text stands for in tools of others; our own say it by their types."""


def kind_of(name: str, bare: Any) -> Any:
    """Return of which kind an argument or a member is: its type, or for plain text what its name says."""
    return _USUAL_NAMES.get(name, bare) if bare is str else bare


def kind_at(at: Leaf) -> Any:
    """Return of which kind a value is that was given, where its type is one for several kinds too."""
    if at.kind is OwnerId:
        return GuildId if at.beside["owner_type"] == 1 else UserId
    if at.kind is EntityId:
        return ChannelId if at.beside["type"] in {3, "channel"} else EntityId
    return kind_of(at.name, at.kind)


def guild_source(tool: Tool) -> GuildSource:
    """Return what tells the guild of a call: what the tool says, else its first required argument that tells one."""
    if said := access_of(tool).guild:
        return said
    kinds = [kind_of(name, unwrapped(slot.hint)[0]) for name, slot in tool.shape.slots.items() if slot.required]
    return next((source for kind, source in _SOURCES.items() if kind in kinds), "none")


def reach_of(tool: Tool) -> Reach:
    """Return what the tool touches: what it says, else guilds, or nothing if it never leaves this machine."""
    leaves_by_itself = tool.open_world and tool.category != "meta"  # what that one calls comes here itself
    return access_of(tool).reach or ("guild" if leaves_by_itself else "none")


def secrets_of(tool: Tool) -> tuple[str, ...]:
    """Return the arguments that are credentials: they are never written anywhere."""
    kinds = {name: unwrapped(slot.hint) for name, slot in tool.shape.slots.items()}
    return tuple(
        name
        for name, (bare, mark) in kinds.items()
        if mark.secret or (isinstance(bare, type) and issubclass(bare, Credential))
    )
