"""Leave for the sandbox to answer what Discord's file does not know."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.judge import JudgedExchanges


@pytest.fixture
def answers_of_the_future(judged: JudgedExchanges | None) -> Iterator[None]:
    """Judge no answer: the test has Discord send what its file does not know yet."""
    with judged.expecting_bad_answers() if judged else nullcontext():
        yield
