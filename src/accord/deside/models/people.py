"""People: what is known of a wallet, and what its owner says of itself. Names and links are the owner's words."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias, TypedDict

from accord.engine import Field, Untrusted

__all__ = [
    "Blocked",
    "DmPolicy",
    "DmPolicySet",
    "ProfileChanges",
    "ProfileUpdated",
    "Role",
    "Social",
    "UserInfo",
    "UserProfile",
    "VisibleProfile",
]

Json: TypeAlias = Any

Role = Literal["user", "agent"]
DmPolicy = Annotated[
    Literal["everyone", "contacts", "nobody"],
    Field(description="who may write to you: with contacts a stranger's first message is a request"),
]

HTTPS_OR_NOTHING = "^(https://[^\\s\\x00]+)?$"
NO_NUL = "^[^\\x00]*$"  # which PostgreSQL cannot keep


class Social(TypedDict):
    """Where else somebody is found."""

    x: Untrusted | None
    website: Untrusted | None


class UserProfile(TypedDict):
    """What a wallet's owner says of itself."""

    nickname: Untrusted | None
    avatar: Untrusted | None
    social: Social


class VisibleProfile(TypedDict):
    """What to show for a wallet: its agent's identity, else its owner's; `source` is that of the agent's."""

    kind: Role
    displayName: Untrusted
    displayAvatar: Untrusted | None
    description: Untrusted | None
    source: str | None


class UserInfo(TypedDict):
    """All that everybody may know of a wallet; of one that never signed in only that it did not."""

    wallet: str
    registered: bool
    role: Role
    visibleProfile: VisibleProfile | None
    userProfile: UserProfile | None
    agentProfile: dict[str, Json] | None
    social: Social


class ProfileChanges(TypedDict, total=False):
    """What changes of a profile: what is left out stays, an empty text removes."""

    nickname: Annotated[str, Field(max_length=50, pattern=NO_NUL)]
    avatar: Annotated[str, Field(max_length=500, pattern=HTTPS_OR_NOTHING, description="https address of a picture")]
    about: Annotated[str, Field(max_length=500, pattern=NO_NUL)]
    x: Annotated[str, Field(max_length=50, pattern=NO_NUL, description="name on X")]
    website: Annotated[str, Field(max_length=300, pattern=HTTPS_OR_NOTHING, description="https address")]


class ProfileUpdated(TypedDict):
    """A profile after a change."""

    wallet: str
    visibleProfile: VisibleProfile
    userProfile: UserProfile
    changed: list[str]


class Blocked(TypedDict):
    """Whether a wallet is blocked now, and whether this call changed that."""

    wallet: str
    blocked: bool
    changed: bool


class DmPolicySet(TypedDict):
    """Who may write now."""

    policy: DmPolicy
