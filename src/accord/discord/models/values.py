"""Values that many resources share, their limits said once."""

from __future__ import annotations

from typing import Annotated, TypedDict

from accord.engine import Field

__all__ = ["AuditReason", "Content", "Cursor", "Page", "Timestamp", "Url"]

Content = Annotated[str, Field(min_length=1, max_length=2000, description="Markdown text, at most 2000 characters")]
"""A message's text. The OpenAPI file admits 4000, which only people with Nitro have; bots have the documented 2000."""

AuditReason = Annotated[str, Field(min_length=1, max_length=512, description="shown in the guild's audit log")]
"""https://discord.com/developers/docs/resources/audit-log: 1 to 512 characters."""

Timestamp = str
"""ISO 8601 with an offset, as Discord writes it."""

Url = Annotated[str, Field(max_length=2048, pattern="^(https?|attachment)://")]
"""An address that Discord loads: http, https, or a file of the same message."""

Cursor = Annotated[str, Field(max_length=200, description="next_cursor of the page before")]


class Page(TypedDict):
    """What every list says of the rest: whether there is more, and what to pass as `cursor` for it."""

    next_cursor: str | None
    has_more: bool
