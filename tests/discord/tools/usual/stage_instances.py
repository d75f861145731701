"""Usual calls of stage_instances."""

from __future__ import annotations

from tests.discord.tools.usual.calling import MISSING, Arguments, Examples, Refusals, not_found

from accord.discord.sandbox import Sandbox, demo
from accord.discord.sandbox.channel_settings import STAGE, settings_at_first
from accord.discord.sandbox.demo_voice import STAGE_CHANNEL
from accord.discord.sandbox.world import Channel

__all__ = ["EXAMPLES", "REFUSED"]


def _channel(sandbox: Sandbox, **more: object) -> Arguments:
    """A stage channel of this call's own."""
    made = sandbox.world.new_id()
    sandbox.world.channels[made] = Channel(made, STAGE, "stage", demo.GUILD, settings=settings_at_first(STAGE))
    return {"channel_id": made, **more}


def _live(sandbox: Sandbox, **more: object) -> Arguments:
    """One in which something is live."""
    place, world = _channel(sandbox), sandbox.world
    live = {**world.stages[STAGE_CHANNEL], "id": world.new_id(), "guild_id": demo.GUILD, **place}
    world.stages[place["channel_id"]] = live
    return {**place, **more}


NOWHERE = {"channel_id": MISSING}

EXAMPLES: Examples = {
    "stage_instances_create": lambda sandbox: _channel(sandbox, topic="How to fold a heron"),
    "stage_instances_get": lambda _: {"channel_id": STAGE_CHANNEL},
    "stage_instances_modify": lambda sandbox: _live(sandbox, topic="Questions and answers"),
    "stage_instances_delete": lambda sandbox: _live(sandbox, __confirm=True),
}

REFUSED: Refusals = {
    "stage_instances_create": not_found({**NOWHERE, "topic": "x"}),
    "stage_instances_get": not_found(NOWHERE),
    "stage_instances_modify": not_found({**NOWHERE, "topic": "x"}),
    "stage_instances_delete": not_found({**NOWHERE, "__confirm": True}),
}
