"""emojis: a guild's own emoji."""

from __future__ import annotations

from accord.engine import Toolset

tools = Toolset("emojis", fence="untrusted_discord")
