"""Which guild a call means: the default one, or one that has to be named."""

from __future__ import annotations

from dataclasses import replace

from accord.engine import Call, Gate, Next, Reply, Tool, ValidationError

__all__ = ["PRECONDITIONS", "aimed", "default_guild", "takes_default_guild", "wants_explicit_guild"]


def takes_default_guild(tool: Tool) -> bool:
    """Whether the default guild may stand in where a call leaves it out.

    An optional guild is a filter, and what destroys has to be aimed.
    """
    slot = tool.shape.slots.get("guild_id")
    return slot is not None and slot.required and not tool.effect.destroys


def wants_explicit_guild(tool: Tool) -> bool:
    """Whether a call has to name its guild itself."""
    return "explicit_guild_required" in tool.facts.get("preconditions", ())


def default_guild(guild_id: str | None) -> Gate:
    """Fill in the guild that DISCORD_DEFAULT_GUILD_ID names."""

    async def fill_guild(call: Call, following: Next) -> Reply:
        """Add the default guild where the call left it out."""
        left_out = guild_id is not None and call.arguments.get("guild_id") is None
        if left_out and takes_default_guild(call.tool):
            call.facts["defaulted_guild"] = True
            call = replace(call, arguments={**call.arguments, "guild_id": guild_id})
        return await following(call)

    return fill_guild


async def aimed(call: Call, following: Next) -> Reply:
    """Refuse a call that had to name its guild itself and did not.

    Raises:
        ValidationError: It did not.
    """
    is_named = str(call.arguments.get("guild_id") or "").strip() and not call.facts.get("defaulted_guild")
    if wants_explicit_guild(call.tool) and not is_named:
        issue = "must be given for this tool; the default guild does not count"
        raise ValidationError(issues=[{"path": "guild_id", "message": issue, "code": "explicit_guild_required"}])
    return await following(call)


PRECONDITIONS = ("category_enabled", "confirm_required", "explicit_guild_required")
"""What `define_tool(preconditions=...)` may name. Every call passes the gates that ask for them: `limit_categories`
holds for all tools, `confirm` for those with `confirm_required`, `aimed` for those with `explicit_guild_required`."""
