"""Usual calls of templates."""

from __future__ import annotations

from tests.discord.tools.usual.calling import MISSING, Arguments, Examples, Refusals, not_found

from accord.discord.sandbox import Sandbox, demo
from accord.discord.sandbox.routes.templates import made

__all__ = ["DEPARTURES", "EXAMPLES", "REFUSED"]


def _template(sandbox: Sandbox) -> Arguments:
    """A template of this call's own."""
    own = made(sandbox.world, sandbox.world.guilds[demo.GUILD], "Night market")
    return {"guild_id": demo.GUILD, "template_code": own["code"]}


def _code(sandbox: Sandbox) -> Arguments:
    return {"template_code": _template(sandbox)["template_code"]}


def _new(sandbox: Sandbox) -> Arguments:
    """Room for a new one: a guild has one template at most."""
    sandbox.world.templates.clear()
    return {"guild_id": demo.GUILD, "name": "Night market", "description": "A stall and what belongs to it"}


NOWHERE = {"guild_id": demo.GUILD, "template_code": "hgM48av5Q69A"}

EXAMPLES: Examples = {
    "templates_get": _code,
    "templates_inspect": _code,
    "templates_diff": _template,
    "templates_list": lambda _: {"guild_id": demo.GUILD},
    "templates_create": _new,
    "templates_sync": lambda sandbox: {**_template(sandbox), "__confirm": True},
    "templates_modify": lambda sandbox: {**_template(sandbox), "name": "Day market"},
    "templates_delete": lambda sandbox: {**_template(sandbox), "__confirm": True},
}

REFUSED: Refusals = {
    "templates_get": not_found({"template_code": "hgM48av5Q69A"}),
    "templates_inspect": not_found({"template_code": "hgM48av5Q69A"}),
    "templates_diff": not_found(NOWHERE),
    "templates_list": not_found({"guild_id": MISSING}),
    "templates_create": not_found({"guild_id": MISSING, "name": "Night market"}),
    "templates_sync": not_found({**NOWHERE, "__confirm": True}),
    "templates_modify": not_found({**NOWHERE, "name": "Day market"}),
    "templates_delete": not_found({**NOWHERE, "__confirm": True}),
}

DEPARTURES: dict[str, str] = {
    f"templates_{verb}.audit_reason": "Discord takes no reason for what is done to a template"
    for verb in ("create", "sync", "modify", "delete")
}
