"""Discord's ids, each kind a type of its own, and the two keys that are no ids."""

from __future__ import annotations

import re
from typing import ClassVar

from accord.engine import Credential, Shaped

__all__ = [
    "ApplicationId",
    "AttachmentId",
    "AutoModRuleId",
    "ChannelId",
    "EmojiId",
    "EntitlementId",
    "GuildId",
    "IntegrationId",
    "InteractionId",
    "InviteCode",
    "MessageId",
    "RoleId",
    "ScheduledEventId",
    "SkuId",
    "Snowflake",
    "SoundboardSoundId",
    "StageInstanceId",
    "StickerId",
    "SubscriptionId",
    "UserId",
    "WebhookId",
    "WebhookToken",
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


class EmojiId(Snowflake):
    """A custom emoji's id; also taken as `<:name:id>`."""

    __slots__ = ()
    mention: ClassVar[re.Pattern[str] | None] = re.compile(r"<a?:[A-Za-z0-9_]{2,32}:([0-9]{17,20})>")


class GuildId(Snowflake):
    """A guild's (server's) id."""

    __slots__ = ()


class MessageId(Snowflake):
    """A message's id."""

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
    pattern: ClassVar[str] = "^[0-9]{1,20}$"
    wants: ClassVar[str] = "an id of digits as a string"


class InteractionId(Snowflake):
    """An interaction's id."""

    __slots__ = ()


class InviteCode(Shaped):
    """An invite's code, without its address. It is no snowflake."""

    __slots__ = ()
    pattern: ClassVar[str] = "^[A-Za-z0-9-]{1,32}$"
    wants: ClassVar[str] = "an invite code of 1 to 32 letters, digits and hyphens"


class WebhookToken(Credential):
    """A webhook's secret: who has it can post as the webhook."""

    __slots__ = ()
    pattern: ClassVar[str] = "^[A-Za-z0-9_-]{60,100}$"
    wants: ClassVar[str] = "a webhook token of 60 to 100 letters, digits, - and _"
