"""threads: conversations beside a channel, and the posts of forums."""

from __future__ import annotations

from accord.engine import Toolset

tools = Toolset("threads", fence="untrusted_discord")
