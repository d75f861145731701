"""Messages as they come, each once: pushes say that there is something new, and syncing brings what it is.

A push can be lost with its connection, and holds the beginning of a text only. The cursor of sync_messages neither
skips nor repeats, so whatever is lost or said twice by pushes, each message comes once. Where the service has forgotten
a cursor, since its database was restored or begins anew, a watch begins anew too.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from accord.deside.client.client import Client
from accord.deside.client.errors import DesideError, RefusedError, ToolFailedError, UnreachableError

__all__ = ["Arrived", "Progress", "Watch"]

Json: TypeAlias = Any

PAGE = 100

FIRST_PAUSE_SECONDS = 0.25
LONGEST_PAUSE_SECONDS = 15.0
"""How long is waited after a stream ended: twice as long each time, until one has lasted longer than that."""

WORTH_ANOTHER_TRY = {401, 404, 429, 500, 502, 503, 504}
"""Statuses that a new token, a new session or a while can mend."""

ARRIVED = "notifications/dm_received"


@dataclass(frozen=True, slots=True)
class Arrived:
    """What somebody wrote: `facts` have at least `sender`, `content` and `createdAt`.

    A message of a conversation has them as `sync_messages` does; one that waits for consent is a contact request.
    """

    facts: Mapping[str, Json]
    is_contact_request: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Who is told how a watch goes.

    Args:
        opened: Each time that the stream is open: from then on nothing is late.
        lost: Why it is not, before it is opened anew.
        forgotten: That the service does not know the cursor any more, so that what came since it is not told.
        moved: The cursor, once all that it has passed was told.
    """

    opened: Callable[[], None] = lambda: None
    lost: Callable[[DesideError], None] = lambda _: None
    forgotten: Callable[[], None] = lambda: None
    moved: Callable[[str], None] = lambda _: None


class Watch:
    """What others send to a wallet.

    Args:
        client: Whose.
        cursor: Where to go on, from an earlier watch; without one, no message older than the beginning is told.
            Contact requests that wait are told in any case, at the beginning of each watch.
        progress: Who is told how it goes.
    """

    def __init__(self, client: Client, cursor: str | None = None, progress: Progress | None = None) -> None:
        self._client = client
        self._progress = progress or Progress()
        self._waiting: set[tuple[Json, ...]] = set()
        self.cursor = cursor

    async def arrivals(self) -> AsyncGenerator[Arrived, None]:
        """Yield what arrives, for ever.

        Raises:
            DesideError: Waiting does not help: the wallet may not read, or signing in was refused.
        """
        pause = FIRST_PAUSE_SECONDS
        if self.cursor is None:
            await self._skip()
        now = asyncio.get_running_loop().time
        while True:
            began = now()
            try:
                async with self._client.stream() as pushed:
                    self._progress.opened()
                    # First the stream, then the sync: whatever comes in between is in one of them, or in both.
                    async for arrived in self._all():
                        yield arrived
                    async for push in pushed:
                        async for arrived in self._told_by(push):
                            yield arrived
            except UnreachableError as error:
                self._progress.lost(error)
            except RefusedError as error:
                if error.status not in WORTH_ANOTHER_TRY:
                    raise
                self._progress.lost(error)
            if now() - began > LONGEST_PAUSE_SECONDS:
                pause = FIRST_PAUSE_SECONDS
            await asyncio.sleep(pause * random.uniform(0.5, 1))  # noqa: S311 - so that many clients do not come at once
            pause = min(pause * 2, LONGEST_PAUSE_SECONDS)

    async def _told_by(self, push: Json) -> AsyncGenerator[Arrived, None]:
        if not isinstance(push, dict) or push.get("method") != ARRIVED:
            return
        what = self._requests if (push.get("params") or {}).get("convId") is None else self._new
        async for arrived in what():
            yield arrived

    async def _all(self) -> AsyncGenerator[Arrived, None]:
        async for arrived in self._requests():
            yield arrived
        async for arrived in self._new():
            yield arrived

    async def _requests(self) -> AsyncGenerator[Arrived, None]:
        """Yield what waits for consent and was not told by this watch yet, the oldest request first."""
        page = await self._client.call("list_contact_requests", limit=PAGE)
        for request in reversed(page["requests"]):
            for message in request["messages"]:
                facts = {"sender": request["wallet"], **message}
                if _mark(facts) not in self._waiting:
                    self._waiting.add(_mark(facts))
                    yield Arrived(facts, is_contact_request=True)

    async def _new(self) -> AsyncGenerator[Arrived, None]:
        """Yield what the cursor has not passed yet."""
        more = True
        while more:
            page = await self._page()
            for message in page["messages"]:
                if message["sender"] != self._client.wallet and _mark(message) not in self._waiting:
                    yield Arrived(message)
            more = self._move_on(page)

    async def _skip(self) -> None:
        """Move the cursor past everything that is there."""
        while self._move_on(await self._next()):
            pass

    async def _page(self) -> Json:
        """Return the next page: after what is there already, where the cursor is not known any more."""
        try:
            return await self._next()
        except ToolFailedError as error:
            if self.cursor is None or not _is_about_the_cursor(error):
                raise
        self.cursor = None
        self._progress.forgotten()
        await self._skip()
        return await self._next()

    async def _next(self) -> Json:
        cursor = {} if self.cursor is None else {"cursor": self.cursor}
        return await self._client.call("sync_messages", limit=PAGE, **cursor)

    def _move_on(self, page: Json) -> bool:
        moved_to = page.get("next_cursor")
        if moved_to and moved_to != self.cursor:
            self.cursor = moved_to
            self._progress.moved(moved_to)
        return bool(page.get("has_more"))


def _is_about_the_cursor(error: ToolFailedError) -> bool:
    return any(issue.get("path") == "cursor" for issue in error.body.get("issues", ()))


def _mark(facts: Mapping[str, Json]) -> tuple[Json, ...]:
    """Tell messages apart before and after they were let into a conversation, where they first get a number."""
    return facts["sender"], facts["createdAt"], facts["content"]
