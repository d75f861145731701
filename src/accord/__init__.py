"""accord: an engine for MCP servers that act in people's conversations, and servers built on it."""

__version__ = "0.1.0"
