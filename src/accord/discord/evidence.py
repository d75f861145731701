"""What Discord says of the bot and of what a call is about: read by GETs, kept for a moment, never past a write."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple, TypeAlias

from accord.discord.models.permissions import Permission
from accord.discord.permissions.facts import GuildFacts, MemberFacts, guild_facts, member_facts
from accord.discord.rest.client import Discord
from accord.discord.rest.errors import (
    DiscordAuthError,
    DiscordCloudflareBlocked,
    DiscordNotFoundError,
    DiscordPermissionError,
)
from accord.discord.rest.resilience.clock import Clock, loop_time
from accord.engine import ToolError

__all__ = ["Evidence", "GuildEvidence", "Unproven", "Withheld", "as_documented"]

Json: TypeAlias = Any
Key: TypeAlias = tuple[str, ...]

LIFETIME_SECONDS: Final = 5.0
MOST_ENTRIES: Final = 1024

READ_SECONDS: Final = 10.0
"""How long one reading may take. It has a time of its own, since several calls may wait for it."""

NO_ACCESS: Final = frozenset({50001, 50013})
"""https://discord.com/developers/docs/topics/opcodes-and-status-codes#json: Missing Access, Missing Permissions."""

OF_EVERY_CALL: Final = (DiscordAuthError, DiscordCloudflareBlocked)
"""Failures that say nothing of what was asked for: the call itself would fail with them."""

UNKNOWN_MEMBER: Final = 10007
UNKNOWN_VOICE_STATE: Final = 10065


class Unproven(Exception):  # noqa: N818 - no failure: what could not be found out
    """Something is not known; the text says what, in words that hold nothing that people wrote."""


class Withheld(Unproven):
    """Discord does not show something to the bot, which proves that it lacks the permission."""

    def __init__(self, permission: Permission) -> None:
        super().__init__(f"Discord shows it only with {permission}")
        self.permission = permission


@contextmanager
def as_documented() -> Iterator[None]:
    """Take an answer that cannot be read for no proof.

    Raises:
        Unproven: Discord left out what it documents, or sent something else.
    """
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unproven("Discord's answer is not what it documents") from error


class GuildEvidence(NamedTuple):
    """A guild that the bot is in: who owns it, its roles, and its features."""

    facts: GuildFacts
    features: frozenset[str]


class Kept(NamedTuple):
    """What was read, as its readers take it, and until when it counts."""

    found: Json
    until: float


