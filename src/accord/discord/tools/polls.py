"""polls: who voted, and ending one."""

from __future__ import annotations

from accord.engine import Toolset

tools = Toolset("polls", fence="untrusted_discord")
