"""Whom and what a member may act on: what stands below its own highest role."""

from __future__ import annotations

import pytest

from accord.discord.permissions.facts import GuildFacts, MemberFacts, RoleFacts
from accord.discord.permissions.hierarchy import highest, may_act_on, may_grant, may_manage

GUILD, OWNER = "100", "1"
LOW, MIDDLE, OLD, YOUNG, BOTS = "201", "202", "203", "204", "205"
ROLES = {
    GUILD: RoleFacts(GUILD, 0, 0),
    LOW: RoleFacts(LOW, 0, 1),
    MIDDLE: RoleFacts(MIDDLE, 0, 2),
    OLD: RoleFacts(OLD, 0, 3),
    YOUNG: RoleFacts(YOUNG, 0, 3),
    BOTS: RoleFacts(BOTS, 0, 1, managed=True),
}
GUILD_FACTS = GuildFacts(GUILD, OWNER, ROLES)


def member(user_id: str, *roles: str) -> MemberFacts:
    return MemberFacts(user_id, frozenset(roles))


@pytest.mark.parametrize(
    ("held", "top"), [((), GUILD), ((LOW, MIDDLE), MIDDLE), ((YOUNG, OLD), OLD), (("999",), GUILD)]
)
def test_the_highest_role_is_the_topmost_and_the_older_of_two(held: tuple[str, ...], top: str) -> None:
    assert highest(GUILD_FACTS, member("2", *held)).id == top


@pytest.mark.parametrize(
    ("me", "other", "may"),
    [
        (member("2", MIDDLE), member("3", LOW), True),
        (member("2", LOW), member("3", MIDDLE), False),
        (member("2", LOW), member("3", LOW), False),
        (member("2", OLD), member("3", YOUNG), True),
        (member("2", YOUNG), member("3", OLD), False),
        (member("2"), member("3"), False),
        (member("2", OLD), member(OWNER), False),
        (member(OWNER), member("3", OLD), True),
        (member("2"), member("2"), True),
    ],
)
def test_a_member_acts_on_those_below(me: MemberFacts, other: MemberFacts, may: bool) -> None:
    assert may_act_on(GUILD_FACTS, me, other) is may


@pytest.mark.parametrize(
    ("me", "role", "manage", "grant"),
    [
        (member("2", MIDDLE), LOW, True, True),
        (member("2", MIDDLE), MIDDLE, False, False),
        (member("2", MIDDLE), OLD, False, False),
        (member("2", MIDDLE), BOTS, True, False),
        (member("2", MIDDLE), GUILD, True, False),
        (member(OWNER), OLD, True, True),
        (member(OWNER), BOTS, True, False),
    ],
)
def test_a_role_below_is_managed_and_granted_unless_it_belongs_to_something(
    me: MemberFacts, role: str, manage: bool, grant: bool
) -> None:
    assert may_manage(GUILD_FACTS, me, ROLES[role]) is manage
    assert may_grant(GUILD_FACTS, me, ROLES[role]) is grant
