"""The application that the bot belongs to: its id is the bot's own mostly, but older bots have another one."""

from __future__ import annotations

from functools import partial

from accord.discord.models.ids import ApplicationId
from accord.discord.models.values import Wire
from accord.discord.rest.client import Discord

__all__ = ["application_of", "own_application"]


async def application_of(discord: Discord, application_id: ApplicationId | None = None) -> str:
    """Return the application that a call names, or the bot's own, for which Discord is asked once.

    Raises:
        ToolError: The bot's application cannot be read.
    """
    return application_id or await own_application(discord)


async def own_application(discord: Discord) -> str:
    """Return the id of the bot's application, asking Discord once.

    Raises:
        ToolError: It cannot be read.
    """
    return str(await discord.places.find(("application",), partial(_asked, discord.lasting()), for_good=True))


async def _asked(discord: Discord) -> str:
    return str((await discord.get("/applications/@me", into=Wire))["id"])
