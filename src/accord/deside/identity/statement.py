"""What an owner signs to link agents: a text that says all of it, so that a wallet shows its person what it is."""

from __future__ import annotations

from dataclasses import dataclass

from accord.deside.models.identity import LinkToSign
from accord.deside.times import iso
from accord.deside.wallets import Wallet

__all__ = ["LINK_MINUTES", "Statement"]

LINK_MINUTES = 10
"""How long an owner has to sign (spec/deside.md 4)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A link that waits to be signed. No part of it can hold the end of a line, so no line can be forged."""

    domain: str
    owner: Wallet
    label: str
    primary: str
    agents: tuple[str, ...]
    nonce: str
    issued_ms: int

    @property
    def expires_ms(self) -> int:
        """When it is too late to sign."""
        return self.issued_ms + LINK_MINUTES * 60_000

    @property
    def message(self) -> str:
        """The text to sign, byte for byte in UTF-8."""
        return "\n".join(
            (
                "Deside Agent Identity Link",
                "These agents are mine and belong together.",
                f"Domain: {self.domain}",
                f"Owner wallet: {self.owner}",
                f"Label: {self.label}",
                f"Primary agent: {self.primary}",
                f"Agents: {', '.join(self.agents)}",
                f"Nonce: {self.nonce}",
                f"Issued at: {iso(self.issued_ms)}",
                f"Expires at: {iso(self.expires_ms)}",
            )
        )

    def to_sign(self) -> LinkToSign:
        """Return what the owner gets to sign."""
        return {
            "domain": self.domain,
            "ownerWallet": str(self.owner),
            "primaryAgentCatalogId": self.primary,
            "agentCatalogIds": list(self.agents),
            "label": self.label,
            "nonce": self.nonce,
            "issuedAt": iso(self.issued_ms),
            "expiresAt": iso(self.expires_ms),
            "message": self.message,
        }
