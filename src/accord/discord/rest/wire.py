"""The wire to Discord: one request goes out and its answer comes in, and is judged."""

from __future__ import annotations

import time
from contextlib import asynccontextmanager
from io import BytesIO
from typing import TYPE_CHECKING

from accord.discord.rest.answers import error_of
from accord.discord.rest.connections import body_of, opened
from accord.discord.rest.exchange import Answer, Attempt
from accord.discord.rest.outcomes import was_deleted_before
from accord.discord.rest.resilience.hooks import tell
from accord.discord.rest.tokens import Credential

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from contextlib import AbstractAsyncContextManager

    from aiohttp import ClientResponse, ClientSession, FormData

    from accord.discord.rest.exchange import HttpRequest
    from accord.discord.rest.resilience.layers import Next
    from accord.discord.rest.uploads import Form

__all__ = ["Wire"]

API_VERSION = "v10"

UNAUTHORIZED = 401

MOST_DIRECT_BYTES = 1024 * 1024
"""aiohttp writes larger bytes in one go, which holds up the event loop, and warns of it; a file it writes in pieces."""


class Wire:
    """The connections to Discord, shared by all views of a client."""

    def __init__(self, *, base_url: str, user_agent: str, on_attempt: Callable[[Attempt], None] | None) -> None:
        self.root = f"{base_url.rstrip('/')}/{API_VERSION}"
        self._user_agent = user_agent
        self._on_attempt = on_attempt
        self._session: ClientSession | None = None
