"""The facilitator in this process: its own key for the fees, and a node."""

from __future__ import annotations

import base64

from solders.keypair import Keypair

from accord.deside.payments.checking import Checked, RefusedPaymentError, unpanicking
from accord.deside.payments.facilitator import UnreachableError
from accord.deside.payments.rpc import RpcError, RpcUnavailableError
from accord.deside.payments.solana import Solana
from accord.deside.payments.transactions import signed_by_fee_payer

__all__ = ["EmbeddedFacilitator"]


class EmbeddedFacilitator:
    """Signs with a key, asks a node. The key leaves it never."""

    def __init__(self, key: Keypair, solana: Solana) -> None:
        self._key = key
        self._address = str(key.pubkey())
        self._solana = solana

    async def fee_payer(self) -> str:
        """Return its one address."""
        return self._address

    async def verify(self, payment: Checked) -> None:
        """Let the node try the payment."""
        signed = self._signed(payment)
        try:
            error = await self._solana.simulate(signed)
        except (RpcError, RpcUnavailableError) as lost:
            raise UnreachableError(str(lost)) from lost
        if error is not None:
            raise RefusedPaymentError("transaction_simulation_failed")

    def signature_of(self, payment: Checked) -> str:
        """Return the signature that it makes."""
        return str(signed_by_fee_payer(payment.transaction, self._key).signatures[0])

    async def send(self, payment: Checked) -> str:
        """Send it through the node."""
        try:
            return await self._solana.send(self._signed(payment))
        except RpcError as refused:
            raise RefusedPaymentError("transaction_failed") from refused
        except RpcUnavailableError as lost:
            raise UnreachableError(str(lost)) from lost

    async def close(self) -> None:
        """Do nothing: the node belongs to whoever gave it."""

    def _signed(self, payment: Checked) -> str:
        with unpanicking():
            return base64.b64encode(bytes(signed_by_fee_payer(payment.transaction, self._key))).decode()
