"""Direct messages: what tools take and give. What somebody wrote is untrusted, whoever it was."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypeAlias, TypedDict

from accord.engine import Field, Untrusted

__all__ = [
    "MOST_TEXT_CHARACTERS",
    "Blocks",
    "ContactRequest",
    "ContactRequests",
    "ConvId",
    "Conversation",
    "Conversations",
    "Cursor",
    "DmReceived",
    "IdempotencyKey",
    "LastMessage",
    "Marked",
    "Message",
    "Messages",
    "PageSize",
    "RequestAnswered",
    "RequestedMessage",
    "Sent",
    "SourceType",
    "Synced",
    "SyncedMessage",
    "Text",
]

Json: TypeAlias = Any

MOST_TEXT_CHARACTERS = 3000

SourceType = Literal["user", "agent", "system"]

ConvId = Annotated[
    str,
    Field(
        pattern="^[1-9A-HJ-NP-Za-km-z]{32,44}:[1-9A-HJ-NP-Za-km-z]{32,44}$",
        description='the two wallets in order, joined by ":"',
    ),
]
Text = Annotated[str, Field(min_length=1, max_length=MOST_TEXT_CHARACTERS, description="instead of blocks")]
Blocks = Annotated[
    list[dict[str, Json]],
    Field(
        description="instead of text, at most 128: {type: paragraph|quote, runs}, {type: heading, level: 1-3, runs}, "
        "{type: list, ordered?, items: [runs]}, {type: code, text, lang?}, {type: divider}, "
        "{type: table, rows: [[runs]]}; runs are [{t, bold?, italic?, strike?, code?, link?: {href}}]"
    ),
]
IdempotencyKey = Annotated[
    str,
    Field(
        min_length=8,
        max_length=64,
        pattern="^[^\\x00]*$",  # PostgreSQL cannot keep it
        description="the same key with the same content sends once",
    ),
]
Cursor = Annotated[str, Field(min_length=1, max_length=2048, description="where the page before ended")]
PageSize = Annotated[int, Field(minimum=1, maximum=100)]


class Sent(TypedDict):
    """What became of a message. `seq` is its number in the conversation, once it is in one."""

    convId: str
    status: Literal["delivered", "pending_acceptance", "user_not_registered"]
    seq: NotRequired[int]
    clientMsgId: str


class Message(TypedDict):
    """One message of a conversation; `blocks` where it was sent as such."""

    seq: int
    sender: str
    content: Untrusted
    sourceType: SourceType
    createdAt: str
    blocks: NotRequired[list[dict[str, Json]]]


class Messages(TypedDict):
    """One page of a conversation, the newest message first; `nextCursor` is a `before_seq`."""

    messages: list[Message]
    nextCursor: str | None
    hasMore: bool


class Marked(TypedDict):
    """Up to where a conversation is read now, and whether this call moved that."""

    convId: str
    seq: int
    marked: bool


class LastMessage(TypedDict):
    """The newest message of a conversation."""

    seq: int
    sender: str
    content: Untrusted
    sourceType: SourceType
    createdAt: str


class Conversation(TypedDict):
    """One conversation; `unread` counts the peer's messages after the last one marked as read."""

    convId: str
    peerWallet: str
    peerRole: Literal["user", "agent"] | None
    lastMessage: LastMessage
    unread: int
    seqMax: int


class Conversations(TypedDict):
    """One page of conversations, the last used first."""

    conversations: list[Conversation]
    nextCursor: str | None
    hasMore: bool


class SyncedMessage(TypedDict):
    """One message of any conversation."""

    id: str
    convId: str
    seq: int
    sender: str
    content: Untrusted
    sourceType: SourceType
    createdAt: str
    blocks: NotRequired[list[dict[str, Json]]]


class Synced(TypedDict):
    """What was written since the cursor, in the order in which it became readable."""

    messages: list[SyncedMessage]
    next_cursor: str
    has_more: bool


class RequestedMessage(TypedDict):
    """A message that waits for the answer to a contact request."""

    content: Untrusted
    sourceType: SourceType
    createdAt: str
    blocks: NotRequired[list[dict[str, Json]]]


class ContactRequest(TypedDict):
    """Somebody who wants to write to you, with what they wrote, the oldest first."""

    wallet: str
    convId: str
    role: Literal["user", "agent"] | None
    requestedAt: str
    messages: list[RequestedMessage]


class ContactRequests(TypedDict):
    """One page of unanswered contact requests, the newest first."""

    requests: list[ContactRequest]
    nextCursor: str | None
    hasMore: bool


class RequestAnswered(TypedDict):
    """What became of a contact request; accepted, its messages have these numbers in the conversation."""

    wallet: str
    convId: str
    status: Literal["accepted", "declined"]
    delivered: int
    firstSeq: int | None
    lastSeq: int | None


class DmReceived(TypedDict):
    """Parameters of notifications/dm_received; a contact request has neither conversation nor number."""

    convId: str | None
    sender: str
    preview: str
    seq: int | None
    isNewConversation: bool
    timestamp: str
