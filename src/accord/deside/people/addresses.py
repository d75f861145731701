"""An argument that looks like an address becomes a wallet."""

from __future__ import annotations

from accord.deside.errors import InvalidMeaningError
from accord.deside.wallets import Wallet
from accord.engine import Issue

__all__ = ["wallet_of"]


def wallet_of(address: str, argument: str) -> Wallet:
    """Return the wallet of an address, given as this argument.

    Raises:
        InvalidMeaningError: It is no address that somebody can sign for.
    """
    try:
        return Wallet.parse(address)
    except ValueError as error:
        raise InvalidMeaningError(issues=[Issue(path=argument, message=str(error), code="invalid_wallet")]) from None
