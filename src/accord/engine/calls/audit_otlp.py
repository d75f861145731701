"""Records sent to an OpenTelemetry collector, in batches, by a thread of its own: OTLP over HTTP, as protobuf."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import orjson

from accord.engine.calls.audit import Record
from accord.engine.logs import logger
from accord.engine.secrets import Secret

if TYPE_CHECKING:
    from opentelemetry.sdk._logs import LoggerProvider, ReadableLogRecord
    from opentelemetry.sdk._logs.export import LogRecordExporter, LogRecordExportResult

__all__ = ["Collector", "OtlpAudit"]

_log = logger("accord.audit")

LOGS_PATH = "/v1/logs"
QUEUE_RECORDS = 1024
BATCH_RECORDS = 128
DELAY_MS = 1000
EXPORT_SECONDS = 5.0
CLOSE_SECONDS = 5.0

ATTRIBUTES = ("tool", "category", "status", "transport", "idempotent", "request_id", "result_code")
"""What of a record can be searched by, as `mcp.audit.<name>`."""

TALKATIVE = (
    "opentelemetry.exporter.otlp.proto.http._log_exporter",
    "opentelemetry.util.re",
    "urllib3.connectionpool",
)
"""Loggers whose words may quote the collector's address or its headers."""

_sending: ContextVar[bool] = ContextVar("_sending", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Collector:
    """Where records go, with which headers, and as whose: `service` and `version` name the sender."""

    endpoint: Secret
    service: str
    version: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def address(self) -> str:
        """Where logs are posted."""
        return self.endpoint.reveal().rstrip("/") + LOGS_PATH


class OtlpAudit:
    """Each record a log of severity INFO: its JSON as the body, what it is searched by as attributes.

    Nothing waits for the collector. Of more than 1024 records that wait for it the oldest are lost, and so is what is
    still held back when the process is killed: a sink to look things up in, not one to prove things by.

    Raises:
        ValueError: OpenTelemetry's packages are not installed.
    """

    def __init__(self, collector: Collector, name: str) -> None:
        for talker in TALKATIVE:
            logging.getLogger(talker).addFilter(_is_not_ours)
        try:
            self._exporter, self._provider, self._record = _silently(lambda: _pipeline(collector, name))
        except ModuleNotFoundError as error:
            raise ValueError("OpenTelemetry's packages are missing: install accord-mcp[otel]") from error

    def emit(self, record: Record) -> None:
        """Hand the record to the thread that sends it."""
        self._record(record)

    async def close(self) -> None:
        """Send what is held back, for at most 5 seconds; what is left then is dropped."""
        loop, ended = asyncio.get_running_loop(), asyncio.Event()

        def end() -> None:
            self._provider.shutdown()
            if not loop.is_closed():
                loop.call_soon_threadsafe(ended.set)

        threading.Thread(target=end, daemon=True).start()  # the process does not wait for it
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await ended.wait()
        except TimeoutError:
            _log.warning("audit records were not sent in time")
            self._exporter.shutdown()


def _pipeline(collector: Collector, name: str) -> tuple[_Quiet, LoggerProvider, Callable[[Record], None]]:
    # Who keeps records elsewhere does not pay for these.
    from opentelemetry._logs import LogRecord, SeverityNumber  # noqa: PLC0415
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter  # noqa: PLC0415
    from opentelemetry.sdk._logs import LoggerProvider  # noqa: PLC0415
    from opentelemetry.sdk._logs.export import BatchLogRecordProcessor, LogRecordExportResult  # noqa: PLC0415
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415

    exporter = OTLPLogExporter(collector.address, headers=collector.headers, timeout=EXPORT_SECONDS)
    quiet = _Quiet(exporter, LogRecordExportResult.FAILURE)
    resource = Resource({"service.name": collector.service, "service.version": collector.version})
    provider = LoggerProvider(resource, shutdown_on_exit=False)
    provider.add_log_record_processor(
        BatchLogRecordProcessor(
            cast("LogRecordExporter", quiet),
            schedule_delay_millis=DELAY_MS,
            max_export_batch_size=BATCH_RECORDS,
            max_queue_size=QUEUE_RECORDS,
        )
    )
    sender = provider.get_logger(name)

    def send(record: Record) -> None:
        sender.emit(
            LogRecord(
                timestamp=time.time_ns(),
                severity_number=SeverityNumber.INFO,
                severity_text="INFO",
                body=orjson.dumps({"level": "audit", **record}).decode(),
                attributes={f"mcp.audit.{one}": record[one] for one in ATTRIBUTES if one in record},
            )
        )

    return quiet, provider, send


class _Quiet:
    """An exporter whose failures are told in our words, without anything of the records or the collector."""

    def __init__(self, exporter: LogRecordExporter, failure: LogRecordExportResult) -> None:
        self._exporter = exporter
        self._failure = failure
        self._is_over = False

    def export(self, batch: Sequence[ReadableLogRecord]) -> LogRecordExportResult:
        """Send a batch, in the thread that batches."""
        try:
            result: LogRecordExportResult = _silently(lambda: self._exporter.export(batch))
        except Exception as error:  # noqa: BLE001 - whatever happens there, the next batch may go through
            return self._lost(batch, error=type(error).__name__)
        return self._lost(batch) if result is self._failure else result

    def shutdown(self) -> None:
        """End the connections, and what waits for another try; nothing is sent any more."""
        self._is_over = True
        _silently(self._exporter.shutdown)

    def force_flush(self, timeout_millis: int = 0) -> bool:
        """Have nothing held back here."""
        return self._exporter.force_flush(timeout_millis)

    def _lost(self, batch: Sequence[ReadableLogRecord], **why: str) -> LogRecordExportResult:
        if not self._is_over:
            _log.warning("audit records could not be sent", records=len(batch), **why)
        return self._failure


def _silently(work: Callable[[], Any]) -> Any:
    """Do something during which the libraries' own words about us are dropped."""
    token = _sending.set(True)
    try:
        return work()
    finally:
        _sending.reset(token)


def _is_not_ours(_record: logging.LogRecord) -> bool:
    return not _sending.get()
