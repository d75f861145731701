"""Who may open a connection: clients of services that an operator or a person names; no caller's address is met."""

from __future__ import annotations

import ast
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = Path(str(files("accord")))
HTTP_CLIENTS = {"aiohttp", "httpx", "http.client", "requests", "urllib3", "urllib.request", "websockets"}
ALLOWED = (
    "discord/rest/",
    "discord/sandbox/server.py",  # has its sockets from aiohttp too, and opens no connection
    "deside/client/http.py",  # of a person's commands; the server does not use it
    "deside/payments/rpc.py",  # DESIDE_SOLANA_RPC_URL
    "deside/payments/remote.py",  # DESIDE_FACILITATOR_URL
)


def imported(path: Path) -> Iterator[str]:
    """Every module that a file imports while it runs, wherever in it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for_types_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and id(node) not in for_types_only:
            yield node.module or ""


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_nothing_else_can_send_a_request(path: Path) -> None:
    found = {name for name in imported(path) if name in HTTP_CLIENTS or name.split(".")[0] in HTTP_CLIENTS}

    assert not found or path.relative_to(SOURCE).as_posix().startswith(ALLOWED)
