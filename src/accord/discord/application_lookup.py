"""The application that the bot belongs to: its id is the bot's own mostly, but older bots have another one."""

from __future__ import annotations

from accord.discord.models.ids import ApplicationId
from accord.discord.models.values import Wire
from accord.discord.rest.client import Discord

__all__ = ["application_of"]


async def application_of(discord: Discord, application_id: ApplicationId | None = None) -> str:
    """Return the application that a call names, or the bot's own, for which Discord is asked once.

    Raises:
        ToolError: The bot's application cannot be read.
    """
    if application_id is not None:
        return application_id
    if discord.places.application_id is None:
        own = await discord.get("/applications/@me", into=Wire)
        discord.places.application_id = own["id"]
    return discord.places.application_id
