"""A stand-in for Discord that is never the bottleneck: prepared answers over HTTP/1.1 keep-alive, one process."""

from __future__ import annotations

import asyncio
import sys
from typing import Any, TypeAlias

import orjson
from bench.loads import BOT_ID, CHANNEL_ID, CHANNEL_PATH, GUILD_ID, MESSAGES_IN_PAGE, MESSAGES_PATH

Json: TypeAlias = Any

HEAD_ENDS = b"\r\n\r\n"
FIRST_MESSAGE_ID = 1_290_000_000_000_000_000


def user(number: int) -> Json:
    """Return one of the people who write in the channel."""
    return {
        "id": str(1_100_000_000_000_000_000 + number),
        "username": f"member_{number}",
        "global_name": f"Member {number}",
        "avatar": None,
        "discriminator": "0",
        "public_flags": 0,
    }


def message(number: int) -> Json:
    """Return a plain message of about a hundred characters, as Discord sends it."""
    return {
        "id": str(FIRST_MESSAGE_ID + number),
        "channel_id": CHANNEL_ID,
        "type": 0,
        "author": user(number % 7),
        "content": f"Message {number}: the release is planned for Thursday, please look over the notes before noon.",
        "timestamp": f"2026-01-02T03:04:{number:02}.000000+00:00",
        "edited_timestamp": None,
        "pinned": False,
        "tts": False,
        "mention_everyone": False,
        "mentions": [],
        "mention_roles": [],
        "attachments": [],
        "embeds": [],
        "components": [],
        "flags": 0,
    }


CHANNEL = {
    "id": CHANNEL_ID,
    "type": 0,
    "guild_id": GUILD_ID,
    "name": "release-notes",
    "topic": "What is in the next release, and when it comes.",
    "position": 3,
    "nsfw": False,
    "parent_id": None,
    "last_message_id": str(FIRST_MESSAGE_ID),
    "rate_limit_per_user": 0,
    "flags": 0,
    "permission_overwrites": [{"id": GUILD_ID, "type": 0, "allow": "0", "deny": "2048"}],
}
MESSAGES = [message(number) for number in reversed(range(MESSAGES_IN_PAGE))]
BOT = {"id": BOT_ID, "username": "bench", "global_name": None, "avatar": None, "discriminator": "0", "bot": True}
UNKNOWN = {"message": "404: Not Found", "code": 0}


def answer(status: bytes, body: Json) -> bytes:
    """Return a whole HTTP answer. It names no rate limit, so that no client waits for one."""
    content = orjson.dumps(body)
    head = b"HTTP/1.1 %b\r\nContent-Type: application/json\r\nContent-Length: %d" % (status, len(content))
    return head + HEAD_ENDS + content


ANSWERS = {
    CHANNEL_PATH.encode(): answer(b"200 OK", CHANNEL),
    MESSAGES_PATH.encode(): answer(b"200 OK", MESSAGES),
    b"/api/v10/users/@me": answer(b"200 OK", BOT),
}
NOT_FOUND = answer(b"404 Not Found", UNKNOWN)


class Connection(asyncio.Protocol):
    """Answers each request as soon as its head has come; no request here has a body."""

    def __init__(self) -> None:
        self._rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - create_server makes one
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        *heads, self._rest = (self._rest + data).split(HEAD_ENDS)
        self._transport.writelines([answered(head) for head in heads])


def answered(head: bytes) -> bytes:
    """Return the answer for a request's head; the path decides, without its query."""
    path = head.split(b" ", 2)[1].split(b"?", 1)[0]
    return ANSWERS.get(path, NOT_FOUND)


async def main() -> None:
    """Serve on a free port, which is the one line of stdout, until stdin is closed."""
    async with await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", 0) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await asyncio.to_thread(sys.stdin.buffer.read)


if __name__ == "__main__":
    asyncio.run(main())
