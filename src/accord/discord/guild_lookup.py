"""In which guild a thing lies that a call names: what kinds of names tell it, and how Discord is asked."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from accord.discord.application_lookup import own_application
from accord.discord.links import guild_of
from accord.discord.models.ids import (
    ActivityInstanceId,
    ChannelId,
    EntitlementId,
    InviteCode,
    LobbyId,
    StickerId,
    TemplateCode,
    WebhookId,
    WebhookToken,
)
from accord.discord.models.values import Wire
from accord.discord.rest.client import Discord
from accord.engine import Leaf

__all__ = ["FINDERS", "Finder", "learn_channels"]

Json: TypeAlias = Any


class Finder(NamedTuple):
    """How the guild behind a kind of name is found; `word` names the kind in errors.

    `ask` returns None where no guild is behind it. If it is `proving`, nothing is proven then; else it is something
    that no guild has, such as Discord's own stickers. What cannot move is `kept`.
    """

    word: str
    ask: Callable[[Discord, Leaf], Awaitable[str | None]]
    proving: bool = True
    kept: bool = True

    async def guild_of(self, discord: Discord, at: Leaf) -> str | None:
        """Return the guild, from Discord if it is not known.

        Raises:
            ToolError: Discord does not tell it.
        """
        if not self.kept:
            return await self.ask(discord, at)
        return await discord.places.find((self.word, at.value), partial(self.ask, discord.lasting(), at))


async def _channel(discord: Discord, at: Leaf) -> str | None:
    return await guild_of(discord, ChannelId(at.value))


async def _webhook(discord: Discord, at: Leaf) -> str | None:
    """Ask with the webhook's own token where the call brings it: that needs no permission."""
    token = next((one for one in at.beside.values() if isinstance(one, WebhookToken)), None)
    found: Json
    if token is None:
        found = await discord.get("/webhooks/{}", at.value, into=Wire)
    else:
        found = await discord.get("/webhooks/{}/{}", at.value, token, into=Wire)
    return found.get("guild_id") or await guild_of(discord, ChannelId(found["channel_id"]))


async def _invite(discord: Discord, at: Leaf) -> str | None:
    found = await discord.get("/invites/{}", at.value, into=Wire)
    return (found.get("guild") or {}).get("id")


async def _template(discord: Discord, at: Leaf) -> str | None:
    return (await discord.get("/guilds/templates/{}", at.value, into=Wire)).get("source_guild_id")


async def _sticker(discord: Discord, at: Leaf) -> str | None:
    return (await discord.get("/stickers/{}", at.value, into=Wire)).get("guild_id")


async def _entitlement(discord: Discord, at: Leaf) -> str | None:
    own = await own_application(discord)
    return (await discord.get("/applications/{}/entitlements/{}", own, at.value, into=Wire)).get("guild_id")


async def _lobby(discord: Discord, at: Leaf) -> str | None:
    channel = (await discord.get("/lobbies/{}", at.value, into=Wire)).get("linked_channel")
    return None if channel is None else channel.get("guild_id") or await guild_of(discord, ChannelId(channel["id"]))


_IN_GUILD: Final = re.compile(r"-gc-([0-9]{17,20})-[0-9]{17,20}$")


async def _activity(_discord: Discord, at: Leaf) -> str | None:
    """Read it from the id: `gc` stands before a guild and its channel, `pc` before a private one."""
    found = _IN_GUILD.search(at.value)
    return found.group(1) if found else None


FINDERS: Final[Mapping[type, Finder]] = {
    ChannelId: Finder("channel", _channel, kept=False),  # kept already, for links
    WebhookId: Finder("webhook", _webhook),
    InviteCode: Finder("invite", _invite),
    TemplateCode: Finder("template", _template),
    StickerId: Finder("sticker", _sticker, proving=False),
    EntitlementId: Finder("entitlement", _entitlement, proving=False),
    LobbyId: Finder("lobby", _lobby, proving=False, kept=False),  # it can be linked to another channel
    ActivityInstanceId: Finder("activity", _activity, proving=False),
}
"""By the kind of name. What is missing here lies in the guild of its call: roles, users, messages."""


async def learn_channels(discord: Discord, guild_id: str) -> None:
    """Read all channels of a guild at once, for those who would else ask for one after another."""
    for channel in await discord.get("/guilds/{}/channels", guild_id, into=list[Wire]):
        discord.places.learn(("channel", channel["id"]), guild_id)
