"""The judge with Discord's own file; tests that need it are skipped, and say so, where the file is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
import pytest
from tests.judge import NO_FILE, Judge
from tests.judge.judge import located

if TYPE_CHECKING:
    from tests.judge.rewrites import Schema


@pytest.fixture(scope="session")
def document() -> Schema:
    file = located()
    if file is None:
        pytest.skip(NO_FILE)
    parsed: Schema = orjson.loads(file.read_bytes())
    return parsed


@pytest.fixture(scope="session")
def judge() -> Judge:
    loaded = Judge.load()
    if loaded is None:
        pytest.skip(NO_FILE)
    return loaded
