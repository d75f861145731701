"""The audit log: who did what in a guild, to whom, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, NotRequired, TypedDict

from accord.discord.models.users import Account
from accord.discord.models.values import Page, Timestamp
from accord.engine import Field, Issue, Untrusted, Worded

__all__ = ["ACTIONS", "ACTION_NAMES", "Action", "AuditLog", "Change", "Entry", "HookNamed", "action_is_one"]

ACTIONS: Final[Mapping[str, int]] = {
    "GUILD_UPDATE": 1,
    "CHANNEL_CREATE": 10,
    "CHANNEL_UPDATE": 11,
    "CHANNEL_DELETE": 12,
    "CHANNEL_OVERWRITE_CREATE": 13,
    "CHANNEL_OVERWRITE_UPDATE": 14,
    "CHANNEL_OVERWRITE_DELETE": 15,
    "MEMBER_KICK": 20,
    "MEMBER_PRUNE": 21,
    "MEMBER_BAN_ADD": 22,
    "MEMBER_BAN_REMOVE": 23,
    "MEMBER_UPDATE": 24,
    "MEMBER_ROLE_UPDATE": 25,
    "MEMBER_MOVE": 26,
    "MEMBER_DISCONNECT": 27,
    "BOT_ADD": 28,
    "ROLE_CREATE": 30,
    "ROLE_UPDATE": 31,
    "ROLE_DELETE": 32,
    "INVITE_CREATE": 40,
    "INVITE_UPDATE": 41,
    "INVITE_DELETE": 42,
    "WEBHOOK_CREATE": 50,
    "WEBHOOK_UPDATE": 51,
    "WEBHOOK_DELETE": 52,
    "EMOJI_CREATE": 60,
    "EMOJI_UPDATE": 61,
    "EMOJI_DELETE": 62,
    "MESSAGE_DELETE": 72,
    "MESSAGE_BULK_DELETE": 73,
    "MESSAGE_PIN": 74,
    "MESSAGE_UNPIN": 75,
    "INTEGRATION_CREATE": 80,
    "INTEGRATION_UPDATE": 81,
    "INTEGRATION_DELETE": 82,
    "STAGE_INSTANCE_CREATE": 83,
    "STAGE_INSTANCE_UPDATE": 84,
    "STAGE_INSTANCE_DELETE": 85,
    "STICKER_CREATE": 90,
    "STICKER_UPDATE": 91,
    "STICKER_DELETE": 92,
    "GUILD_SCHEDULED_EVENT_CREATE": 100,
    "GUILD_SCHEDULED_EVENT_UPDATE": 101,
    "GUILD_SCHEDULED_EVENT_DELETE": 102,
    "THREAD_CREATE": 110,
    "THREAD_UPDATE": 111,
    "THREAD_DELETE": 112,
    "APPLICATION_COMMAND_PERMISSION_UPDATE": 121,
    "SOUNDBOARD_SOUND_CREATE": 130,
    "SOUNDBOARD_SOUND_UPDATE": 131,
    "SOUNDBOARD_SOUND_DELETE": 132,
    "AUTO_MODERATION_RULE_CREATE": 140,
    "AUTO_MODERATION_RULE_UPDATE": 141,
    "AUTO_MODERATION_RULE_DELETE": 142,
    "AUTO_MODERATION_BLOCK_MESSAGE": 143,
    "AUTO_MODERATION_FLAG_TO_CHANNEL": 144,
    "AUTO_MODERATION_USER_COMM_DISABLED": 145,
    "AUTO_MODERATION_QUARANTINE_USER": 146,
    "CREATOR_MONETIZATION_REQUEST_CREATED": 150,
    "CREATOR_MONETIZATION_TERMS_ACCEPTED": 151,
    "ONBOARDING_PROMPT_CREATE": 163,
    "ONBOARDING_PROMPT_UPDATE": 164,
    "ONBOARDING_PROMPT_DELETE": 165,
    "ONBOARDING_CREATE": 166,
    "ONBOARDING_UPDATE": 167,
    "GUILD_HOME_FEATURE_ITEM": 171,
    "GUILD_HOME_REMOVE_ITEM": 172,
    "HARMFUL_LINKS_BLOCKED_MESSAGE": 180,
    "HOME_SETTINGS_CREATE": 190,
    "HOME_SETTINGS_UPDATE": 191,
    "VOICE_CHANNEL_STATUS_CREATE": 192,
    "VOICE_CHANNEL_STATUS_DELETE": 193,
    "GUILD_SCHEDULED_EVENT_EXCEPTION_CREATE": 200,
    "GUILD_SCHEDULED_EVENT_EXCEPTION_UPDATE": 201,
    "GUILD_SCHEDULED_EVENT_EXCEPTION_DELETE": 202,
    "GUILD_PROFILE_UPDATE": 211,
}
"""https://discord.com/developers/docs/resources/audit-log#audit-log-entry-object-audit-log-events, by name."""

ACTION_NAMES: Final[Mapping[int, str]] = {number: name for name, number in ACTIONS.items()}


class ActionNumber(Worded):
    """A kind of action as a number; its name is taken too."""

    __slots__ = ()

    @classmethod
    def unwrap(cls, raw: str) -> int | str:
        """Return the number of a name; anything else as it was given."""
        return ACTIONS.get(raw.strip().upper(), raw)


Action = Annotated[ActionNumber, Field(minimum=1, description="number, or a name such as MEMBER_BAN_ADD")]


class Change(TypedDict):
    """One field that changed; the value that was, or is, may be missing."""

    key: str
    old_value: NotRequired[Annotated[Any, Field(untrusted=True)]]
    new_value: NotRequired[Annotated[Any, Field(untrusted=True)]]


class Entry(TypedDict):
    """One action. `target_id` is of what it was done to; `options` say more, as which channel or how many."""

    id: str
    at: Timestamp
    action: str
    action_type: int
    user_id: str | None
    target_id: str | None
    reason: NotRequired[Untrusted]
    changes: NotRequired[list[Change]]
    options: NotRequired[Annotated[dict[str, Any], Field(untrusted=True)]]


class HookNamed(TypedDict):
    """A webhook that an entry names."""

    id: str
    name: Untrusted | None
    channel_id: NotRequired[str | None]


class AuditLog(Page):
    """A page of the log; `users` and `webhooks` are those whom its entries name."""

    entries: list[Entry]
    count: int
    users: list[Account]
    webhooks: list[HookNamed]


def action_is_one(arguments: Mapping[str, Any]) -> Iterator[Issue]:
    """Refuse a number under which Discord logs nothing."""
    number = arguments.get("action_type")
    if number is not None and number not in ACTION_NAMES:
        message = "is no action; give a name such as MEMBER_KICK, ROLE_UPDATE or CHANNEL_DELETE"
        yield Issue(path="action_type", message=message, code="invalid_enum")
