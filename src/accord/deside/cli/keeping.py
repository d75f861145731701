"""A signed payment lies in a file until it is answered, so that whoever was charged can present it again."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from accord.deside.client import DesideError

__all__ = ["PaymentFileError", "kept_until_answered", "read_payment_file"]

MOST_BYTES = 16_384
"""The longest payment that a service takes; one takes about 1,600."""


class PaymentFileError(DesideError):
    """The payment cannot be kept, or there is none in the file."""


@contextmanager
def kept_until_answered(payment: str, folder: Path, file: Path | None = None) -> Iterator[None]:
    """Keep a payment while it is presented; whatever goes wrong meanwhile, say where it lies and what it is good for.

    It is written before it is sent, so that a process that is killed leaves it too.

    Args:
        payment: What was signed.
        folder: Where its file is made; only its owner reads it.
        file: Where it lies already.

    Raises:
        PaymentFileError: It cannot be written.
    """
    kept = file or _written(payment, folder)
    try:
        yield
    except BaseException:  # a person who interrupts it may have paid, too
        sys.stderr.write(
            f"the signed payment is kept in {kept}\n"
            f"the same command with --payment {kept} presents it again: where it was charged, that is answered, "
            "and nothing more is paid\n"
        )
        raise
    kept.unlink(missing_ok=True)


def read_payment_file(file: Path) -> str:
    """Return the payment in a file.

    Raises:
        PaymentFileError: There is none.
    """
    try:
        with file.open("rb") as opened:
            payment = opened.read(MOST_BYTES).decode("ascii").strip()
    except OSError as error:
        raise PaymentFileError(f"{file}: {error.strerror}") from None
    except ValueError:
        payment = ""
    if not payment:
        raise PaymentFileError(f"{file}: holds no payment")
    return payment


def _written(payment: str, folder: Path) -> Path:
    kept = folder / f"{hashlib.sha256(payment.encode()).hexdigest()[:16]}.txt"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(kept, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(f"{payment}\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise PaymentFileError(f"{kept}: the payment cannot be kept, so nothing was paid: {error.strerror}") from None
    return kept
