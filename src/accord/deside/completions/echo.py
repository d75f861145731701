"""A provider without a model, for the sandbox: it says what it was asked."""

from __future__ import annotations

from accord.deside.completions.provider import Answer, Prompt

__all__ = ["Echo"]


class Echo:
    """Repeats the last message, a word counting as a token, cut at `max_tokens`."""

    async def complete(self, prompt: Prompt) -> Answer:
        """Return the last message's words."""
        words = prompt.messages[-1]["content"].split() or ["…"]
        kept = words[: prompt.max_tokens]
        return Answer(
            text=" ".join(kept),
            input_tokens=sum(len(message["content"].split()) for message in prompt.messages),
            output_tokens=len(kept),
            finish_reason="stop" if len(kept) == len(words) else "length",
        )

    async def close(self) -> None:
        """Hold nothing."""
