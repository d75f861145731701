"""commands: the bot's slash and context menu commands."""

from __future__ import annotations

from accord.engine import Toolset

tools = Toolset("commands", fence="untrusted_discord")
