"""Discord's rate limits: what each says, who waits for it, and what is learnt of it from the answers."""
