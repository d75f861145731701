"""Which failures may pass by themselves, and which of those surely changed nothing."""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping
from math import ceil
from typing import NamedTuple, TypeAlias

from accord.discord.rest.errors import DiscordRetryableError
from accord.engine import InternalError, ToolError

__all__ = ["Classifier", "Loss", "classify_discord_error", "lost_connection", "surely_undone"]

Classifier: TypeAlias = Callable[[BaseException], DiscordRetryableError | None]


class Loss(NamedTuple):
    """How a connection was lost, in a stable word, and whether it is certain that no request had been sent over it."""

    kind: str
    unsent: bool


LOSSES: Mapping[str, Loss] = {
    # By the names of the classes (Python's own, aiohttp's, httpx's), so that no HTTP library has to be imported.
    "gaierror": Loss("dns", unsent=True),
    "ClientConnectorDNSError": Loss("dns", unsent=True),
    "ConnectionRefusedError": Loss("refused", unsent=True),
    "ClientSSLError": Loss("tls", unsent=True),
    "ConnectionTimeoutError": Loss("connect_timeout", unsent=True),
    "ConnectTimeout": Loss("connect_timeout", unsent=True),
    "PoolTimeout": Loss("pool_timeout", unsent=True),
    "ClientHttpProxyError": Loss("proxy", unsent=True),
    "ClientConnectorError": Loss("connection", unsent=True),
    "ConnectError": Loss("connection", unsent=True),
    "TimeoutError": Loss("timeout", unsent=False),
    "ConnectionError": Loss("reset", unsent=False),
    "ClientConnectionError": Loss("reset", unsent=False),
    "ClientPayloadError": Loss("cut_off", unsent=False),
    "IncompleteReadError": Loss("cut_off", unsent=False),
    "SSLError": Loss("tls", unsent=False),
    "TransportError": Loss("reset", unsent=False),
}

UNREACHABLE = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EHOSTDOWN})

ROW_STATUSES: Mapping[str, int] = {"DISCORD_RATE_LIMITED": 429, "DISCORD_SERVER_ERROR": 500, "SERVER_ERROR": 500}
"""The HTTP statuses that our own rows stand for, where they may pass by themselves. An edge block never does."""


def lost_connection(error: BaseException) -> Loss | None:
    """Return how the connection was lost, looking one level down as well, or None where the error is no such loss.

    An HTTP library's class is the better witness than the error number within it: "unreachable" may also come up on a
    connection that was long in use.
    """
    causes = (error,) if error.__cause__ is None else (error, error.__cause__)
    names = (cls.__name__ for cause in causes for cls in type(cause).__mro__)
    known = next((LOSSES[name] for name in names if name in LOSSES), None)
    if known is None and any(getattr(cause, "errno", None) in UNREACHABLE for cause in causes):
        return Loss("network", unsent=True)
    return known


def surely_undone(failure: DiscordRetryableError) -> bool:
    """Whether it is certain that the service did not act: it said when to come back, or it was never reached."""
    loss = lost_connection(failure.original)
    return failure.retry_after_ms is not None or (loss is not None and loss.unsent)


def classify_discord_error(error: BaseException) -> DiscordRetryableError | None:
    """Return the failure as one that may pass by itself, or None where sending again is of no use.

    That is a lost connection, a time-out, a status of 500 to 599, and a 429 that says when to come back; one that
    does not say it is a block at Discord's edge, which more requests make worse. Understands the rows of this server,
    aiohttp's and httpx's errors, and all others with a `status` (or `status_code`) and `retry_after` in seconds.
    """
    if isinstance(error, DiscordRetryableError):
        return error
    if isinstance(error, ToolError):
        return _classified_row(error)
    if not isinstance(error, Exception):
        return None
    if lost_connection(error) is not None:
        return DiscordRetryableError(original=error)
    return _classified_status(error, _status_of(error), _retry_after_ms_of(error))


def _classified_row(error: ToolError) -> DiscordRetryableError | None:
    if isinstance(error, InternalError) and error.reason == "timeout":
        return DiscordRetryableError(original=error)
    return _classified_status(error, ROW_STATUSES.get(error.code), getattr(error, "retry_after_ms", None))


def _classified_status(
    error: Exception, status: int | None, retry_after_ms: int | None
) -> DiscordRetryableError | None:
    if status == 429 and retry_after_ms is not None:  # noqa: PLR2004 - HTTP's Too Many Requests
        return DiscordRetryableError(original=error, retry_after_ms=retry_after_ms)
    if status is not None and 500 <= status <= 599:  # noqa: PLR2004 - HTTP's server errors
        return DiscordRetryableError(original=error)
    return None


def _status_of(error: Exception) -> int | None:
    holders = (error, getattr(error, "response", None))
    found = (getattr(holder, name, None) for holder in holders for name in ("status", "status_code"))
    return next((int(status) for status in found if isinstance(status, int)), None)


def _retry_after_ms_of(error: Exception) -> int | None:
    seconds = getattr(error, "retry_after", None)
    return ceil(seconds * 1000) if isinstance(seconds, int | float) else None
