"""What tools of deside-mcp take and give: a file a domain."""
