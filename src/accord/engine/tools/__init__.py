"""How a function becomes a tool."""