class Evidence:
    """Readings shared by all calls of one bot.

    Calls that need the same thing at the same time wait for one request; one that is cancelled ends only itself.
    `forget` is for the moments before and after a write: what was asked for before is neither kept nor waited for by
    whoever comes later. What other programs write shows when the lifetime has passed.

    Every method raises Unproven where Discord does not answer or answers with something else than what was asked for,
    but DiscordAuthError for a token that is not good, and DiscordCloudflareBlocked.
    """

    def __init__(
        self, *, clock: Clock = loop_time, lifetime_seconds: float = LIFETIME_SECONDS, most: int = MOST_ENTRIES
    ) -> None:
        self._clock = clock
        self._lifetime = lifetime_seconds
        self._most = most
        self._kept: OrderedDict[Key, Kept] = OrderedDict()
        self._under_way: dict[Key, asyncio.Task[Json]] = {}

    def forget(self) -> None:
        """Begin anew: nothing that was asked for before now is served to anybody who comes after."""
        self._kept = OrderedDict()  # both replaced, so that readings under way fill what nobody looks at any more
        self._under_way = {}

    def reading(self, discord: Discord) -> Discord:
        """Return the client for reading on behalf of all callers: with a time of its own."""
        return discord.until(loop_time() + READ_SECONDS)

    async def identity(self, discord: Discord) -> Json:
        """Return the bot's own user; Unproven where the token is no bot's."""
        me = await self._read(("bot's user",), lambda: discord.get("/users/@me", into=dict[str, Json]))
        if not isinstance(me, dict) or me.get("bot") is not True or not isinstance(me.get("id"), str):
            raise Unproven("the token could not be proven to be a bot's")
        return me

    async def application(self, discord: Discord) -> Json:
        """Return the bot's application: its id and its flags."""
        own = await self._read(("application",), lambda: discord.get("/applications/@me", into=dict[str, Json]))
        return _object(own, "application")

    async def guild(self, discord: Discord, guild_id: str) -> GuildEvidence:
        """Return a guild that the bot is in."""

        async def ask() -> GuildEvidence:
            found = _object(await discord.get("/guilds/{}", guild_id, into=dict[str, Json]), "guild", guild_id)
            with as_documented():
                return GuildEvidence(guild_facts(found, found["roles"]), frozenset(found["features"]))

        guild: GuildEvidence = await self._read(("guild", guild_id), ask)
        return guild

    async def member(self, discord: Discord, guild_id: str, user_id: str) -> MemberFacts | None:
        """Return a member of a guild, None for a user who is not in it."""

        async def ask() -> MemberFacts | None:
            try:
                found = await discord.get("/guilds/{}/members/{}", guild_id, user_id, into=dict[str, Json])
            except DiscordNotFoundError as error:
                if error.discord_code == UNKNOWN_MEMBER:
                    return None
                raise
            _object(_object(found, "member").get("user"), "member", user_id)
            with as_documented():
                return member_facts(found)

        member: MemberFacts | None = await self._read(("member", guild_id, user_id), ask)
        return member

    async def channel(self, discord: Discord, channel_id: str) -> Json:
        """Return a channel, a thread or a direct message; Withheld for one that the bot cannot view."""
        key = ("channel", channel_id)
        found = await self._read(
            key, lambda: discord.get("/channels/{}", channel_id, into=dict[str, Json]), shown_with="VIEW_CHANNEL"
        )
        return _object(found, "channel", channel_id)

    async def message(self, discord: Discord, channel_id: str, message_id: str) -> Json:
        """Return a message: its author and its reactions."""
        key = ("message", channel_id, message_id)
        found = await self._read(
            key, lambda: discord.get("/channels/{}/messages/{}", channel_id, message_id, into=dict[str, Json])
        )
        return _object(found, "message", message_id)

    async def voice_channel(self, discord: Discord, guild_id: str) -> str | None:
        """Return the id of the voice channel that the bot is in, None where it is in none."""

        async def ask() -> Json:
            try:
                return await discord.get("/guilds/{}/voice-states/@me", guild_id, into=dict[str, Json])
            except DiscordNotFoundError as error:
                if error.discord_code == UNKNOWN_VOICE_STATE:
                    return {"channel_id": None}
                raise

        state = _object(await self._read(("voice state", guild_id), ask), "voice state")
        channel_id: str | None = state.get("channel_id")
        return channel_id

    async def webhook(self, discord: Discord, webhook_id: str) -> Json:
        """Return a webhook; Withheld for one that is neither the bot's own nor shown to it."""
        key = ("webhook", webhook_id)
        found = await self._read(
            key, lambda: discord.get("/webhooks/{}", webhook_id, into=dict[str, Json]), shown_with="MANAGE_WEBHOOKS"
        )
        return _object(found, "webhook", webhook_id)

    async def invite(self, discord: Discord, code: str) -> Json:
        """Return an invite: its guild, its channel and who made it."""
        found = await self._read(("invite", code), lambda: discord.get("/invites/{}", code, into=dict[str, Json]))
        return _object(found, "invite", code, key="code")

    async def event(self, discord: Discord, guild_id: str, event_id: str) -> Json:
        """Return a scheduled event."""
        key = ("event", guild_id, event_id)
        found = await self._read(
            key, lambda: discord.get("/guilds/{}/scheduled-events/{}", guild_id, event_id, into=dict[str, Json])
        )
        return _object(found, "event", event_id)

    async def emoji(self, discord: Discord, guild_id: str, emoji_id: str) -> Json:
        """Return an emoji of a guild."""
        key = ("emoji", guild_id, emoji_id)
        found = await self._read(
            key, lambda: discord.get("/guilds/{}/emojis/{}", guild_id, emoji_id, into=dict[str, Json])
        )
        return _object(found, "emoji", emoji_id)

    async def sticker(self, discord: Discord, guild_id: str, sticker_id: str) -> Json:
        """Return a sticker of a guild."""
        key = ("sticker", guild_id, sticker_id)
        found = await self._read(
            key, lambda: discord.get("/guilds/{}/stickers/{}", guild_id, sticker_id, into=dict[str, Json])
        )
        return _object(found, "sticker", sticker_id)

    async def sound(self, discord: Discord, guild_id: str, sound_id: str) -> Json:
        """Return a soundboard sound of a guild."""
        key = ("sound", guild_id, sound_id)
        found = await self._read(
            key, lambda: discord.get("/guilds/{}/soundboard-sounds/{}", guild_id, sound_id, into=dict[str, Json])
        )
        return _object(found, "sound", sound_id, key="sound_id")

    async def _read(
        self, key: Key, ask: Callable[[], Awaitable[Json]], *, shown_with: Permission | None = None
    ) -> Json:
        kept = self._kept.get(key)
        if kept is not None and kept.until > self._clock():
            return kept.found
        try:
            return await asyncio.shield(self._under_way.get(key) or self._begun(key, ask))
        except OF_EVERY_CALL:
            raise
        except ToolError as error:
            is_kept_back = isinstance(error, DiscordPermissionError) and error.discord_code in NO_ACCESS
            if shown_with is not None and is_kept_back:
                raise Withheld(shown_with) from error
            raise Unproven(f"the {key[0]} could not be read ({error.code})") from error

    def _begun(self, key: Key, ask: Callable[[], Awaitable[Json]]) -> asyncio.Task[Json]:
        task = self._under_way[key] = asyncio.create_task(self._asked(key, ask))
        task.add_done_callback(_heard)
        return task

    async def _asked(self, key: Key, ask: Callable[[], Awaitable[Json]]) -> Json:
        """Ask Discord, and keep the answer for those who come before the next `forget`."""
        kept, under_way = self._kept, self._under_way
        try:
            found = await ask()
        finally:
            del under_way[key]
        kept[key] = Kept(found, self._clock() + self._lifetime)
        kept.move_to_end(key)
        if len(kept) > self._most:
            kept.popitem(last=False)
        return found


def _heard(task: asyncio.Task[Json]) -> None:
    """Take note of a failure that nobody waits for any more: all of them may have been cancelled."""
    if not task.cancelled():
        task.exception()


def _object(payload: Json, what: str, said_id: str | None = None, *, key: str = "id") -> dict[str, Json]:
    """Return the payload if it is an object, and of what was asked for."""
    if not isinstance(payload, dict) or (said_id is not None and payload.get(key) != said_id):
        raise Unproven(f"Discord's answer is not the {what} that was asked for")
    return payload
