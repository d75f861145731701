"""deside-mcp: direct messages between Solana wallets, for agents and people, as an MCP server."""
