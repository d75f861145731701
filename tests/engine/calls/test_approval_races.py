"""Approvals that processes race for: each is used exactly once, on every database that they can share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.engine.state.approval_racer import BOUND
from tests.engine.state.racing import raced_for_approvals

from accord.engine import Ledger, SealedState, Secret, open_state

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

APPROVALS = 200


@pytest.mark.parametrize("key", ["", "k" * 32], ids=["open", "sealed"])
async def test_of_processes_on_one_file_one_uses_each_approval(tmp_path: Path, key: str) -> None:
    await each_is_used_once(f"sqlite:///{tmp_path / 'approvals.db'}", key)


async def test_of_processes_on_one_postgresql_database_one_uses_each_approval(postgres: Iterator[str]) -> None:
    await each_is_used_once(next(postgres), "")


async def each_is_used_once(url: str, key: str) -> None:
    opened = open_state(url)
    ledger = Ledger(SealedState(opened, Secret(key)) if key else opened, most_pending=APPROVALS)
    ids = [(await ledger.issue(BOUND)).id for _ in range(APPROVALS)]

    assert await raced_for_approvals(url, ids, racers=2, key=key) == [APPROVALS, APPROVALS]
    await opened.close()
