"""What posts to the demo world by a token: a webhook, an interaction that waits for its answer, and a lobby."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox import payloads
from accord.discord.sandbox.routes.lobbies import lobby
from accord.discord.sandbox.routes.webhooks import incoming

if TYPE_CHECKING:
    from accord.discord.sandbox.world import World

COMMAND_USED = 2

WEBHOOK = "1196728044746833921"
LOBBY = "1196728296405663745"
INTERACTION = "1196728548064493569"

# Tokens in the form of Discord's, which no other service knows.
WEBHOOK_TOKEN = "a-webhooks-token-for-the-sandbox-and-for-nothing-else_000000000000001"  # noqa: S105
INTERACTION_TOKEN = "aW50ZXJhY3Rpb246" + "an-interactions-token-for-the-sandbox-and-for-nothing-else" * 4


def add(world: World, channel_id: str, maya: str, lena: str) -> None:
    """Put them into the world: the webhook is Maya's, Lena used a command and plays in the lobby."""
    channel = world.channels[channel_id]
    webhook = incoming(WEBHOOK, WEBHOOK_TOKEN, "Weather station", channel, world.application_id)
    world.webhooks[WEBHOOK] = webhook | {"user": payloads.user(world.users[maya])}
    world.interactions[INTERACTION_TOKEN] = {
        "id": INTERACTION,
        "application_id": world.application_id,
        "type": COMMAND_USED,
        "token": INTERACTION_TOKEN,
        "version": 1,
        "guild_id": channel.guild_id,
        "channel_id": channel.id,
        "user": payloads.user(world.users[lena]),
    }
    world.lobbies[LOBBY] = lobby(LOBBY, world.application_id) | {
        "metadata": {"map": "Old bridge"},
        "members": {lena: {"id": lena, "metadata": {"lantern": "fish"}, "flags": 1}},
        "linked_channel": channel_id,
    }
