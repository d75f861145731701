"""Reactions to messages."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from accord.discord.sandbox import access, codes, payloads, permissions
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.forms import integer, one_of, snowflake
from accord.discord.sandbox.wire import Call, Route
from accord.discord.sandbox.world import Channel, Message, Reaction

if TYPE_CHECKING:
    from accord.discord.sandbox.world import JsonObject, World

MOST_EMOJIS = 20
MOST_USERS, USUAL_USERS = 100, 25
LONGEST_EMOJI = 16  # code points; the longest in Unicode are families and flags of regions
CUSTOM = re.compile(r"(?:a:)?\w{2,32}:([0-9]{17,20})")
KEYCAP = re.compile("[0-9#*]\ufe0f?\u20e3")
# Symbols, skin tones, joiners and variation selectors: what a Unicode emoji can be made of.
EMOJI_CATEGORIES = {"So", "Sk", "Sm", "Po", "Pd", "Cf", "Mn", "Me", "Cn"}
VARIATION_SELECTOR = "\ufe0f"


def add_reaction(call: Call, channel_id: str, message_id: str, emoji: str) -> None:
    """React as the bot; an emoji that nobody used yet needs the right to add reactions."""
    channel, message = _message(call, channel_id, message_id)
    shown = _emoji(call.world, emoji)
    access.open_for_changes(channel)
    key = _key(shown)
    if key not in message.reactions:
        access.channel(call.world, channel_id, permissions.ADD_REACTIONS)
        if len(message.reactions) >= MOST_EMOJIS:
            raise Refused(codes.MAXIMUM_REACTIONS)
    reaction = message.reactions.setdefault(key, Reaction(shown))
    if call.world.me.id not in reaction.user_ids:
        reaction.user_ids.append(call.world.me.id)


def remove_own_reaction(call: Call, channel_id: str, message_id: str, emoji: str) -> None:
    """Take the bot's own reaction back."""
    _remove(call, channel_id, message_id, emoji, call.world.me.id)


def remove_reaction(call: Call, channel_id: str, message_id: str, emoji: str, user_id: str) -> None:
    """Take someone's reaction away."""
    if user_id != call.world.me.id:
        access.channel(call.world, channel_id, permissions.MANAGE_MESSAGES)
    _remove(call, channel_id, message_id, emoji, access.user(call.world, user_id).id)


def _remove(call: Call, channel_id: str, message_id: str, emoji: str, user_id: str) -> None:
    channel, message = _message(call, channel_id, message_id)
    access.open_for_changes(channel)
    key = _key(_emoji(call.world, emoji))
    if key not in message.reactions:
        raise Refused(codes.UNKNOWN_EMOJI)
    reaction = message.reactions[key]
    reaction.user_ids = [each for each in reaction.user_ids if each != user_id]
    if not reaction.user_ids:
        del message.reactions[key]


def list_reactors(call: Call, channel_id: str, message_id: str, emoji: str) -> list[JsonObject]:
    """Who reacted with an emoji, in the order of user ids; nobody did with a burst."""
    _channel, message = _message(call, channel_id, message_id)
    asked = call.asked(after=snowflake, limit=integer(1, MOST_USERS), type=one_of("0", "1"))
    reaction = message.reactions.get(_key(_emoji(call.world, emoji)))
    if reaction is None or asked.get("type") == "1":
        return []
    later = sorted((each for each in reaction.user_ids if int(each) > int(asked.get("after", 0))), key=int)
    return [payloads.user(call.world.users[each]) for each in later[: asked.get("limit", USUAL_USERS)]]


def remove_all_reactions(call: Call, channel_id: str, message_id: str) -> None:
    """Take every reaction off a message."""
    channel, message = _message(call, channel_id, message_id, permissions.MANAGE_MESSAGES)
    access.open_for_changes(channel)
    message.reactions.clear()


def remove_emoji(call: Call, channel_id: str, message_id: str, emoji: str) -> None:
    """Take every reaction with one emoji off a message."""
    channel, message = _message(call, channel_id, message_id, permissions.MANAGE_MESSAGES)
    access.open_for_changes(channel)
    message.reactions.pop(_key(_emoji(call.world, emoji)), None)


def _message(call: Call, channel_id: str, message_id: str, needs: int = 0) -> tuple[Channel, Message]:
    channel = access.channel(call.world, channel_id, permissions.READ_MESSAGE_HISTORY | needs)
    return channel, access.message(channel, message_id)


def _emoji(world: World, written: str) -> JsonObject:
    """The emoji of a path, `name:id` or a Unicode one; raises Refused 10014 for anything else."""
    found = CUSTOM.fullmatch(written)
    if found:
        return _custom(world, found[1])
    if not _is_unicode_emoji(written):
        raise Refused(codes.UNKNOWN_EMOJI)
    return {"id": None, "name": written}


def _custom(world: World, emoji_id: str) -> JsonObject:
    for emojis in (world.app_emojis, *(guild.emojis for guild in world.guilds.values())):
        if emoji_id in emojis:
            emoji = emojis[emoji_id]
            shown: JsonObject = {"id": emoji.id, "name": emoji.name}
            return shown | {"animated": True} if emoji.animated else shown
    raise Refused(codes.UNKNOWN_EMOJI)


def _is_unicode_emoji(written: str) -> bool:
    if KEYCAP.fullmatch(written):
        return True
    fitting = all(not each.isascii() and unicodedata.category(each) in EMOJI_CATEGORIES for each in written)
    return 0 < len(written) <= LONGEST_EMOJI and fitting


def _key(emoji: JsonObject) -> str:
    """One key for the two ways to write a heart, with and without its variation selector."""
    return emoji["id"] or str(emoji["name"]).replace(VARIATION_SELECTOR, "")


_ALL = "/channels/{channel_id}/messages/{message_id}/reactions"
ROUTES = (
    Route("PUT", f"{_ALL}/{{emoji}}/@me", add_reaction),
    Route("DELETE", f"{_ALL}/{{emoji}}/@me", remove_own_reaction),
    Route("DELETE", f"{_ALL}/{{emoji}}/{{user_id}}", remove_reaction),
    Route("GET", f"{_ALL}/{{emoji}}", list_reactors),
    Route("DELETE", f"{_ALL}/{{emoji}}", remove_emoji),
    Route("DELETE", _ALL, remove_all_reactions),
)
