"""An embedded, stateful Discord for trying things out, for tests, and for the CI of those who build agents."""

from accord.discord.sandbox.exchanges import Exchange
from accord.discord.sandbox.sandbox import Sandbox
from accord.discord.sandbox.world import World

__all__ = ["Exchange", "Sandbox", "World"]
