"""application: the bot's own application."""

from __future__ import annotations

from accord.engine import Toolset

tools = Toolset("application", fence="untrusted_discord")
