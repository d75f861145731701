"""Discord's HTTP API, and what stands between a call and it."""
