"""Messages as our tools show them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, cast

from accord.discord.models.attachments import FetchedAttachment
from accord.discord.models.emojis import EmojiObject, PartialEmoji
from accord.discord.models.messages import (
    Attachment,
    AttachmentObject,
    Edited,
    Message,
    MessageObject,
    Messages,
    OneMessage,
    Pinged,
    Reaction,
    ReactionObject,
    Sent,
    ThreadBegun,
    Warned,
)
from accord.discord.models.users import Author, UserObject
from accord.discord.models.values import Page, Wire
from accord.discord.results.picking import picked

__all__ = [
    "edited",
    "fetched_attachment",
    "ids_of",
    "jump_url",
    "message",
    "messages",
    "one_message",
    "pinged_by",
    "sent",
    "sent_parts",
    "thread_begun",
    "warnings_of",
]

Json: TypeAlias = Any

REPLY = 19
DEFAULT_TYPES = frozenset({0, REPLY, 20, 23})
"""Messages that somebody wrote: plain, reply, slash command, context menu command."""


def message(sent_message: MessageObject, bot_id: str | None) -> Message:
    """Return one message; what it does not have is left out."""
    shown: dict[str, Json] = {
        "id": sent_message["id"],
        "author": _author(sent_message["author"], bot_id),
        "content": sent_message["content"],
        "timestamp": sent_message["timestamp"],
        "edited_timestamp": sent_message["edited_timestamp"],
        "type": sent_message["type"],
    }
    for theirs, value in sent_message.items():
        if value and (row := _EXTRAS.get(theirs)):
            ours, shape = row
            shown[ours] = shape(value)
    if (answered := _answered(sent_message)) is not None:
        shown["reply_to"] = answered
    return cast("Message", shown)


def one_message(sent_message: MessageObject, bot_id: str | None) -> OneMessage:
    """Return one message by itself, with its place."""
    more: dict[str, Json] = {
        "message_id": sent_message["id"],
        "channel_id": sent_message["channel_id"],
        "author_id": sent_message["author"]["id"],
        "author_name": sent_message["author"]["username"],
        "edited": sent_message["edited_timestamp"] is not None,
        "pinned": sent_message["pinned"],
    }
    return cast("OneMessage", message(sent_message, bot_id) | more)


def _answered(sent_message: MessageObject) -> str | None:
    """Return what a reply answers. Forwards, pins and crossposts refer to messages too, and answer none."""
    reference = sent_message.get("message_reference") if sent_message["type"] == REPLY else None
    return (reference or {}).get("message_id")


def _author(user: UserObject, bot_id: str | None) -> Author:
    return {
        "id": user["id"],
        "username": user["username"],
        "global_name": user.get("global_name"),
        "bot": user.get("bot", False),
        "trust": "self" if user["id"] == bot_id else "unverified",
    }


def _attachment(file: AttachmentObject) -> Attachment:
    return {
        "id": file["id"],
        "filename": file["filename"],
        "size": file["size"],
        "url": file["url"],
        "content_type": file.get("content_type"),
        "description": file.get("description"),
        "width": file.get("width"),
        "height": file.get("height"),
    }


def _reaction(sent_reaction: ReactionObject) -> Reaction:
    return {"emoji": _emoji(sent_reaction["emoji"]), "count": sent_reaction["count"], "me": sent_reaction["me"]}


def _emoji(emoji: EmojiObject) -> PartialEmoji:
    return {"id": emoji["id"], "name": emoji["name"]}


def _same(value: Json) -> Json:
    return value


_EXTRAS: Mapping[str, tuple[str, Callable[[Json], Json]]] = {
    "pinned": ("pinned", _same),
    "message_snapshots": ("forwarded", lambda snapshots: [one["message"] for one in snapshots]),
    "attachments": ("attachments", lambda files: [_attachment(one) for one in files]),
    "embeds": ("embeds", _same),
    "components": ("components", _same),
    "reactions": ("reactions", lambda reactions: [_reaction(one) for one in reactions]),
    "sticker_items": ("stickers", lambda stickers: [one["name"] for one in stickers]),
    "poll": ("poll", _same),
    "mentions": ("mentions", lambda users: [user["id"] for user in users]),
    "mention_roles": ("mention_roles", _same),
    "mention_everyone": ("mention_everyone", _same),
    "thread": ("thread_id", lambda thread: thread["id"]),
    "webhook_id": ("webhook_id", _same),
    "flags": ("flags", _same),
}
"""What a message may have besides, by Discord's name: ours, and how it is shown. What is empty is left out."""


