"""What the database says of a letter."""

from __future__ import annotations

from dataclasses import dataclass

from accord.deside.messaging.judging import Verdict

__all__ = ["Judged", "Raced"]


class Raced(Exception):  # noqa: N818 - no failure: the transaction is begun anew
    """What the letter was judged by has changed meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A verdict and what goes with it; `seq` is the letter's number, or that of the one that its key was used for."""

    verdict: Verdict
    seq: int | None = None
    held: int = 0
    known_fingerprint: bytes | None = None
    nth_at_ms: int | None = None
    mth_at_ms: int | None = None
