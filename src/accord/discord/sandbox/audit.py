"""What the audit log says of a write: its kind, its target, what changed and the reason given."""

# Numbers: https://discord.com/developers/docs/resources/audit-log#audit-log-entry-object-audit-log-events

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


class Deed(IntEnum):
    """The kinds of write that the sandbox logs."""

    CHANNEL_CREATE = 10
    CHANNEL_UPDATE = 11
    CHANNEL_DELETE = 12
    CHANNEL_OVERWRITE_CREATE = 13
    CHANNEL_OVERWRITE_UPDATE = 14
    CHANNEL_OVERWRITE_DELETE = 15
    MEMBER_UPDATE = 24
    MEMBER_ROLE_UPDATE = 25
    ROLE_CREATE = 30
    ROLE_UPDATE = 31
    ROLE_DELETE = 32
    MESSAGE_DELETE = 72
    MESSAGE_BULK_DELETE = 73
    MESSAGE_PIN = 74
    MESSAGE_UNPIN = 75
    THREAD_CREATE = 110
    THREAD_UPDATE = 111
    THREAD_DELETE = 112


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One line of a guild's audit log."""

    id: str
    deed: Deed
    user_id: str
    target_id: str | None
    reason: str | None = None
    changes: tuple[dict[str, Any], ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)

    def payload(self) -> dict[str, Any]:
        """The line as Discord sends it; what is empty is left out."""
        extras = {"changes": list(self.changes), "options": dict(self.options), "reason": self.reason}
        return {
            "id": self.id,
            "action_type": int(self.deed),
            "user_id": self.user_id,
            "target_id": self.target_id,
        } | {name: value for name, value in extras.items() if value}


def changes_between(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
    """The fields that differ, with their old and new value where there is one."""
    return tuple(
        {"key": key}
        | ({"old_value": before[key]} if before.get(key) is not None else {})
        | ({"new_value": after[key]} if after.get(key) is not None else {})
        for key in before.keys() | after.keys()
        if before.get(key) != after.get(key)
    )
