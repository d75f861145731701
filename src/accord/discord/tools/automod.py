"""automod: rules that act before a person does."""

from __future__ import annotations

from accord.engine import Toolset

tools = Toolset("automod", fence="untrusted_discord")
