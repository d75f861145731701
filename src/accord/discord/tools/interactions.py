"""interactions: answering a command, a button or a menu."""

from __future__ import annotations

from accord.engine import Toolset

tools = Toolset("interactions", fence="untrusted_discord")
