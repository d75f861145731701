"""Which failures may pass by themselves."""

from __future__ import annotations

import asyncio
import errno
import socket

import aiohttp
import pytest
from tests.discord.rest.resilience.service import (
    StatusError,
)

from accord.discord.rest.answers import timed_out
from accord.discord.rest.errors import (
    DiscordAuthError,
    DiscordCloudflareBlocked,
    DiscordNotFoundError,
    DiscordRateLimitError,
    DiscordServerError,
    DiscordUpstreamError,
)
from accord.discord.rest.resilience.classify import classify_discord_error, surely_undone
from accord.discord.rest.resilience.failures import BulkheadRejected
from accord.engine.errors import InternalError


class ConnectTimeout(Exception):  # noqa: N818 - httpx's name
    """Named as httpx names it."""


def connector_error(kind: type[aiohttp.ClientConnectorError], cause: OSError) -> aiohttp.ClientConnectorError:
    return kind(None, cause)  # type: ignore[arg-type] # the connection's key is only read to be printed


def caused_by(cause: BaseException) -> Exception:
    error = RuntimeError("request failed")
    error.__cause__ = cause
    return error


PASSING: list[tuple[BaseException, bool]] = [
    (ConnectionRefusedError(), True),
    (socket.gaierror(socket.EAI_NONAME, "unknown"), True),
    (OSError(errno.ENETUNREACH, "unreachable"), True),
    (OSError(errno.EHOSTUNREACH, "unreachable"), True),
    (connector_error(aiohttp.ClientConnectorError, OSError(errno.ETIMEDOUT, "timed out")), True),
    (connector_error(aiohttp.ClientConnectorDNSError, OSError(-2, "unknown")), True),
    (aiohttp.ConnectionTimeoutError(), True),
    (ConnectTimeout(), True),
    (caused_by(ConnectionRefusedError()), True),
    (ConnectionResetError(), False),
    (BrokenPipeError(), False),
    (TimeoutError(), False),
    (aiohttp.ServerDisconnectedError(), False),
    (aiohttp.ClientPayloadError(), False),
    (aiohttp.SocketTimeoutError(), False),
    (aiohttp.ClientOSError(errno.EHOSTUNREACH, "lost while in use"), False),
    (caused_by(ConnectionResetError()), False),
    (timed_out(1000), False),
    (DiscordUpstreamError(status=500), False),
    (DiscordServerError(), False),
    (StatusError(502), False),
    (StatusError(429, retry_after=0.75), True),
    (DiscordRateLimitError(retry_after_ms=750), True),
]


@pytest.mark.parametrize(("error", "undone"), PASSING, ids=repr)
def test_a_failure_that_may_pass_is_told_from_one_that_surely_had_no_effect(error: BaseException, undone: bool) -> None:
    failure = classify_discord_error(error)

    assert failure is not None
    assert surely_undone(failure) is undone


@pytest.mark.parametrize(
    "error",
    [
        DiscordCloudflareBlocked(),
        DiscordRateLimitError(),
        DiscordAuthError(),
        DiscordNotFoundError(),
        InternalError(),
        StatusError(404),
        StatusError(429),
        StatusError(600),
        ValueError("bad"),
        BulkheadRejected(),
        asyncio.CancelledError(),
    ],
    ids=repr,
)
def test_a_failure_that_does_not_pass_by_itself_is_not_worth_a_retry(error: BaseException) -> None:
    assert classify_discord_error(error) is None


def test_a_stated_wait_in_seconds_becomes_milliseconds_rounded_up() -> None:
    failure = classify_discord_error(StatusError(429, retry_after=0.0501))

    assert failure is not None
    assert failure.retry_after_ms == 51
