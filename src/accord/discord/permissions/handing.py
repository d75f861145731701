"""What a member may hand on: nobody gives what they have not themselves.

https://discord.com/developers/docs/topics/permissions#permission-hierarchy and, for overwrites,
https://discord.com/developers/docs/resources/channel#edit-channel-permissions
"""

from __future__ import annotations

from collections.abc import Mapping

from accord.discord.models.permissions import BITS
from accord.discord.permissions.effective import EVERYTHING, is_above_rules, names_of, overwritten
from accord.discord.permissions.facts import ChannelFacts, GuildFacts, MemberFacts, OverwriteFacts

__all__ = ["beyond_own", "manages_overwrites", "newly_set"]


def beyond_own(guild: GuildFacts, member: MemberFacts, own: int, asked: int) -> list[str]:
    """Return what of the permissions asked for the member, who has those of `own`, cannot hand on.

    A bit that has no name here is given by its number, such as `1<<60`; only who is above all rules hands it on.
    """
    if is_above_rules(guild, member):
        return []
    return _named(asked & ~own)


def _named(bits: int) -> list[str]:
    rest = bits & ~EVERYTHING
    return names_of(bits) + [f"1<<{number}" for number in range(rest.bit_length()) if rest >> number & 1]


def newly_set(before: Mapping[str, OverwriteFacts], after: Mapping[str, OverwriteFacts]) -> int:
    """Return every permission that one of the later overwrites allows or denies and did not before."""
    bits = 0
    for target, new in after.items():
        old = before.get(target, OverwriteFacts())
        bits |= (new.allow & ~old.allow) | (new.deny & ~old.deny)
    return bits


def manages_overwrites(channel: ChannelFacts, guild: GuildFacts, member: MemberFacts) -> bool:
    """Whether the channel's own overwrites leave the member MANAGE_ROLES: then every overwrite is free."""
    return bool(overwritten(guild, member, channel, 0) & BITS["MANAGE_ROLES"])
