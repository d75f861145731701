"""Rank: whom and what a member may act on, by the position of its highest role.

https://discord.com/developers/docs/topics/permissions#permission-hierarchy
"""

from __future__ import annotations

from accord.discord.permissions.facts import GuildFacts, MemberFacts, RoleFacts

__all__ = ["highest", "may_act_on", "may_grant", "may_manage"]


def highest(guild: GuildFacts, member: MemberFacts) -> RoleFacts:
    """Return the member's highest role; of two at one position the older one stands higher."""
    held = [guild.roles[role_id] for role_id in member.roles & guild.roles.keys()]
    return max([guild.roles[guild.id], *held], key=_rank)


def may_act_on(guild: GuildFacts, member: MemberFacts, other: MemberFacts) -> bool:
    """Whether the member stands above the other one. Nobody acts on the owner; everybody may on oneself."""
    if member.user_id in {other.user_id, guild.owner_id}:
        return True
    if other.user_id == guild.owner_id:
        return False
    return _rank(highest(guild, member)) > _rank(highest(guild, other))


def may_manage(guild: GuildFacts, member: MemberFacts, role: RoleFacts) -> bool:
    """Whether the member may change, move or delete the role: it lies below its own highest one."""
    return member.user_id == guild.owner_id or _rank(highest(guild, member)) > _rank(role)


def may_grant(guild: GuildFacts, member: MemberFacts, role: RoleFacts) -> bool:
    """Whether the member may give the role to somebody or take it away; nobody may with a managed one or @everyone."""
    return not role.managed and role.id != guild.id and may_manage(guild, member, role)


def _rank(role: RoleFacts) -> tuple[int, int]:
    return role.position, -int(role.id)
