"""components_v2: messages laid out from components."""

from __future__ import annotations

from accord.engine import Toolset

tools = Toolset("components_v2", fence="untrusted_discord")
