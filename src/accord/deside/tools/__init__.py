"""The tools: a toolset a file, listed here in the order in which clients see them."""

from __future__ import annotations

from typing import Final

from accord.deside.tools import identity
from accord.engine import Toolset

__all__ = ["TOOLSETS"]

TOOLSETS: Final[tuple[Toolset, ...]] = (identity.tools,)
"""Every toolset of deside-mcp."""
