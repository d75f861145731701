"""Invites: of a channel, of a guild, and by code; and the users for whom alone one is."""

# The rules: https://discord.com/developers/docs/resources/invite

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from accord.discord.sandbox import access, codes, payloads, permissions
from accord.discord.sandbox.audit import Deed, changes_between
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.forms import SNOWFLAKE, Complaints, form, integer, listed, one_of, read, snowflake, truth
from accord.discord.sandbox.snowflakes import iso
from accord.discord.sandbox.wire import FROM_DISCORD, Answer, Call, Route

if TYPE_CHECKING:
    from accord.discord.sandbox.world import Channel, Guild, JsonObject, World

DAY = 24 * 60 * 60
STREAM, APPLICATION = 1, 2
DONE = 2
SHEET = "target_users_file"
OF_GUILD = (
    "id", "name", "splash", "banner", "description", "icon", "features", "verification_level", "vanity_url_code",
    "nsfw_level", "nsfw", "premium_subscription_count",
)  # fmt: skip
OF_ROLE = ("id", "name", "position", "color", "colors", "icon", "unicode_emoji")
METADATA = ("uses", "max_uses", "max_age", "temporary", "created_at")
OWN = ("target_user_ids", "job")
_new = form(
    {
        "max_age": integer(0, 60 * DAY),
        "max_uses": integer(0, 100),
        "temporary": truth,
        "unique": truth,
        "target_type": one_of(STREAM, APPLICATION),
        "target_user_id": snowflake,
        "target_application_id": snowflake,
        "role_ids": listed(snowflake, most=250),
    }
)


def get_invite(call: Call, code: str) -> JsonObject:
    """One invite of any guild, without what only its own guild is told."""
    asked = call.asked(
        with_counts=truth, guild_scheduled_event_id=snowflake, target_channel_id=snowflake, target_message_id=snowflake
    )
    found = _invite(call.world, code)
    shown = {name: value for name, value in _shown(found).items() if name not in METADATA}
    guild = call.world.guilds[found["guild_id"]]
    event = guild.events.get(asked.get("guild_scheduled_event_id", ""))
    return (
        shown
        | (payloads.counts(guild) if asked.get("with_counts") else {})
        | ({"guild_scheduled_event": event} if event else {})
    )


def list_of_channel(call: Call, channel_id: str) -> list[JsonObject]:
    """A channel's invites."""
    access.guild_channel(call.world, channel_id, permissions.MANAGE_CHANNELS)
    return [_shown(each) for each in _standing(call.world) if each["channel"]["id"] == channel_id]


def list_of_guild(call: Call, guild_id: str) -> list[JsonObject]:
    """A guild's invites; how often they were used is for who may manage the guild."""
    guild = access.guild(call.world, guild_id)
    granted = permissions.in_guild(guild, guild.members[call.world.me.id])
    if not granted & (permissions.MANAGE_GUILD | permissions.VIEW_AUDIT_LOG):
        raise Refused(codes.MISSING_PERMISSIONS)
    hidden = () if granted & permissions.MANAGE_GUILD else METADATA
    found = [_shown(each) for each in _standing(call.world) if each["guild_id"] == guild_id]
    return [{name: value for name, value in one.items() if name not in hidden} for one in found]


def create_invite(call: Call, channel_id: str) -> JsonObject:
    """A new invite to a channel, or the bot's own that is like it, unless a new one is asked for."""
    guild, channel = access.guild_channel(call.world, channel_id, permissions.CREATE_INSTANT_INVITE)
    fields = {name: value for name, value in read(_new, call.body).items() if value is not None}
    _check_target(fields)
    made = _made(call, guild, channel, fields)
    if not fields.get("unique") and (alike := _alike(call.world, made)):
        return _shown(alike)
    call.world.invites[made["code"]] = made
    said = {name: made[name] for name in ("code", "max_age", "max_uses", "temporary")}
    call.record(guild, Deed.INVITE_CREATE, None, changes=changes_between({}, said | {"channel_id": channel_id}))
    return _shown(made)


def _check_target(fields: JsonObject) -> None:
    complaints = Complaints()
    for name, kind in (("target_user_id", STREAM), ("target_application_id", APPLICATION)):
        if (fields.get("target_type") == kind) != (name in fields):
            complaints.at(name).say("GUILD_INVITE_INVALID_TARGET", "Invalid target for this target type")
    complaints.settle()


def _code(new_id: str) -> str:
    """Make a code of an id, so that it comes once."""
    return base64.b64encode(int(new_id).to_bytes(8, "big")[2:], altchars=b"--").decode()


def _made(call: Call, guild: Guild, channel: Channel, fields: JsonObject) -> JsonObject:
    age = fields.get("max_age", DAY)
    made = {
        "type": 0, "code": _code(call.world.new_id()), "guild_id": guild.id,
        "guild": part(payloads.guild(call.world, guild), OF_GUILD),
        "channel": {"id": channel.id, "name": channel.name, "type": channel.type},
        "inviter": payloads.user(call.world.me), "uses": 0, "max_uses": fields.get("max_uses", 0), "max_age": age,
        "temporary": fields.get("temporary", False), "created_at": call.world.now(), "flags": 0,
        "expires_at": iso(call.world.clock() + age) if age else None,
    }  # fmt: skip
    return made | _aimed(call, guild, fields)


