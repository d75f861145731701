"""USDC on Solana's networks: which mint it is on which of them, and the account in which an owner holds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal, TypeAlias

from solders.pubkey import Pubkey
from solders.token.associated import get_associated_token_address

__all__ = ["DECIMALS", "NETWORKS", "Network", "NetworkName", "account_of", "worded"]

DECIMALS: Final = 6
"""One USDC is a million atomic units, on every network."""

NetworkName: TypeAlias = Literal["mainnet", "devnet"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """A network of Solana.

    Args:
        genesis: The hash of its first block; CAIP-2 names a network by its first 32 characters.
        usdc: Circle's mint of USDC (https://developers.circle.com/stablecoins/usdc-contract-addresses).
    """

    genesis: str
    usdc: str

    @property
    def caip2(self) -> str:
        """Its name on the wire (https://namespaces.chainagnostic.org/solana/caip2)."""
        return f"solana:{self.genesis[:32]}"


NETWORKS: Final[Mapping[NetworkName, Network]] = {
    "mainnet": Network(
        genesis="5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d", usdc="EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
    ),
    "devnet": Network(
        genesis="EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG", usdc="4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"
    ),
}


def account_of(owner: str, mint: str) -> str:
    """Return the address of the token account in which an owner holds this mint."""
    return str(get_associated_token_address(Pubkey.from_string(owner), Pubkey.from_string(mint)))


def worded(atoms: int) -> str:
    """Say an amount as people read it: `0.05 USDC`."""
    return f"{Decimal(atoms).scaleb(-DECIMALS).normalize():f} USDC"
