"""Scopes: what a call needs, what a request narrows, and what is listed. Nothing but a grant opens anything."""

from __future__ import annotations

from itertools import product
from typing import Any, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.small_server import Desk, body, calls_of

from accord.discord import ChannelId
from accord.discord.app import own_tools
from accord.discord.grants import EVERYTHING, Scopes, grants, is_offered, narrowed, within_grant
from accord.discord.models.ids import GuildId, MessageId, WebhookId
from accord.engine import Caller, Effect, Tool, Toolset, catalogue, validate

HERE, THERE = "111122223333444455", "222233334444555566"


class Done(TypedDict):
    did: str


messages, channels, meta = Toolset("messages"), Toolset("channels"), Toolset("meta")


@messages.tool(Effect.READ)
async def messages_read(desk: Desk, channel_id: ChannelId) -> Done:
    """Read."""
    return {"did": "read"}


@messages.tool(Effect.CREATE)
async def messages_send(desk: Desk, channel_id: ChannelId) -> Done:
    """Send."""
    return {"did": "send"}


@messages.tool(Effect.CREATE)
async def messages_forward(desk: Desk, channel_id: ChannelId, target_id: ChannelId | None = None) -> Done:
    """Forward from one channel to another."""
    return {"did": "forward"}


@messages.tool(Effect.DELETE)
async def messages_purge(desk: Desk, channels: list[ChannelId]) -> Done:
    """Delete everywhere."""
    return {"did": "purge"}


@messages.tool(Effect.CREATE)
async def messages_note(desk: Desk, channel_id: str) -> Done:
    """Write where the channel is any text."""
    return {"did": "note"}


@channels.tool(Effect.CREATE)
async def channels_create(desk: Desk, name: str) -> Done:
    """Create."""
    return {"did": "create"}


class Reference(TypedDict, total=False):
    message_id: MessageId
    channel_id: ChannelId


@messages.tool(Effect.CREATE)
async def messages_quote(desk: Desk, channel_id: ChannelId, quotes: list[Reference]) -> Done:
    """Name channels in a list of objects."""
    return {"did": "quote"}


@messages.tool(Effect.CREATE)
async def messages_borrow(desk: Desk, channel_id: ChannelId, source_guild_id: GuildId | None = None) -> Done:
    """Take something of a guild into a channel."""
    return {"did": "borrow"}


@messages.tool(Effect.UPDATE)
async def messages_move_hook(desk: Desk, webhook_id: WebhookId, channel_id: ChannelId | None = None) -> Done:
    """Act by a webhook; the channel is where it goes to."""
    return {"did": "move"}


@messages.tool(Effect.UPDATE)
async def messages_move_member(desk: Desk, guild_id: GuildId, channel_id: ChannelId) -> Done:
    """Act in a guild; the channel is one of it."""
    return {"did": "move"}


@messages.tool(Effect.UPDATE)
async def messages_leave(desk: Desk, thread_id: ChannelId) -> Done:
    """Act in a channel that is called otherwise."""
    return {"did": "leave"}


@channels.tool(Effect.READ)
async def channels_list(desk: Desk) -> Done:
    """List."""
    return {"did": "list"}


@meta.tool(Effect.CREATE)
async def mcp_pipeline(desk: Desk) -> Done:
    """Run other tools."""
    return {"did": "run"}


TOOLS = catalogue([messages, channels, meta])
Attempt = tuple[str, dict[str, Any]]

READ = ("messages_read", {"channel_id": HERE})
SEND = ("messages_send", {"channel_id": HERE})
SEND_BY_MENTION = ("messages_send", {"channel_id": f"<#{HERE}>"})
SEND_THERE = ("messages_send", {"channel_id": THERE})
FORWARD = ("messages_forward", {"channel_id": HERE, "target_id": THERE})
PURGE = ("messages_purge", {"channels": [HERE]})
NOTE = ("messages_note", {"channel_id": HERE})
QUOTE_HERE = ("messages_quote", {"channel_id": HERE, "quotes": [{"message_id": HERE, "channel_id": f"<#{HERE}>"}]})
QUOTE_THERE = ("messages_quote", {"channel_id": HERE, "quotes": [{}, {"channel_id": THERE}]})
BORROW = ("messages_borrow", {"channel_id": HERE})
BORROW_THERE = ("messages_borrow", {"channel_id": HERE, "source_guild_id": THERE})
MOVE_HOOK = ("messages_move_hook", {"webhook_id": THERE, "channel_id": HERE})
MOVE_MEMBER = ("messages_move_member", {"guild_id": THERE, "channel_id": HERE})
LEAVE = ("messages_leave", {"thread_id": HERE})
CREATE = ("channels_create", {"name": "hall"})
LIST: Attempt = ("channels_list", {})
RUN: Attempt = ("mcp_pipeline", {})


