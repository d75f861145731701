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

    GUILD_UPDATE = 1
    CHANNEL_CREATE = 10
    CHANNEL_UPDATE = 11
    CHANNEL_DELETE = 12
    CHANNEL_OVERWRITE_CREATE = 13
    CHANNEL_OVERWRITE_UPDATE = 14
    CHANNEL_OVERWRITE_DELETE = 15
    MEMBER_KICK = 20
    MEMBER_PRUNE = 21
    MEMBER_BAN_ADD = 22
    MEMBER_BAN_REMOVE = 23
    MEMBER_UPDATE = 24
    MEMBER_ROLE_UPDATE = 25
    ROLE_CREATE = 30
    ROLE_UPDATE = 31
    ROLE_DELETE = 32
    INVITE_CREATE = 40
    INVITE_UPDATE = 41
    INVITE_DELETE = 42
    WEBHOOK_CREATE = 50
    WEBHOOK_UPDATE = 51
    WEBHOOK_DELETE = 52
    EMOJI_CREATE = 60
    EMOJI_UPDATE = 61
    EMOJI_DELETE = 62
    MESSAGE_DELETE = 72
    MESSAGE_BULK_DELETE = 73
    MESSAGE_PIN = 74
    MESSAGE_UNPIN = 75
    INTEGRATION_DELETE = 82
    STAGE_INSTANCE_CREATE = 83
    STAGE_INSTANCE_UPDATE = 84
    STAGE_INSTANCE_DELETE = 85
    STICKER_CREATE = 90
    STICKER_UPDATE = 91
    STICKER_DELETE = 92
    EVENT_CREATE = 100
    EVENT_UPDATE = 101
    EVENT_DELETE = 102
    THREAD_CREATE = 110
    THREAD_UPDATE = 111
    THREAD_DELETE = 112
    COMMAND_PERMISSION_UPDATE = 121
    SOUND_CREATE = 130
    SOUND_UPDATE = 131
    SOUND_DELETE = 132
    AUTOMOD_RULE_CREATE = 140
    AUTOMOD_RULE_UPDATE = 141
    AUTOMOD_RULE_DELETE = 142
    EVENT_EXCEPTION_CREATE = 200
    EVENT_EXCEPTION_UPDATE = 201
    EVENT_EXCEPTION_DELETE = 202
    ONBOARDING_PROMPT_UPDATE = 164
    ONBOARDING_UPDATE = 167
    VOICE_CHANNEL_STATUS_CREATE = 192
    VOICE_CHANNEL_STATUS_DELETE = 193


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
