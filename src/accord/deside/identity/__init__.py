"""Agent identities: who a wallet's agents are, which of them a client acts as, and what their owner signed."""