async def missing(scopes: Scopes, attempt: Attempt) -> str | None:
    """Make the call with these scopes; return what was missing, None where it went through."""
    caller = Caller(id="token:ci", transport="http", scopes=scopes)
    told = body(await calls_of(TOOLS.values(), validate, within_grant).enter(caller, *attempt))
    if "code" not in told:
        return None
    assert told["code"] == "SCOPE_REJECTED"
    assert told["tool"] == attempt[0]
    assert told["granted"] == sorted(scopes)
    assert f"`{told['required']}`" in told["recovery_hint"]
    return str(told["required"])


ONE_CHANNEL = {"read", f"write:messages:{HERE}"}
BOTH_CHANNELS = ONE_CHANNEL | {f"write:messages:{THERE}"}
MESSAGES = f"write:messages:{HERE}"


@pytest.mark.parametrize(
    ("scopes", "attempt", "required"),
    [
        (EVERYTHING, READ, None),
        (EVERYTHING, SEND, None),
        (EVERYTHING, FORWARD, None),
        (EVERYTHING, PURGE, None),
        (EVERYTHING, NOTE, None),
        (EVERYTHING, CREATE, None),
        ({"read"}, READ, None),
        ({"read"}, LIST, None),
        ({"read"}, SEND, MESSAGES),
        ({"read"}, CREATE, "write:channels"),
        ({"read:channels"}, LIST, None),
        ({"read:channels"}, READ, "read:messages"),
        ({"write"}, SEND, None),
        ({"write"}, READ, "read:messages"),
        ({"read", "write:messages"}, SEND, None),
        ({"read", "write:messages"}, FORWARD, None),
        ({"read", "write:messages"}, PURGE, None),
        ({"read", "write:messages"}, CREATE, "write:channels"),
        (ONE_CHANNEL, READ, None),
        (ONE_CHANNEL, SEND, None),
        (ONE_CHANNEL, SEND_BY_MENTION, None),
        (ONE_CHANNEL, SEND_THERE, f"write:messages:{THERE}"),
        (ONE_CHANNEL, FORWARD, f"write:messages:{THERE}"),
        (BOTH_CHANNELS, FORWARD, None),
        (ONE_CHANNEL, QUOTE_HERE, None),
        (ONE_CHANNEL, QUOTE_THERE, f"write:messages:{THERE}"),
        (BOTH_CHANNELS, QUOTE_THERE, None),
        (ONE_CHANNEL, BORROW, None),
        (ONE_CHANNEL, BORROW_THERE, "write:messages"),
        (BOTH_CHANNELS, BORROW_THERE, "write:messages"),
        (ONE_CHANNEL, MOVE_HOOK, "write:messages"),
        (BOTH_CHANNELS, MOVE_HOOK, "write:messages"),
        (ONE_CHANNEL, MOVE_MEMBER, "write:messages"),
        (ONE_CHANNEL, LEAVE, None),
        ({f"write:messages:{THERE}"}, LEAVE, MESSAGES),
        ({"write:messages"}, MOVE_HOOK, None),
        ({"write:messages"}, MOVE_MEMBER, None),
        (ONE_CHANNEL, PURGE, "write:messages"),
        (ONE_CHANNEL, NOTE, "write:messages"),
        (ONE_CHANNEL, CREATE, "write:channels"),
        ({f"write:channels:{HERE}"}, CREATE, "write:channels"),
        ({"write:mess"}, SEND, MESSAGES),
        ({"write:messages:1111"}, SEND, MESSAGES),
        ({"writ"}, SEND, MESSAGES),
        ({""}, SEND, MESSAGES),
        ({"*"}, SEND, MESSAGES),
        (set(), READ, "read:messages"),
        (set(), SEND, MESSAGES),
        (set(), RUN, None),
    ],
)
async def test_a_call_passes_only_where_everything_it_needs_was_granted(
    scopes: set[str], attempt: Attempt, required: str | None
) -> None:
    assert await missing(frozenset(scopes), attempt) == required


async def test_a_refused_call_never_reaches_its_tool() -> None:
    desk = Desk()
    caller = Caller(id="token:ci", transport="http", scopes=frozenset({"read"}))

    await calls_of(TOOLS.values(), validate, within_grant, desk=desk).enter(caller, *SEND)

    assert desk.done == []


