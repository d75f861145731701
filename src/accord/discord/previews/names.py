"""What an id stands for: its name, and what else somebody should know who is asked about it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from accord.discord.application_lookup import application_of
from accord.discord.conditions import ELEVATED, names_of
from accord.discord.models.ids import (
    ApplicationCommandId,
    ApplicationId,
    AutoModRuleId,
    ChannelId,
    EmojiId,
    EntitlementId,
    GuildId,
    IntegrationId,
    InviteCode,
    LobbyId,
    MessageId,
    OverwriteId,
    RoleId,
    ScheduledEventId,
    SoundboardSoundId,
    StickerId,
    TemplateCode,
    UserId,
    WebhookId,
)
from accord.discord.models.values import Wire
from accord.discord.rest.client import Discord
from accord.discord.targets import Target
from accord.engine import ToolError

__all__ = ["NAMED", "Place", "excerpt", "named"]

Json: TypeAlias = Any
Facts: TypeAlias = dict[str, Json]

MOST_CHARACTERS: Final = 200
"""How much of a text is shown."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a call acts: its guild, as far as it is known, and its arguments."""

    guild_id: str | None
    arguments: Mapping[str, Json]

    @property
    def guild(self) -> str:
        """The guild.

        Raises:
            KeyError: None is known.
        """
        if self.guild_id is None:
            raise KeyError("guild_id")
        return self.guild_id


Namer: TypeAlias = Callable[[Discord, str, Place], Awaitable[Facts]]


async def named(discord: Discord, target: Target, place: Place) -> Facts:
    """Return what a target is.

    Raises:
        ToolError: It cannot be read.
        KeyError: It is not known where it is.
    """
    return await NAMED[target.kind](discord, target.value, place)


def excerpt(text: str) -> str:
    """Return the beginning of a text."""
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"


async def _guild(discord: Discord, guild_id: str, _: Place) -> Facts:
    found = await discord.get("/guilds/{}", guild_id, into=Wire)
    return {"kind": "guild", "name": found["name"]}


async def _channel(discord: Discord, channel_id: str, _: Place) -> Facts:
    found = await discord.get("/channels/{}", channel_id, into=Wire)
    if people := found.get("recipients"):
        return {"kind": "direct messages", "with": [one["username"] for one in people]}
    return {"kind": "channel", "name": found.get("name"), "type": found["type"]}


async def _user(discord: Discord, user_id: str, place: Place) -> Facts:
    """Return who it is: the guild's member, or else a user of Discord."""
    try:
        found = await discord.get("/guilds/{}/members/{}", place.guild, user_id, into=Wire)
    except (ToolError, KeyError):
        return {"kind": "user", "name": (await discord.get("/users/{}", user_id, into=Wire))["username"]}
    nick = {"nick": found["nick"]} if found.get("nick") else {}
    return {"kind": "member", "name": found["user"]["username"], **nick}


async def _role(discord: Discord, role_id: str, place: Place) -> Facts:
    found = await discord.get("/guilds/{}/roles/{}", place.guild, role_id, into=Wire)
    elevated = [name for name in names_of(int(found["permissions"])) if name in ELEVATED]
    return {"kind": "role", "name": found["name"], **({"may": elevated} if elevated else {})}


async def _role_or_user(discord: Discord, some_id: str, place: Place) -> Facts:
    try:
        return await _role(discord, some_id, place)
    except ToolError:
        return await _user(discord, some_id, place)


async def _message(discord: Discord, message_id: str, place: Place) -> Facts:
    found = await _sent(discord, message_id, place)
    facts = {"kind": "message", "author": found["author"]["username"], "text": excerpt(found.get("content", ""))}
    return {**facts, "attachments": len(found["attachments"])} if found.get("attachments") else facts


async def _sent(discord: Discord, message_id: str, place: Place) -> Wire:
    """Return a message of a channel, or of the webhook or interaction whose token can read its own."""
    given = place.arguments
    if token := given.get("token") or given.get("interaction_token"):
        by = given.get("webhook_id") or await application_of(discord, given.get("application_id"))
        query = {"thread_id": given.get("thread_id")}
        return await discord.get("/webhooks/{}/{}/messages/{}", by, token, message_id, into=Wire, query=query)
    channel_id = given.get("thread_id") or given.get("channel_id") or await _channel_of(discord, given["webhook_id"])
    return await discord.get("/channels/{}/messages/{}", channel_id, message_id, into=Wire)


async def _channel_of(discord: Discord, webhook_id: str) -> str:
    found = await discord.get("/webhooks/{}", webhook_id, into=Wire)
    channel_id: str = found["channel_id"]
    return channel_id


