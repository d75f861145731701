"""One call and what it is about: where its permissions count, and how the bot stands there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple, TypeAlias

from accord.discord.access import Access, access_of, guild_source
from accord.discord.evidence import Evidence, Unproven, as_documented
from accord.discord.models.ids import ChannelId
from accord.discord.permissions.effective import IN_DIRECT_MESSAGES, in_channel, in_guild
from accord.discord.permissions.facts import ChannelFacts, GuildFacts, MemberFacts, channel_facts
from accord.discord.rest.client import Discord
from accord.engine import Call, unwrapped

__all__ = ["DIRECT_MESSAGES", "Place", "Scene", "Standing"]

Json: TypeAlias = Any

DIRECT_MESSAGES: Final = frozenset({1, 3})
"""The types of a direct message and of a group's."""


MADE: Final[Mapping[str, Callable[[Evidence, Discord, str, str], Awaitable[Json]]]] = {
    "event_id": Evidence.event,
    "sticker_id": Evidence.sticker,
    "sound_id": Evidence.sound,
    "emoji_id": Evidence.emoji,
}
"""By the argument that names it, what is read of something that somebody made. A sound may name an emoji as well."""


class Place(NamedTuple):
    """Where permissions count: in a channel, in a whole guild, or in neither."""

    guild_id: str | None = None
    channel_id: str | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """The bot in one guild."""

    guild: GuildFacts
    member: MemberFacts
    features: frozenset[str]


class Scene:
    """Asks for the evidence of one call. Every method raises Unproven where it is not to be had."""

    def __init__(self, call: Call, evidence: Evidence, discord: Discord, me: str, now: datetime) -> None:
        self.arguments: Mapping[str, Json] = call.arguments
        self.access: Access = access_of(call.tool)
        self.me = me
        self._tool = call.tool
        self._evidence = evidence
        self._discord = discord
        self._now = now

    def touches(self, name: str) -> bool:
        """Whether the call gives the argument, or clears what it would set."""
        return self.arguments.get(name) is not None or name in (self.arguments.get("clear") or ())

    # --- Where it is ------------------------------------------------------------------------------------------------

    async def place(self) -> Place:
        """Return where the permissions that the tool names count."""
        named = self.access.counts_in and self.arguments.get(self.access.counts_in)
        if named:
            return await self._place_named(named)
        find = self._PLACES.get(guild_source(self._tool))
        if find is None:
            raise Unproven("the call does not tell its guild")
        return await find(self)

    async def _place_named(self, channel_id: str) -> Place:
        place = await self.place_of(channel_id)
        if self.arguments.get("guild_id") not in {None, place.guild_id}:
            raise Unproven("the channel is in another guild")
        return place

    async def place_of(self, channel_id: str) -> Place:
        """Return a channel with its guild; a direct message has none."""
        with as_documented():
            return Place((await self.channel(channel_id)).get("guild_id"), channel_id)

    async def _named_guild(self) -> Place:
        guild_id = self.arguments.get("guild_id")
        if guild_id is None:
            raise Unproven("the call does not name its guild")
        return Place(guild_id)

    async def _named_channel(self) -> Place:
        slots = self._tool.shape.slots
        named = [name for name, slot in slots.items() if slot.required and unwrapped(slot.hint)[0] is ChannelId]
        if not named:
            raise Unproven("the call does not name its channel")
        return await self.place_of(self.arguments[named[0]])

    async def _channel_of_webhook(self) -> Place:
        with as_documented():
            return await self.place_of((await self.webhook())["channel_id"])

    async def _channel_of_invite(self) -> Place:
        with as_documented():
            invite = await self.invite()
            return Place(invite["guild"]["id"], invite["channel"]["id"])

    _PLACES: Mapping[str, Callable[[Scene], Awaitable[Place]]] = {
        "argument": _named_guild,
        "channel": _named_channel,
        "webhook": _channel_of_webhook,
        "invite": _channel_of_invite,
    }

    # --- How the bot stands there -----------------------------------------------------------------------------------

    async def standing(self, guild_id: str) -> Standing:
        """Return the bot in this guild."""
        guild = await self._evidence.guild(self._discord, guild_id)
        member = await self._evidence.member(self._discord, guild_id, self.me)
        if member is None:
            raise Unproven("the bot is no member of the guild")
        return Standing(guild.facts, member, guild.features)

    async def granted(self, place: Place) -> int:
        """Return what the bot may do at the place."""
        if place.channel_id is not None:
            return await self._granted_in_channel(place.channel_id)
        assert place.guild_id is not None  # noqa: S101 - no place is nowhere
        standing = await self.standing(place.guild_id)
        return in_guild(standing.guild, standing.member, self._now)

    async def _granted_in_channel(self, channel_id: str) -> int:
        channel = await self.channel(channel_id)
        if channel.get("type") in DIRECT_MESSAGES:
            return IN_DIRECT_MESSAGES
        guild_id = channel.get("guild_id")
        if not isinstance(guild_id, str):
            raise Unproven("the channel's guild is not known")
        standing = await self.standing(guild_id)
        return in_channel(standing.guild, standing.member, await self.channel_facts(channel_id), self._now)

    async def channel_facts(self, channel_id: str) -> ChannelFacts:
        """Return a channel's overwrites; a thread has its parent's."""
        channel = await self.channel(channel_id)
        with as_documented():
            is_thread = "thread_metadata" in channel
            parent = await self.channel(channel["parent_id"]) if is_thread else None
            if parent is not None and parent["guild_id"] != channel["guild_id"]:
                raise Unproven("the thread's parent is in another guild")
            return channel_facts(channel, parent)

    # --- What it is about -------------------------------------------------------------------------------------------

    async def channel(self, channel_id: str) -> Json:
        """Return a channel's object."""
        return await self._evidence.channel(self._discord, channel_id)

    async def own_channel(self) -> Json:
        """Return the object of the channel that the call is about, empty for a call that is about none."""
        channel_id = (await self.place()).channel_id
        return {} if channel_id is None else await self.channel(channel_id)

    async def message(self) -> Json:
        """Return the message that the call names."""
        return await self._evidence.message(self._discord, self.arguments["channel_id"], self.arguments["message_id"])

    async def event(self) -> Json:
        """Return the event that the call names, empty for a call that names none."""
        if "event_id" not in self.arguments:
            return {}
        return await self._evidence.event(self._discord, self.arguments["guild_id"], self.arguments["event_id"])

    async def voice_channel(self, guild_id: str) -> str | None:
        """Return the voice channel that the bot is in."""
        return await self._evidence.voice_channel(self._discord, guild_id)

    async def webhook(self) -> Json:
        """Return the webhook that the call names."""
        return await self._evidence.webhook(self._discord, self.arguments["webhook_id"])

    async def invite(self) -> Json:
        """Return the invite that the call names."""
        return await self._evidence.invite(self._discord, self.arguments["code"])

    async def application(self) -> Json:
        """Return the bot's application."""
        return await self._evidence.application(self._discord)

    async def member(self, guild_id: str, user_id: str) -> MemberFacts | None:
        """Return a member, None for somebody who is not in the guild."""
        return await self._evidence.member(self._discord, guild_id, user_id)

    async def maker(self) -> str:
        """Return the id of the user who made what the call names: an event, a sticker, a sound or an emoji."""
        with as_documented():
            name, read = next((name, read) for name, read in MADE.items() if name in self.arguments)
            made = await read(self._evidence, self._discord, self.arguments["guild_id"], self.arguments[name])
            maker = made.get("creator_id") or made["user"]["id"]
            if not isinstance(maker, str):
                raise Unproven("who made it is not known")
            return maker
