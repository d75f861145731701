"""The record: of every call that is not a read, of every refusal, and of what is going to be done if that is wanted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.usual_calls import READS, REFUSED, WRITES, example
from tests.served import desk

from accord.discord.app import own_tools
from accord.discord.gates import PAYLOAD_TOOLS
from accord.engine import records_of, verify

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

CONFIRMED = [name for name in WRITES if own_tools()[name].confirms]


async def recorded(sandbox: Sandbox, tmp_path: Path, tool: str, arguments: dict[str, Any], **more: str) -> list[Any]:
    """The records of one call, as they stand in the file."""
    path = tmp_path / "audit.jsonl"
    variables: dict[str, Any] = {"MCP_AUDIT_SINK": "file", "MCP_AUDIT_FILE": str(path), **more}
    async with desk(sandbox, "2026", **variables) as served:
        await served.call(tool, arguments)
    assert not path.exists() or verify(path).flaw is None
    return list(records_of(path)) if path.exists() else []


@pytest.mark.parametrize("tool", WRITES)
async def test_a_write_leaves_one_record(sandbox: Sandbox, tmp_path: Path, tool: str) -> None:
    *shown, record = await recorded(sandbox, tmp_path, tool, example(sandbox, tool))

    assert (record["tool"], record["outcome"], record["caller"]) == (tool, "success", "local")
    assert [one["approval"]["event"] for one in shown] == ["issued"] * (tool in PAYLOAD_TOOLS)
    assert {"timestamp", "request_id", "duration_ms", "args_redacted", "transport"} <= record.keys()


@pytest.mark.parametrize("tool", READS)
async def test_a_read_leaves_a_record_where_that_is_wanted(sandbox: Sandbox, tmp_path: Path, tool: str) -> None:
    arguments = example(sandbox, tool)

    silent = await recorded(sandbox, tmp_path, tool, arguments)
    wanted = await recorded(sandbox, tmp_path, tool, example(sandbox, tool), MCP_AUDIT_READS="true")

    assert silent == []
    assert [record["tool"] for record in wanted] == [tool]


@pytest.mark.parametrize("tool", CONFIRMED)
async def test_a_refusal_leaves_a_record_with_its_code(sandbox: Sandbox, tmp_path: Path, tool: str) -> None:
    (record,) = await recorded(sandbox, tmp_path, tool, example(sandbox, tool), MCP_DRY_RUN="true")

    assert (record["outcome"], record["result_code"]) == ("refused", "DRY_RUN_PREVIEW")


async def test_a_refused_read_leaves_a_record_too(sandbox: Sandbox, tmp_path: Path) -> None:
    (record,) = await recorded(sandbox, tmp_path, "messages_read", {"channel_id": "x"})

    assert (record["outcome"], record["result_code"]) == ("refused", "VALIDATION_FAILED")
    assert record["args_redacted"] == {"channel_id": "[REDACTED:1ch]"}


async def test_what_discord_refused_is_a_failure(sandbox: Sandbox, tmp_path: Path) -> None:
    refused = REFUSED["messages_send"]
    (record,) = await recorded(sandbox, tmp_path, "messages_send", refused.arguments)

    assert (record["outcome"], record["result_code"]) == ("failed", "DISCORD_NOT_FOUND")


async def test_a_tool_that_there_is_not_leaves_a_record_without_its_name(sandbox: Sandbox, tmp_path: Path) -> None:
    (record,) = await recorded(sandbox, tmp_path, "canary_5f2c", {"secret": "canary"})

    assert (record["tool"], record["outcome"]) == ("[UNKNOWN]", "refused")
    assert "canary" not in str(record)


@pytest.mark.parametrize("tool", WRITES)
async def test_what_must_be_recorded_is_written_down_before_it_is_done(
    sandbox: Sandbox, tmp_path: Path, tool: str
) -> None:
    arguments = example(sandbox, tool)

    records = await recorded(sandbox, tmp_path, tool, arguments, MCP_AUDIT_REQUIRED="true")

    assert [record["outcome"] for record in records[-2:]] == ["intended", "success"]
    assert records[-2]["request_id"] == records[-1]["request_id"]


@pytest.mark.parametrize("tool", WRITES)
async def test_what_cannot_be_recorded_is_not_done_where_a_record_is_required(
    sandbox: Sandbox, tmp_path: Path, tool: str
) -> None:
    arguments = example(sandbox, tool)
    variables: dict[str, Any] = {
        "MCP_AUDIT_SINK": "file",
        "MCP_AUDIT_FILE": str(tmp_path),
        "MCP_AUDIT_REQUIRED": "true",
    }  # a folder

    async with desk(sandbox, "2026", **variables) as served:
        refused = await served.call(tool, arguments)

    assert refused.code == "AUDIT_UNAVAILABLE"
    assert served.writes == []


async def test_what_cannot_be_recorded_is_done_where_no_record_is_required(sandbox: Sandbox, tmp_path: Path) -> None:
    async with desk(sandbox, MCP_AUDIT_SINK="file", MCP_AUDIT_FILE=str(tmp_path)) as served:
        done = await served.call("messages_send", example(sandbox, "messages_send"))

    assert not done.failed
