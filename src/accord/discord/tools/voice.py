"""voice: who is where, and what a voice channel says of itself."""

from __future__ import annotations

from accord.engine import Toolset

tools = Toolset("voice", fence="untrusted_discord")
