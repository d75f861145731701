"""What an overwrite becomes: Discord replaces the whole of it, so that what is left out has to be read before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypedDict

from accord.discord.models.ids import OverwriteId
from accord.discord.models.permissions import PermissionSet
from accord.discord.models.values import Wire
from accord.engine import ValidationError

__all__ = ["Sides", "overwrite_after", "sides_of"]

FOR_ROLE = 0


class Sides(TypedDict):
    """An overwrite as it is written: for a role (0) or a member (1), with two bit sets as decimal strings."""

    type: int
    allow: str
    deny: str


def sides_of(channel: Wire, target: str) -> Mapping[str, str]:
    """Return what the channel allows and denies a role or a user; nothing where it has no overwrite for them."""
    none = {"allow": "0", "deny": "0"}
    found = next((one for one in channel.get("permission_overwrites", ()) if one["id"] == target), none)
    return {side: found[side] for side in none}


def overwrite_after(
    channel: Wire,
    target: OverwriteId,
    kind: Literal[0, 1] | None,
    allow: PermissionSet | None,
    deny: PermissionSet | None,
) -> Sides:
    """Return the overwrite that the channel is to have for this target.

    A side that is not given stays as it is, but for what the other side now says: a permission is either allowed or
    denied. The type is that of the present overwrite; the guild's own id is the role @everyone.

    Raises:
        ValidationError: There is no overwrite yet, and the type is not given.
    """
    found: Wire = next((one for one in channel.get("permission_overwrites", ()) if one["id"] == target), {})
    usual = FOR_ROLE if target == channel.get("guild_id") else found.get("type")
    known = usual if kind is None else kind
    if known is None:
        issue = "is required, 0 for a role or 1 for a member: this channel has no overwrite of this id yet"
        raise ValidationError(issues=[{"path": "type", "message": issue, "code": "required"}])
    allowed, denied = int(found.get("allow", 0)), int(found.get("deny", 0))
    if allow is not None:
        allowed, denied = int(allow), denied & ~int(allow)
    if deny is not None:
        allowed, denied = allowed & ~int(deny), int(deny)
    return {"type": known, "allow": str(allowed), "deny": str(denied)}
