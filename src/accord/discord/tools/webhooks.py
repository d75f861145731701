"""webhooks: posting to a channel by a token of its own."""

from __future__ import annotations

from accord.engine import Toolset

tools = Toolset("webhooks", fence="untrusted_discord")
