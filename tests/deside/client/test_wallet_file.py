"""A wallet's file: for its owner alone, in the form of Solana's own tools, never written over, never quoted."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import orjson
import pytest
from solders.keypair import Keypair

from accord.deside.client import LocalWallet, WalletFileError
from accord.deside.wallets import Wallet


def test_a_saved_wallet_is_the_same_when_it_is_loaded(tmp_path: Path) -> None:
    made = LocalWallet.new()

    made.save(tmp_path / "wallet.json")

    assert LocalWallet.load(tmp_path / "wallet.json").reveal() == made.reveal()


@pytest.mark.skipif(sys.platform == "win32", reason="modes")
def test_nobody_else_can_read_its_file(tmp_path: Path) -> None:
    LocalWallet.new().save(tmp_path / "new" / "wallet.json")

    assert stat.S_IMODE((tmp_path / "new" / "wallet.json").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700


def test_a_file_that_is_there_is_never_written_over(tmp_path: Path) -> None:
    first = LocalWallet.new()
    first.save(tmp_path / "wallet.json")

    with pytest.raises(WalletFileError, match="File exists"):
        LocalWallet.new().save(tmp_path / "wallet.json")

    assert LocalWallet.load(tmp_path / "wallet.json").address == first.address


def test_a_file_of_solana_keygen_is_read(tmp_path: Path) -> None:
    keypair = Keypair()
    (tmp_path / "id.json").write_bytes(orjson.dumps(list(bytes(keypair)), option=orjson.OPT_INDENT_2))

    assert LocalWallet.load(tmp_path / "id.json").address == str(keypair.pubkey())


WHOLE = list(bytes(Keypair()))


@pytest.mark.parametrize(
    "content",
    [b"", b"no json", b"5", b'"text"', b"{}", b"[1, 2]", b"[[1]]", orjson.dumps(WHOLE[:63]), orjson.dumps([*WHOLE, 1])],
)
def test_anything_else_is_refused_without_being_quoted(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "id.json").write_bytes(content)

    with pytest.raises(WalletFileError) as refused:
        LocalWallet.load(tmp_path / "id.json")

    assert str(refused.value) == (
        f"{tmp_path / 'id.json'} holds no wallet: a JSON array of 64 numbers, as solana-keygen writes it is expected"
    )


def test_a_key_pair_whose_halves_do_not_belong_together_is_refused(tmp_path: Path) -> None:
    halves = [*bytes(Keypair())[:32], *bytes(Keypair())[32:]]
    (tmp_path / "id.json").write_bytes(orjson.dumps(halves))

    with pytest.raises(WalletFileError, match="holds no wallet"):
        LocalWallet.load(tmp_path / "id.json")


def test_what_it_signs_is_its_own() -> None:
    wallet = LocalWallet.new()

    signature = wallet.sign("Domain: here\nNonce: 1")

    assert Wallet.parse(wallet.address).signed("Domain: here\nNonce: 1", signature)
    assert not Wallet.parse(wallet.address).signed("Domain: there\nNonce: 1", signature)


def test_its_secret_does_not_get_into_texts() -> None:
    wallet = LocalWallet.new()

    assert f"{wallet} {wallet!r}" == f"LocalWallet({wallet.address}) LocalWallet({wallet.address})"
