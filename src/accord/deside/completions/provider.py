"""Who answers completions: one small protocol, and how it fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from accord.deside.models.completions import FinishReason, Message
from accord.engine import ToolError

__all__ = ["Answer", "Prompt", "Provider", "ProviderFailed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What a model is asked. Its messages are not in its repr, so that no log or traceback shows them."""

    messages: Sequence[Message] = field(repr=False)
    max_tokens: int
    temperature: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a model said, and the tokens that it took, where its provider counts them."""

    text: str = field(repr=False)
    input_tokens: int | None
    output_tokens: int | None
    finish_reason: FinishReason


class ProviderFailed(Exception):  # noqa: N818 - carries the row that the caller gets
    """No answer came. `reached` is False where the provider certainly never saw the prompt."""

    def __init__(self, row: ToolError, *, reached: bool) -> None:
        super().__init__(row.code)
        self.row = row
        self.reached = reached


class Provider(Protocol):
    """One model at one place. It is asked once a call: whether to try again is the caller's to say."""

    async def complete(self, prompt: Prompt) -> Answer:
        """Return the model's answer, whose text is not empty.

        Raises:
            ProviderFailed: There is none.
        """

    async def close(self) -> None:
        """Let go of the connections."""
