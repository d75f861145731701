"""Whatever bytes come, checking says yes or no; what is not about bytes passes."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from solders.keypair import Keypair

from accord.deside.payments.checking import RefusedPaymentError, check, unpanicking
from accord.deside.payments.wire import requirements_of
from accord.deside.usdc import NETWORKS

REQUIREMENTS = requirements_of(
    NETWORKS["mainnet"],
    pay_to=str(Keypair().pubkey()),
    fee_payer=str(Keypair().pubkey()),
    amount=2000,
    nonce="0" * 32,
)


def test_a_panic_of_solders_is_a_refusal() -> None:
    with pytest.raises(RefusedPaymentError, match="invalid_payload"), unpanicking():
        Keypair.from_base58_string("0")


@pytest.mark.parametrize("error", [asyncio.CancelledError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_ends_a_task_or_a_process_passes(error: type[BaseException]) -> None:
    with pytest.raises(error), unpanicking():
        raise error


@given(st.text() | st.binary().map(bytes.hex) | st.none() | st.integers())
def test_any_transaction_is_refused_and_none_breaks_anything(transaction: object) -> None:
    payload = {"x402Version": 2, "accepted": REQUIREMENTS, "payload": {"transaction": transaction}}

    with pytest.raises(RefusedPaymentError):
        check(payload, REQUIREMENTS)


@pytest.mark.parametrize("payload", [None, [], "x", {"transaction": []}, 7])
def test_any_payload_is_refused_and_none_breaks_anything(payload: object) -> None:
    with pytest.raises(RefusedPaymentError):
        check({"x402Version": 2, "accepted": REQUIREMENTS, "payload": payload}, REQUIREMENTS)
