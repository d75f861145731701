"""`deside-mcp agents import`: the operator takes agents of other registries into this server's own."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any, TypeAlias

import orjson

from accord.deside.config import Config, ConfigError, load_config
from accord.deside.errors import InvalidInputError
from accord.deside.identity import Imported, Registry, import_agents
from accord.deside.store import open_store
from accord.terminal.exits import Exit
from accord.terminal.printing import print_json

__all__ = ["import_file"]

Json: TypeAlias = Any

MOST_BYTES = 64 * 1024 * 1024
"""The longest file that is read into memory; 20,000 agents leave more than 3,000 bytes for each."""

MOST_SHOWN_ISSUES = 20


async def import_file(path: Path, *, as_json: bool) -> Exit:
    """Take in a JSON list of agents, all of it or nothing, while the server may run."""
    try:
        imported = await _imported(load_config(), _read(path))
    except ConfigError as error:
        sys.stderr.write(f"{error}\n")
        return Exit.REFUSED
    except InvalidInputError as error:
        return _refused(error, as_json=as_json)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        sys.stderr.write(f"{path}: {reason}\n")
        return Exit.FAILED
    if as_json:
        print_json({"shown": imported.shown, "hidden": imported.hidden})
    else:
        sys.stderr.write(f"{imported.shown} agents are shown, {imported.hidden} are hidden\n")
    return Exit.DONE


def _read(path: Path) -> Json:
    """Return what a JSON file holds.

    Raises:
        OSError: It cannot be read.
        ValueError: It is too long, or no JSON.
    """
    with path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise ValueError(f"has more than {MOST_BYTES} bytes")
    return orjson.loads(content)


async def _imported(config: Config, entries: Json) -> Imported:
    try:
        store = open_store(config.database_url)
    except ValueError as error:
        raise ConfigError({"DESIDE_DATABASE_URL": str(error)}) from None
    try:
        return await import_agents(Registry(store, time.time), entries, time.time)
    finally:
        await store.close()


def _refused(error: InvalidInputError, *, as_json: bool) -> Exit:
    if as_json:
        print_json({"error": error.code, "status": error.http_status, "issues": error.issues})
        return Exit.FAILED
    for issue in error.issues[:MOST_SHOWN_ISSUES]:
        sys.stderr.write(f"{issue['path'] or 'the file'}: {issue['message']}\n")
    if (more := len(error.issues) - MOST_SHOWN_ISSUES) > 0:
        sys.stderr.write(f"and {more} more\n")
    sys.stderr.write("nothing was changed\n")
    return Exit.FAILED
