"""An OpenTelemetry collector on loopback, which takes logs over HTTP and reads them with the SDK's own types."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aiohttp import web
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

if TYPE_CHECKING:
    from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs

__all__ = ["Collected", "collecting"]


@dataclass
class Collected:
    """A collector on loopback, and what came to it."""

    url: str = ""
    status: int = 200
    seconds: float = 0.0
    headers: list[dict[str, str]] = field(default_factory=list)
    batches: list[list[ResourceLogs]] = field(default_factory=list)
    came: asyncio.Event = field(default_factory=asyncio.Event)

    async def take(self, request: web.Request) -> web.Response:
        await asyncio.sleep(self.seconds)
        said = ExportLogsServiceRequest.FromString(await request.read())
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        self.batches.append(list(said.resource_logs))
        self.came.set()
        return web.Response(status=self.status)

    @property
    def sizes(self) -> list[int]:
        return [len(logs_of(batch)) for batch in self.batches]

    @property
    def logs(self) -> list[LogRecord]:
        return [log for batch in self.batches for log in logs_of(batch)]


def logs_of(batch: list[ResourceLogs]) -> list[LogRecord]:
    return [log for resource in batch for scope in resource.scope_logs for log in scope.log_records]


@asynccontextmanager
async def collecting(**options: Any) -> AsyncIterator[Collected]:
    """Collect logs on loopback for as long as the context lasts."""
    collected = Collected(**options)
    app = web.Application()
    app.router.add_post("/base/v1/logs", collected.take)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    collected.url = f"http://127.0.0.1:{runner.addresses[0][1]}/base/"
    yield collected
    await runner.cleanup()
