"""How a call becomes a reply."""
