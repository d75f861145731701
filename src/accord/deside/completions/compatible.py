"""Any endpoint that speaks OpenAI's chat completions, through OpenAI's SDK."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final, Self, TypeAlias, cast
from urllib.parse import urlsplit

import httpx2
import openai

from accord.deside.completions.failures import failed
from accord.deside.completions.provider import Answer, Prompt, ProviderFailed
from accord.deside.errors import ProviderError
from accord.deside.models.completions import FinishReason
from accord.engine import Secret

__all__ = ["Compatible"]

Json: TypeAlias = Any

CONNECT_SECONDS: Final = 5.0
READ_SECONDS: Final = 60.0
"""Beyond any deadline of ours: that is set around the call, since a body that drips resets this one."""

NO_KEY: Final = "none"
"""The SDK insists on a key; a local model server needs none."""

LIMIT_NAMES: Final[Mapping[str | None, str]] = {"api.openai.com": "max_completion_tokens"}
"""What the limit of an answer is called by host: OpenAI's own newer models refuse the name that all others know."""

MOST_TOKENS: Final = 2**53
"""Below it every reader of JSON reads a whole number right; what a provider counts beyond it is no count."""

FINISH_REASONS: Final[Mapping[str, FinishReason]] = {
    "stop": "stop",
    "length": "length",
    "content_filter": "content_filter",
}


class Compatible:
    """One model at one endpoint, asked once a call: nothing is sent a second time."""

    def __init__(self, client: openai.AsyncOpenAI, model: str) -> None:
        self._client = client
        self._model = model
        self._limit = LIMIT_NAMES.get(urlsplit(str(client.base_url)).hostname, "max_tokens")

    @classmethod
    def at(cls, base_url: str, model: str, key: Secret | None) -> Self:
        """Return the provider of a base URL such as `http://127.0.0.1:8080/v1`."""
        # What it logs at debug is not ours to know, and OPENAI_LOG turns that on past all levels of ours.
        logging.getLogger("openai").setLevel(logging.WARNING)
        client = openai.AsyncOpenAI(
            base_url=base_url,
            api_key=NO_KEY if key is None else key.reveal(),
            max_retries=0,
            timeout=httpx2.Timeout(READ_SECONDS, connect=CONNECT_SECONDS),
            http_client=openai.DefaultAsyncHttpxClient(follow_redirects=False),  # prompts go where the operator said
        )
        # The SDK takes them from the environment, and would send them to whatever provider this is.
        client.organization = client.project = None
        return cls(client, model)

    async def complete(self, prompt: Prompt) -> Answer:
        """Ask the model.

        Raises:
            ProviderFailed: The endpoint did not answer as it should.
        """
        try:
            answered = await self._client.chat.completions.create(
                model=self._model,
                messages=cast("Json", list(prompt.messages)),
                temperature=prompt.temperature,
                extra_body={self._limit: prompt.max_tokens},
            )
            return _answer(answered)
        except ProviderFailed:
            raise
        except Exception as error:  # noqa: BLE001 - HTML with 200 is a ValueError, a strange body any error at all
            raise failed(error) from None

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def _answer(answered: Json) -> Answer:
    """Read an answer, in which the SDK checked nothing."""
    choice = answered.choices[0]
    text = choice.message.content
    if not isinstance(text, str) or not text.strip() or not _is_text(text):
        raise ProviderFailed(ProviderError(), reached=True)
    usage = answered.usage
    return Answer(
        text=text,
        input_tokens=_count(usage and usage.prompt_tokens),
        output_tokens=_count(usage and usage.completion_tokens),
        finish_reason=FINISH_REASONS.get(choice.finish_reason, "other"),
    )


def _is_text(text: str) -> bool:
    """Whether it can be handed on: JSON allows half a character (a lone surrogate), which no UTF-8 can say."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _count(tokens: Json) -> int | None:
    return tokens if type(tokens) is int and 0 <= tokens < MOST_TOKENS else None
