"""A child process that is spoken to in lines; it ends with the context it was started in."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager

ANSWER_SECONDS = 20.0
"""How long any one answer may take before the bench gives up."""

END_SECONDS = 2.0
"""How long a child may take to end by itself."""


class Child(asyncio.SubprocessProtocol):
    """Cuts a child's output into lines and gives them to whoever listens at the moment."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        self._listener: Callable[[list[bytes]], None] | None = None
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)  # noqa: S101 - subprocess_exec makes one
        self._transport = transport
        stdin = transport.get_pipe_transport(0)
        assert isinstance(stdin, asyncio.WriteTransport)  # noqa: S101 - started with a pipe
        self.write = stdin.write
        self.close_stdin = stdin.close
        self.terminate = transport.terminate
        self.pid: int = transport.get_pid()

    def pipe_data_received(self, fd: int, data: bytes) -> None:  # noqa: ARG002 - only stdout is a pipe
        if b"\n" not in data:
            self._rest.append(data)
            return
        *lines, rest = b"".join([*self._rest, data]).split(b"\n")
        self._rest = [rest]
        if self._listener is not None:
            self._listener(lines)

    def process_exited(self) -> None:
        if not self.ended.done():
            self.ended.set_result(None)

    async def listen(self, listener: Callable[[list[bytes]], None], enough: asyncio.Future[None]) -> None:
        """Give the lines to a listener until it has enough.

        Raises:
            RuntimeError: The child ended first.
            TimeoutError: It did not answer in ANSWER_SECONDS.
        """
        self._listener = listener
        async with asyncio.timeout(ANSWER_SECONDS):
            await asyncio.wait({enough, self.ended}, return_when=asyncio.FIRST_COMPLETED)
        self._listener = None
        if not enough.done():
            raise RuntimeError(f"the child ended with {self._transport.get_returncode()}; its reason stands above")
        enough.result()

    async def line(self, sent: bytes = b"") -> bytes:
        """Write, and return the next line that comes."""
        enough: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heard: list[bytes] = []

        def hear(lines: list[bytes]) -> None:
            heard.extend(lines)
            if not enough.done():
                enough.set_result(None)

        if sent:
            self.write(sent)
        await self.listen(hear, enough)
        return heard[0]

    async def end(self) -> None:
        """Close the child's input, which ends it; kill this one child where that does not."""
        self.close_stdin()
        await asyncio.wait({self.ended}, timeout=END_SECONDS)
        self._transport.close()
        await self.ended


@asynccontextmanager
async def started(
    command: Sequence[str], env: Mapping[str, str] | None = None, *, stderr: int | None = None
) -> AsyncIterator[Child]:
    """Run a command; what it says on stderr is shown, unless that goes elsewhere."""
    loop = asyncio.get_running_loop()
    _, child = await loop.subprocess_exec(Child, *command, env=env, stdin=asyncio.subprocess.PIPE, stderr=stderr)
    try:
        yield child
    finally:
        await child.end()


def module(name: str, *arguments: str) -> tuple[str, ...]:
    """Return the command that runs a module of the bench."""
    return (sys.executable, "-m", f"bench.{name}", *arguments)
