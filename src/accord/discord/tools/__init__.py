"""The toolsets of discord-mcp, in the order in which they are listed: the table of contents."""

from __future__ import annotations

from accord.discord.tools.app_emojis import tools as app_emojis
from accord.discord.tools.application import tools as application
from accord.discord.tools.audit_log import tools as audit_log
from accord.discord.tools.automod import tools as automod
from accord.discord.tools.channels import tools as channels
from accord.discord.tools.commands import tools as commands
from accord.discord.tools.components_v2 import tools as components_v2
from accord.discord.tools.emojis import tools as emojis
from accord.discord.tools.events import tools as events
from accord.discord.tools.guild import tools as guild
from accord.discord.tools.interactions import tools as interactions
from accord.discord.tools.invites import tools as invites
from accord.discord.tools.lobbies import tools as lobbies
from accord.discord.tools.members import tools as members
from accord.discord.tools.messages import tools as messages
from accord.discord.tools.monetization import tools as monetization
from accord.discord.tools.onboarding import tools as onboarding
from accord.discord.tools.polls import tools as polls
from accord.discord.tools.reactions import tools as reactions
from accord.discord.tools.roles import tools as roles
from accord.discord.tools.soundboard import tools as soundboard
from accord.discord.tools.stage_instances import tools as stage_instances
from accord.discord.tools.stickers import tools as stickers
from accord.discord.tools.templates import tools as templates
from accord.discord.tools.threads import tools as threads
from accord.discord.tools.users import tools as users
from accord.discord.tools.voice import tools as voice
from accord.discord.tools.webhooks import tools as webhooks

__all__ = ["TOOLSETS"]

TOOLSETS = (
    messages,
    channels,
    threads,
    reactions,
    polls,
    members,
    roles,
    users,
    guild,
    onboarding,
    invites,
    audit_log,
    automod,
    events,
    emojis,
    stickers,
    soundboard,
    voice,
    stage_instances,
    webhooks,
    interactions,
    commands,
    application,
    app_emojis,
    monetization,
    templates,
    components_v2,
    lobbies,
)
