"""The sandbox's state: guilds, channels, messages and people, for routes to change and tests to arrange."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from accord.discord.sandbox.snowflakes import Mint, created_at, iso

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from accord.discord.sandbox.audit import AuditEntry

JsonObject: TypeAlias = dict[str, Any]

AUDIT_ENTRIES = 10_000
NONCE_SECONDS = (
    5 * 60
)  # "within the past few minutes": https://discord.com/developers/docs/resources/message#create-message


@dataclass
class User:
    """An account, of a person or a bot."""

    id: str
    username: str
    global_name: str | None = None
    bot: bool = False
    accepts_direct_messages: bool = True
    avatar: str | None = None
    banner: str | None = None


@dataclass
class Role:
    """A guild's role; the one that has its guild's id is @everyone."""

    id: str
    name: str
    permissions: int
    position: int
    color: int = 0
    hoist: bool = False
    mentionable: bool = False
    bot_id: str | None = None
    unicode_emoji: str | None = None


@dataclass
class Member:
    """A user in a guild; `roles` leaves @everyone out, times are ISO 8601."""

    user_id: str
    joined_at: str
    roles: list[str] = field(default_factory=list)
    nick: str | None = None
    timed_out_until: str | None = None
    flags: int = 0
    mute: bool = False
    deaf: bool = False
    avatar: str | None = None
    banner: str | None = None
    bio: str | None = None


@dataclass(frozen=True)
class Overwrite:
    """What a channel allows and denies one role (type 0) or one member (type 1)."""

    id: str
    type: int
    allow: int = 0
    deny: int = 0


@dataclass(frozen=True)
class Upload:
    """A file that was sent along with a message."""

    filename: str
    content_type: str
    content: bytes


@dataclass
class Emoji:
    """A custom emoji of a guild or of the application; with `roles` only their members may use it."""

    id: str
    name: str
    creator_id: str
    animated: bool = False
    roles: list[str] = field(default_factory=list)


@dataclass
class Sticker:
    """A custom sticker of a guild."""

    id: str
    name: str
    description: str | None
    tags: str
    format: int = 1
    creator_id: str | None = None


@dataclass
class Reaction:
    """Who reacted with one emoji, in the order in which they did."""

    emoji: JsonObject
    user_ids: list[str] = field(default_factory=list)


@dataclass
class Message:
    """A message; embeds, components, attachments, poll and reference are kept as they look on the wire.

    `votes` are the users who chose an answer of its poll, by the answer's number. One that was posted by a token has
    the `webhook_id` of the webhook or the application; a webhook is no user, so that its messages say under which
    `author_name` they were posted.
    """

    id: str
    channel_id: str
    author_id: str
    content: str = ""
    type: int = 0
    flags: int = 0
    tts: bool = False
    edited_timestamp: str | None = None
    mention_everyone: bool = False
    mentions: list[str] = field(default_factory=list)
    mention_roles: list[str] = field(default_factory=list)
    attachments: list[JsonObject] = field(default_factory=list)
    embeds: list[JsonObject] = field(default_factory=list)
    components: list[JsonObject] = field(default_factory=list)
    sticker_ids: list[str] = field(default_factory=list)
    reactions: dict[str, Reaction] = field(default_factory=dict)
    reference: JsonObject | None = None
    poll: JsonObject | None = None
    votes: dict[int, list[str]] = field(default_factory=dict)
    nonce: int | str | None = None
    webhook_id: str | None = None
    author_name: str | None = None

    @property
    def timestamp(self) -> str:
        """When it was sent, as its id says."""
        return iso(created_at(self.id))


@dataclass
class Thread:
    """What a channel that is a thread has besides; `members` says when each joined, times are ISO 8601."""

    owner_id: str
    metadata: JsonObject
    members: dict[str, str] = field(default_factory=dict)
    applied_tags: list[str] = field(default_factory=list)
    messages_sent: int = 0


@dataclass
class Channel:
    """A guild's channel, a thread or a direct message; `settings` are the wire fields that its type adds."""

    id: str
    type: int
    name: str = ""
    guild_id: str | None = None
    parent_id: str | None = None
    position: int = 0
    flags: int = 0
    recipient_id: str | None = None
    last_message_id: str | None = None
    overwrites: dict[str, Overwrite] = field(default_factory=dict)
    settings: JsonObject = field(default_factory=dict)
    messages: dict[str, Message] = field(default_factory=dict)
    pins: dict[str, str] = field(default_factory=dict)
    thread: Thread | None = None

    def add(self, message: Message) -> Message:
        """Put a message at the channel's end."""
        self.messages[message.id] = message
        self.last_message_id = message.id
        if self.thread is not None:
            self.thread.messages_sent += 1
        return message


def pointing_at(channel: Channel, message_id: str | None = None) -> JsonObject:
    """The reference that leads to a message of a channel, or to the channel alone."""
    reference: JsonObject = {"type": 0, "channel_id": channel.id}
    if message_id is not None:
        reference["message_id"] = message_id
    return reference if channel.guild_id is None else reference | {"guild_id": channel.guild_id}


