"""stage_instances: what is live on a stage."""

from __future__ import annotations

from accord.engine import Toolset

tools = Toolset("stage_instances", fence="untrusted_discord")
