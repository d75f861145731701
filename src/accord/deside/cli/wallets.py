"""`deside-mcp wallet`: a key pair is made and shown."""

from __future__ import annotations

import sys
from pathlib import Path

from accord.deside.cli.acting import told
from accord.deside.client import LocalWallet, WalletFileError
from accord.terminal.exits import Exit
from accord.terminal.printing import print_json

__all__ = ["make", "show"]


def make(path: Path, *, as_json: bool) -> Exit:
    """Make a wallet in a new file."""
    wallet = LocalWallet.new()
    try:
        wallet.save(path)
    except WalletFileError as error:
        return _failed(error, as_json=as_json)
    if as_json:
        print_json({"wallet": wallet.address, "file": str(path)})
    else:
        sys.stdout.write(f"{wallet.address}\n")
        sys.stderr.write(f"its key is in {path}: whoever has that file is this wallet, and nobody can make it again\n")
    return Exit.DONE


def show(path: Path, *, secret: bool, as_json: bool) -> Exit:
    """Print the wallet's address; its secret key as well where that was asked for."""
    try:
        wallet = LocalWallet.load(path)
    except WalletFileError as error:
        return told(error, as_json=as_json)
    if as_json:
        print_json({"wallet": wallet.address, "file": str(path)} | ({"secret": wallet.reveal()} if secret else {}))
    else:
        sys.stdout.write(f"{wallet.address}\n" + (f"{wallet.reveal()}\n" if secret else ""))
    return Exit.DONE


def _failed(error: WalletFileError, *, as_json: bool) -> Exit:
    """Tell why no file was made: to make one is no advice here."""
    if as_json:
        print_json({"error": "WalletFile", "message": str(error)})
    else:
        sys.stderr.write(f"{error}\n")
    return Exit.FAILED
