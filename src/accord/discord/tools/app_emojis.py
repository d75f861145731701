"""app_emojis: emoji that the bot takes along everywhere."""

from __future__ import annotations

from accord.engine import Toolset

tools = Toolset("app_emojis", fence="untrusted_discord")
