"""discord-mcp with tools of one's own: greeting new members."""
