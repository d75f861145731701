"""Roles as our tools show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from accord.discord.models.roles import MemberCounts, Role, Roles
from accord.discord.models.values import Wire
from accord.discord.results.picking import WHOLE, each_picked

__all__ = ["member_counts", "roles"]


def roles(sent: Sequence[Wire]) -> Roles:
    """Return a guild's roles, the highest first; of two at one position the older one stands higher."""
    ordered = sorted(sent, key=lambda one: (-one["position"], int(one["id"])))
    return {"roles": each_picked(Role, ordered), "count": len(ordered), **WHOLE}


def member_counts(sent: Mapping[str, int]) -> MemberCounts:
    """Return how many members each role has, the fullest first."""
    ordered = sorted(sent.items(), key=lambda one: (-one[1], int(one[0])))
    return {"items": [{"role_id": role, "members": n} for role, n in ordered], "count": len(ordered), **WHOLE}
