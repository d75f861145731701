"""The identity lock: the token is that of the one bot which the owner named."""

from __future__ import annotations

from functools import partial
from typing import Any

from accord.discord.models.values import Wire
from accord.discord.rest.client import Discord
from accord.discord.rest.errors import BotScopeUnresolvedError

__all__ = ["prove_identity"]


async def prove_identity(client: Any, bot_id: str) -> None:
    """Ask Discord once who the bot is; only a proof is remembered, for as long as the client lives.

    Raises:
        BotScopeUnresolvedError: It is another one, or no bot, or the client is not ours.
        ToolError: Discord does not tell.
    """
    if not isinstance(client, Discord):
        raise BotScopeUnresolvedError(resource=f"bot {bot_id}")
    await client.places.find(("bot", bot_id), partial(_proof, client.lasting(), bot_id), for_good=True)


async def _proof(discord: Discord, bot_id: str) -> str:
    own = await discord.get("/users/@me", into=Wire)
    if own.get("bot") is not True or own["id"] != bot_id:
        hint = f"The owner must correct DISCORD_TOKEN or DISCORD_EXPECTED_BOT_ID, which says {bot_id}."
        raise BotScopeUnresolvedError(resource=f"bot {own['id']}", recovery_hint=hint)
    return bot_id
