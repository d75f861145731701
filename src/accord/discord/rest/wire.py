"""The wire to Discord: a request goes out, its answer comes in and is judged."""

from __future__ import annotations

import time
from contextlib import asynccontextmanager
from io import BytesIO
from typing import TYPE_CHECKING

from accord.discord.rest.answers import error_of
from accord.discord.rest.connections import body_of, opened
from accord.discord.rest.exchange import Answer, Attempt
from accord.discord.rest.media import Media, fetched
from accord.discord.rest.outcomes import was_deleted_before
from accord.discord.rest.resilience.hooks import tell
from accord.discord.rest.tokens import Credential

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager

    from aiohttp import ClientResponse, ClientSession, FormData

    from accord.discord.rest.exchange import HttpRequest
    from accord.discord.rest.resilience.layers import Next
    from accord.discord.rest.uploads import Form
    from accord.engine import Secret

__all__ = ["Wire"]

API_VERSION = "v10"

UNAUTHORIZED = 401

MOST_DIRECT_BYTES = 1024 * 1024
"""aiohttp writes larger bytes in one go, which holds up the event loop, and warns of it; a file it writes in pieces."""


class Wire:
    """The connections to Discord and the bot's token, shared by all views of a client."""

    def __init__(
        self,
        token: Secret | None,
        *,
        base_url: str,
        user_agent: str,
        on_attempt: Callable[[Attempt], None] | None,
    ) -> None:
        self.root = f"{base_url.rstrip('/')}/{API_VERSION}"
        self.bot = Credential("Bot", token)
        self._user_agent = user_agent
        self._on_attempt = on_attempt
        self._session: ClientSession | None = None

    async def judge(self, request: HttpRequest, following: Next[HttpRequest, Answer]) -> Answer:
        """Let an answer pass if it is a success, or says that an earlier attempt was one; a 401 ends the token's use.

        Raises:
            ToolError: The row of the answer.
        """
        credential = request.credential
        if credential is not None:
            credential.untried = False
        answer = await following(request)
        if 200 <= answer.status <= 299:  # noqa: PLR2004 - HTTP's successes
            if credential is not None:
                credential.taken_at = time.monotonic()
            return answer
        row = error_of(answer.status, answer.headers, answer.body, route=request.template)
        if answer.status == UNAUTHORIZED and credential is not None:
            credential.die()
            row.recovery_hint = row.recovery_hint or credential.hint
        if was_deleted_before(request, row):
            return Answer(204, answer.headers, b"")
        raise row

    async def exchange(self, request: HttpRequest) -> Answer:
        """Send the request, read all of its answer, and tell the observer.

        Raises:
            DiscordAuthError: The token is missing or was refused before; nothing was sent.
            ValidationError: A file cannot be read.
            aiohttp.ClientError: The connection failed or was lost.
        """
        headers = {"User-Agent": self._user_agent, **request.headers}
        if request.credential is not None:
            headers["Authorization"] = request.credential.authorization()
        started, status = time.perf_counter(), None
        try:
            async with self._sent(request, headers) as response:
                status = response.status
                return Answer(status, response.headers, await body_of(response))
        finally:
            if self._on_attempt is not None:
                duration_ms = (time.perf_counter() - started) * 1000
                attempt = Attempt(request.method, request.template, status, duration_ms, request.attempt)
                tell(self._on_attempt, attempt)

    async def fetch(self, address: str, *, most_bytes: int, seconds: float) -> Media:
        """Fetch a file of a message, without the bot's token; see `media.fetched`."""
        return await fetched(self._opened(), address, root=self.root, most_bytes=most_bytes, seconds=seconds)

    async def aclose(self) -> None:
        """Close the connections."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def _sent(self, request: HttpRequest, headers: dict[str, str]) -> AbstractAsyncContextManager[ClientResponse]:
        if request.form is not None:
            return self._uploaded(request, request.form, headers)
        body = request.body
        return self._begun(request, headers, BytesIO(body) if body and len(body) > MOST_DIRECT_BYTES else body)

    @asynccontextmanager
    async def _uploaded(
        self, request: HttpRequest, form: Form, headers: dict[str, str]
    ) -> AsyncIterator[ClientResponse]:
        from accord.discord.rest import multipart  # noqa: PLC0415 - imports aiohttp, which is late

        async with (
            multipart.opened(form, request.body) as parts,
            self._begun(request, headers, parts) as response,
        ):
            yield response

    def _begun(
        self, request: HttpRequest, headers: dict[str, str], body: bytes | BytesIO | FormData | None
    ) -> AbstractAsyncContextManager[ClientResponse]:
        from yarl import URL  # noqa: PLC0415 - comes with aiohttp, as late

        url = URL(request.url, encoded=True)
        return self._opened().request(request.method, url, data=body, headers=headers, allow_redirects=False)

    def _opened(self) -> ClientSession:
        if self._session is None:
            self._session = opened(self.root)
        return self._session