@pytest.mark.parametrize(
    ("scopes", "headers", "left"),
    [
        (EVERYTHING, {}, EVERYTHING),
        (EVERYTHING, {"x-mcp-readonly": "true"}, {"read"}),
        (EVERYTHING, {"x-mcp-readonly": " TRUE "}, {"read"}),
        (EVERYTHING, {"x-mcp-readonly": "false"}, EVERYTHING),
        ({"read"}, {"x-mcp-readonly": "false"}, {"read"}),
        (ONE_CHANNEL, {"x-mcp-readonly": "true"}, {"read"}),
        (EVERYTHING, {"x-mcp-categories": "messages"}, {"read:messages", "write:messages"}),
        ({"read"}, {"x-mcp-categories": "messages, guild"}, {"read:messages", "read:guild"}),
        (ONE_CHANNEL, {"x-mcp-categories": "messages"}, {"read:messages", MESSAGES}),
        (ONE_CHANNEL, {"x-mcp-categories": "channels"}, {"read:channels"}),
        ({"read"}, {"x-mcp-categories": "messages"}, {"read:messages"}),
        ({"read:channels"}, {"x-mcp-categories": "messages"}, set()),
        ({"read:channels"}, {"x-mcp-categories": "channels,messages"}, {"read:channels"}),
        (EVERYTHING, {"x-mcp-categories": "messages", "x-mcp-readonly": "true"}, {"read:messages"}),
        (set(), {"x-mcp-categories": "messages", "x-mcp-readonly": "false"}, set()),
    ],
)
def test_a_request_leaves_of_a_grant_what_both_allow(scopes: set[str], headers: dict[str, str], left: set[str]) -> None:
    assert narrowed(frozenset(scopes), headers) == left


@pytest.mark.parametrize(
    "headers",
    [
        {"x-mcp-readonly": ""},
        {"x-mcp-readonly": "1"},
        {"x-mcp-readonly": "true, false"},
        {"x-mcp-readonly": "ture"},
        {"x-mcp-categories": ""},
        {"x-mcp-categories": ","},
        {"x-mcp-categories": "messages,,guild"},
    ],
)
def test_a_narrowing_that_cannot_be_understood_is_refused(headers: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="X-MCP-"):
        narrowed(EVERYTHING, headers)


PARTS = ["", "a", "b", "a:1", "a:2", "b:1"]
EVERY_SCOPE = [f"{kind}:{part}".rstrip(":") for kind, part in product(("read", "write"), PARTS)]
SCOPES = st.frozensets(st.sampled_from(EVERY_SCOPE))
CATEGORIES = st.lists(st.sampled_from(["a", "b", "c", "a:1", "b:2"]), min_size=1).map(",".join)
HEADERS = st.fixed_dictionaries(
    {}, optional={"x-mcp-readonly": st.sampled_from(["true", "false"]), "x-mcp-categories": CATEGORIES}
)


@given(scopes=SCOPES, headers=HEADERS)
def test_no_headers_ever_widen_a_grant(scopes: Scopes, headers: dict[str, str]) -> None:
    left = narrowed(scopes, headers)

    assert not [scope for scope in EVERY_SCOPE if grants(left, scope) and not grants(scopes, scope)]


@given(scopes=SCOPES)
def test_a_request_that_is_readonly_can_write_nothing(scopes: Scopes) -> None:
    left = narrowed(scopes, {"x-mcp-readonly": "true"})

    assert not any(grants(left, scope) for scope in EVERY_SCOPE if scope.startswith("write"))


@pytest.mark.parametrize(
    ("scopes", "names"),
    [
        (EVERYTHING, set(TOOLS)),
        ({"read"}, {"messages_read", "channels_list", "mcp_pipeline"}),
        ({"read:channels"}, {"channels_list", "mcp_pipeline"}),
        (
            {"read:messages", MESSAGES},
            {
                "messages_read",
                "messages_send",
                "messages_forward",
                "messages_note",
                "messages_quote",
                "messages_borrow",
                "messages_leave",
                "mcp_pipeline",
            },
        ),
        ({f"write:channels:{HERE}"}, {"mcp_pipeline"}),
        (set(), {"mcp_pipeline"}),
    ],
)
def test_what_a_grant_cannot_reach_is_not_offered(scopes: set[str], names: set[str]) -> None:
    assert {name for name, tool in TOOLS.items() if is_offered(tool, frozenset(scopes))} == names


@pytest.mark.parametrize("tool", list(TOOLS.values()), ids=list(TOOLS))
def test_what_passes_is_offered(tool: Tool) -> None:
    assert is_offered(tool, EVERYTHING)


@pytest.mark.parametrize(
    ("tool", "is_tied"),
    [
        ("messages_send", True),
        ("channels_modify_permissions", True),
        ("threads_leave", True),
        ("webhooks_create", True),
        ("webhooks_modify", False),
        ("webhooks_execute", False),
        ("members_modify", False),
        ("guild_modify", False),
        ("onboarding_modify", False),
        ("automod_create_rule", False),
        ("channels_modify_positions", False),
    ],
)
def test_a_scope_for_one_channel_is_for_tools_that_act_in_one(tool: str, is_tied: bool) -> None:
    found = own_tools()[tool]

    assert is_offered(found, frozenset({f"write:{found.category}:{HERE}"})) is is_tied
