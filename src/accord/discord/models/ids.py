"""Discord's ids, each kind a type of its own, and the two keys that are no ids."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import ClassVar

from accord.engine import Credential, Shaped

__all__ = [
    "ActivityInstanceId",
    "ApplicationCommandId",
    "ApplicationId",
    "AttachmentId",
    "AuditLogEntryId",
    "AuditLogPlace",
    "AutoModRuleId",
    "BearerToken",
    "ChannelId",
    "EmojiId",
    "EntitlementId",
    "EntityId",
    "EventExceptionId",
    "ForumTagId",
    "GuildId",
    "IntegrationId",
    "InteractionId",
    "InteractionToken",
    "InviteCode",
    "JoinRequestId",
    "ListPlace",
    "LobbyId",
    "MessageId",
    "MessagePlace",
    "OverwriteId",
    "OwnerId",
    "PromptId",
    "RoleId",
    "ScheduledEventId",
    "SkuId",
    "Snowflake",
    "SoundboardSoundId",
    "StageInstanceId",
    "StickerId",
    "StickerPackId",
    "SubscriptionId",
    "TemplateCode",
    "UserId",
    "WebhookId",
    "WebhookToken",
    "id_at",
    "moment_of",
]


class Snowflake(Shaped):
    """A Discord id: 17 to 20 digits, as a string, since a JSON number would lose its last ones."""

    __slots__ = ()
    pattern: ClassVar[str] = "^[0-9]{17,20}$"
    wants: ClassVar[str] = "an id of 17 to 20 digits as a string"
    mention: ClassVar[re.Pattern[str] | None] = None

    @classmethod
    def unwrap(cls, raw: str) -> str:
        """Return the id inside a mention of this kind; anything else as it was given."""
        found = cls.mention.fullmatch(raw) if cls.mention else None
        return found.group(1) if found else raw


class ChannelId(Snowflake):
    """A channel's, a thread's or a category's id; also taken as `<#id>`."""

    __slots__ = ()
    mention: ClassVar[re.Pattern[str] | None] = re.compile(r"<#([0-9]{17,20})>")


class UserId(Snowflake):
    """A user's id; also taken as `<@id>`."""

    __slots__ = ()
    mention: ClassVar[re.Pattern[str] | None] = re.compile(r"<@!?([0-9]{17,20})>")


class RoleId(Snowflake):
    """A role's id; also taken as `<@&id>`. The guild's own id is the role @everyone."""

    __slots__ = ()
    mention: ClassVar[re.Pattern[str] | None] = re.compile(r"<@&([0-9]{17,20})>")


class OverwriteId(Snowflake):
    """The id of a role or a user whom an overwrite is for; also taken as `<@&id>` and `<@id>`."""

    __slots__ = ()
    mention: ClassVar[re.Pattern[str] | None] = re.compile(r"<@[!&]?([0-9]{17,20})>")


class EmojiId(Snowflake):
    """A custom emoji's id; also taken as `<:name:id>`."""

    __slots__ = ()
    mention: ClassVar[re.Pattern[str] | None] = re.compile(r"<a?:[A-Za-z0-9_]{2,32}:([0-9]{17,20})>")


class MessageId(Snowflake):
    """A message's id; also taken as a link to the message."""

    __slots__ = ()
    mention: ClassVar[re.Pattern[str] | None] = re.compile(
        r"https://(?:\w+\.)?discord(?:app)?\.com/channels/(?:@me|[0-9]{17,20})/[0-9]{17,20}/([0-9]{17,20})"
    )


class MessagePlace(MessageId):
    """Where a history begins or ends: a message's id, or a date, for an id begins with the time that it was made."""

    __slots__ = ()
    wants: ClassVar[str] = "a message id, or an ISO 8601 date such as 2026-11-30 or 2026-11-30T17:00:00Z"

    @classmethod
    def unwrap(cls, raw: str) -> str:
        """Return the id that something made at this moment would have; anything else as it was given."""
        return id_at(raw) or raw


class GuildId(Snowflake):
    """A guild's (server's) id."""

    __slots__ = ()


class ListPlace(Snowflake):
    """Where a list begins or ends: an id to compare with. It names nothing, and there need be nothing that has it."""

    __slots__ = ()


class EntityId(Snowflake):
    """The id of a user, a role or a channel; the `type` beside it tells which."""

    __slots__ = ()


class OwnerId(Snowflake):
    """The id of a guild or a user who owns something; the `owner_type` beside it tells which."""

    __slots__ = ()


class AttachmentId(Snowflake):
    """An attachment's id."""

    __slots__ = ()


class ApplicationId(Snowflake):
    """An application's id."""

    __slots__ = ()


class WebhookId(Snowflake):
    """A webhook's id."""

    __slots__ = ()


class StickerId(Snowflake):
    """A sticker's id."""

    __slots__ = ()


class ScheduledEventId(Snowflake):
    """A scheduled event's id."""

    __slots__ = ()


class EntitlementId(Snowflake):
    """An entitlement's id."""

    __slots__ = ()


class SkuId(Snowflake):
    """A SKU's id."""

    __slots__ = ()


class SubscriptionId(Snowflake):
    """A subscription's id."""

    __slots__ = ()


class IntegrationId(Snowflake):
    """An integration's id."""

    __slots__ = ()


class AutoModRuleId(Snowflake):
    """An auto moderation rule's id."""

    __slots__ = ()


