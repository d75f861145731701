"""A way to a PostgreSQL of the tests that can be cut: over TCP, as through a network."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import sqlalchemy as sa

__all__ = ["Relay", "relayed"]


@dataclass
class Relay:
    """Where it is; while it is cut, who connects is hung up on at once."""

    url: str = ""
    is_cut: bool = False
    writers: set[asyncio.StreamWriter] = field(default_factory=set)

    def cut(self) -> None:
        """Hang up on everybody, until it is mended."""
        self.is_cut = True
        for writer in list(self.writers):
            writer.close()


@asynccontextmanager
async def relayed(url: str) -> AsyncIterator[Relay]:
    """Relay to the server of this URL, which listens on a Unix socket."""
    target, relay, tasks = sa.make_url(url), Relay(), set[asyncio.Task[None]]()
    path = f"{target.query['host']}/.s.PGSQL.5432"

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if relay.is_cut:
            writer.close()
            return
        far_reader, far_writer = await asyncio.open_unix_connection(path)
        for source, sink in ((reader, far_writer), (far_reader, writer)):
            relay.writers.add(sink)
            task = asyncio.ensure_future(_copied(source, sink))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    relay.url = target.set(host="127.0.0.1", port=port, query={}).render_as_string(hide_password=False)
    try:
        yield relay
    finally:
        relay.cut()
        server.close()
        await asyncio.gather(*tasks)


async def _copied(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await source.read(65_536):
            sink.write(data)
            await sink.drain()
    sink.close()
