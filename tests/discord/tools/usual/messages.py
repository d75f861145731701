"""Usual calls of messages."""

from __future__ import annotations

from tests.discord.tools.usual.calling import (
    MISSING,
    Arguments,
    Examples,
    Refusals,
    not_found,
    own_message,
    somebodys_message,
)

from accord.discord.sandbox import Sandbox, demo
from accord.discord.sandbox.channel_settings import ANNOUNCEMENT, settings_at_first
from accord.discord.sandbox.content.attachments import store
from accord.discord.sandbox.world import Channel, Upload

__all__ = ["DEPARTURES", "EXAMPLES", "REFUSED"]

PICTURE = Upload("lantern.png", "image/png", demo.ONE_PIXEL)
NOWHERE = {"channel_id": MISSING, "message_id": MISSING}


def _announcement(sandbox: Sandbox) -> Arguments:
    """A message of the bot's in an announcement channel of this call's own."""
    channel_id = sandbox.world.new_id()
    settings = settings_at_first(ANNOUNCEMENT)
    sandbox.world.channels[channel_id] = Channel(channel_id, ANNOUNCEMENT, "news", demo.GUILD, settings=settings)
    return own_message(sandbox, channel_id)


def _two(sandbox: Sandbox) -> Arguments:
    ids = [own_message(sandbox)["message_id"] for _ in range(2)]
    return {"channel_id": demo.GENERAL, "message_ids": ids, "__confirm": True}


def _pinned(sandbox: Sandbox) -> Arguments:
    place = own_message(sandbox)
    sandbox.world.channels[demo.GENERAL].pins[place["message_id"]] = sandbox.world.now()
    return place


def _file(sandbox: Sandbox, upload: Upload = PICTURE) -> Arguments:
    """A file of a message of this call's own."""
    file = store(sandbox.world, demo.GENERAL, upload, {"description": "for a look"})
    return {**own_message(sandbox, attachments=[file]), "attachment_id": file["id"]}


EXAMPLES: Examples = {
    "messages_read": lambda _: {"channel_id": demo.GENERAL},
    "messages_send": lambda _: {"channel_id": demo.GENERAL, "content": "hello"},
    "messages_edit": lambda sandbox: {**own_message(sandbox), "content": "after"},
    "messages_delete": lambda sandbox: {**somebodys_message(sandbox), "__confirm": True},
    "messages_get": somebodys_message,
    "messages_crosspost": lambda sandbox: {**_announcement(sandbox), "__confirm": True},
    "messages_bulk_delete": _two,
    "messages_pin": own_message,
    "messages_unpin": _pinned,
    "messages_list_pins": lambda _: {"channel_id": demo.WELCOME},
    "messages_create_thread": lambda sandbox: {**own_message(sandbox), "name": "Who brings tea?"},
    "messages_search_recent": lambda _: {"channel_id": demo.GENERAL, "query": "tea"},
    "messages_get_attachment": _file,
    "messages_search": lambda _: {"guild_id": demo.GUILD, "author_ids": [demo.LENA], "has": ["image"]},
}

REFUSED: Refusals = {
    "messages_read": not_found({"channel_id": MISSING}),
    "messages_send": not_found({"channel_id": MISSING, "content": "hello"}),
    "messages_edit": not_found({**NOWHERE, "content": "after"}),
    "messages_delete": not_found({**NOWHERE, "__confirm": True}),
    "messages_get": not_found(NOWHERE),
    "messages_crosspost": not_found({**NOWHERE, "__confirm": True}),
    "messages_bulk_delete": not_found(
        {"channel_id": MISSING, "message_ids": ["9199999999999999998", "9199999999999999999"], "__confirm": True}
    ),
    "messages_pin": not_found(NOWHERE),
    "messages_unpin": not_found(NOWHERE),
    "messages_list_pins": not_found({"channel_id": MISSING}),
    "messages_create_thread": not_found({**NOWHERE, "name": "Who brings tea?"}),
    "messages_search_recent": not_found({"channel_id": MISSING, "query": "tea"}),
    "messages_get_attachment": not_found({**NOWHERE, "attachment_id": MISSING}),
    "messages_search": not_found({"guild_id": MISSING, "content": "tea"}),
}

DEPARTURES = {
    "messages_crosspost.audit_reason": "Discord's documentation lists no reason here, and the audit log shows none",
}
