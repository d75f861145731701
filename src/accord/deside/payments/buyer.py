"""Paying from a wallet of one's own: signs what a PaymentRequired asks for, within caps."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from solders.compute_budget import set_compute_unit_limit, set_compute_unit_price
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.message import MessageV0, to_bytes_versioned
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.token import ID as TOKEN_PROGRAM
from solders.transaction import VersionedTransaction

from accord.deside.payments.solana import Solana
from accord.deside.payments.wire import X402_VERSION, encoded
from accord.deside.usdc import DECIMALS, Network, account_of, worded

__all__ = ["Buyer", "Caps", "NotPayingError", "Signer"]

COMPUTE_UNITS: Final = 20_000
MICROLAMPORTS_A_UNIT: Final = 1
"""What x402's own buyers ask for."""

TRANSFER_CHECKED: Final = 12
"""The instruction's number in the token program."""

MEMO_PROGRAM: Final = Pubkey.from_string("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr")
MOST_MEMO_BYTES: Final = 256


class NotPayingError(Exception):
    """What is asked for is not paid: it costs too much, or is asked for in a way that is not known."""


class Signer(Protocol):
    """A wallet that can sign."""

    @property
    def address(self) -> str:
        """Its address in base58."""

    def sign_bytes(self, message: bytes) -> bytes:
        """Return its signature."""


@dataclass(frozen=True, slots=True)
class Caps:
    """The most that is paid, in atomic units: at once, and by one buyer in all."""

    per_payment: int
    per_run: int


class Buyer:
    """Signs payments in USDC on one network. What it signs counts as spent, whether it is charged or not."""

    def __init__(self, wallet: Signer, solana: Solana, network: Network, caps: Caps) -> None:
        self._wallet = wallet
        self._solana = solana
        self._network = network
        self._caps = caps
        self.spent = 0

    async def pay(self, required: Mapping[str, Any]) -> str:
        """Sign a payment and return it as the argument `payment`: x402's PaymentPayload in base64.

        Raises:
            NotPayingError: It is more than the caps allow, or nothing that is asked for is known.
            RpcError, RpcUnavailableError: There is no blockhash to be had.
        """
        accepted = self._chosen(required)
        amount = int(accepted["amount"])
        self._allow(amount)
        transaction = self._signed(accepted, amount, await self._solana.blockhash())
        return encoded(
            {
                "x402Version": X402_VERSION,
                "payload": {"transaction": base64.b64encode(bytes(transaction)).decode()},
                "accepted": accepted,
                "resource": required.get("resource"),
            }
        )

    def _chosen(self, required: Mapping[str, Any]) -> dict[str, Any]:
        """Choose the first way to pay that is known, from what a server said, which may be anything."""
        if required.get("x402Version") != X402_VERSION:
            raise NotPayingError("it is not asked for by version 2 of x402")
        ours = {"scheme": "exact", "network": self._network.caip2, "asset": self._network.usdc}
        for accepted in required.get("accepts") or []:
            if isinstance(accepted, dict) and accepted | ours == accepted and _is_whole(accepted, self._wallet.address):
                return accepted
        raise NotPayingError("it cannot be paid in USDC on this network")

    def _allow(self, amount: int) -> None:
        costs, most = f"it costs {worded(amount)}", self._caps
        if amount > most.per_payment:
            raise NotPayingError(f"{costs}, and {worded(most.per_payment)} is the most that is paid at once")
        if self.spent + amount > most.per_run:
            raise NotPayingError(f"{costs}, {worded(self.spent)} is spent, and {worded(most.per_run)} is the most")
        self.spent += amount

    def _signed(self, accepted: dict[str, Any], amount: int, blockhash: str) -> VersionedTransaction:
        """Sign for the payment; the fee payer's signature, the first, is still to come."""
        payer, memo = Pubkey.from_string(self._wallet.address), accepted["extra"]["memo"]
        instructions = [
            set_compute_unit_limit(COMPUTE_UNITS),
            set_compute_unit_price(MICROLAMPORTS_A_UNIT),
            self._transfer(payer, accepted["payTo"], amount),
            Instruction(MEMO_PROGRAM, memo.encode(), []),
        ]
        fee_payer = Pubkey.from_string(accepted["extra"]["feePayer"])
        message = MessageV0.try_compile(fee_payer, instructions, [], Hash.from_string(blockhash))
        signature = Signature.from_bytes(self._wallet.sign_bytes(to_bytes_versioned(message)))
        return VersionedTransaction.populate(message, [Signature.default(), signature])

    def _transfer(self, payer: Pubkey, pay_to: str, amount: int) -> Instruction:
        mint = self._network.usdc
        accounts = [
            AccountMeta(Pubkey.from_string(account_of(str(payer), mint)), is_signer=False, is_writable=True),
            AccountMeta(Pubkey.from_string(mint), is_signer=False, is_writable=False),
            AccountMeta(Pubkey.from_string(account_of(pay_to, mint)), is_signer=False, is_writable=True),
            AccountMeta(payer, is_signer=True, is_writable=False),
        ]
        return Instruction(TOKEN_PROGRAM, bytes([TRANSFER_CHECKED, *amount.to_bytes(8, "little"), DECIMALS]), accounts)


def _is_whole(accepted: dict[str, Any], own: str) -> bool:
    """Whether a way to pay has all that it takes, and leaves the fee to somebody else."""
    try:
        amount, extra = accepted["amount"], accepted["extra"]
        Pubkey.from_string(accepted["payTo"])
        Pubkey.from_string(extra["feePayer"])
        is_known = isinstance(amount, str) and amount.isascii() and amount.isdecimal() and 0 < int(amount) < 2**64
        return is_known and extra["feePayer"] != own and 0 < len(extra["memo"].encode()) <= MOST_MEMO_BYTES
    except (LookupError, TypeError, ValueError, AttributeError):
        return False