def _aimed(call: Call, guild: Guild, fields: JsonObject) -> JsonObject:
    """What the invite leads to, whom it is for, and what it gives."""
    aimed: JsonObject = {"target_type": fields["target_type"]} if "target_type" in fields else {}
    if "target_user_id" in fields:
        aimed["target_user"] = payloads.user(access.user(call.world, fields["target_user_id"]))
    if "target_application_id" in fields:
        aimed["target_application"] = {
            "id": fields["target_application_id"], "name": "Sketch Heads", "icon": None, "description": "",
            "type": None, "verify_key": "0" * 64, "flags": 0, "flags_new": "0",
        }  # fmt: skip
    if fields.get("role_ids"):
        access.guild(call.world, guild.id, permissions.MANAGE_ROLES)
        given = [access.role_below_me(call.world, guild, each) for each in fields["role_ids"]]
        aimed["roles"] = [part(payloads.role(each), OF_ROLE) for each in given]
    return aimed | (_listed_users(call) if call.files else {})


def _alike(world: World, made: JsonObject) -> JsonObject | None:
    apart = {"code", "created_at", "expires_at", "uses", "job"}
    return next(
        (each for each in _standing(world) if all(each.get(name) == made.get(name) for name in made.keys() - apart)),
        None,
    )


def delete_invite(call: Call, code: str) -> JsonObject:
    """Delete an invite; nobody can use it any more."""
    found = _invite(call.world, code)
    guild = access.guild(call.world, found["guild_id"])
    if not _manages_guild(call, guild):
        access.channel(call.world, found["channel"]["id"], permissions.MANAGE_CHANNELS)
    del call.world.invites[code]
    call.record(guild, Deed.INVITE_DELETE, None, changes=changes_between({"code": code}, {}))
    return _shown(found)


def get_target_users(call: Call, code: str) -> Answer:
    """The users of an invite, as CSV with a header."""
    found = _for_inviter(call, code, permissions.MANAGE_GUILD | permissions.VIEW_AUDIT_LOG)
    rows = "\n".join(["user_id", *found.get("target_user_ids", ())])
    return Answer(200, {"Content-Type": "text/csv; charset=utf-8", **FROM_DISCORD}, f"{rows}\n".encode())


def put_target_users(call: Call, code: str) -> None:
    """Replace the users of an invite."""
    found = _for_inviter(call, code, permissions.MANAGE_GUILD)
    found |= _listed_users(call)


def _listed_users(call: Call) -> JsonObject:
    """The users of the sheet that came along, each once, and the job that has gone through them."""
    complaints = Complaints()
    if SHEET not in call.files:
        complaints.at(SHEET).say("BASE_TYPE_REQUIRED", "This field is required")
        complaints.settle()
    lines = call.files[SHEET].content.decode(errors="replace").splitlines()
    for number, line in enumerate(lines, start=1):
        if not SNOWFLAKE.fullmatch(line):
            complaints.at(SHEET).say("INVALID_USER_ID", f"Line {number}: invalid user ID format")
    complaints.settle()
    ids = list(dict.fromkeys(lines))
    now = call.world.now()
    job = {
        "status": DONE, "total_users": len(ids), "processed_users": len(ids), "created_at": now, "completed_at": now,
        "error_message": None,
    }  # fmt: skip
    return {"target_user_ids": ids, "job": job}


def get_job(call: Call, code: str) -> JsonObject:
    """How far the sandbox is with the users of an invite: it is always done."""
    found = _for_inviter(call, code, permissions.MANAGE_GUILD | permissions.VIEW_AUDIT_LOG)
    nothing = {
        "status": 0, "total_users": 0, "processed_users": 0, "created_at": None, "completed_at": None,
        "error_message": None,
    }  # fmt: skip
    return dict(found.get("job", nothing))


def _for_inviter(call: Call, code: str, one_of_these: int) -> JsonObject:
    """The invite, for who made it, or may do one of these in its guild."""
    found = _invite(call.world, code)
    guild = access.guild(call.world, found["guild_id"])
    granted = permissions.in_guild(guild, guild.members[call.world.me.id])
    if found["inviter"]["id"] != call.world.me.id and not granted & one_of_these:
        raise Refused(codes.MISSING_PERMISSIONS)
    return found


def _manages_guild(call: Call, guild: Guild) -> bool:
    return bool(permissions.in_guild(guild, guild.members[call.world.me.id]) & permissions.MANAGE_GUILD)


def _invite(world: World, code: str) -> JsonObject:
    found = next((each for each in _standing(world) if each["code"] == code), None)
    if found is None:
        raise Refused(codes.UNKNOWN_INVITE)
    return found


def _standing(world: World) -> list[JsonObject]:
    """The invites whose time is not over."""
    now = world.now()
    return [each for each in world.invites.values() if not each["expires_at"] or each["expires_at"] > now]


def _shown(invite: JsonObject) -> JsonObject:
    return {name: value for name, value in invite.items() if name not in OWN}


def part(whole: JsonObject, names: tuple[str, ...]) -> JsonObject:
    """The named fields of an object."""
    return {name: whole[name] for name in names}


ROUTES = (
    Route("GET", "/invites/{code}", get_invite),
    Route("DELETE", "/invites/{code}", delete_invite),
    Route("GET", "/channels/{channel_id}/invites", list_of_channel),
    Route("POST", "/channels/{channel_id}/invites", create_invite),
    Route("GET", "/guilds/{guild_id}/invites", list_of_guild),
    Route("GET", "/invites/{code}/target-users", get_target_users),
    Route("PUT", "/invites/{code}/target-users", put_target_users),
    Route("GET", "/invites/{code}/target-users/job-status", get_job),
)
