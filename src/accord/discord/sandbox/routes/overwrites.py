"""A channel's permission overwrites."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from accord.discord.sandbox import access, codes, payloads, permissions
from accord.discord.sandbox.audit import Deed, changes_between
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.forms import form, integer, one_of, read, snowflake
from accord.discord.sandbox.wire import Call, Route
from accord.discord.sandbox.world import Overwrite

if TYPE_CHECKING:
    from accord.discord.sandbox.world import Guild, JsonObject

FOR_ROLE, FOR_MEMBER = 0, 1
_fields = {
    "type": one_of(FOR_ROLE, FOR_MEMBER),
    "allow": integer(0, permissions.EVERYTHING),
    "deny": integer(0, permissions.EVERYTHING),
}
OVERWRITE = form({**_fields, "id": snowflake}, required=("id",))


def overwrites_from(call: Call, guild: Guild, rows: list[JsonObject]) -> dict[str, Overwrite]:
    """The overwrites of a list of checked rows; raises Refused 50013 if the bot may not give all of them."""
    return {row["id"]: _overwrite(call, guild, row["id"], row) for row in rows}


def put_overwrite(call: Call, channel_id: str, overwrite_id: str) -> None:
    """Set what one role or member is allowed and denied in a channel."""
    guild, channel = access.guild_channel(call.world, channel_id, permissions.MANAGE_ROLES)
    if channel.thread is not None:
        raise Refused(codes.WRONG_CHANNEL_TYPE)
    before = channel.overwrites.get(overwrite_id)
    after = _overwrite(call, guild, overwrite_id, read(form(_fields), call.body))
    channel.overwrites[overwrite_id] = after
    deed = Deed.CHANNEL_OVERWRITE_UPDATE if before else Deed.CHANNEL_OVERWRITE_CREATE
    changes = changes_between(payloads.overwrite(before) if before else {}, payloads.overwrite(after))
    call.record(guild, deed, channel.id, changes=changes, options=_named(guild, after))


def _overwrite(call: Call, guild: Guild, target_id: str, fields: dict[str, Any]) -> Overwrite:
    """The bot can only give and deny what it may do itself in the guild."""
    kind = fields.get("type")
    if kind is None:
        kind = FOR_ROLE if target_id in guild.roles else FOR_MEMBER
    (access.role if kind == FOR_ROLE else access.member)(guild, target_id)
    allow, deny = fields.get("allow") or 0, fields.get("deny") or 0
    access.guild(call.world, guild.id, allow | deny)
    return Overwrite(target_id, kind, allow, deny)


def delete_overwrite(call: Call, channel_id: str, overwrite_id: str) -> None:
    """Take one role's or member's overwrite away."""
    guild, channel = access.guild_channel(call.world, channel_id, permissions.MANAGE_ROLES)
    if overwrite_id not in channel.overwrites:
        raise Refused(codes.UNKNOWN_OVERWRITE)
    gone = channel.overwrites.pop(overwrite_id)
    changes = changes_between(payloads.overwrite(gone), {})
    call.record(guild, Deed.CHANNEL_OVERWRITE_DELETE, channel.id, changes=changes, options=_named(guild, gone))


def _named(guild: Guild, overwrite: Overwrite) -> dict[str, str]:
    target = {"id": overwrite.id, "type": str(overwrite.type)}
    return target | {"role_name": guild.roles[overwrite.id].name} if overwrite.type == FOR_ROLE else target


ROUTES = (
    Route("PUT", "/channels/{channel_id}/permissions/{overwrite_id}", put_overwrite),
    Route("DELETE", "/channels/{channel_id}/permissions/{overwrite_id}", delete_overwrite),
)
