"""The toolsets of discord-mcp, in the order in which they are listed: the table of contents."""

from __future__ import annotations

from accord.discord.tools.channels import tools as channels
from accord.discord.tools.guild import tools as guild
from accord.discord.tools.members import tools as members
from accord.discord.tools.messages import tools as messages
from accord.discord.tools.reactions import tools as reactions
from accord.discord.tools.users import tools as users

__all__ = ["TOOLSETS"]

TOOLSETS = (
    messages,
    channels,
    reactions,
    members,
    users,
    guild,
)
