"""Usual calls of every tool: a file a toolset, as the tools themselves."""
