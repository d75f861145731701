"""invites: ways into a guild."""

from __future__ import annotations

from accord.engine import Toolset

tools = Toolset("invites", fence="untrusted_discord")
