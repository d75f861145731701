"""What a failed attempt means: its row, whether it may pass by itself, and whether Discord may have acted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.rest.answers import unknown_outcome, unreachable
from accord.discord.rest.codes import GONE_FROM
from accord.discord.rest.errors import DiscordNotFoundError, DiscordRetryableError
from accord.discord.rest.resilience import classify_discord_error
from accord.discord.rest.resilience.classify import lost_connection, surely_undone
from accord.discord.rest.resilience.failures import BulkheadRejected, DeadlinePassed, refusal
from accord.discord.rest.routes import collection_of
from accord.engine import InternalError, ToolError

if TYPE_CHECKING:
    from accord.discord.rest.exchange import Answer, HttpRequest
    from accord.discord.rest.resilience.layers import Next

__all__ = ["lost", "was_deleted_before", "worded"]


async def worded(request: HttpRequest, following: Next[HttpRequest, Answer]) -> Answer:
    """Give every failure of an attempt its row, and mark those that may pass by themselves.

    Raises:
        DiscordRetryableError: The failure may pass by itself; `original` is its row.
        ToolError: It will not.
    """
    try:
        return await following(request)
    except Exception as error:
        last = reworded(request, error)
        if last is error:
            raise
        raise last from error


def reworded(request: HttpRequest, error: Exception) -> Exception:
    """Return what to raise instead of what an attempt raised, if not that itself."""
    failure = classify_discord_error(error)
    if failure is None:
        return lost(request, row_of(error)) if request.doubtful else error
    row = row_of(error)
    if request.doubtful or not surely_undone(failure):
        row = lost(request, row)
    if row is not error:
        row.__cause__ = error
    return DiscordRetryableError(original=row, retry_after_ms=failure.retry_after_ms)


def row_of(error: Exception) -> ToolError:
    """Return the row of what an attempt raised."""
    if isinstance(error, BulkheadRejected | DeadlinePassed):
        return refusal(error)
    if isinstance(error, ToolError):
        return error
    loss = lost_connection(error)
    return unreachable(loss.kind) if loss else InternalError()


def lost(request: HttpRequest, error: ToolError) -> ToolError:
    """Return the error of a request that Discord may have carried out, although its answer is of no use."""
    return error if request.idempotent else unknown_outcome(error, nonce=request.nonce)


def was_deleted_before(request: HttpRequest, row: ToolError) -> bool:
    """Whether the row says no more than that an earlier attempt, whose answer was lost, deleted what it was to delete.

    Where Discord does not know what encloses it, the request was wrong from the start.
    """
    if request.method != "DELETE" or not request.doubtful or not isinstance(row, DiscordNotFoundError):
        return False
    return GONE_FROM.get(row.discord_code or 0) == collection_of(request.template)
