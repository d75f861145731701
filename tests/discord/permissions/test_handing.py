"""Nobody hands on what they have not themselves."""

from __future__ import annotations

import pytest

from accord.discord.models.permissions import bits_of
from accord.discord.permissions.facts import ChannelFacts, GuildFacts, MemberFacts, OverwriteFacts, RoleFacts
from accord.discord.permissions.handing import beyond_own, manages_overwrites, newly_set

GUILD, OWNER, ME, ROLE = "100", "1", "2", "201"
KICK, BAN, BOTH = bits_of(["KICK_MEMBERS"]), bits_of(["BAN_MEMBERS"]), bits_of(["KICK_MEMBERS", "BAN_MEMBERS"])
MANAGE = bits_of(["MANAGE_ROLES"])
ME_WITH_ROLE = MemberFacts(ME, frozenset({ROLE}))


def guild(granted: int = 0) -> GuildFacts:
    return GuildFacts(GUILD, OWNER, {GUILD: RoleFacts(GUILD, 0), ROLE: RoleFacts(ROLE, granted, 1)})


@pytest.mark.parametrize(
    ("own", "asked", "beyond"),
    [
        (KICK, KICK, []),
        (KICK, 0, []),
        (KICK, BOTH, ["BAN_MEMBERS"]),
        (0, BOTH, ["KICK_MEMBERS", "BAN_MEMBERS"]),
        (BOTH, BOTH | 1 << 47 | 1 << 63, ["1<<47", "1<<63"]),
    ],
)
def test_what_is_asked_for_beyond_ones_own_is_named(own: int, asked: int, beyond: list[str]) -> None:
    assert beyond_own(guild(), ME_WITH_ROLE, own, asked) == beyond


@pytest.mark.parametrize(
    ("granted", "member"),
    [(bits_of(["ADMINISTRATOR"]), ME_WITH_ROLE), (0, MemberFacts(OWNER))],
    ids=["an administrator", "the owner"],
)
def test_who_is_above_all_rules_hands_on_everything(granted: int, member: MemberFacts) -> None:
    assert beyond_own(guild(granted), member, 0, BOTH | 1 << 60) == []


@pytest.mark.parametrize(
    ("before", "after", "asked"),
    [
        ({}, {"7": OverwriteFacts(allow=KICK, deny=BAN)}, BOTH),
        ({"7": OverwriteFacts(allow=KICK)}, {"7": OverwriteFacts(allow=BOTH)}, BAN),
        ({"7": OverwriteFacts(deny=KICK)}, {"7": OverwriteFacts(deny=KICK)}, 0),
        ({"7": OverwriteFacts(deny=KICK)}, {"7": OverwriteFacts(allow=KICK)}, KICK),
        ({"7": OverwriteFacts(allow=KICK)}, {"7": OverwriteFacts()}, 0),
        ({"7": OverwriteFacts(allow=KICK)}, {"8": OverwriteFacts(allow=KICK)}, KICK),
        ({"7": OverwriteFacts(allow=KICK)}, {}, 0),
    ],
)
def test_only_what_an_overwrite_comes_to_say_is_handed_on(
    before: dict[str, OverwriteFacts], after: dict[str, OverwriteFacts], asked: int
) -> None:
    assert newly_set(before, after) == asked


@pytest.mark.parametrize(
    ("overwrites", "manages"),
    [
        ({}, False),
        ({ME: OverwriteFacts(allow=MANAGE)}, True),
        ({ROLE: OverwriteFacts(allow=MANAGE)}, True),
        ({GUILD: OverwriteFacts(allow=MANAGE)}, True),
        ({"999": OverwriteFacts(allow=MANAGE)}, False),
        ({ME: OverwriteFacts(deny=MANAGE)}, False),
        ({ME: OverwriteFacts(allow=KICK)}, False),
        ({ROLE: OverwriteFacts(allow=MANAGE), ME: OverwriteFacts(deny=MANAGE)}, False),
    ],
)
def test_managing_a_channels_overwrites_is_said_in_the_channel(
    overwrites: dict[str, OverwriteFacts], manages: bool
) -> None:
    assert manages_overwrites(ChannelFacts("300", 0, overwrites), guild(), ME_WITH_ROLE) is manages
