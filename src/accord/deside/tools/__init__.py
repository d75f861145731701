"""The tools: a toolset a file, listed here in the order in which clients see them."""

from __future__ import annotations

from typing import Final

from accord.deside.tools import completions, contacts, identity, messages
from accord.engine import Toolset

__all__ = ["TOOLSETS"]

TOOLSETS: Final[tuple[Toolset, ...]] = (messages.tools, contacts.tools, identity.tools, completions.tools)
"""Every toolset of deside-mcp."""
