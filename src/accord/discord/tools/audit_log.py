"""audit_log: who did what in a guild."""

from __future__ import annotations

from accord.engine import Toolset

tools = Toolset("audit_log", fence="untrusted_discord")
