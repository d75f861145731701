"""Lobbies: players of a game that are together. https://discord.com/developers/docs/resources/lobby."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, NotRequired, TypeAlias, TypedDict

from accord.discord.models.ids import UserId
from accord.discord.models.values import WebUrl
from accord.engine import Field, Issue, Untrusted

__all__ = [
    "Lobby",
    "LobbyChanges",
    "LobbyDeleted",
    "LobbyInvite",
    "LobbyMember",
    "LobbyMemberRemoved",
    "LobbyMembers",
    "MemberFields",
    "MemberUpdate",
    "Moderated",
    "Moderation",
    "NewLobby",
    "metadata_fits",
    "moderation_fits",
]

Json: TypeAlias = Any

MOST_METADATA_KEYS, MOST_METADATA_CHARACTERS = 25, 1000
MOST_MODERATION_KEYS, MOST_KEY_CHARACTERS = 5, 1024

Metadata = Annotated[
    dict[str, Annotated[str, Field(max_length=1024)]],
    Field(description="texts by names of your own; 1000 characters in all"),
]
Known = Annotated[dict[str, str], Field(untrusted=True)]

Moderation = Annotated[
    dict[str, Annotated[str, Field(max_length=2000)]], Field(description="up to 5 texts by names of your own")
]


class MemberFields(TypedDict, total=False):
    """What a lobby knows of one of its members."""

    metadata: Metadata
    flags: Annotated[Literal[1], Field(description="1 may link a channel to the lobby")]
    additional_name: Annotated[str, Field(min_length=1, max_length=80)]


class NewMember(TypedDict):
    """A player to put into a lobby."""

    id: UserId
    metadata: NotRequired[Metadata]
    flags: NotRequired[Literal[1]]


class MemberUpdate(TypedDict):
    """A player to put into a lobby, or to take out of it."""

    id: UserId
    metadata: NotRequired[Metadata]
    flags: NotRequired[Literal[1]]
    additional_name: NotRequired[Annotated[str, Field(min_length=1, max_length=80)]]
    remove_member: NotRequired[bool]


class NewLobby(TypedDict, total=False):
    """What a new lobby is made of."""

    members: Annotated[list[NewMember], Field(max_items=25, description="{id, metadata, flags}")]
    metadata: Metadata
    idle_timeout_seconds: Annotated[int, Field(minimum=5, maximum=604800, description="closes when idle so long")]
    flags: Literal[1]
    override_event_webhooks_url: Annotated[WebUrl, Field(max_length=512)]


class LobbyChanges(TypedDict, total=False):
    """What of a lobby changes."""

    members: Annotated[list[NewMember], Field(max_items=25, description="all of them: others are removed")]
    metadata: Annotated[Metadata, Field(description="all of it: other names go")]
    idle_timeout_seconds: Annotated[int, Field(minimum=5, maximum=604800)]
    flags: Literal[1]
    override_event_webhooks_url: Annotated[WebUrl, Field(max_length=512)]
    clear: Annotated[list[Literal["metadata", "flags", "override_event_webhooks_url"]], Field(min_items=1)]


class LobbyMember(TypedDict):
    """One player in a lobby."""

    id: str
    metadata: Known | None
    flags: int
    additional_name: NotRequired[Untrusted]


class LinkedChannel(TypedDict):
    """The guild's channel that a lobby is linked to."""

    id: str
    guild_id: str
    name: Untrusted


class Lobby(TypedDict):
    """One lobby."""

    id: str
    application_id: str
    metadata: Known | None
    members: list[LobbyMember]
    flags: int
    linked_channel: NotRequired[LinkedChannel]
    override_event_webhooks_url: NotRequired[Untrusted | None]


class LobbyMembers(TypedDict):
    """The players that were put into a lobby; those removed, and those whom Discord passed over, are not among them."""

    items: list[LobbyMember]
    count: int
    lobby_id: str


class LobbyDeleted(TypedDict):
    """A lobby that is gone."""

    deleted: bool
    lobby_id: str


class LobbyMemberRemoved(TypedDict):
    """A player who is no longer in a lobby."""

    removed: bool
    lobby_id: str
    user_id: str


class LobbyInvite(TypedDict):
    """An invite to the guild of a lobby's channel, for one player."""

    invite_code: str
    url: str
    user_id: str


class Moderated(TypedDict):
    """A message whose moderation was told to the game."""

    moderated: bool
    lobby_id: str
    message_id: str


def metadata_fits(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse more metadata of a lobby or of a member than Discord keeps."""
    yield from _fits("metadata", arguments.get("metadata", {}))
    for place, member in enumerate(arguments.get("members", ())):
        yield from _fits(f"members[{place}].metadata", member.get("metadata", {}))


def _fits(path: str, metadata: Mapping[str, str]) -> Iterator[Issue]:
    total = sum(len(name) + len(text) for name, text in metadata.items())
    if len(metadata) > MOST_METADATA_KEYS:
        yield Issue(path=path, message=f"may have {MOST_METADATA_KEYS} names", code="too_big")
    if total > MOST_METADATA_CHARACTERS:
        message = f"may have {MOST_METADATA_CHARACTERS} characters in all; it has {total}"
        yield Issue(path=path, message=message, code="too_big")


def moderation_fits(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse more about a message's moderation than Discord passes on."""
    metadata = arguments["metadata"]
    if not 1 <= len(metadata) <= MOST_MODERATION_KEYS:
        yield Issue(path="metadata", message=f"must have 1 to {MOST_MODERATION_KEYS} names", code="too_big")
    if any(len(name) > MOST_KEY_CHARACTERS for name in metadata):
        yield Issue(path="metadata", message=f"has a name of over {MOST_KEY_CHARACTERS} characters", code="too_big")
