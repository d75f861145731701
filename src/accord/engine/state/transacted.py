"""State whose every method is one transaction, whichever database runs it."""

from __future__ import annotations

import itertools
import math
from functools import partial
from typing import TYPE_CHECKING

from accord.engine.state.statements import (
    count_in_row,
    delete_rows,
    purge,
    read_keys,
    read_value,
    take_value,
    write_value,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from accord.engine.state.database import Database
    from accord.engine.state.statements import Result, Work

PURGE_EVERY_WRITES = 100


class Transacted:
    """What is promised of values and windows; how a transaction is run is the database's."""

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock
        self._writes = itertools.count()

    async def _run(self, work: Work[Result]) -> Result:
        return await self._database.write(lambda connection: work(connection, self._clock()))

    async def _look(self, work: Work[Result]) -> Result:
        return await self._database.read(lambda connection: work(connection, self._clock()))

    async def get(self, key: str) -> bytes | None:
        """Return the value under the key, None when there is none or its lifetime is over."""
        return await self._look(partial(read_value, key=key))

    async def put(
        self, key: str, value: bytes, *, lifetime_seconds: float | None = None, only_if_absent: bool = False
    ) -> bool:
        """Keep a value; without a lifetime, until it is deleted. False: absent was asked for and it was there."""
        lifetime = math.inf if lifetime_seconds is None else lifetime_seconds
        work = partial(write_value, key=key, value=value, lifetime_seconds=lifetime, only_if_absent=only_if_absent)
        return await self._write(work)

    async def take_once(self, key: str) -> bytes | None:
        """Return the value and remove it: of several racing callers, in any process, exactly one gets it."""
        return await self._run(partial(take_value, key=key))

    async def count_in_window(self, key: str, *, window_seconds: float, limit: int) -> float:
        """Count one event by the rule of `count_event`; a key's window is apart from its value and of one length.

        A window costs eight bytes an event, rewritten whole: meant for limits up to some thousands.
        """
        work = partial(count_in_row, key=key, window_seconds=window_seconds, limit=limit)
        return await self._write(work)

    async def delete(self, key: str) -> None:
        """Forget the value and the window under the key."""
        await self._run(partial(delete_rows, key=key))

    async def keys(self, prefix: str) -> list[str]:
        """Return the keys of all live values that begin so, in order."""
        return await self._look(partial(read_keys, prefix=prefix))

    async def _write(self, work: Work[Result]) -> Result:
        if next(self._writes) % PURGE_EVERY_WRITES == 0:
            await self._run(purge)
        return await self._run(work)
