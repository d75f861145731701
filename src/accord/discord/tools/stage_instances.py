"""stage_instances: what is live in stage channels."""

from __future__ import annotations

from typing import Unpack

from accord.discord.access import needs
from accord.discord.models.ids import ChannelId
from accord.discord.models.permissions import Permission
from accord.discord.models.stages import NewStage, Stage, StageChanges, StageEnded
from accord.discord.models.values import AuditReason, Wire
from accord.discord.outgoing import changed, given
from accord.discord.rest.client import Discord
from accord.discord.results.stages import stage
from accord.discord.rules import changes
from accord.engine import Effect, Toolset

tools = Toolset("stage_instances", fence="untrusted_discord")

MODERATOR: tuple[Permission, ...] = ("MANAGE_CHANNELS", "MUTE_MEMBERS", "MOVE_MEMBERS")
"""https://discord.com/developers/docs/resources/stage-instance#definitions: what makes a stage's moderator."""


@tools.tool(
    Effect.CREATE,
    say="Live in <#{channel_id}>.",
    facts=needs(*MODERATOR, when={"send_start_notification is true": "MENTION_EVERYONE"}),
)
async def stage_instances_create(discord: Discord, **new: Unpack[NewStage]) -> Stage:
    """Go live in a stage channel with a topic. Nobody is pinged unless send_start_notification says so."""
    body, reason = given(new)
    return stage(await discord.post("/stage-instances", into=Wire, body=body, reason=reason))


@tools.tool(Effect.READ, say="Live in <#{channel_id}>.", facts=needs())
async def stage_instances_get(discord: Discord, channel_id: ChannelId) -> Stage:
    """Fetch what is live in a stage channel; not found means that nothing is."""
    return stage(await discord.get("/stage-instances/{}", channel_id, into=Wire))


@tools.tool(
    Effect.UPDATE,
    say="Changed what is live in <#{channel_id}>.",
    checks=(changes("channel_id"),),
    facts=needs(*MODERATOR),
)
async def stage_instances_modify(discord: Discord, channel_id: ChannelId, **live: Unpack[StageChanges]) -> Stage:
    """Change the topic of what is live in a stage channel."""
    body, reason = changed(live)
    made = await discord.patch("/stage-instances/{}", channel_id, into=Wire, body=body, reason=reason, idempotent=True)
    return stage(made)


@tools.tool(Effect.DELETE, say="Ended what was live in <#{channel_id}>.", facts=needs(*MODERATOR))
async def stage_instances_delete(
    discord: Discord, channel_id: ChannelId, audit_reason: AuditReason | None = None
) -> StageEnded:
    """End what is live in a stage channel. The channel stays."""
    await discord.do("DELETE", "/stage-instances/{}", channel_id, reason=audit_reason)
    return {"deleted": True, "channel_id": channel_id}
