"""Messages that were looked for: pinned ones, and those that fit."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from accord.discord.models.messages import Message, MessageObject, Warned
from accord.discord.models.values import Page, Timestamp

__all__ = ["Matches", "Pin", "PinObject", "Pins", "PinsObject"]


class PinObject(TypedDict):
    """https://discord.com/developers/docs/resources/message#message-pin-object."""

    pinned_at: str
    message: MessageObject


class PinsObject(TypedDict):
    """https://discord.com/developers/docs/resources/message#get-channel-pins."""

    items: list[PinObject]
    has_more: bool


class Pin(Message):
    """A pinned message."""

    pinned_at: Timestamp


class Pins(Page):
    """A page of a channel's pinned messages, the last pinned first."""

    pins: list[Pin]
    count: int
    channel_id: str


class Matches(Page):
    """Those of the messages looked at that hold the text, the newest first; older ones are on the next pages."""

    matches: list[Message]
    count: int
    scanned_count: int
    channel_id: str
    query: str
    oldest_scanned_id: str | None
    oldest_scanned_at: Timestamp | None
    warnings: NotRequired[list[Warned]]
