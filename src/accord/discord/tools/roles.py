"""roles: what members are and may do."""

from __future__ import annotations

from accord.engine import Toolset

tools = Toolset("roles", fence="untrusted_discord")
