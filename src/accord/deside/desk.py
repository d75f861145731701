"""What tools work with: the services, as one wallet's client sees them."""

from __future__ import annotations

from dataclasses import dataclass

from accord.deside.completions import Asked, Completions, WhenAnswered
from accord.deside.identity import Identities
from accord.deside.messaging import Messaging
from accord.deside.models.completions import Completed
from accord.deside.people import People
from accord.deside.wallets import Wallet

__all__ = ["Desk"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """One caller's place at the services. The wallet and the client are those of the token, never arguments."""

    wallet: Wallet
    client_id: str
    messages: Messaging
    people: People
    identities: Identities
    completions: Completions

    async def complete(self, asked: Asked, when_answered: WhenAnswered) -> Completed:
        """Ask a model for this wallet, which pays for it."""
        return await self.completions.complete(self.wallet, asked, when_answered)
