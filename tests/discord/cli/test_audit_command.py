"""`discord-mcp audit`: records are checked, and read."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.discord.cli.shell import ran

from accord.engine import FileAudit


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of three records."""
    return written(tmp_path / "audit.jsonl")


@pytest.fixture
def changed(file: Path) -> Path:
    """The same, with another word in its first line."""
    file.write_bytes(file.read_bytes().replace(b"roles_delete", b"roles_create"))
    return file


def written(path: Path) -> Path:
    sink = FileAudit(path)
    for number, outcome in enumerate(("success", "refused", "success")):
        record = {
            "timestamp": f"2026-11-30T12:00:0{number}.000Z",
            "caller": "token:ci",
            "tool": "messages_send" if number else "roles_delete",
            "outcome": outcome,
            "args_redacted": {"channel_id": "1", "content": "[REDACTED:5ch]"},
        }
        sink.emit(record | ({"result_code": "DRY_RUN_PREVIEW"} if outcome == "refused" else {}))
    asyncio.run(sink.close())
    return path


async def test_a_whole_file_is_good(file: Path) -> None:
    told = await ran("audit", "verify", str(file))

    assert told.code == 0
    assert "3 records, each follows the one before" in told.out


async def test_a_changed_file_is_found_out(changed: Path) -> None:
    told = await ran("audit", "verify", str(changed), "--json")

    assert told.code == 3
    assert (told.json["wrong_line"], told.json["lines"]) == (2, 2)


@pytest.mark.parametrize(
    ("options", "tools"),
    [
        ((), ["roles_delete", "messages_send", "messages_send"]),
        (("--last", "1"), ["messages_send"]),
        (("--outcome", "success"), ["roles_delete", "messages_send"]),
        (("--tool", "roles_delete"), ["roles_delete"]),
        (("--caller", "local"), []),
    ],
)
async def test_the_last_records_are_shown_the_oldest_first(
    file: Path, options: tuple[str, ...], tools: list[str]
) -> None:
    told = await ran("audit", "show", str(file), "--json", *options)

    assert [record["tool"] for record in told.json] == tools


async def test_a_record_is_a_line_for_people(file: Path) -> None:
    told = await ran("audit", "show", MCP_AUDIT_FILE=str(file), COLUMNS="160")

    assert "refused (DRY_RUN_PREVIEW)" in told.out
    assert "content=[REDACTED:5ch]" in told.out


async def test_a_file_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    told = await ran("audit", "verify", str(tmp_path / "none.jsonl"))

    assert told.code == 3
    assert "No such file" in told.err
