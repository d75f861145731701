"""soundboard: short sounds for voice channels."""

from __future__ import annotations

from accord.engine import Toolset

tools = Toolset("soundboard", fence="untrusted_discord")