async def _webhook(discord: Discord, webhook_id: str, place: Place) -> Facts:
    if token := place.arguments.get("token"):
        found = await discord.get("/webhooks/{}/{}", webhook_id, token, into=Wire)
    else:
        found = await discord.get("/webhooks/{}", webhook_id, into=Wire)
    return {"kind": "webhook", "name": found.get("name"), "channel_id": found.get("channel_id")}


async def _emoji(discord: Discord, emoji_id: str, place: Place) -> Facts:
    if place.guild_id:
        found = await discord.get("/guilds/{}/emojis/{}", place.guild_id, emoji_id, into=Wire)
    else:
        own = await application_of(discord, place.arguments.get("application_id"))
        found = await discord.get("/applications/{}/emojis/{}", own, emoji_id, into=Wire)
    return {"kind": "emoji", "name": found["name"]}


async def _sticker(discord: Discord, sticker_id: str, place: Place) -> Facts:
    found = await discord.get("/guilds/{}/stickers/{}", place.guild, sticker_id, into=Wire)
    return {"kind": "sticker", "name": found["name"]}


async def _sound(discord: Discord, sound_id: str, place: Place) -> Facts:
    found = await discord.get("/guilds/{}/soundboard-sounds/{}", place.guild, sound_id, into=Wire)
    return {"kind": "sound", "name": found["name"]}


async def _event(discord: Discord, event_id: str, place: Place) -> Facts:
    found = await discord.get("/guilds/{}/scheduled-events/{}", place.guild, event_id, into=Wire)
    return {"kind": "event", "name": found["name"], "start": found["scheduled_start_time"]}


async def _rule(discord: Discord, rule_id: str, place: Place) -> Facts:
    found = await discord.get("/guilds/{}/auto-moderation/rules/{}", place.guild, rule_id, into=Wire)
    return {"kind": "rule", "name": found["name"], "enabled": found["enabled"]}


async def _integration(discord: Discord, integration_id: str, place: Place) -> Facts:
    found = await discord.get("/guilds/{}/integrations", place.guild, into=list[Wire])
    return {"kind": "integration", "name": next(one["name"] for one in found if one["id"] == integration_id)}


async def _invite(discord: Discord, code: str, _: Place) -> Facts:
    found = await discord.get("/invites/{}", code, into=Wire)
    places = {"guild": found.get("guild"), "channel": found.get("channel")}
    return {"kind": "invite", **{name: one.get("name") for name, one in places.items() if one}}


async def _template(discord: Discord, code: str, _: Place) -> Facts:
    found = await discord.get("/guilds/templates/{}", code, into=Wire)
    return {"kind": "template", "name": found["name"], "updated_at": found["updated_at"]}


async def _command(discord: Discord, command_id: str, place: Place) -> Facts:
    own = await application_of(discord, place.arguments.get("application_id"))
    if place.guild_id:
        found = await discord.get("/applications/{}/guilds/{}/commands/{}", own, place.guild_id, command_id, into=Wire)
    else:
        found = await discord.get("/applications/{}/commands/{}", own, command_id, into=Wire)
    return {"kind": "command", "name": found["name"]}


async def _application(discord: Discord, application_id: str, _: Place) -> Facts:
    found = await discord.get("/applications/{}", application_id, into=Wire)
    return {"kind": "application", "name": found["name"]}


async def _lobby(discord: Discord, lobby_id: str, _: Place) -> Facts:
    found = await discord.get("/lobbies/{}", lobby_id, into=Wire)
    return {"kind": "lobby", "members": len(found.get("members", ()))}


async def _entitlement(discord: Discord, entitlement_id: str, place: Place) -> Facts:
    own = await application_of(discord, place.arguments.get("application_id"))
    found = await discord.get("/applications/{}/entitlements/{}", own, entitlement_id, into=Wire)
    whose = {name: found[name] for name in ("sku_id", "user_id", "guild_id") if found.get(name)}
    return {"kind": "entitlement", **whose}


NAMED: Final[Mapping[type, Namer]] = {
    ApplicationCommandId: _command,
    ApplicationId: _application,
    AutoModRuleId: _rule,
    ChannelId: _channel,
    EmojiId: _emoji,
    EntitlementId: _entitlement,
    GuildId: _guild,
    IntegrationId: _integration,
    InviteCode: _invite,
    LobbyId: _lobby,
    MessageId: _message,
    OverwriteId: _role_or_user,
    RoleId: _role,
    ScheduledEventId: _event,
    SoundboardSoundId: _sound,
    StickerId: _sticker,
    TemplateCode: _template,
    UserId: _user,
    WebhookId: _webhook,
}
"""How each kind of id is looked up."""
