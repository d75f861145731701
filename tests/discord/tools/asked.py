"""What the sandbox was asked, in a form that a test can compare."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from accord.discord.sandbox import Exchange, Sandbox

__all__ = ["asked", "bodies", "only"]


def asked(sandbox: Sandbox) -> list[str]:
    """Every request as `METHOD path?query`, in the order of the wire."""
    return [f"{one.method} {one.path}" + (f"?{one.query}" if one.query else "") for one in sandbox.requests]


def only(sandbox: Sandbox, method: str) -> Exchange:
    """The one request of this method."""
    (found,) = [one for one in sandbox.requests if one.method == method]
    return found


def bodies(sandbox: Sandbox) -> list[dict[str, Any]]:
    """The JSON bodies of all writes that had one."""
    return [orjson.loads(one.request_body) for one in sandbox.requests if one.request_body]
