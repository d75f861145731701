"""Invites as our tools show them."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from accord.discord.models.invites import FoundInvite, Invite, TargetUsers
from accord.discord.models.values import Wire
from accord.discord.results.picking import WHOLE, picked

__all__ = ["found_invite", "invite", "invites", "target_users"]

Json: TypeAlias = Any

_INNER = (
    ("guild", "id", "guild_id"),
    ("channel", "id", "channel_id"),
    ("inviter", "id", "inviter_id"),
    ("inviter", "username", "inviter_name"),
    ("target_user", "id", "target_user_id"),
    ("target_application", "id", "target_application_id"),
    ("guild_scheduled_event", "id", "guild_scheduled_event_id"),
)
"""What is shown of the objects in an invite: the object, its field, and our name for that."""

_NAMES = (("guild", "name"), ("channel", "name"), ("inviter", "username"))


def invite(sent: Wire) -> Invite:
    """Return one invite. One of a group DM has no guild, one of a friend no channel either."""
    return picked(Invite, {**sent, **_flat(sent)})


def found_invite(sent: Wire) -> FoundInvite:
    """Return one invite, with the names in it once more."""
    flat = _flat(sent)
    named = [(sent.get(whole) or {}).get(part) for whole, part in _NAMES]
    return picked(FoundInvite, {**sent, **flat}, untrusted_names="\n".join(filter(None, named)))


def _flat(sent: Mapping[str, Json]) -> dict[str, Json]:
    shown = {ours: sent[whole][part] for whole, part, ours in _INNER if part in (sent.get(whole) or {})}
    return shown | {"role_ids": [role["id"] for role in sent["roles"]]} if sent.get("roles") else shown


def invites(sent: Iterable[Wire | None] | None) -> list[Invite]:
    """Return all invites of a list; Discord's file lets it be null, and hold nulls."""
    return [invite(one) for one in sent or () if one is not None]


def target_users(sheet: str, code: str) -> TargetUsers:
    """Return the users of a CSV file of one column; its header is no user."""
    ids = [row[0] for row in csv.reader(sheet.splitlines()) if row and row[0].isdigit()]
    return {"items": ids, "count": len(ids), "invite_code": code, **WHOLE}
