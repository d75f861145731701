"""A chain with everybody on it whom a sale takes: who pays fees, who is paid, and a wallet with money in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from solders.keypair import Keypair

from accord.deside.chain.chain import Chain
from accord.deside.chain.methods import answered

__all__ = ["ChainSandbox"]

Json: TypeAlias = Any

SOL = 10**9
"""In lamports."""

USDC = 10**6
"""In atomic units."""


@dataclass(frozen=True)
class ChainSandbox:
    """A new chain with a fee payer, a treasury, and a funded wallet whose key is there for the taking."""

    chain: Chain = field(default_factory=Chain)
    fee_payer: Keypair = field(default_factory=Keypair, repr=False)
    payer: Keypair = field(default_factory=Keypair, repr=False)
    treasury: str = field(default_factory=lambda: str(Keypair().pubkey()))

    def __post_init__(self) -> None:
        self.chain.airdrop(str(self.fee_payer.pubkey()), 10 * SOL)
        self.fund(self.treasury, 0)
        self.fund(self.wallet, 100 * USDC)

    @property
    def wallet(self) -> str:
        """The address of the funded wallet."""
        return str(self.payer.pubkey())

    @property
    def secret_key(self) -> str:
        """Its key in base58; there is no real money behind it."""
        return str(self.payer)

    async def post(self, request: Json) -> Json:
        """Answer a request of JSON-RPC, without a network."""
        return answered(self.chain, request)

    def fund(self, wallet: str, usdc: int) -> None:
        """Give a wallet so many atomic units of USDC."""
        self.chain.fund(wallet, usdc)

    def balance(self, wallet: str) -> int:
        """Return a wallet's USDC in atomic units."""
        return self.chain.balance(wallet)
