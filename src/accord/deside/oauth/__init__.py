"""The authorization server: OAuth 2.1 with PKCE for public clients, where a person signs in with a Solana wallet."""

from accord.deside.oauth.bearers import Bearer, Bearers

__all__ = ["Bearer", "Bearers"]
