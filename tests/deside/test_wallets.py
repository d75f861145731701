"""What counts as a wallet, and as its signature."""

from __future__ import annotations

import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.signature import Signature

from accord.deside.wallets import Wallet

KEYS = Keypair.from_seed(bytes(range(32)))
ADDRESS = str(KEYS.pubkey())
DERIVED = str(Pubkey.find_program_address([b"somewhere"], Pubkey.default())[0])


def test_an_address_is_a_wallet() -> None:
    assert Wallet.parse(ADDRESS) == ADDRESS


@pytest.mark.parametrize("text", ["", "x", ADDRESS[:-2], ADDRESS + "1", f" {ADDRESS}", f"0{ADDRESS[1:]}", "é"])
def test_what_is_no_address_is_no_wallet(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no Solana address|can never sign"):
        Wallet.parse(text)


def test_an_address_that_nobody_can_sign_for_is_no_wallet() -> None:
    with pytest.raises(ValueError, match="never sign"):
        Wallet.parse(DERIVED)


def test_a_wallets_own_signature_is_good_for_its_message_alone() -> None:
    signature = str(KEYS.sign_message(b"a message"))

    assert Wallet(ADDRESS).signed("a message", signature)
    assert not Wallet(ADDRESS).signed("another message", signature)
    assert not Wallet(str(Keypair().pubkey())).signed("a message", signature)


@pytest.mark.parametrize("signature", ["", "no base58 0OIl", "1" * 64, "2" * 88])
def test_what_is_no_signature_is_not_good(signature: str) -> None:
    assert not Wallet(ADDRESS).signed("a message", signature)


def test_a_key_of_small_order_signs_nothing() -> None:
    """With the identity as key and R, and S of zero, the plain equation holds for every message."""
    identity = bytes([1]) + bytes(31)
    wallet = Wallet(str(Pubkey(identity)))

    assert not wallet.signed("any message", str(Signature(identity + bytes(32))))


def test_a_signature_whose_s_was_raised_by_the_order_of_the_group_is_not_good() -> None:
    order = 2**252 + 27742317777372353535851937790883648493
    good = bytes(KEYS.sign_message(b"a message"))
    raised = int.from_bytes(good[32:], "little") + order

    assert not Wallet(ADDRESS).signed("a message", str(Signature(good[:32] + raised.to_bytes(32, "little"))))
