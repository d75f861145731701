"""MCP_AUDIT_SINK=otlp: records at the collector that the OTEL variables name."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from tests.collector import collecting
from tests.discord.tools.usual_calls import example
from tests.served import desk

from accord.discord import ConfigError

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox


async def test_a_write_leaves_one_record_at_a_collector(sandbox: Sandbox) -> None:
    async with collecting() as collected:
        variables: dict[str, Any] = {"OTEL_ENABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": collected.url}
        headers: dict[str, Any] = {"OTEL_EXPORTER_OTLP_HEADERS": "x-team=a%20b,malformed"}
        async with desk(sandbox, MCP_AUDIT_SINK="otlp", **variables, **headers) as served:
            done = await served.call("messages_send", example(sandbox, "messages_send"))

    (log,) = collected.logs
    record = orjson.loads(log.body.string_value)
    assert not done.failed
    assert (record["tool"], record["outcome"], record["level"]) == ("messages_send", "success", "audit")
    assert record["args_redacted"]["content"].startswith("[REDACTED")
    assert collected.headers[0]["x-team"] == "a b"
    assert collected.batches[0][0].scope_logs[0].scope.name == "discord-mcp.audit"


async def test_a_collector_needs_packages_that_may_be_missing(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk._logs", None)
    variables: dict[str, Any] = {"OTEL_ENABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}

    with pytest.raises(ConfigError, match=r"MCP_AUDIT_SINK: .* install accord-mcp\[otel\]"):
        async with desk(sandbox, MCP_AUDIT_SINK="otlp", **variables):
            pass
