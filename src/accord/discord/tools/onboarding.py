"""onboarding: what new members are asked and shown."""

from __future__ import annotations

from accord.engine import Toolset

tools = Toolset("onboarding", fence="untrusted_discord")
