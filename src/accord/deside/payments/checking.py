"""What a payment must be before anybody is asked about it: x402's own rules, and those that its code leaves out.

Beyond x402 2.25: the amount is exact; the fee payer signs for the fee and nothing else; there are no address lookup
tables; what the fee can cost is bounded; a transfer goes from one account to another; whatever bytes come, the answer
is yes or no (https://github.com/coinbase/x402/blob/main/specs/schemes/exact/scheme_exact_svm.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from solders.instruction import CompiledInstruction
from solders.transaction import VersionedTransaction
from x402.mechanisms.svm.exact.facilitator import ExactSvmScheme
from x402.schemas import PaymentPayload, PaymentRequirements

from accord.deside.payments.transactions import digest_of, read_base64

__all__ = ["Checked", "RefusedPaymentError", "check", "unpanicking"]

Json: TypeAlias = dict[str, Any]

SIGNERS: Final = 2
"""Who pays the fee, and who pays. Each further one would cost the fee payer more."""

MOST_PRIORITY_LAMPORTS: Final = 1_000
"""A tenth of what the two signatures cost: the payer chooses it, and must not make a payment cost more than it earns.

x402's own buyers ask for 20,000 units at a millionth of a lamport each. A wallet that guards a payment may take 60,000
units, and pay 16,000 times that for each.
"""

MICROLAMPORTS: Final = 1_000_000
TRANSFER: Final = 2
"""Where the transfer stands: behind the limit and the price of compute units."""


class RefusedPaymentError(Exception):
    """The payment is not good; the text is a short reason in x402's manner."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A payment that is right as far as can be seen without asking the chain."""

    payload: Json
    requirements: Json
    transaction: VersionedTransaction
    payer: str
    digest: str


def check(payload: Json, requirements: Json) -> Checked:
    """Check a payment against what was quoted.

    Raises:
        RefusedPaymentError: It is not good.
    """
    with unpanicking():
        transaction = _transaction(payload)
        payer = _by_x402(payload, requirements)
        for is_broken, reason in _strict(transaction, requirements):
            if is_broken:
                raise RefusedPaymentError(reason)
        return Checked(payload, requirements, transaction, payer, digest_of(transaction))


@contextmanager
def unpanicking() -> Iterator[None]:
    """Turn whatever goes wrong with bytes of a stranger into a refusal.

    A panic of solders is a BaseException that nothing catches by its name; all others of those pass.
    """
    try:
        yield
    except RefusedPaymentError:
        raise
    except Exception as error:
        raise RefusedPaymentError("invalid_payload") from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise RefusedPaymentError("invalid_payload") from error


def _transaction(payload: Json) -> VersionedTransaction:
    try:
        return read_base64(payload["payload"]["transaction"])
    except (ValueError, LookupError, TypeError) as error:
        raise RefusedPaymentError("invalid_exact_svm_payload_transaction_could_not_be_decoded") from error


def _by_x402(payload: Json, requirements: Json) -> str:
    """Let x402 check the form; returns who pays."""
    scheme = ExactSvmScheme(_Offline(requirements["extra"]["feePayer"]))
    verdict = scheme.verify(PaymentPayload.model_validate(payload), PaymentRequirements.model_validate(requirements))
    if not verdict.is_valid or not verdict.payer:
        raise RefusedPaymentError(verdict.invalid_reason or "invalid_payload")
    return verdict.payer


def _strict(transaction: VersionedTransaction, requirements: Json) -> Iterator[tuple[bool, str]]:
    """Yield what must not be, each with its reason."""
    message = transaction.message
    yield bool(getattr(message, "address_table_lookups", ())), "address_lookup_tables_not_allowed"
    yield message.header.num_required_signatures != SIGNERS, "signers_mismatch"
    yield not all(transaction.verify_with_results()[1:]), "invalid_signature"
    yield any(0 in one.accounts for one in message.instructions), "fee_payer_in_instruction_accounts"
    transfer = message.instructions[TRANSFER]
    yield _amount(transfer) != int(requirements["amount"]), "amount_mismatch"
    yield transfer.accounts[0] == transfer.accounts[2], "transfer_to_itself"
    yield _priority_lamports(message.instructions) > MOST_PRIORITY_LAMPORTS, "priority_fee_too_high"


def _amount(transfer: CompiledInstruction) -> int:
    return int.from_bytes(bytes(transfer.data)[1:9], "little")


def _priority_lamports(instructions: list[CompiledInstruction]) -> float:
    units, price = (bytes(one.data) for one in instructions[:TRANSFER])
    return int.from_bytes(units[1:5], "little") * int.from_bytes(price[1:9], "little") / MICROLAMPORTS


class _Offline:
    """What x402's check asks for, without a key and without a chain: signing and simulating come later, elsewhere."""

    def __init__(self, fee_payer: str) -> None:
        self._fee_payer = fee_payer

    def get_addresses(self) -> list[str]:
        return [self._fee_payer]

    def sign_transaction(self, tx_base64: str, fee_payer: str, network: str) -> str:  # noqa: ARG002 - x402's signature
        return tx_base64

    def simulate_transaction(self, tx_base64: str, network: str) -> None:
        """Let it pass."""

    def send_transaction(self, tx_base64: str, network: str) -> str:
        raise NotImplementedError

    def confirm_transaction(self, signature: str, network: str) -> None:
        raise NotImplementedError
