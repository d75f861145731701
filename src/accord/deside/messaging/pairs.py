"""Two wallets and their conversation's id."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from accord.deside.errors import InvalidMeaningError, NotFoundError
from accord.deside.wallets import Wallet
from accord.engine import Issue

__all__ = ["Pair", "Side", "pair_of"]

Side = Literal["low", "high"]
"""Which of a conversation's two wallets: the one that sorts first, or the other."""

OTHER: dict[Side, Side] = {"low": "high", "high": "low"}


@dataclass(frozen=True, slots=True)
class Pair:
    """A wallet and its peer."""

    own: Wallet
    peer: Wallet

    @property
    def conv_id(self) -> str:
        """The id of their conversation, the same for both."""
        return ":".join(sorted((self.own, self.peer)))

    @property
    def side(self) -> Side:
        """The side of the first wallet."""
        return "low" if self.own < self.peer else "high"

    @property
    def other_side(self) -> Side:
        """The side of its peer."""
        return OTHER[self.side]


def pair_of(wallet: Wallet, conv_id: str) -> Pair:
    """Return the wallet with its peer in a conversation, whether anything was written there yet or not.

    Raises:
        InvalidMeaningError: It is no conversation's id: two wallets in order.
        NotFoundError: It is a conversation of others.
    """
    low, _, high = conv_id.partition(":")
    try:
        both = (Wallet.parse(low), Wallet.parse(high))
    except ValueError:
        raise _no_id("does not name two wallets") from None
    if low >= high:
        raise _no_id("does not name two wallets in order, the one that sorts first before the other")
    if wallet not in both:
        raise NotFoundError(resource="conversation")
    return Pair(wallet, both[0] if wallet == both[1] else both[1])


def _no_id(words: str) -> InvalidMeaningError:
    return InvalidMeaningError(issues=[Issue(path="conv_id", message=words, code="invalid_string")])
