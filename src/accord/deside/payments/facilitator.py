"""Who signs for the fees: a facilitator, whether it is in this process or somebody else's."""

from __future__ import annotations

from typing import Protocol

from accord.deside.payments.checking import Checked

__all__ = ["Facilitator", "UnreachableError"]


class UnreachableError(Exception):
    """The facilitator, or the chain behind it, did not answer."""


class Facilitator(Protocol):
    """Pays the fees of payments. Whether money arrived is not asked of it, but of the chain."""

    async def fee_payer(self) -> str:
        """Return the address that pays the fees of the next payment.

        Raises:
            UnreachableError: It cannot be asked.
        """

    async def verify(self, payment: Checked) -> None:
        """See whether a payment would go through now.

        Raises:
            RefusedPaymentError: It would not.
            UnreachableError: That cannot be known now.
        """

    def signature_of(self, payment: Checked) -> str | None:
        """Return the signature that its transaction will have on the chain, None where that cannot be foretold."""

    async def send(self, payment: Checked) -> str:
        """Sign a payment for the fee and send it; returns its signature, whatever becomes of it.

        Raises:
            RefusedPaymentError: It was refused. It may have been sent all the same.
            UnreachableError: It may have been sent.
        """

    async def close(self) -> None:
        """Let go of connections."""
