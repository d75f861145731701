"""templates: guilds to make others from."""

from __future__ import annotations

from accord.engine import Toolset

tools = Toolset("templates", fence="untrusted_discord")
