"""A few tools that show what reaches a tool, for tests of everything before it."""

from __future__ import annotations

from typing import Any

from accord.deside.desk import Desk
from accord.engine import Effect, Toolset

__all__ = ["BROKEN", "TOOLS"]

TOOLS = Toolset("tests")
BROKEN = Toolset("broken")


@TOOLS.tool(Effect.READ, scope="dm:read")
async def look(desk: Desk) -> dict[str, Any]:
    """Tell whose desk this is."""
    return {"wallet": str(desk.wallet), "client": desk.client_id}


@TOOLS.tool(Effect.CREATE, scope="dm:write")
async def act(desk: Desk, number: int) -> dict[str, Any]:
    """Do something."""
    return {"number": number}


@TOOLS.tool(Effect.UPDATE, scope="dm:read")
async def mark_dm_read(desk: Desk) -> dict[str, Any]:
    """Stand for the real one, of which the gates know that another scope will do."""
    return {"marked": True}


@BROKEN.tool(Effect.READ, scope="dm:read")
async def fail(desk: Desk) -> dict[str, Any]:
    """Have a bug that knows a secret."""
    raise RuntimeError("the secret is 42")
