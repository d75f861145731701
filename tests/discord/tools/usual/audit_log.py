"""Usual calls of audit_log."""

from __future__ import annotations

from tests.discord.tools.usual.calling import MISSING, Arguments, Examples, Refusals, not_found

from accord.discord.sandbox import Sandbox, demo
from accord.discord.sandbox.audit import AuditEntry, Deed

__all__ = ["EXAMPLES", "REFUSED"]


def _told(sandbox: Sandbox) -> Arguments:
    """A log in which something stands."""
    world = sandbox.world
    changes = ({"key": "nick", "old_value": "Lena", "new_value": "Lena (lamps)"},)
    entry = AuditEntry(world.new_id(), Deed.MEMBER_UPDATE, demo.THEO, demo.LENA, reason="As she asked", changes=changes)
    world.guilds[demo.GUILD].audit.append(entry)
    return {"guild_id": demo.GUILD, "action_type": "MEMBER_UPDATE"}


EXAMPLES: Examples = {
    "audit_log_get": _told,
}

REFUSED: Refusals = {
    "audit_log_get": not_found({"guild_id": MISSING}),
}
