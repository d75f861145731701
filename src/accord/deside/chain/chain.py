"""A chain of one node: LiteSVM, what landed on it, and the age of its blockhashes."""

from __future__ import annotations

import base64
from collections import deque
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import orjson
from solders.account import Account
from solders.keypair import Keypair
from solders.litesvm import LiteSVM
from solders.pubkey import Pubkey
from solders.token import ID as TOKEN_PROGRAM
from solders.token.state import Mint, TokenAccount, TokenAccountState
from solders.transaction import VersionedTransaction
from solders.transaction_metadata import FailedTransactionMetadata
from solders.transaction_status import TransactionConfirmationStatus, TransactionStatus

from accord.deside.chain.apart import Apart
from accord.deside.chain.faults import Faults, RefusedError
from accord.deside.usdc import DECIMALS, NETWORKS, Network, account_of

__all__ = ["BLOCKHASH_BLOCKS", "Chain", "Landed", "decoded"]

Json: TypeAlias = Any

BLOCKHASH_BLOCKS: Final = 150
"""How many blocks a blockhash lives (https://solana.com/docs/core/transactions#recent-blockhash)."""

SUPPLY: Final = 10**15
MEMO_PROGRAM: Final = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"
NEVER_LANDS: Final = frozenset({'"AlreadyProcessed"', '"BlockhashNotFound"', '"SignatureFailure"', '"AccountNotFound"'})
PREFLIGHT_FAILURE: Final = -32002
"""What a node answers where a transaction fails before it is sent on (solana's rpc-client-api, custom_error.rs)."""


@dataclass(frozen=True, slots=True)
class Landed:
    """A transaction in a block: whole, and how it failed if it did (JSON, as nodes write it)."""

    transaction: VersionedTransaction
    slot: int
    error: Json

    @property
    def signature(self) -> str:
        """Its first signature, by which it is known."""
        return str(self.transaction.signatures[0])

    @property
    def memo(self) -> str | None:
        """Its memo as nodes write it: its length in brackets, then the text."""
        message = self.transaction.message
        keys = [str(key) for key in message.account_keys]
        texts = [bytes(one.data).decode() for one in message.instructions if keys[one.program_id_index] == MEMO_PROGRAM]
        return "; ".join(f"[{len(text)}] {text}" for text in texts) or None


class Chain:
    """A chain on which USDC lies at the address that it has on the network.

    What differs from a validator: one blockhash is good at a time, and what lands is final at once.
    """

    def __init__(self, network: Network = NETWORKS["mainnet"]) -> None:
        self.network = network
        self.faults = Faults()
        self.height = BLOCKHASH_BLOCKS
        self._svm = LiteSVM()
        self._apart = Apart()
        self._landed: dict[str, Landed] = {}
        self._waiting: deque[VersionedTransaction] = deque()
        self._put(network.usdc, bytes(Mint(Keypair().pubkey(), SUPPLY, DECIMALS, is_initialized=True)))

    def fund(self, wallet: str, usdc: int) -> None:
        """Give a wallet so many atomic units of USDC, making its token account if need be."""
        account = account_of(wallet, self.network.usdc)
        owner, mint = Pubkey.from_string(wallet), Pubkey.from_string(self.network.usdc)
        state = TokenAccountState.Initialized
        self._put(account, bytes(TokenAccount(mint, owner, self.balance(wallet) + usdc, None, state, None, 0, None)))

    def airdrop(self, wallet: str, lamports: int) -> None:
        """Give a wallet SOL for fees."""
        self._apart(self._svm.airdrop, Pubkey.from_string(wallet), lamports)

    def balance(self, wallet: str) -> int:
        """Return a wallet's USDC in atomic units; 0 where it has no token account."""
        account = self.account(account_of(wallet, self.network.usdc))
        return 0 if account is None else TokenAccount.from_bytes(account.data).amount

    def lamports(self, wallet: str) -> int:
        """Return a wallet's SOL."""
        return self._svm.get_balance(Pubkey.from_string(wallet)) or 0

    def account(self, address: str) -> Account | None:
        """Return an account, None where there is none."""
        return self._svm.get_account(Pubkey.from_string(address))

    def rent(self, size: int) -> int:
        """Return the lamports that an account of this size has to hold."""
        return self._svm.minimum_balance_for_rent_exemption(size)

    @property
    def blockhash(self) -> str:
        """The one blockhash that is good."""
        return str(self._svm.latest_blockhash())

    def age(self) -> None:
        """Let a blockhash's life pass: what was signed before can land no more."""
        self._svm.expire_blockhash()
        self._waiting.clear()
        self.height += BLOCKHASH_BLOCKS + 1

    def simulate(self, transaction: VersionedTransaction) -> Json:
        """Return how a transaction would fail, None where it would not."""
        result = self._apart(self._svm.simulate_transaction, transaction)
        return _error(result.err()) if isinstance(result, FailedTransactionMetadata) else None

    def send(self, transaction: VersionedTransaction, *, preflight: bool) -> str:
        """Take a transaction; returns its signature, whatever becomes of it.

        Raises:
            RefusedError: Its preflight failed.
        """
        if preflight and (error := self.simulate(transaction)) is not None:
            raise RefusedError(PREFLIGHT_FAILURE, f"Transaction simulation failed: {error}", {"err": error, "logs": []})
        self.faults.interfere()
        if self.faults.late:
            self._waiting.append(transaction)
        elif not self.faults.drops():
            self._land(transaction)
        return str(transaction.signatures[0])

    def landed(self, signature: str) -> Landed | None:
        """Return what became of a transaction, None where it did not land."""
        return self._landed.get(signature)

    def ask_status(self, signature: str) -> Landed | None:
        """Return the same as far as it is known by now; asking is what lets time pass for what is late."""
        if self.faults.late:
            self.faults.late -= 1
            return None
        while self._waiting:
            self._land(self._waiting.popleft())
        return None if self.faults.hides() else self.landed(signature)

    def history(self, address: str) -> list[Landed]:
        """Return what landed and named this address, the newest first."""
        key = Pubkey.from_string(address)
        return [one for one in reversed(self._landed.values()) if key in one.transaction.message.account_keys]

    def _land(self, transaction: VersionedTransaction) -> None:
        result = self._apart(self._svm.send_transaction, transaction)
        error = _error(result.err()) if isinstance(result, FailedTransactionMetadata) else None
        if orjson.dumps(error).decode() in NEVER_LANDS:
            return
        self.height += 1
        landed = Landed(transaction, self.height, error)
        self._landed[landed.signature] = landed

    def _put(self, address: str, data: bytes) -> None:
        account = Account(self.rent(len(data)), data, TOKEN_PROGRAM)
        self._svm.set_account(Pubkey.from_string(address), account)


def decoded(text: str) -> VersionedTransaction:
    """Read a transaction in base64.

    Raises:
        RefusedError: It is none.
    """
    try:
        return VersionedTransaction.from_bytes(base64.b64decode(text, validate=True))
    except ValueError:
        raise RefusedError(-32602, "invalid transaction: failed to deserialize") from None


def _error(error: Any) -> Json:
    """Return an error as nodes write it."""
    final = TransactionConfirmationStatus.Finalized
    return orjson.loads(TransactionStatus(slot=0, confirmations=None, err=error, confirmation_status=final).to_json())[
        "err"
    ]
