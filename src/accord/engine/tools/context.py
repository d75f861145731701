"""What a running tool can see of its own call: other tools, the client's model, cancellation, progress."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, TypeAlias

from accord.engine.nouns import Answer, Call, Hear, Question, Reply

__all__ = ["Context"]

Json: TypeAlias = Any


class Context:
    """The call, as its tool sees it. Every inner call is a whole call: same gates, same deadline, same cancellation."""

    __slots__ = ("call",)

    def __init__(self, call: Call) -> None:
        self.call = call

    @property
    def cancelled(self) -> bool:
        """Whether the caller gave up. A cancelled call is also interrupted at its next await."""
        task = asyncio.current_task()
        return task is not None and task.cancelling() > 0

    @property
    def sampling_supported(self) -> bool:
        """Whether the client offers its model."""
        return self.call.backchannel.samples

    async def reply(self, name: str, arguments: Mapping[str, Json] | None = None) -> Reply:
        """Call another tool and return its reply, an error's reply included."""
        return await self.call.door.reply(self.call, name, arguments)

    async def invoke(self, name: str, arguments: Mapping[str, Json] | None = None) -> Json:
        """Call another tool and return its structured result.

        Raises:
            ToolError: The row with which that call failed.
        """
        return await self.call.door.invoke(self.call, name, arguments)

    async def request_sampling(self, request: Mapping[str, Json], key: str = "sample") -> Mapping[str, Json] | None:
        """Ask the client's model (`sampling/createMessage` params); None where it offers none.

        In the 2026 era the whole call is repeated with the answer: do nothing with a side effect before this.
        """
        return await self.call.backchannel.sample(self.call, key, request)

    async def ask(self, question: Question) -> Answer:
        """Ask the client's person; see `Call.ask`."""
        return await self.call.ask(question)

    async def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Tell how far the work is, to a client that asked to be told."""
        await self.call.backchannel.progress(done, total, message)

    def when_answered(self, hear: Hear) -> bool:
        """Let it hear once, after the answer, whether that went out; False where nobody can tell: it never hears.

        A tool that does something for good with its answer (it was paid for) does that then.
        """
        return self.call.backchannel.when_answered(hear)
