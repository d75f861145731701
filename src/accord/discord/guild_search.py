"""Discord's search of a guild: what it is asked, and the wait while it reads a guild for the first time."""

from __future__ import annotations

from asyncio import sleep
from collections.abc import Awaitable, Callable, Mapping
from math import ceil
from typing import Any, Final, TypeVar, cast

from accord.discord.models.search import SearchFilters
from accord.discord.rest.client import Discord
from accord.discord.rest.codes import NOT_INDEXED
from accord.discord.rest.errors import DiscordUpstreamError

__all__ = ["LAST_OFFSET", "once_indexed", "search_query"]

Found = TypeVar("Found")

LAST_OFFSET: Final = 9975
"""How far into the results a page can begin."""

SPARE_SECONDS: Final = 3.0
"""What is kept of a call's time for the search itself."""

THEIR_NAMES: Final[Mapping[str, str]] = {
    "author_ids": "author_id",
    "channel_ids": "channel_id",
    "mentions_role_ids": "mentions_role_id",
    "replied_to_user_ids": "replied_to_user_id",
    "replied_to_message_ids": "replied_to_message_id",
}
"""Discord's names of lists that it repeats in a query."""


def search_query(filters: SearchFilters) -> dict[str, Any]:
    """Return the query of a search, in which no list says anything twice."""
    return {
        THEIR_NAMES.get(name, name): list(dict.fromkeys(value)) if isinstance(value, list) else value
        for name, value in filters.items()
    }


async def once_indexed(discord: Discord, search: Callable[[], Awaitable[Found]], part: str = "messages") -> Found:
    """Search, again and again while Discord has not read the guild yet and the call has time for it.

    `part` is what an answer has that found something.

    Raises:
        DiscordUpstreamError: It takes longer than the call has, and says how long at least.
    """
    pause = 1.0
    while part not in (said := cast("Mapping[str, Any]", found := await search())):
        wait = max(said.get("retry_after") or 0, pause)
        if wait > discord.seconds_left - SPARE_SECONDS:
            raise not_indexed(said, wait)
        await sleep(wait)
        pause *= 2
    return found


def not_indexed(said: Mapping[str, Any], wait_seconds: float) -> DiscordUpstreamError:
    """Return the error of a search that Discord cannot make yet."""
    return DiscordUpstreamError(
        status=202,
        discord_code=said.get("code", NOT_INDEXED),
        reason="index_not_ready",
        retry_after_ms=ceil(wait_seconds * 1000),
        recovery_hint=(
            "Nothing was searched yet: Discord is reading this guild for the first time. Wait for `retry_after_ms`, "
            "then make the same call; or look through one channel with `messages_search_recent`."
        ),
    )
