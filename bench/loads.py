"""What the servers are asked, and which of them can be compared on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import orjson

Contender: TypeAlias = Literal["bare", "skeleton", "server", "skeleton, session", "server, session"]
Json: TypeAlias = Any

SERVERS: tuple[Contender, ...] = ("server", "server, session")
"""The server under test; in a session only over HTTP, where requests of the newest era have none."""
SKELETONS: tuple[Contender, ...] = ("skeleton", "skeleton, session")

BOT_ID = "1234567890123456789"
CHANNEL_ID = "1280000000000000001"
GUILD_ID = "1270000000000000001"

CHANNEL_PATH = f"/api/v10/channels/{CHANNEL_ID}"
MESSAGES_PATH = f"{CHANNEL_PATH}/messages"
MESSAGES_IN_PAGE = 50

IN_FLIGHT = (1, 8, 64)
"""How many requests wait at the same time: one agent, a busy host, a flood."""


@dataclass(frozen=True, slots=True)
class Load:
    """One kind of request.

    `path` is what it makes a client fetch from Discord, if anything; `fails` means that a tool error is right.
    """

    name: str
    method: str
    params: Json
    contenders: tuple[Contender, ...]
    path: str | None = None
    fails: bool = False

    @property
    def tail(self) -> bytes:
        """The request's line behind its id."""
        return b'"method":"%b","params":%b}\n' % (self.method.encode(), orjson.dumps(self.params))


def call(tool: str, **arguments: Json) -> Json:
    """Return the params of a tools/call."""
    return {"name": tool, "arguments": arguments}


CHANNELS_GET = Load(
    "channels_get",
    "tools/call",
    call("channels_get", channel_id=CHANNEL_ID),
    ("bare", *SKELETONS, *SERVERS),
    path=CHANNEL_PATH,
)
MESSAGES_READ = Load(
    "messages_read",
    "tools/call",
    call("messages_read", channel_id=CHANNEL_ID, limit=MESSAGES_IN_PAGE),
    ("bare", *SKELETONS, *SERVERS),
    path=f"{MESSAGES_PATH}?limit={MESSAGES_IN_PAGE}",
)
INVALID_CALL = Load(
    "invalid call",
    "tools/call",
    call("channels_get", channel_id="x"),
    SERVERS,  # a skeleton validates nothing
    fails=True,
)
TOOLS_LIST = Load("tools/list", "tools/list", {}, (*SKELETONS, *SERVERS))

LOADS = (CHANNELS_GET, MESSAGES_READ, INVALID_CALL, TOOLS_LIST)