class StageInstanceId(Snowflake):
    """A stage instance's id."""

    __slots__ = ()


class SoundboardSoundId(Snowflake):
    """A soundboard sound's id; Discord's default sounds have short ones."""

    __slots__ = ()
    pattern: ClassVar[str] = "^[1-9][0-9]{0,19}$"
    wants: ClassVar[str] = "an id of digits as a string"


class ApplicationCommandId(Snowflake):
    """An application command's id."""

    __slots__ = ()


class ForumTagId(Snowflake):
    """A forum tag's id."""

    __slots__ = ()


class JoinRequestId(Snowflake):
    """A request to join a guild."""

    __slots__ = ()


class LobbyId(Snowflake):
    """A lobby's id."""

    __slots__ = ()


class PromptId(Snowflake):
    """An onboarding prompt's id."""

    __slots__ = ()


class StickerPackId(Snowflake):
    """A sticker pack's id."""

    __slots__ = ()


class EventExceptionId(Snowflake):
    """The id of an exception to a recurring event: of the occurrence that it changes."""

    __slots__ = ()


class AuditLogEntryId(Snowflake):
    """An audit log entry's id."""

    __slots__ = ()


class AuditLogPlace(AuditLogEntryId):
    """Where an audit log begins or ends: an entry's id, or a date, for an id begins with the time that it was made."""

    __slots__ = ()
    wants: ClassVar[str] = "an audit log entry's id, or an ISO 8601 date such as 2026-11-30 or 2026-11-30T17:00:00Z"

    @classmethod
    def unwrap(cls, raw: str) -> str:
        """Return the id that something made at this moment would have; anything else as it was given."""
        return id_at(raw) or raw


class InteractionId(Snowflake):
    """An interaction's id."""

    __slots__ = ()


class ActivityInstanceId(Shaped):
    """A running activity's id, such as `i-1276580072400224306-gc-912952092627435520-912954213460484116`."""

    __slots__ = ()
    pattern: ClassVar[str] = "^[A-Za-z0-9][A-Za-z0-9._:-]{0,254}$"
    wants: ClassVar[str] = "an activity instance's id of letters, digits, -, ., _ and :"


class InviteCode(Shaped):
    """An invite's code; also taken as its address. It is no snowflake."""

    __slots__ = ()
    pattern: ClassVar[str] = "^[A-Za-z0-9-]{1,32}$"
    wants: ClassVar[str] = "an invite code of 1 to 32 letters, digits and hyphens"

    @classmethod
    def unwrap(cls, raw: str) -> str:
        """Return the code of an invite's address; anything else as it was given."""
        found = re.fullmatch(r"(?:https?://)?(?:discord\.gg|discord(?:app)?\.com/invite)/([A-Za-z0-9-]{1,32})/?", raw)
        return found.group(1) if found else raw


class TemplateCode(Shaped):
    """A guild template's code; also taken as its address."""

    __slots__ = ()
    pattern: ClassVar[str] = "^[A-Za-z0-9_-]{1,100}$"
    wants: ClassVar[str] = "a template code of 1 to 100 letters, digits, - and _"

    @classmethod
    def unwrap(cls, raw: str) -> str:
        """Return the code of a template's address; anything else as it was given."""
        found = re.fullmatch(
            r"(?:https?://)?(?:discord\.new|discord(?:app)?\.com/template)/([A-Za-z0-9_-]{1,100})/?", raw
        )
        return found.group(1) if found else raw


class WebhookToken(Credential):
    """A webhook's secret: who has it can post as the webhook."""

    __slots__ = ()
    pattern: ClassVar[str] = "^[A-Za-z0-9_-]{60,100}$"
    wants: ClassVar[str] = "a webhook token of 60 to 100 letters, digits, - and _"


class InteractionToken(Credential):
    """An interaction's secret, good for 15 minutes. Discord says nothing of its length; today's have 212 and more."""

    __slots__ = ()
    pattern: ClassVar[str] = "^[A-Za-z0-9_.=+/-]{20,2048}$"
    wants: ClassVar[str] = "an interaction token as Discord sent it"


class BearerToken(Credential):
    """A user's OAuth2 access token (RFC 6750, 2.1)."""

    __slots__ = ()
    pattern: ClassVar[str] = "^[A-Za-z0-9._~+/-]{10,2048}=*$"
    wants: ClassVar[str] = "an OAuth2 access token, without `Bearer`"


EPOCH_MS = 1_420_070_400_000
"""https://discord.com/developers/docs/reference#snowflakes: the first second of 2015."""

_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9:.]+(Z|[+-][0-9]{2}:?[0-9]{2})?)?")


def id_at(moment: str) -> str | None:
    """Return the id of something made at this ISO 8601 moment, UTC unless it says otherwise; None for other text."""
    if not _ISO.fullmatch(moment):
        return None
    try:
        read = datetime.fromisoformat(moment)
    except ValueError:
        return None
    then = read if read.tzinfo else read.replace(tzinfo=UTC)
    since = int(then.timestamp() * 1000) - EPOCH_MS
    return str(since << 22) if since > 0 else None


def moment_of(snowflake: str) -> str:
    """Return when what has this id was made, ISO 8601 in UTC to the second."""
    then = datetime.fromtimestamp(((int(snowflake) >> 22) + EPOCH_MS) // 1000, UTC)
    return then.isoformat().replace("+00:00", "Z")
