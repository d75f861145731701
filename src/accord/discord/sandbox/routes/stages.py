"""Stage instances: what is live in a stage channel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox import access, codes, permissions
from accord.discord.sandbox.audit import Deed, changes_between
from accord.discord.sandbox.channel_settings import STAGE
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.forms import form, one_of, read, snowflake, text, truth
from accord.discord.sandbox.wire import Call, Route

if TYPE_CHECKING:
    from accord.discord.sandbox.world import Guild, JsonObject

MODERATING = permissions.MANAGE_CHANNELS | permissions.MUTE_MEMBERS | permissions.MOVE_MEMBERS
GUILD_ONLY = 2
_changes = {"topic": text(120, least=1), "privacy_level": one_of(1, GUILD_ONLY)}
_new = form(
    _changes | {"channel_id": snowflake, "send_start_notification": truth, "guild_scheduled_event_id": snowflake},
    required=("channel_id", "topic"),
)
_change = form(_changes)


def create_stage(call: Call) -> JsonObject:
    """Go live in a stage channel that is not."""
    fields = read(_new, call.body)
    loud = permissions.MENTION_EVERYONE if fields.get("send_start_notification") else 0
    guild, channel = access.guild_channel(call.world, fields["channel_id"], MODERATING | loud)
    event_id = fields.get("guild_scheduled_event_id")
    if channel.type != STAGE:
        raise Refused(codes.WRONG_CHANNEL_TYPE)
    if channel.id in call.world.stages:
        raise Refused(codes.STAGE_IS_LIVE)
    if event_id is not None and event_id not in guild.events:
        raise Refused(codes.UNKNOWN_EVENT)
    call.world.stages[channel.id] = live = {
        "id": call.world.new_id(), "guild_id": guild.id, "channel_id": channel.id, "topic": fields["topic"],
        "privacy_level": fields.get("privacy_level") or GUILD_ONLY, "discoverable_disabled": True,
        "guild_scheduled_event_id": event_id,
    }  # fmt: skip
    _record(call, guild, Deed.STAGE_INSTANCE_CREATE, {}, live)
    return live


def get_stage(call: Call, channel_id: str) -> JsonObject:
    """What is live."""
    access.channel(call.world, channel_id)
    return _live(call, channel_id)


def update_stage(call: Call, channel_id: str) -> JsonObject:
    """Change what is live."""
    guild, _ = access.guild_channel(call.world, channel_id, MODERATING)
    live = _live(call, channel_id)
    before = dict(live)
    live |= {name: value for name, value in read(_change, call.body).items() if value is not None}
    _record(call, guild, Deed.STAGE_INSTANCE_UPDATE, before, live)
    return live


def end_stage(call: Call, channel_id: str) -> None:
    """End what is live."""
    guild, _ = access.guild_channel(call.world, channel_id, MODERATING)
    _record(call, guild, Deed.STAGE_INSTANCE_DELETE, _live(call, channel_id), {})
    del call.world.stages[channel_id]


def _live(call: Call, channel_id: str) -> JsonObject:
    if channel_id not in call.world.stages:
        raise Refused(codes.UNKNOWN_STAGE)
    return call.world.stages[channel_id]


def _record(call: Call, guild: Guild, deed: Deed, before: JsonObject, after: JsonObject) -> None:
    told = (before | after)["id"]
    shown = ("topic", "privacy_level")
    old, new = ({name: each[name] for name in shown if name in each} for each in (before, after))
    options = {"channel_id": (before | after)["channel_id"]}
    call.record(guild, deed, told, changes=changes_between(old, new), options=options)


ROUTES = (
    Route("POST", "/stage-instances", create_stage),
    Route("GET", "/stage-instances/{channel_id}", get_stage),
    Route("PATCH", "/stage-instances/{channel_id}", update_stage),
    Route("DELETE", "/stage-instances/{channel_id}", end_stage),
)
