"""Messages as they come, each once: pushes say that there is something new, and syncing brings what it is.

A push can be lost with its connection, and holds the beginning of a text only. The cursor of sync_messages neither
skips nor repeats, so whatever is lost or said twice by pushes, each message comes once.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from accord.deside.client.client import Client
from accord.deside.client.errors import DesideError, RefusedError, UnreachableError

__all__ = ["Watch"]

Json: TypeAlias = Any

PAGE = 100

FIRST_PAUSE_SECONDS = 0.25
LONGEST_PAUSE_SECONDS = 15.0
"""How long is waited after a stream ended: twice as long each time, until one has brought something."""

WORTH_ANOTHER_TRY = {401, 404, 429, 500, 502, 503, 504}
"""Statuses that a new token, a new session or a while can mend."""

ARRIVED = "notifications/dm_received"


@dataclass(frozen=True, slots=True)
class Arrived:
    """A message (from `sync_messages`), or a contact request (from its push, which alone tells of it)."""

    facts: Mapping[str, Json]
    is_contact_request: bool = False


class Watch:
    """What arrives for a wallet.

    Args:
        client: Whose.
        cursor: Where to go on, from an earlier watch; without one, nothing older than the beginning is told.
        own: Whether this wallet's own messages are told too.

    `cursor` moves on with every page that was told.
    """

    def __init__(self, client: Client, cursor: str | None = None, *, own: bool = False) -> None:
        self._client = client
        self._own = own
        self.cursor = cursor

    async def arrivals(
        self, opened: Callable[[], None] = lambda: None, lost: Callable[[DesideError], None] = lambda _: None
    ) -> AsyncGenerator[Arrived, None]:
        """Yield what arrives, for ever.

        Args:
            opened: Told each time that the stream is open: from then on nothing is late.
            lost: Told why it is not, before it is opened anew.

        Raises:
            DesideError: Waiting does not help: the wallet may not read, or signing in was refused.
        """
        pause = FIRST_PAUSE_SECONDS
        if self.cursor is None:
            await self._skip()
        while True:
            try:
                async with self._client.stream() as pushed:
                    opened()
                    # First the stream, then the sync: whatever comes in between is in one of them, or in both.
                    async for message in self._new():
                        yield message
                    async for push in pushed:
                        pause = FIRST_PAUSE_SECONDS
                        async for arrived in self._told_by(push):
                            yield arrived
            except UnreachableError as error:
                lost(error)
            except RefusedError as error:
                if error.status not in WORTH_ANOTHER_TRY:
                    raise
                lost(error)
            await asyncio.sleep(pause * random.uniform(0.5, 1))  # noqa: S311 - so that many clients do not come at once
            pause = min(pause * 2, LONGEST_PAUSE_SECONDS)

    async def _told_by(self, push: Json) -> AsyncGenerator[Arrived, None]:
        if not isinstance(push, dict) or push.get("method") != ARRIVED:
            return
        facts = push.get("params") or {}
        if facts.get("convId") is None:
            yield Arrived(facts, is_contact_request=True)
            return
        async for message in self._new():
            yield message

    async def _new(self) -> AsyncGenerator[Arrived, None]:
        """Yield what the cursor has not passed yet."""
        more = True
        while more:
            page = await self._page()
            for message in page["messages"]:
                if self._own or message["sender"] != self._client.wallet:
                    yield Arrived(message)
            more = self._move_on(page)

    async def _skip(self) -> None:
        """Move the cursor past everything that is there."""
        while self._move_on(await self._page()):
            pass

    async def _page(self) -> Json:
        cursor = {} if self.cursor is None else {"cursor": self.cursor}
        return await self._client.call("sync_messages", limit=PAGE, **cursor)

    def _move_on(self, page: Json) -> bool:
        self.cursor = page.get("next_cursor") or self.cursor
        return bool(page.get("has_more"))
