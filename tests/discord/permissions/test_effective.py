"""What a member may do: a table worked out by hand from Discord's documentation, and the algorithm written twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accord.discord.models.permissions import BITS, bits_of
from accord.discord.permissions.effective import EVERYTHING, in_channel, in_guild, is_above_rules, lacking, names_of
from accord.discord.permissions.facts import ChannelFacts, GuildFacts, MemberFacts, OverwriteFacts, RoleFacts
from accord.discord.sandbox import permissions as stand_in
from accord.discord.sandbox.world import Channel, Guild, Member, Overwrite, Role, Thread, User, World

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LATER, EARLIER = NOW + timedelta(hours=1), NOW - timedelta(hours=1)
GUILD, OWNER, ME, RED, BLUE = "100", "1", "2", "201", "202"
TEXT, VOICE, STAGE, FORUM, NEWS = 0, 2, 13, 15, 5
NEWS_THREAD, THREAD, PRIVATE = 10, 11, 12
USUAL = "VIEW_CHANNEL SEND_MESSAGES READ_MESSAGE_HISTORY EMBED_LINKS ATTACH_FILES ADD_REACTIONS CONNECT SPEAK"


def bits(names: str) -> int:
    return bits_of(names.split())


def allow(names: str) -> OverwriteFacts:
    return OverwriteFacts(allow=bits(names))


def deny(names: str) -> OverwriteFacts:
    return OverwriteFacts(deny=bits(names))


@dataclass(frozen=True)
class Row:
    """One case: what each grants, and whether the permission is there in the channel in the end."""

    why: str
    asked: str
    has: bool
    everyone: str = USUAL
    red: str = ""
    blue: str = ""
    roles: tuple[str, ...] = (RED, BLUE)
    overwrites: Mapping[str, OverwriteFacts] = field(default_factory=dict)
    kind: int = TEXT
    joined: bool | None = None
    until: datetime | None = None
    me: str = ME

    @property
    def guild(self) -> GuildFacts:
        granted = {GUILD: self.everyone, RED: self.red, BLUE: self.blue}
        roles = {name: RoleFacts(name, bits(words), place) for place, (name, words) in enumerate(granted.items())}
        return GuildFacts(GUILD, OWNER, roles)

    @property
    def member(self) -> MemberFacts:
        return MemberFacts(self.me, frozenset(self.roles), self.until)

    @property
    def channel(self) -> ChannelFacts:
        return ChannelFacts("300", self.kind, self.overwrites, self.joined)


ROWS = [
    # Roles add up
    Row("everyone has it", "SEND_MESSAGES", True),
    Row("nobody grants it", "MANAGE_MESSAGES", False),
    Row("a role grants it", "MANAGE_MESSAGES", True, red="MANAGE_MESSAGES"),
    Row("another role grants it", "MANAGE_MESSAGES", True, blue="MANAGE_MESSAGES"),
    Row("a role that is not held", "MANAGE_MESSAGES", False, red="MANAGE_MESSAGES", roles=(BLUE,)),
    Row("a role that the guild has not any more", "MANAGE_MESSAGES", False, roles=("999",)),
    Row("a role takes nothing away", "SEND_MESSAGES", True, red=""),
    Row("without roles everyone's are left", "SEND_MESSAGES", True, roles=()),
    # Owner and administrator
    Row("the owner has everything", "BAN_MEMBERS", True, everyone="", me=OWNER, roles=()),
    Row("nothing is denied to the owner", "SEND_MESSAGES", True, me=OWNER, overwrites={OWNER: deny("SEND_MESSAGES")}),
    Row("the owner is in no time-out", "SEND_MESSAGES", True, me=OWNER, until=LATER),
    Row("the owner sees private threads", "VIEW_CHANNEL", True, me=OWNER, kind=PRIVATE, joined=False),
    Row("an administrator has everything", "BAN_MEMBERS", True, red="ADMINISTRATOR"),
    Row("nothing is denied to one", "VIEW_CHANNEL", True, red="ADMINISTRATOR", overwrites={RED: deny("VIEW_CHANNEL")}),
    Row("one is in no time-out", "SEND_MESSAGES", True, red="ADMINISTRATOR", until=LATER),
    Row("one sees private threads", "SEND_MESSAGES", True, red="ADMINISTRATOR", kind=PRIVATE, joined=False),
    Row("an overwrite makes no administrator", "BAN_MEMBERS", False, overwrites={RED: allow("ADMINISTRATOR")}),
    Row("everyone may be administrators", "MANAGE_GUILD", True, everyone="ADMINISTRATOR"),
    # Overwrites, in their order
    Row("everyone is denied it here", "SEND_MESSAGES", False, overwrites={GUILD: deny("SEND_MESSAGES")}),
    Row("everyone is allowed it here", "MANAGE_MESSAGES", True, overwrites={GUILD: allow("MANAGE_MESSAGES")}),
    Row("a role's allow beats everyone's deny", "SEND_MESSAGES", True,
        overwrites={GUILD: deny("SEND_MESSAGES"), RED: allow("SEND_MESSAGES")}),
    Row("a role's deny beats everyone's allow", "SEND_MESSAGES", False,
        overwrites={GUILD: allow("SEND_MESSAGES"), RED: deny("SEND_MESSAGES")}),
    Row("of two roles the allow wins", "SEND_MESSAGES", True,
        overwrites={RED: deny("SEND_MESSAGES"), BLUE: allow("SEND_MESSAGES")}),
    Row("of two roles the allow wins the other way round", "SEND_MESSAGES", True,
        overwrites={RED: allow("SEND_MESSAGES"), BLUE: deny("SEND_MESSAGES")}),
    Row("two roles deny it", "SEND_MESSAGES", False,
        overwrites={RED: deny("SEND_MESSAGES"), BLUE: deny("SEND_MESSAGES")}),
    Row("a deny for a role that is not held", "SEND_MESSAGES", True, roles=(BLUE,),
        overwrites={RED: deny("SEND_MESSAGES")}),
    Row("an allow for a role that is not held", "MANAGE_MESSAGES", False, roles=(BLUE,),
        overwrites={RED: allow("MANAGE_MESSAGES")}),
    Row("a deny beats what the role itself grants", "MANAGE_MESSAGES", False, red="MANAGE_MESSAGES",
        overwrites={RED: deny("MANAGE_MESSAGES")}),
    Row("a deny for everyone beats what a role grants in the guild", "MANAGE_MESSAGES", False, red="MANAGE_MESSAGES",
        overwrites={GUILD: deny("MANAGE_MESSAGES")}),
    Row("the member's allow beats the roles' deny", "SEND_MESSAGES", True,
        overwrites={RED: deny("SEND_MESSAGES"), ME: allow("SEND_MESSAGES")}),
    Row("the member's deny beats the roles' allow", "SEND_MESSAGES", False,
        overwrites={RED: allow("SEND_MESSAGES"), ME: deny("SEND_MESSAGES")}),
    Row("the member's allow beats everyone's deny", "SEND_MESSAGES", True,
        overwrites={GUILD: deny("SEND_MESSAGES"), ME: allow("SEND_MESSAGES")}),
    Row("another member's overwrite", "SEND_MESSAGES", True, overwrites={"3": deny("SEND_MESSAGES")}),
    Row("one overwrite that does both allows", "SEND_MESSAGES", True,
        overwrites={RED: OverwriteFacts(bits("SEND_MESSAGES"), bits("SEND_MESSAGES"))}),
    # Who does not see does nothing
    Row("unseen, nothing can be sent", "SEND_MESSAGES", False, overwrites={GUILD: deny("VIEW_CHANNEL")}),
    Row("unseen, nothing can be managed", "MANAGE_CHANNELS", False, red="MANAGE_CHANNELS",
        overwrites={GUILD: deny("VIEW_CHANNEL")}),
    Row("unseen for everyone, seen by a role", "SEND_MESSAGES", True,
        overwrites={GUILD: deny("VIEW_CHANNEL"), RED: allow("VIEW_CHANNEL")}),
    Row("unseen in the whole guild, seen here", "VIEW_CHANNEL", True, everyone="SEND_MESSAGES",
        overwrites={RED: allow("VIEW_CHANNEL")}),
    Row("unseen in the whole guild", "SEND_MESSAGES", False, everyone="SEND_MESSAGES"),
    # Who does not send
    Row("mute, no embeds", "EMBED_LINKS", False, overwrites={GUILD: deny("SEND_MESSAGES")}),
    Row("mute, no files", "ATTACH_FILES", False, overwrites={GUILD: deny("SEND_MESSAGES")}),
    Row("mute, no polls", "SEND_POLLS", False, red="SEND_POLLS", overwrites={GUILD: deny("SEND_MESSAGES")}),
    Row("mute, no pings", "MENTION_EVERYONE", False, red="MENTION_EVERYONE",
        overwrites={GUILD: deny("SEND_MESSAGES")}),
    Row("mute, no voice messages", "SEND_VOICE_MESSAGES", False, red="SEND_VOICE_MESSAGES",
        overwrites={GUILD: deny("SEND_MESSAGES")}),
    Row("mute, reactions all the same", "ADD_REACTIONS", True, overwrites={GUILD: deny("SEND_MESSAGES")}),
    Row("mute, messages can be managed", "MANAGE_MESSAGES", True, red="MANAGE_MESSAGES",
        overwrites={GUILD: deny("SEND_MESSAGES")}),
    # Voice and stage
    Row("no way in, no voice", "SPEAK", False, kind=VOICE, overwrites={GUILD: deny("CONNECT")}),
    Row("no way in, no moving of members", "MOVE_MEMBERS", False, red="MOVE_MEMBERS", kind=VOICE,
        overwrites={GUILD: deny("CONNECT")}),
    Row("no way in, no managing of the channel", "MANAGE_CHANNELS", False, red="MANAGE_CHANNELS", kind=VOICE,
        overwrites={GUILD: deny("CONNECT")}),
    Row("no way in, its chat can be read", "READ_MESSAGE_HISTORY", True, kind=VOICE,
        overwrites={GUILD: deny("CONNECT")}),
    Row("no way onto the stage", "REQUEST_TO_SPEAK", False, red="REQUEST_TO_SPEAK", kind=STAGE,
        overwrites={GUILD: deny("CONNECT")}),
    Row("connecting means nothing in a text channel", "MANAGE_CHANNELS", True, red="MANAGE_CHANNELS",
        overwrites={GUILD: deny("CONNECT")}),
    # Threads
    Row("in a thread it takes its own permission", "SEND_MESSAGES", False, kind=THREAD),
    Row("with it messages can be sent", "SEND_MESSAGES", True, red="SEND_MESSAGES_IN_THREADS", kind=THREAD),
    Row("sending in the channel is not needed for it", "SEND_MESSAGES", True, red="SEND_MESSAGES_IN_THREADS",
        kind=THREAD, overwrites={GUILD: deny("SEND_MESSAGES")}),
    Row("so files can be sent", "ATTACH_FILES", True, red="SEND_MESSAGES_IN_THREADS", kind=THREAD,
        overwrites={GUILD: deny("SEND_MESSAGES")}),
    Row("the parent's overwrites hold", "SEND_MESSAGES", False, red="SEND_MESSAGES_IN_THREADS", kind=THREAD,
        overwrites={RED: deny("SEND_MESSAGES_IN_THREADS")}),
    Row("an unseen parent hides its threads", "SEND_MESSAGES", False, red="SEND_MESSAGES_IN_THREADS", kind=THREAD,
        overwrites={GUILD: deny("VIEW_CHANNEL")}),
    Row("threads of announcements are threads", "SEND_MESSAGES", False, kind=NEWS_THREAD),
    Row("a forum's own permission to post", "SEND_MESSAGES", True, kind=FORUM),
    Row("a private thread is its members'", "VIEW_CHANNEL", True, kind=PRIVATE, joined=True),
    Row("others do not see it", "VIEW_CHANNEL", False, kind=PRIVATE, joined=False),
    Row("nor where nobody knows", "VIEW_CHANNEL", False, kind=PRIVATE, joined=None),
    Row("moderators of threads do", "VIEW_CHANNEL", True, red="MANAGE_THREADS", kind=PRIVATE, joined=False),
    Row("a member of a private thread needs the permission too", "SEND_MESSAGES", False, kind=PRIVATE, joined=True),
    # Time-outs
    Row("in a time-out nothing is sent", "SEND_MESSAGES", False, until=LATER),
    Row("in a time-out one reads on", "READ_MESSAGE_HISTORY", True, until=LATER),
    Row("in a time-out one sees on", "VIEW_CHANNEL", True, until=LATER),
    Row("in a time-out no moderation", "BAN_MEMBERS", False, red="BAN_MEMBERS", until=LATER),
    Row("in a time-out no thread either", "SEND_MESSAGES", False, red="SEND_MESSAGES_IN_THREADS", kind=THREAD,
        until=LATER),
    Row("a member's own overwrite does not end it", "SEND_MESSAGES", False, until=LATER,
        overwrites={ME: allow("SEND_MESSAGES")}),
    Row("a time-out that is over is none", "SEND_MESSAGES", True, until=EARLIER),
    Row("a time-out that ends now is none", "SEND_MESSAGES", True, until=NOW),
    # Permissions of the guild in a channel
    Row("a permission of the guild holds in channels", "KICK_MEMBERS", True, red="KICK_MEMBERS"),
    Row("the newest permission is known", "BYPASS_SLOWMODE", True, red="BYPASS_SLOWMODE"),
]  # fmt: skip


def test_the_table_is_long_enough() -> None:
    assert len(ROWS) >= 60
    assert len({row.why for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.why)
def test_a_member_may_what_the_documentation_says(row: Row) -> None:
    granted = in_channel(row.guild, row.member, row.channel, NOW)

    assert bool(granted & BITS[row.asked]) is row.has
    assert lacking(granted, [row.asked]) == ([] if row.has else [row.asked])


@pytest.mark.parametrize(
    ("row", "names"),
    [
        (Row("", "", has=True, everyone="VIEW_CHANNEL", red="KICK_MEMBERS"), ["KICK_MEMBERS", "VIEW_CHANNEL"]),
        (Row("", "", has=True, everyone="VIEW_CHANNEL", red="KICK_MEMBERS", until=LATER), ["VIEW_CHANNEL"]),
        (Row("", "", has=True, everyone="", me=OWNER), list(BITS)),
        (Row("", "", has=True, everyone="", red="ADMINISTRATOR", until=LATER), list(BITS)),
    ],
    ids=["added up", "timed out", "owner", "administrator"],
)
def test_in_the_whole_guild_no_channel_counts(row: Row, names: list[str]) -> None:
    assert names_of(in_guild(row.guild, row.member, NOW)) == names


def test_bits_that_are_newer_than_the_list_come_along_and_belong_to_nobody() -> None:
    unknown = 1 << 60
    guild = GuildFacts(GUILD, OWNER, {GUILD: RoleFacts(GUILD, unknown | BITS["VIEW_CHANNEL"])})

    granted = in_channel(guild, MemberFacts(ME), ChannelFacts("300", TEXT), NOW)

    assert (granted & unknown, names_of(granted), EVERYTHING & unknown) == (unknown, ["VIEW_CHANNEL"], 0)
    assert not is_above_rules(guild, MemberFacts(ME))


# --- The same algorithm, written by somebody else ---------------------------------------------------------------------

SHARED = stand_in.EVERYTHING & ~(
    stand_in.NEEDS_SENDING | stand_in.NEEDS_CONNECTING | bits("SEND_VOICE_MESSAGES STREAM PRIORITY_SPEAKER USE_VAD")
    | bits("REQUEST_TO_SPEAK USE_SOUNDBOARD USE_EXTERNAL_SOUNDS SET_VOICE_CHANNEL_STATUS")
)  # fmt: skip
"""What both know alike: the stand-in denies a little less to the mute and to those who may not connect."""

some_bits = st.integers(0, stand_in.EVERYTHING).map(lambda drawn: drawn & EVERYTHING)
overwrites = st.dictionaries(
    st.sampled_from([GUILD, RED, BLUE, ME, "3"]), st.builds(OverwriteFacts, some_bits, some_bits), max_size=5
)


@given(
    everyone=some_bits,
    red=some_bits,
    blue=some_bits,
    roles=st.sets(st.sampled_from([RED, BLUE])),
    overwrites=overwrites,
    kind=st.sampled_from([TEXT, VOICE, STAGE, FORUM, THREAD, PRIVATE]),
    joined=st.booleans(),
    until=st.sampled_from([None, EARLIER, LATER]),
)
def test_two_writings_of_the_algorithm_agree(  # noqa: PLR0917 - what hypothesis draws, by name
    everyone: int,
    red: int,
    blue: int,
    roles: set[str],
    overwrites: dict[str, OverwriteFacts],
    kind: int,
    joined: bool,
    until: datetime | None,
) -> None:
    granted = {GUILD: everyone, RED: red, BLUE: blue}
    guild = GuildFacts(GUILD, OWNER, {name: RoleFacts(name, value) for name, value in granted.items()})
    member = MemberFacts(ME, frozenset(roles), until)
    channel = ChannelFacts("300", kind, overwrites, joined)

    world = _world(granted, roles, until)
    parent = Channel("300", TEXT if kind in (THREAD, PRIVATE) else kind, guild_id=GUILD)
    parent.overwrites = {one: Overwrite(one, 0, row.allow, row.deny) for one, row in overwrites.items()}
    world.channels["300"] = parent
    place = parent
    if kind in (THREAD, PRIVATE):
        thread = Thread(OWNER, {"archived": False}, {ME: "then"} if joined else {})
        place = world.channels["301"] = Channel("301", kind, guild_id=GUILD, parent_id="300", thread=thread)

    ours = in_channel(guild, member, channel, NOW)
    assert ours & SHARED == stand_in.in_channel(world, place, ME) & SHARED & EVERYTHING


def _world(granted: Mapping[str, int], roles: set[str], until: datetime | None) -> World:
    me = User(ME, "me", bot=True)
    world = World(me, "9", clock=NOW.timestamp)
    world.users[ME] = me
    guild = Guild(GUILD, "guild", OWNER)
    guild.roles = {name: Role(name, name, value, place) for place, (name, value) in enumerate(granted.items())}
    guild.members[ME] = Member(ME, "then", sorted(roles), timed_out_until=until.isoformat() if until else None)
    world.guilds[GUILD] = guild
    return world
