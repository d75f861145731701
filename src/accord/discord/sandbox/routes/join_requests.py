"""Requests to join a guild."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox import access, codes, payloads, permissions
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.forms import Complaints, form, integer, one_of, read, snowflake, text
from accord.discord.sandbox.wire import Call, Route
from accord.discord.sandbox.world import Member

if TYPE_CHECKING:
    from accord.discord.sandbox.world import Guild, JsonObject

MOST_REQUESTS = 100
STATUSES = ("STARTED", "SUBMITTED", "REJECTED", "APPROVED")
_resolving = form({"action": one_of("APPROVED", "REJECTED"), "rejection_reason": text(160)}, required=("action",))


def list_requests(call: Call, guild_id: str) -> JsonObject:
    """Requests newest first, or oldest first after an id; `total` counts all of the status."""
    guild = access.guild(call.world, guild_id, permissions.KICK_MEMBERS)
    asked = call.asked(
        status=one_of(*STATUSES), limit=integer(1, MOST_REQUESTS), before=snowflake, after=snowflake
    )  # fmt: skip
    fitting = [one for one in guild.join_requests.values() if asked.get("status") in {None, one["application_status"]}]
    ordered = sorted(fitting, key=lambda one: int(one["id"]), reverse="after" not in asked)
    here = [one for one in ordered if int(asked.get("after", 0)) < int(one["id"]) < int(asked.get("before", 2**64))]
    shown = [_shown(call, one) for one in here[: asked.get("limit", MOST_REQUESTS)]]
    return {"total": len(fitting), "guild_join_requests": shown}


def resolve_request(call: Call, guild_id: str, request_id: str) -> JsonObject:
    """Let somebody in, or not; what is decided stays decided."""
    guild = access.guild(call.world, guild_id, permissions.KICK_MEMBERS)
    if request_id not in guild.join_requests:
        raise Refused(codes.NOT_FOUND)
    request, fields = guild.join_requests[request_id], read(_resolving, call.body)
    _check_undecided(request, fields["action"])
    request["application_status"] = fields["action"]
    request["rejection_reason"] = fields.get("rejection_reason") if fields["action"] == "REJECTED" else None
    request |= {"reviewed_at": call.world.now(), "actioned_by_user": payloads.user(call.world.me)}
    if fields["action"] == "APPROVED":
        _let_in(call, guild, request["user_id"])
    return _shown(call, request)


def _check_undecided(request: JsonObject, action: str) -> None:
    complaints = Complaints()
    if request["application_status"] not in {"SUBMITTED", action}:
        complaints.at("action").say("BASE_TYPE_CHOICES", "This join request cannot be actioned.")
    complaints.settle()


def _let_in(call: Call, guild: Guild, user_id: str) -> None:
    guild.members.setdefault(user_id, Member(user_id, call.world.now()))


def _shown(call: Call, request: JsonObject) -> JsonObject:
    return {**request, "user": payloads.user(call.world.users[request["user_id"]])}


ROUTES = (
    Route("GET", "/guilds/{guild_id}/requests", list_requests),
    Route("PATCH", "/guilds/{guild_id}/requests/{request_id}", resolve_request),
)
