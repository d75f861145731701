"""The audit file: every record is there, in its order, the owner's alone, and no line can be changed unseen."""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import orjson
import pytest

from accord.engine.calls.audit_file import GENESIS, FileAudit, hash_of, records_of, verify

WRITER = """
import sys
from pathlib import Path
from accord.engine.calls.audit_file import FileAudit
sink = FileAudit(Path(sys.argv[1]))
for number in range(200):
    sink.emit({"writer": sys.argv[2], "number": number})
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "logs" / "audit.jsonl"


def written(path: Path, *records: dict[str, Any]) -> list[bytes]:
    sink = FileAudit(path)
    for record in records:
        sink.emit(record)
    asyncio.run(sink.close())
    return path.read_bytes().splitlines()


def test_a_line_is_a_record_with_the_hash_of_the_line_before(path: Path) -> None:
    first, second = written(path, {"tool": "a"}, {"tool": "b"})

    assert orjson.loads(first) == {"prev": GENESIS, "tool": "a"}
    assert orjson.loads(second) == {"prev": hash_of(first), "tool": "b"}
    assert verify(path).last == hash_of(second)


def test_a_file_is_gone_on_with_after_a_restart(path: Path) -> None:
    written(path, {"tool": "a"})
    written(path, {"tool": "b"})

    assert [record["tool"] for record in records_of(path)] == ["a", "b"]
    assert (verify(path).lines, verify(path).flaw) == (2, None)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no file modes")
def test_the_file_and_its_folder_are_the_owners_alone(path: Path) -> None:
    path.parent.mkdir(mode=0o755)
    path.touch(mode=0o644)

    written(path, {"tool": "a"})

    assert stat.S_IMODE(path.stat().st_mode) == 0o600


Lines: TypeAlias = list[bytes]

TAMPERING: dict[str, tuple[Callable[[Lines], Lines], int]] = {
    "a word is changed": (lambda lines: [lines[0].replace(b"a", b"x"), *lines[1:]], 2),
    "a line is removed": (lambda lines: [lines[0], *lines[2:]], 2),
    "the first line is removed": (lambda lines: lines[1:], 1),
    "two lines change places": (lambda lines: [lines[1], lines[0], *lines[2:]], 1),
    "a line is put in between": (lambda lines: [lines[0], b'{"prev":"","tool":"x"}', *lines[1:]], 2),
    "a line is garbled": (lambda lines: [lines[0], b'{"prev', *lines[2:]], 2),
    "a line is no object": (lambda lines: [lines[0], b"[]", *lines[2:]], 2),
}


@pytest.mark.parametrize("tampering", TAMPERING)
def test_whatever_is_changed_is_found(path: Path, tampering: str) -> None:
    change, place = TAMPERING[tampering]
    lines = written(path, {"tool": "a"}, {"tool": "b"}, {"tool": "c"})

    path.write_bytes(b"".join(line + b"\n" for line in change(lines)))

    found = verify(path)
    assert found.flaw is not None
    assert found.wrong_line == place


def test_what_is_cut_off_at_the_end_shows_in_the_last_hash(path: Path) -> None:
    lines = written(path, {"tool": "a"}, {"tool": "b"})
    noted = verify(path).last

    path.write_bytes(lines[0] + b"\n")

    assert verify(path).flaw is None
    assert verify(path).last != noted


def test_a_line_that_a_crash_cut_off_is_ended_and_found(path: Path) -> None:
    written(path, {"tool": "a"})
    with path.open("ab") as file:
        file.write(b'{"prev":"')

    written(path, {"tool": "b"})

    assert [record["tool"] for record in records_of(path)] == ["a", "b"]
    assert verify(path).wrong_line == 2


async def test_processes_that_share_a_file_make_one_chain(path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    writers = [
        await asyncio.create_subprocess_exec(sys.executable, "-c", WRITER, str(path), name, env=environment)
        for name in ("one", "other")
    ]

    codes = [await writer.wait() for writer in writers]

    records = list(records_of(path))
    assert codes == [0, 0]
    assert verify(path).flaw is None
    for name in ("one", "other"):
        assert [record["number"] for record in records if record["writer"] == name] == list(range(200))


def test_a_file_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="directory"):
        FileAudit(tmp_path).emit({"tool": "a"})