def messages(sent_messages: Sequence[MessageObject], channel_id: str, bot_id: str | None, onward: Page) -> Messages:
    """Return a page of history, the newest first."""
    ordered = sorted(sent_messages, key=lambda one: int(one["id"]), reverse=True)
    page: dict[str, Json] = {
        "messages": [message(one, bot_id) for one in ordered],
        "count": len(ordered),
        "channel_id": channel_id,
        "order": "newest_first",
        **onward,
    }
    if ordered:
        page |= {"newest_id": ordered[0]["id"], "oldest_id": ordered[-1]["id"]}
    if warnings := warnings_of(ordered, bot_id):
        page["warnings"] = warnings
    return cast("Messages", page)


def warnings_of(sent_messages: Sequence[MessageObject], bot_id: str | None) -> list[Warned]:
    """Return what makes a page of history doubtful: that nobody's words are on it."""
    others = [one for one in sent_messages if one["type"] in DEFAULT_TYPES and not _concerns(one, bot_id)]
    if not others or not all(_is_blank(one) for one in others):
        return []
    return [
        {
            "code": "message_content_intent_suspected",
            "message": (
                "Every message by others is blank. Its owner should switch on Message Content Intent for this bot in "
                "the Discord developer portal (Bot, Privileged Gateway Intents); above 100 guilds Discord has to "
                "approve it."
            ),
        }
    ]


def _concerns(sent_message: MessageObject, bot_id: str | None) -> bool:
    """Whether the bot wrote the message or is mentioned in it: such a one has its text without the intent too."""
    return bot_id in (sent_message["author"]["id"], *(user["id"] for user in sent_message["mentions"]))


_BODIES = ("content", "embeds", "attachments", "components", "sticker_items", "poll", "message_snapshots")


def _is_blank(sent_message: MessageObject) -> bool:
    return not any(cast("Mapping[str, Json]", sent_message).get(body) for body in _BODIES)


def sent(sent_message: MessageObject, guild_id: str | None, nonce: str) -> Sent:
    """Return what was sent, and who was pinged by it."""
    message_id, channel_id = sent_message["id"], sent_message["channel_id"]
    shown: dict[str, Json] = {
        "message_id": message_id,
        "channel_id": channel_id,
        "jump_url": jump_url(guild_id, channel_id, message_id) if guild_id else None,
        "timestamp": sent_message["timestamp"],
        "pinged": pinged_by(sent_message),
        "nonce": nonce,
    }
    if answered := _answered(sent_message):
        shown["reply_to"] = answered
    return cast("Sent", shown)


def sent_parts(sent_messages: Sequence[MessageObject], guild_id: str | None, nonce: str) -> Sent:
    """Return what was sent as several messages, in their order, and who was pinged by any of them."""
    first = sent(sent_messages[0], guild_id, nonce)
    return cast("Sent", {**first, "pinged": pinged_by(*sent_messages), **ids_of([one["id"] for one in sent_messages])})


def pinged_by(*sent_messages: MessageObject) -> Pinged:
    """Return whom messages notified, as Discord says; each of them once."""
    return {
        "everyone": any(one["mention_everyone"] for one in sent_messages),
        "users": list(dict.fromkeys(user["id"] for one in sent_messages for user in one["mentions"])),
        "roles": list(dict.fromkeys(role for one in sent_messages for role in one["mention_roles"])),
    }


def ids_of(message_ids: Sequence[str]) -> dict[str, list[str]]:
    """Return the ids of what was sent as several messages; of one alone nothing more is said."""
    return {"message_ids": list(message_ids)} if len(message_ids) > 1 else {}


def fetched_attachment(message: MessageObject, file: AttachmentObject, seen: Mapping[str, Json]) -> FetchedAttachment:
    """Return a file of a message with what was `seen` of it."""
    place = {"attachment_id": file["id"], "message_id": message["id"], "channel_id": message["channel_id"]}
    return picked(FetchedAttachment, {**file, **place, **seen})


def jump_url(guild_id: str, channel_id: str, message_id: str) -> str:
    """Return the link to a message of a guild."""
    return f"https://discord.com/channels/{guild_id}/{channel_id}/{message_id}"


def edited(sent_message: MessageObject, changed: Iterable[str]) -> Edited:
    """Return a message after its edit, and which parts of it were changed."""
    return {
        "message_id": sent_message["id"],
        "channel_id": sent_message["channel_id"],
        "edited_timestamp": sent_message["edited_timestamp"],
        "changed": sorted(changed),
    }


def thread_begun(sent_thread: Wire) -> ThreadBegun:
    """Return a thread that was opened at a message."""
    return {
        "thread_id": sent_thread["id"],
        "name": sent_thread.get("name") or "",
        "parent_id": sent_thread.get("parent_id"),
        "auto_archive_duration": sent_thread["thread_metadata"]["auto_archive_duration"],
        "rate_limit_per_user": sent_thread.get("rate_limit_per_user") or 0,
    }
