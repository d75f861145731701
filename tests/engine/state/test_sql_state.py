"""What is true of the state in a SQLite file alone: it lasts, it is shared, and it is private."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from tests.engine.state.racing import raced

from accord.engine.state.sql import SqlState
from accord.engine.state.transacted import PURGE_EVERY_WRITES


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "state.db"


def opened(path: Path, now: float = 1000.0) -> SqlState:
    return SqlState.open(f"sqlite:///{path}", clock=lambda: now)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def rows(path: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


async def test_values_and_windows_survive_reopening(path: Path) -> None:
    state = opened(path)
    await state.put("key", b"value", lifetime_seconds=100)
    await state.count_in_window("window", window_seconds=60, limit=1)
    await state.close()

    again = opened(path, now=1010.0)

    assert await again.get("key") == b"value"
    assert await again.count_in_window("window", window_seconds=60, limit=1) == 50.0
    await again.close()


async def test_a_lifetime_runs_on_while_nothing_is_open(path: Path) -> None:
    state = opened(path)
    await state.put("key", b"value", lifetime_seconds=100)
    await state.close()

    again = opened(path, now=1100.0)

    assert await again.get("key") is None
    await again.close()


async def test_what_was_put_before_closing_is_kept(path: Path) -> None:
    state = opened(path)
    puts = [asyncio.ensure_future(state.put(f"key {number}", b"value")) for number in range(50)]
    await puts[0]

    await state.close()

    await asyncio.gather(*puts)
    assert rows(path, "SELECT count(*) FROM state_values") == [(50,)]


async def test_a_closed_state_refuses(path: Path) -> None:
    state = opened(path)
    await state.close()

    with pytest.raises(RuntimeError, match="after shutdown"):
        await state.get("key")


async def test_a_cancelled_caller_leaves_the_others_unharmed(path: Path) -> None:
    state = opened(path)
    puts = [asyncio.ensure_future(state.put(f"key {number}", b"value")) for number in range(50)]
    await asyncio.sleep(0)
    for put in puts[::2]:
        put.cancel()
    await asyncio.wait(puts)

    kept = [await state.get(f"key {number}") for number in range(1, 50, 2)]

    assert kept == [b"value"] * 25
    assert await state.put("after", b"value")
    await state.close()


async def test_two_processes_take_each_value_once_and_share_a_window(path: Path) -> None:
    keys = 200
    state = SqlState.open(f"sqlite:///{path}")
    for number in range(keys):
        await state.put(f"key {number}", b"value")

    assert await raced(f"sqlite:///{path}", keys, racers=2) == [keys, keys]
    await state.close()


async def test_processes_may_make_one_new_file_at_once(path: Path) -> None:
    assert await raced(f"sqlite:///{path}", 0, racers=4) == [0, 0]
    assert rows(path, "SELECT version FROM state_schema") == [(1,)]


async def test_what_has_expired_leaves_the_file_in_time(path: Path) -> None:
    first = opened(path)
    await first.put("old", b"value", lifetime_seconds=10)
    await first.count_in_window("old", window_seconds=10, limit=1)
    await first.close()
    later = opened(path, now=1010.0)

    for _ in range(PURGE_EVERY_WRITES):
        await later.put("new", b"value")

    await later.close()
    assert rows(path, "SELECT key FROM state_values") == [("new",)]
    assert rows(path, "SELECT key FROM state_windows") == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has no file modes")
async def test_a_new_file_its_journals_and_its_folder_are_the_owners_alone(path: Path) -> None:
    state = opened(path)
    await state.put("key", b"value")

    assert mode(path.parent) == 0o700
    assert {file.name: mode(file) for file in path.parent.iterdir()} == dict.fromkeys(
        ["state.db", "state.db-wal", "state.db-shm"], 0o600
    )
    await state.close()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no file modes")
async def test_a_file_others_could_read_is_made_private(path: Path) -> None:
    await opened(path).close()
    path.chmod(0o644)  # noqa: ASYNC240 - a file of the test alone

    state = opened(path)

    assert {mode(file) for file in path.parent.iterdir()} == {0o600}
    await state.close()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no file modes")
async def test_a_folder_that_was_there_keeps_its_mode(path: Path) -> None:
    path.parent.mkdir(mode=0o755)

    await opened(path).close()

    assert mode(path.parent) == 0o755


@pytest.mark.skipif(os.name == "nt", reason="Windows has no file modes")
def test_a_file_that_is_no_database_is_refused_and_left_alone(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"Dear diary, " * 1000)
    path.chmod(0o644)

    with pytest.raises(ValueError, match=r"sqlite:///.*state\.db cannot hold state: file is not a database"):
        opened(path)

    assert path.read_bytes() == b"Dear diary, " * 1000
    assert mode(path) == 0o644


def test_a_folder_is_no_database(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is not a file"):
        opened(tmp_path)


def test_a_path_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(ValueError, match=r"cannot hold state: .*(Not a directory|File exists)"):
        opened(tmp_path / "file" / "state.db")


async def test_two_states_on_one_file_in_one_process_see_each_other(path: Path) -> None:
    one, other = opened(path), opened(path)
    await one.put("key", b"value")

    assert await other.take_once("key") == b"value"
    assert await one.get("key") is None
    await one.close()
    await other.close()


def test_a_corrupted_database_is_refused_with_its_url_and_the_reason(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"SQLite format 3\x00" + b"\xff" * 8176)

    with pytest.raises(ValueError, match=r"sqlite:///.*state\.db cannot hold state: file is not a database"):
        opened(path)


async def test_a_file_of_another_schema_version_is_refused(path: Path) -> None:
    await opened(path).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE state_schema SET version = 99")

    with pytest.raises(ValueError, match="it has schema version 99, and this program reads version 1"):
        opened(path)


async def test_an_error_of_the_database_does_not_show_values(path: Path) -> None:
    state = opened(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TABLE state_values")

    with pytest.raises(Exception, match="no such table") as failed:
        await state.put("key", b"hunter2")

    assert "hunter2" not in str(failed.value)
    await state.close()


async def test_a_failed_call_does_not_harm_the_next(path: Path) -> None:
    state = opened(path)
    with pytest.raises(ValueError, match="above zero"):
        await state.count_in_window("key", window_seconds=0, limit=1)

    assert await state.count_in_window("key", window_seconds=60, limit=1) == 0.0
    await state.close()
