"""What must outlive a call, opened by its URL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.engine.state.memory import MemoryState

if TYPE_CHECKING:
    from accord.engine.nouns import State
    from accord.engine.state.database import Database

__all__ = ["MemoryState", "open_state", "state_in"]


def open_state(url: str | None) -> State:
    """Open the state a URL names; None stands for this process's memory.

    `sqlite:///path` is a file, `sqlite://` SQLite in memory, `postgresql://…` a database for many processes. Opening
    blocks until the tables are ready, so it belongs to the start of a program.

    Raises:
        ValueError: Nothing serves the URL, or what it names cannot hold state.
    """
    if url is None:
        return MemoryState()
    scheme, separator, _ = url.partition("://")
    if scheme == "sqlite" and separator:
        from accord.engine.state.sql import SqlState  # noqa: PLC0415 - users of memory do not pay for a database

        return SqlState.open(url)
    if scheme == "postgresql" and separator:
        from accord.engine.state.postgres import PostgresState  # noqa: PLC0415 - the same

        return PostgresState.open(url)
    # The rest of the URL may hold a password.
    named = f"{scheme}://" if separator else "a URL without a scheme"
    raise ValueError(f"a state URL is sqlite:///path, sqlite:// or postgresql://…, not {named}")


async def state_in(database: Database) -> State:
    """Return state that lies in a program's own database, beside its tables; closing it closes the database.

    Raises:
        ValueError: Another version of this program made its tables.
    """
    from accord.engine.state.database import PostgresDatabase, SqliteDatabase  # noqa: PLC0415 - as above
    from accord.engine.state.postgres import PostgresState  # noqa: PLC0415 - as above
    from accord.engine.state.sql import SqlState  # noqa: PLC0415 - as above
    from accord.engine.state.statements import ensure_schema  # noqa: PLC0415 - as above

    await database.write(ensure_schema)
    if isinstance(database, PostgresDatabase):
        return PostgresState(database)
    assert isinstance(database, SqliteDatabase)  # noqa: S101 - there is no third
    return SqlState(database)
