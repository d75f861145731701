"""The reason that a guild's audit log shows, signed with who acted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from accord.discord.rest.client import MOST_REASON_CHARACTERS
from accord.engine import Call, Next, Reply

__all__ = ["sign_reason"]


async def sign_reason(call: Call, following: Next) -> Reply:
    """Let the guild's audit log say which access token acted: `spam (via ci)`, in place of a long reason's end."""
    kind, _, name = call.caller.id.partition(":")
    if kind == "token" and "audit_reason" in call.tool.shape.slots:
        call = replace(call, arguments={**call.arguments, "audit_reason": _signed(call.arguments, name)})
    return await following(call)


def _signed(arguments: Mapping[str, Any], name: str) -> str:
    reason: str | None = arguments.get("audit_reason")
    if not reason:
        return f"via {name}"
    signature = f" (via {name})"
    return reason[: MOST_REASON_CHARACTERS - len(signature)] + signature
