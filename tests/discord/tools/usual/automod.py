"""Usual calls of automod."""

from __future__ import annotations

from tests.discord.tools.usual.calling import MISSING, Arguments, Examples, Refusals, not_found

from accord.discord.sandbox import Sandbox, demo, demo_plans

__all__ = ["EXAMPLES", "REFUSED"]

BLOCK = {"type": 1, "metadata": {"custom_message": "Please keep prices out of the chat."}}
NEW: Arguments = {
    "name": "Prices",
    "event_type": 1,
    "trigger_type": 1,
    "trigger_metadata": {"keyword_filter": ["for sale*"], "allow_list": ["not for sale"]},
    "actions": [BLOCK, {"type": 3, "metadata": {"duration_seconds": 60}}],
}


def _rule(sandbox: Sandbox) -> Arguments:
    """A rule of this call's own."""
    rules = sandbox.world.guilds[demo.GUILD].automod_rules
    rule_id = sandbox.world.new_id()
    rules[rule_id] = rules[demo_plans.SCAM_RULE] | {"id": rule_id}
    return {"guild_id": demo.GUILD, "rule_id": rule_id}


NOWHERE = {"guild_id": demo.GUILD, "rule_id": MISSING}

EXAMPLES: Examples = {
    "automod_list_rules": lambda _: {"guild_id": demo.GUILD},
    "automod_get_rule": lambda _: {"guild_id": demo.GUILD, "rule_id": demo_plans.SCAM_RULE},
    "automod_create_rule": lambda _: {"guild_id": demo.GUILD, **NEW},
    "automod_modify_rule": lambda sandbox: {
        **_rule(sandbox), "trigger_metadata": {"keyword_filter": ["free boost*"]}, "exempt_roles": [demo.ADMIN_ROLE],
    },
    "automod_delete_rule": lambda sandbox: {**_rule(sandbox), "__confirm": True},
}  # fmt: skip

REFUSED: Refusals = {
    "automod_list_rules": not_found({"guild_id": MISSING}),
    "automod_get_rule": not_found(NOWHERE),
    "automod_create_rule": not_found({"guild_id": MISSING, **NEW}),
    "automod_modify_rule": not_found({**NOWHERE, "enabled": False}),
    "automod_delete_rule": not_found({**NOWHERE, "__confirm": True}),
}
