"""How much a caller may write: quotas in sliding windows, counted where everything else has let the call through."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta
from typing import Literal, cast

from accord.engine.errors import QuotaExceededError
from accord.engine.nouns import Call, Gate, Next, Quota, Reply, State, Tool

__all__ = ["UNIT_SECONDS", "limit_writes", "quota_of"]

UNIT_SECONDS: Mapping[str, int] = {"m": 60, "h": 60 * 60, "d": 24 * 60 * 60}

_FORM = re.compile(r"(?P<limit>[1-9][0-9]{0,3})/(?P<unit>[mhd])(:(?P<of>[a-z][a-z0-9_]{0,63}))?")
"""At most 9999: a window costs eight bytes an event, rewritten whole each time."""


def quota_of(text: str) -> Quota:
    """Read `60/h`, `10/m`, `5/d`, or `5/d:messages` for one tool or category.

    Raises:
        ValueError: It has another form.
    """
    found = _FORM.fullmatch(text)
    if found is None:
        raise ValueError("a quota is 1 to 9999 writes a minute, an hour or a day, such as 60/h or 5/d:messages")
    return Quota(int(found["limit"]), cast("Literal['m', 'h', 'd']", found["unit"]), found["of"])


def limit_writes(state: State, *, exempt: Collection[str] = ("meta",)) -> Gate:
    """Count every write against the quotas of its caller; tools of the exempt categories count by what they call."""

    async def quotas(call: Call, following: Next) -> Reply:
        """Refuse a write beyond a quota."""
        if call.tool.effect.writes and call.tool.category not in exempt:
            for quota in _quotas_on(call.tool, call.caller.quotas):
                await _count(call, quota, state)
        return await following(call)

    return quotas


def _quotas_on(tool: Tool, quotas: Collection[Quota]) -> list[Quota]:
    """Return those that cover the tool, the shortest window first.

    A call that a longer window refuses has then counted in the shorter ones, where it is soonest forgotten.
    """
    covering = [quota for quota in quotas if quota.of in {None, tool.name, tool.category}]
    return sorted(covering, key=lambda quota: UNIT_SECONDS[quota.unit])


async def _count(call: Call, quota: Quota, state: State) -> None:
    # The limit is not in the key, so that a token given out anew under its old name does not start afresh.
    key = f"quota:{call.caller.id}:{quota.unit}:{quota.of or ''}"
    wait = await state.count_in_window(key, window_seconds=UNIT_SECONDS[quota.unit], limit=quota.limit)
    if wait > 0:
        raise QuotaExceededError(
            tool=call.tool.name,
            quota=str(quota),
            retry_after_ms=math.ceil(wait * 1000),
            resets_at=_instant_in(wait),
        )


def _instant_in(seconds: float) -> str:
    """Return the first whole second, in UTC, at which the wait is over."""
    instant = datetime.now(UTC) + timedelta(seconds=seconds + 1)
    return instant.replace(microsecond=0).isoformat().replace("+00:00", "Z")
