"""Members as our tools show them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias, cast

from accord.discord.models.members import Member, MemberObject
from accord.discord.results.picking import present

__all__ = ["member"]

Json: TypeAlias = Any


def member(sent_member: MemberObject, now: datetime) -> Member:
    """Return one member. Discord leaves the time of a past time-out standing; it is not one any more."""
    user = sent_member["user"]
    shown: dict[str, Json] = {
        "user_id": user["id"],
        "username": user["username"],
        "global_name": user.get("global_name"),
        "nick": sent_member.get("nick"),
        "bot": user.get("bot", False),
        "roles": sent_member["roles"],
        "joined_at": sent_member["joined_at"],
        "timed_out_until": _still_to_come(sent_member.get("communication_disabled_until"), now),
        "avatar": sent_member.get("avatar") or user.get("avatar"),
        "flags": sent_member.get("flags", 0),
        **present(cast("Mapping[str, Json]", sent_member), ("premium_since", "pending")),
    }
    return cast("Member", shown)


def _still_to_come(moment: str | None, now: datetime) -> str | None:
    return moment if moment and datetime.fromisoformat(moment).astimezone(UTC) > now else None
