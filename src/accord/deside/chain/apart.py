"""A thread in which programs of Solana run, and nothing else computes."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

__all__ = ["Apart"]

Given = ParamSpec("Given")
Result = TypeVar("Result")


class Apart:
    """Runs one thing after another in its own thread, and waits for each.

    What LiteSVM has compiled leaves the x87 registers of its thread in use. Whatever computes with them there
    afterwards is wrong: SQLite compares whole numbers with others by them, and finds its own indexes malformed.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="accord-chain")

    def __call__(self, work: Callable[Given, Result], *args: Given.args, **kwargs: Given.kwargs) -> Result:
        """Run it and return what it returns."""
        return self._thread.submit(work, *args, **kwargs).result()