@dataclass
class Guild:
    """A guild with all that is its own but the channels, which the world keeps in one table.

    `settings` are the wire fields that differ from a new guild's; `bans` are reasons by user id. What is a JsonObject
    is kept as it looks on the wire.
    """

    id: str
    name: str
    owner_id: str
    description: str | None = None
    features: list[str] = field(default_factory=list)
    roles: dict[str, Role] = field(default_factory=dict)
    members: dict[str, Member] = field(default_factory=dict)
    emojis: dict[str, Emoji] = field(default_factory=dict)
    stickers: dict[str, Sticker] = field(default_factory=dict)
    audit: deque[AuditEntry] = field(default_factory=lambda: deque(maxlen=AUDIT_ENTRIES))
    settings: JsonObject = field(default_factory=dict)
    bans: dict[str, str | None] = field(default_factory=dict)
    events: dict[str, JsonObject] = field(default_factory=dict)
    event_users: dict[str, list[str]] = field(default_factory=dict)
    automod_rules: dict[str, JsonObject] = field(default_factory=dict)
    sounds: dict[str, JsonObject] = field(default_factory=dict)
    integrations: dict[str, JsonObject] = field(default_factory=dict)
    join_requests: dict[str, JsonObject] = field(default_factory=dict)
    voice_states: dict[str, JsonObject] = field(default_factory=dict)
    welcome_screen: JsonObject = field(default_factory=dict)
    onboarding: JsonObject = field(default_factory=dict)
    widget: JsonObject = field(default_factory=dict)
    new_member_welcome: JsonObject = field(default_factory=dict)
    vanity_uses: int = 0


@dataclass
class World:
    """Everything there is; `me` is the bot whose token the sandbox accepts, `clock` tells the Unix time in seconds.

    `application` are the wire fields that differ from a new one's. `bearers` are user ids by OAuth2 token,
    `interactions` and `invites` go by token and code, `stages` by channel, all else by id. What is a JsonObject is
    kept as it looks on the wire; an interaction needs its `id`, `type` and `channel_id` there.
    """

    me: User
    application_id: str
    clock: Callable[[], float] = time.time
    origin: str = ""
    users: dict[str, User] = field(default_factory=dict)
    guilds: dict[str, Guild] = field(default_factory=dict)
    channels: dict[str, Channel] = field(default_factory=dict)
    files: dict[str, Upload] = field(default_factory=dict)
    nonces: dict[tuple[str, str], tuple[float, str]] = field(default_factory=dict)
    webhooks: dict[str, JsonObject] = field(default_factory=dict)
    invites: dict[str, JsonObject] = field(default_factory=dict)
    templates: dict[str, JsonObject] = field(default_factory=dict)
    stages: dict[str, JsonObject] = field(default_factory=dict)
    interactions: dict[str, JsonObject] = field(default_factory=dict)
    commands: dict[str, JsonObject] = field(default_factory=dict)
    command_permissions: dict[tuple[str, str], list[JsonObject]] = field(default_factory=dict)
    sticker_packs: dict[str, JsonObject] = field(default_factory=dict)
    app_emojis: dict[str, Emoji] = field(default_factory=dict)
    application: JsonObject = field(default_factory=dict)
    role_connections: list[JsonObject] = field(default_factory=list)
    activities: dict[str, JsonObject] = field(default_factory=dict)
    skus: dict[str, JsonObject] = field(default_factory=dict)
    entitlements: dict[str, JsonObject] = field(default_factory=dict)
    subscriptions: dict[str, JsonObject] = field(default_factory=dict)
    lobbies: dict[str, JsonObject] = field(default_factory=dict)
    bearers: dict[str, str] = field(default_factory=dict)
    mint: Mint = field(default_factory=Mint)

    def new_id(self) -> str:
        """An id for something made now."""
        return self.mint.strike(self.clock())

    def now(self) -> str:
        """The present time in ISO 8601."""
        return iso(self.clock())

    def channels_of(self, guild_id: str) -> Iterator[Channel]:
        """The guild's channels, threads left out."""
        return (each for each in self.channels.values() if each.guild_id == guild_id and each.thread is None)

    def threads_of(self, guild_id: str) -> Iterator[Channel]:
        """The guild's threads, archived ones too."""
        return (each for each in self.channels.values() if each.guild_id == guild_id and each.thread is not None)

    def sent_before(self, channel: Channel, nonce: int | str) -> Message | None:
        """The message that the bot sent to the channel with this nonce in the last minutes, if it is still there."""
        sent_at, message_id = self.nonces.get((channel.id, str(nonce)), (0.0, ""))
        return channel.messages.get(message_id) if sent_at > self.clock() - NONCE_SECONDS else None

    def remember_nonce(self, message: Message) -> None:
        """Let an enforced nonce find this message for some minutes, and forget those of long ago."""
        while self.nonces and next(iter(self.nonces.values()))[0] < self.clock() - NONCE_SECONDS:
            del self.nonces[next(iter(self.nonces))]
        self.nonces[message.channel_id, str(message.nonce)] = (self.clock(), message.id)
