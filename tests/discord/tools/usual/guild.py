"""Usual calls of guild."""

from __future__ import annotations

from tests.discord.tools.usual.calling import MISSING, Arguments, Examples, Refusals, not_found

from accord.discord.sandbox import Sandbox, demo
from accord.discord.sandbox.demo_members import JOIN_REQUEST, NOOR

__all__ = ["EXAMPLES", "REFUSED"]


def _join_request(sandbox: Sandbox) -> Arguments:
    """An application of this call's own."""
    requests, made = sandbox.world.guilds[demo.GUILD].join_requests, sandbox.world.new_id()
    requests[made] = {**requests[JOIN_REQUEST], "id": made, "user_id": NOOR, "application_status": "SUBMITTED"}
    return {"guild_id": demo.GUILD, "request_id": made}


EXAMPLES: Examples = {
    "guild_get": lambda _: {"guild_id": demo.GUILD},
    "guild_list_join_requests": lambda _: {"guild_id": demo.GUILD, "status": "SUBMITTED"},
    "guild_resolve_join_request": lambda sandbox: {**_join_request(sandbox), "action": "REJECTED"},
}

REFUSED: Refusals = {
    "guild_get": not_found({"guild_id": MISSING}),
    "guild_list_join_requests": not_found({"guild_id": MISSING}),
    "guild_resolve_join_request": not_found({"guild_id": demo.GUILD, "request_id": MISSING, "action": "APPROVED"}),
}
