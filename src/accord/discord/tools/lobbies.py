"""lobbies: rooms of games that use the Social SDK."""

from __future__ import annotations

from accord.engine import Toolset

tools = Toolset("lobbies", fence="untrusted_discord")
