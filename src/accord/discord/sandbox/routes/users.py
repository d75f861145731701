"""Users, the bot's own account, its guilds and its direct messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox import access, codes, payloads
from accord.discord.sandbox.channel_settings import DIRECT_MESSAGE
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.forms import form, integer, read, snowflake, text, truth
from accord.discord.sandbox.pictures import picture
from accord.discord.sandbox.wire import Call, Route
from accord.discord.sandbox.world import Channel

if TYPE_CHECKING:
    from accord.discord.sandbox.world import Guild, JsonObject

MOST_GUILDS = 200
_change = form({"username": text(32, least=2), "avatar": picture, "banner": picture})


def get_me(call: Call) -> JsonObject:
    """The bot's own user, with what only its owner may see."""
    return payloads.user(call.world.me) | {"mfa_enabled": True, "locale": "en-US", "verified": True, "email": None}


def update_me(call: Call) -> JsonObject:
    """Change the bot's own name and pictures; null takes a picture away."""
    for name, value in read(_change, call.body).items():
        setattr(call.world.me, name, value)
    return get_me(call)


def get_user(call: Call, user_id: str) -> JsonObject:
    """Any user whom the sandbox knows."""
    return payloads.user(access.user(call.world, user_id))


def list_my_guilds(call: Call) -> list[JsonObject]:
    """The bot's guilds by id, from the first after `after` or the last before `before`."""
    asked = call.asked(before=snowflake, after=snowflake, limit=integer(1, MOST_GUILDS), with_counts=truth)
    limit = asked.get("limit", MOST_GUILDS)
    mine = sorted((each for each in call.world.guilds.values() if call.world.me.id in each.members), key=_age)
    if "before" in asked:
        mine = [each for each in mine if int(each.id) < int(asked["before"])][-limit:]
    mine = [each for each in mine if int(each.id) > int(asked.get("after", 0))][:limit]
    return [payloads.my_guild(call.world, each, with_counts=asked.get("with_counts", False)) for each in mine]


def _age(guild: Guild) -> int:
    return int(guild.id)


def leave_guild(call: Call, guild_id: str) -> None:
    """Let the bot leave a guild."""
    del access.guild(call.world, guild_id).members[call.world.me.id]


def open_direct_message(call: Call) -> JsonObject:
    """The bot's channel with one user, the same one each time."""
    fields = read(form({"recipient_id": snowflake}, required=("recipient_id",)), call.body)
    person = access.user(call.world, fields["recipient_id"])
    if person is call.world.me:
        raise Refused(codes.CANNOT_DM)
    known = (each for each in call.world.channels.values() if each.recipient_id == person.id)
    channel = next(known, None) or Channel(call.world.new_id(), DIRECT_MESSAGE, recipient_id=person.id)
    call.world.channels[channel.id] = channel
    return payloads.channel(call.world, channel)


ROUTES = (
    Route("GET", "/users/@me", get_me),
    Route("PATCH", "/users/@me", update_me),
    Route("GET", "/users/{user_id}", get_user),
    Route("GET", "/users/@me/guilds", list_my_guilds),
    Route("DELETE", "/users/@me/guilds/{guild_id}", leave_guild),
    Route("POST", "/users/@me/channels", open_direct_message),
)
