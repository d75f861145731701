"""What a tool needs of Discord before it can work: permissions, intents, rank, a token; said beside its declaration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from accord.discord.models.ids import ChannelId, GuildId, InviteCode, WebhookId
from accord.discord.models.permissions import Permission
from accord.engine import Credential, Tool, unwrapped

__all__ = ["Access", "Auth", "GuildSource", "access_of", "guild_source", "needs", "secrets_of"]

Auth: TypeAlias = Literal["bot", "bearer", "opaque", "none"]
"""Whose right a call uses: the bot's token, a user's OAuth2 token, a token that the route itself holds, or nobody's."""

Intent: TypeAlias = Literal["GUILD_MEMBERS", "GUILD_PRESENCES", "MESSAGE_CONTENT"]
"""https://discord.com/developers/docs/events/gateway#privileged-intents: switched on in the developer portal."""

Rank: TypeAlias = Literal["member", "role"]
"""What the bot's highest role must stand above: the member's highest role, or the role."""

GuildSource: TypeAlias = Literal["argument", "channel", "webhook", "invite", "template", "sticker", "lobby", "none"]
"""What tells in which guild a call acts: an argument, or what stands behind one; none for what lies in no guild."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What Discord asks for, by its documentation.

    All of `permissions`, and one of `any_of` where there are some; `when` adds those that a circumstance needs, in
    words or by an argument's name. `guild` is only said where the arguments do not tell (see `guild_source`).
    """

    permissions: tuple[Permission, ...] = ()
    any_of: tuple[Permission, ...] = ()
    when: Mapping[str, tuple[Permission, ...]] = field(default_factory=dict)
    intents: tuple[Intent, ...] = ()
    above: Rank | None = None
    auth: Auth = "bot"
    guild: GuildSource | None = None


def needs(
    *permissions: Permission,
    any_of: tuple[Permission, ...] = (),
    when: Mapping[str, Permission | tuple[Permission, ...]] | None = None,
    intents: tuple[Intent, ...] = (),
    above: Rank | None = None,
    auth: Auth = "bot",
    guild: GuildSource | None = None,
) -> Mapping[str, Any]:
    """Return the facts of a tool that needs this; see `Access` for the words."""
    more = {case: (names,) if isinstance(names, str) else names for case, names in (when or {}).items()}
    said = Access(
        permissions=permissions, any_of=any_of, when=more, intents=intents, above=above, auth=auth, guild=guild
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


def guild_source(tool: Tool) -> GuildSource:
    """Return what tells the guild of a call: what the tool says, else its first required argument that tells one."""
    if said := access_of(tool).guild:
        return said
    kinds = [unwrapped(slot.hint)[0] for slot in tool.shape.slots.values() if slot.required]
    return next((source for kind, source in _SOURCES.items() if kind in kinds), "none")


def secrets_of(tool: Tool) -> tuple[str, ...]:
    """Return the arguments that are credentials: they are never written anywhere."""
    kinds = {name: unwrapped(slot.hint) for name, slot in tool.shape.slots.items()}
    return tuple(
        name
        for name, (bare, mark) in kinds.items()
        if mark.secret or (isinstance(bare, type) and issubclass(bare, Credential))
    )
