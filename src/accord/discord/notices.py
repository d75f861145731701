"""A word to somebody by direct message, for what follows makes it impossible to write to them."""

from __future__ import annotations

import asyncio

from accord.discord.models.ids import UserId
from accord.discord.models.messages import NewMessage
from accord.discord.models.values import Wire
from accord.discord.outgoing import nonce_of, sendable
from accord.discord.rest.client import Discord
from accord.engine import ToolError

__all__ = ["delivered"]

MOST_SECONDS = 10
"""What comes next must not fail for want of time."""


async def delivered(discord: Discord, user_id: UserId, words: str) -> bool:
    """Return whether a user got these words. That they did not is no failure: many take no direct messages."""
    message: NewMessage = {"content": words}
    try:
        async with asyncio.timeout(MOST_SECONDS):
            body = {"recipient_id": user_id}
            channel = await discord.post("/users/@me/channels", into=Wire, body=body, idempotent=True)
            write = await sendable(discord, message, nonce=nonce_of(message))
            await discord.post("/channels/{}/messages", channel["id"], into=Wire, **write)
    except (ToolError, TimeoutError):
        return False
    return True
