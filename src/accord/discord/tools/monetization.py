"""monetization: SKUs, entitlements and subscriptions."""

from __future__ import annotations

from accord.engine import Toolset

tools = Toolset("monetization", fence="untrusted_discord")
