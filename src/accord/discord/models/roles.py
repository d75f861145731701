"""Roles: what members are called together, and what they may do."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from accord.discord.models.ids import RoleId
from accord.discord.models.permissions import PermissionSet
from accord.discord.models.values import RGB, AuditReason, Image, Page
from accord.engine import Field, Untrusted

__all__ = ["MemberCounts", "NewRole", "Role", "RoleChanges", "RoleDeleted", "RolePlace", "Roles"]


class Colors(TypedDict, total=False):
    """The colours of a role's name: one, or a gradient of two or three."""

    primary_color: RGB
    secondary_color: RGB
    tertiary_color: RGB


class RoleFields(TypedDict, total=False):
    """What a role is made of."""

    name: Annotated[str, Field(min_length=1, max_length=100)]
    permissions: Annotated[PermissionSet, Field(description="names separated by commas, or a decimal bit set")]
    color: RGB
    colors: Annotated[Colors, Field(description="gradient; needs ENHANCED_ROLE_COLORS")]
    hoist: Annotated[bool, Field(description="list its members apart")]
    icon: Annotated[Image, Field(description="needs ROLE_ICONS")]
    unicode_emoji: Annotated[str, Field(max_length=100, description="emoji as the icon")]
    mentionable: bool


class NewRole(RoleFields, total=False):
    """What a new role has; the rest is as @everyone has it."""

    audit_reason: AuditReason


class RoleChanges(RoleFields, total=False):
    """What of a role changes."""

    clear: Annotated[
        list[Literal["name", "permissions", "color", "colors", "hoist", "icon", "unicode_emoji", "mentionable"]],
        Field(min_items=1, description="what to put back to nothing"),
    ]
    audit_reason: AuditReason


class RolePlace(TypedDict):
    """Where a role is to stand; a higher number stands above."""

    id: RoleId
    position: NotRequired[Annotated[int, Field(minimum=0)]]


class Role(TypedDict):
    """One role. The role with its guild's id is @everyone; a managed one belongs to a bot or an integration."""

    id: str
    name: Untrusted
    permissions: str
    position: int
    color: int
    hoist: bool
    mentionable: bool
    managed: bool
    icon: NotRequired[str | None]
    unicode_emoji: NotRequired[Untrusted | None]
    flags: NotRequired[int]
    colors: NotRequired[dict[str, int | None]]
    tags: NotRequired[dict[str, str | None]]


class Roles(Page):
    """A guild's roles, the highest first."""

    roles: list[Role]
    count: int


class RoleDeleted(TypedDict):
    """A role that is gone."""

    deleted: bool
    role_id: str
    guild_id: str


class MemberCount(TypedDict):
    """How many members have a role."""

    role_id: str
    members: int


class MemberCounts(Page):
    """How many members each role has, the fullest first; @everyone is left out."""

    items: list[MemberCount]
    count: int
