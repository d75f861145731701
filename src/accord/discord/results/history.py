"""Messages that were looked for, as our tools show them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias, cast

from accord.discord.models.history import Matches, Pin, PinObject, Pins
from accord.discord.models.messages import MessageObject
from accord.discord.models.search import FoundMessage, FoundMessages, SearchObject
from accord.discord.models.values import Page
from accord.discord.results.messages import jump_url, message, warnings_of

__all__ = ["found_messages", "matches", "pins"]

Json: TypeAlias = Any


def pins(sent: Sequence[PinObject], channel_id: str, bot_id: str | None, onward: Page) -> Pins:
    """Return a page of pinned messages, the last pinned first."""
    shown = [cast("Pin", {**message(row["message"], bot_id), "pinned_at": row["pinned_at"]}) for row in sent]
    return {"pins": shown, "count": len(shown), "channel_id": channel_id, **onward}


def matches(scanned: Sequence[MessageObject], query: str, channel_id: str, bot_id: str | None, onward: Page) -> Matches:
    """Return those messages that hold the text in any case, and how far back they were looked for."""
    ordered = sorted(scanned, key=lambda one: int(one["id"]), reverse=True)
    wanted = query.casefold()
    fitting = [message(one, bot_id) for one in ordered if any(wanted in words.casefold() for words in _words(one))]
    oldest = ordered[-1] if ordered else None
    found: dict[str, Json] = {
        "matches": fitting,
        "count": len(fitting),
        "scanned_count": len(ordered),
        "channel_id": channel_id,
        "query": query,
        "oldest_scanned_id": oldest and oldest["id"],
        "oldest_scanned_at": oldest and oldest["timestamp"],
        **onward,
    }
    if warnings := warnings_of(ordered, bot_id):
        found["warnings"] = warnings
    return cast("Matches", found)


def found_messages(sent: SearchObject, guild_id: str, bot_id: str | None, onward: Page) -> FoundMessages:
    """Return a page of what a guild's search found, in Discord's order; neighbours that are no hits are left out."""
    hits = [one for group in sent["messages"] for one in group if cast("Json", one).get("hit", True)]
    found: dict[str, Json] = {
        "items": [_found(one, guild_id, bot_id) for one in hits],
        "count": len(hits),
        "total": sent["total_results"],
        "guild_id": guild_id,
        "indexing": sent.get("doing_deep_historical_index", False),
        **onward,
    }
    if warnings := warnings_of(hits, bot_id):
        found["warnings"] = warnings
    return cast("FoundMessages", found)


def _found(sent: MessageObject, guild_id: str, bot_id: str | None) -> FoundMessage:
    place = {"channel_id": sent["channel_id"], "jump_url": jump_url(guild_id, sent["channel_id"], sent["id"])}
    return cast("FoundMessage", message(sent, bot_id) | place)


def _words(sent: MessageObject) -> Iterator[str]:
    """All that a reader of the message sees as text: its own, its embeds' and its files' names."""
    yield sent["content"]
    yield from (file["filename"] for file in sent["attachments"])
    for embed in sent["embeds"]:
        yield from (embed[part] for part in ("title", "description") if embed.get(part))
        yield from (f"{field['name']}\n{field['value']}" for field in embed.get("fields") or ())
    for snapshot in sent.get("message_snapshots") or ():
        yield snapshot["message"].get("content") or ""
