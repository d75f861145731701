"""stickers: a guild's own, and the packs that everybody has."""

from __future__ import annotations

from accord.engine import Toolset

tools = Toolset("stickers", fence="untrusted_discord")
