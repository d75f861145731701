"""What a computation of permissions is given: a guild's roles, a member, a channel; and how it is read off the wire."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeAlias

__all__ = [
    "ChannelFacts",
    "GuildFacts",
    "MemberFacts",
    "OverwriteFacts",
    "RoleFacts",
    "channel_facts",
    "guild_facts",
    "member_facts",
]

Json: TypeAlias = Any

ANNOUNCEMENT_THREAD, PUBLIC_THREAD, PRIVATE_THREAD = 10, 11, 12
THREADS = frozenset({ANNOUNCEMENT_THREAD, PUBLIC_THREAD, PRIVATE_THREAD})
VOICE, STAGE = 2, 13
SPOKEN_IN = frozenset({VOICE, STAGE})
"""https://discord.com/developers/docs/resources/channel#channel-object-channel-types."""


@dataclass(frozen=True, slots=True)
class RoleFacts:
    """A role: what it grants, where it stands, and whether an integration owns it."""

    id: str
    permissions: int
    position: int = 0
    managed: bool = False


@dataclass(frozen=True, slots=True)
class GuildFacts:
    """A guild: whose it is, and its roles by id. The role with the guild's id is @everyone."""

    id: str
    owner_id: str
    roles: Mapping[str, RoleFacts]


@dataclass(frozen=True, slots=True)
class MemberFacts:
    """A member: the ids of the roles besides @everyone, and until when a time-out runs."""

    user_id: str
    roles: frozenset[str] = frozenset()
    timed_out_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class OverwriteFacts:
    """What a channel allows and denies one role or one member."""

    allow: int = 0
    deny: int = 0


@dataclass(frozen=True, slots=True)
class ChannelFacts:
    """A channel: its kind, and its overwrites by the id of a role or a member.

    A thread has those of its parent; `joined` says whether the member is in it, None where nobody knows.
    """

    id: str
    type: int
    overwrites: Mapping[str, OverwriteFacts] = field(default_factory=dict)
    joined: bool | None = None

    @property
    def is_thread(self) -> bool:
        """Whether it is a thread, of whichever kind."""
        return self.type in THREADS

    @property
    def is_private_thread(self) -> bool:
        """Whether only its members and moderators see it."""
        return self.type == PRIVATE_THREAD

    @property
    def is_spoken_in(self) -> bool:
        """Whether it is a voice or a stage channel."""
        return self.type in SPOKEN_IN


def guild_facts(guild: Mapping[str, Json], roles: list[Mapping[str, Json]]) -> GuildFacts:
    """Return the facts of a guild object and its role objects.

    Raises:
        KeyError: Discord left out what is always there.
        ValueError: A bit set is no number, or @everyone is missing.
    """
    facts = {one["id"]: _role(one) for one in roles}
    if guild["id"] not in facts:
        raise ValueError("the guild has no role @everyone")
    return GuildFacts(guild["id"], guild["owner_id"], facts)


def _role(role: Mapping[str, Json]) -> RoleFacts:
    return RoleFacts(role["id"], int(role["permissions"]), role["position"], role.get("managed", False))


def member_facts(member: Mapping[str, Json]) -> MemberFacts:
    """Return the facts of a guild member object."""
    until = member.get("communication_disabled_until")
    moment = datetime.fromisoformat(until).astimezone(UTC) if until else None
    return MemberFacts(member["user"]["id"], frozenset(member["roles"]), moment)


def channel_facts(channel: Mapping[str, Json], parent: Mapping[str, Json] | None = None) -> ChannelFacts:
    """Return the facts of a channel object; a thread needs its parent's object as well.

    Raises:
        KeyError: The overwrites were left out, so that nothing can be computed.
    """
    source = parent if channel["type"] in THREADS and parent is not None else channel
    overwrites = {
        one["id"]: OverwriteFacts(int(one["allow"]), int(one["deny"])) for one in source["permission_overwrites"]
    }
    return ChannelFacts(channel["id"], channel["type"], overwrites, channel.get("member") is not None or None)
