"""Where the owner lets calls reach, and what of a tool that leaves: for the gate and for the listing alike."""

from __future__ import annotations

from dataclasses import dataclass

from accord.discord.access import guild_source, kind_of, reach_of
from accord.discord.models.ids import GuildId
from accord.discord.rest.errors import BotScopeUnresolvedError, GuildScopeUnresolvedError
from accord.engine import Tool, ToolError, unwrapped

__all__ = ["LOCK", "Scope", "barred", "guild_filters"]

LOCK = "DISCORD_EXPECTED_BOT_ID"

ONLY_WITHOUT = "No call of this tool says in which guild it acts: it works only where ALLOWED_GUILDS is not set."
ONLY_WITH_CONSENT = "The owner can allow direct messages with MCP_ALLOW_USER_SCOPED."


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Where calls may reach: these guilds (None: all), this bot (None: whoever has the token), users by themselves."""

    guilds: frozenset[str] | None = None
    bot_id: str | None = None
    users: bool = False

    @property
    def is_limited(self) -> bool:
        """Whether there are guilds that calls may not reach."""
        return self.guilds is not None

    @property
    def reaches_users(self) -> bool:
        """Whether direct messages are allowed."""
        return self.guilds is None or self.users


def barred(tool: Tool, scope: Scope) -> ToolError | None:
    """Return why no call of the tool can be within the scope; None where some can."""
    return _BARS[reach_of(tool)](tool, scope)


def guild_filters(tool: Tool) -> list[str]:
    """Return the arguments that narrow the tool to a guild, where nothing else says in which one it acts."""
    if guild_source(tool) != "none":
        return []
    kinds = {name: kind_of(name, unwrapped(slot.hint)[0]) for name, slot in tool.shape.slots.items()}
    return [name for name, kind in kinds.items() if kind is GuildId]


def _guild_bar(tool: Tool, scope: Scope) -> ToolError | None:
    if not scope.is_limited or guild_source(tool) != "none" or guild_filters(tool):
        return None
    return GuildScopeUnresolvedError(resource=f"tool {tool.name}", recovery_hint=ONLY_WITHOUT)


def _bot_bar(tool: Tool, scope: Scope) -> ToolError | None:
    """Want the lock for every write, and for reads too where somebody took the trouble to name guilds."""
    if scope.bot_id is not None or not (tool.effect.writes or scope.is_limited):
        return None
    return BotScopeUnresolvedError(resource=LOCK)


def _user_bar(tool: Tool, scope: Scope) -> ToolError | None:
    if scope.reaches_users:
        return None
    return GuildScopeUnresolvedError(resource=f"tool {tool.name}", recovery_hint=ONLY_WITH_CONSENT)


def _no_bar(_tool: Tool, _scope: Scope) -> None:
    return None


_BARS = {"guild": _guild_bar, "bot": _bot_bar, "user": _user_bar, "none": _no_bar}
