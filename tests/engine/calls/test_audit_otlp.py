"""Records at a collector: what comes there, in batches, and what a collector that fails costs."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from typing import Any

import orjson
import pytest
from tests.collector import collecting

from accord.engine import Collector, OtlpAudit, Secret
from accord.engine.calls import audit_otlp
from accord.engine.calls.audit_otlp import BATCH_RECORDS, QUEUE_RECORDS

SENDER = "OtelBatchLogRecordProcessor"
CANARY = "canary-55e1a0c2"
RECORD: dict[str, Any] = {
    "timestamp": "2026-01-01T00:00:00.000Z",
    "request_id": "ab" * 16,
    "caller": "local",
    "transport": "memory",
    "tool": "places_rename",
    "category": "places",
    "idempotent": True,
    "args_redacted": {"name": "[REDACTED:5ch]"},
    "status": "tool_error",
    "outcome": "refused",
    "result_code": "VALIDATION_FAILED",
}


def sink_to(url: str, **headers: str) -> OtlpAudit:
    collector = Collector(endpoint=Secret(url), service="small", version="1.2", headers=headers)
    return OtlpAudit(collector, "small.audit")


async def test_a_record_comes_there_whole_and_can_be_searched() -> None:
    async with collecting() as collected:
        sink = sink_to(collected.url, authorization="Bearer x")
        sink.emit(RECORD)
        await sink.close()

    ((batch,),) = collected.batches
    (log,) = collected.logs
    assert orjson.loads(log.body.string_value) == {"level": "audit", **RECORD}
    assert log.severity_text == "INFO"
    assert {one.key: one.value.string_value or one.value.bool_value for one in log.attributes} == {
        f"mcp.audit.{name}": RECORD[name]
        for name in ("tool", "category", "status", "transport", "idempotent", "request_id", "result_code")
    }
    assert {one.key: one.value.string_value for one in batch.resource.attributes} == {
        "service.name": "small",
        "service.version": "1.2",
    }
    assert batch.scope_logs[0].scope.name == "small.audit"
    assert collected.headers[0]["authorization"] == "Bearer x"
    assert collected.headers[0]["content-type"] == "application/x-protobuf"


async def test_a_record_without_a_code_has_no_attribute_for_it() -> None:
    async with collecting() as collected:
        sink = sink_to(collected.url)
        sink.emit({name: value for name, value in RECORD.items() if name != "result_code"})
        await sink.close()

    assert "mcp.audit.result_code" not in {one.key for one in collected.logs[0].attributes}


async def test_a_record_comes_there_without_a_close() -> None:
    async with collecting() as collected:
        sink = sink_to(collected.url)
        sink.emit(RECORD)
        async with asyncio.timeout(20):
            await collected.came.wait()
        await sink.close()

    assert collected.sizes == [1]


async def test_many_records_go_in_batches() -> None:
    async with collecting() as collected:
        sink = sink_to(collected.url)
        for _ in range(3 * BATCH_RECORDS):
            sink.emit(RECORD)
        await sink.close()

    assert sum(collected.sizes) == 3 * BATCH_RECORDS
    assert max(collected.sizes) == BATCH_RECORDS


@pytest.mark.parametrize("collector", ["refuses", "is not there"])
async def test_a_collector_that_fails_costs_a_line_without_content(
    collector: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_otlp, "EXPORT_SECONDS", 0.5)
    async with collecting(status=400) as collected:
        address = collected.url if collector == "refuses" else f"http://127.0.0.1:9/{CANARY}"
        sink = sink_to(address, authorization=CANARY)
        sink.emit(RECORD | {"tool": CANARY})
        await sink.close()

    lines = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert ["audit records could not be sent" in line for line in lines] == [True]
    assert CANARY not in caplog.text
    assert "127.0.0.1" not in caplog.text


async def test_nothing_waits_for_a_collector_that_is_slow_and_nothing_goes_on_after_the_close(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(audit_otlp, "CLOSE_SECONDS", 0.2)
    async with collecting(seconds=3.0) as collected:
        sink = sink_to(collected.url)
        begun = time.process_time()
        for _ in range(2 * QUEUE_RECORDS):
            sink.emit(RECORD)
        taken = time.process_time() - begun
        await sink.close()

        async with asyncio.timeout(10):
            while any(thread.name == SENDER for thread in threading.enumerate()):  # noqa: ASYNC110 - it tells nobody
                await asyncio.sleep(0.05)

    assert taken < 2.5
    lines = [record.getMessage() for record in caplog.records if record.name == "accord.audit"]
    assert ["audit records were not sent in time" in line for line in lines] == [True]


async def test_without_the_packages_it_says_which_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk._logs", None)

    with pytest.raises(ValueError, match=r"install accord-mcp\[otel\]"):
        sink_to("http://127.0.0.1:9")


def test_a_collector_is_shown_without_its_address_and_headers() -> None:
    collector = Collector(endpoint=Secret(CANARY), service="small", version="1", headers={"authorization": CANARY})

    assert CANARY not in repr(collector)
