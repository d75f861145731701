"""events: what is planned in a guild."""

from __future__ import annotations

from accord.engine import Toolset

tools = Toolset("events", fence="untrusted_discord")
