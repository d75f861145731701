"""The engine's front door: what it lists is there, and looking at one thing does not load the others."""

from __future__ import annotations

import subprocess
import sys

import pytest

import accord.engine

HEAVY = ("mcp", "aiohttp", "sqlalchemy", "pydantic", "starlette", "uvicorn", "jsonschema_rs", "typer", "accord.discord")


def loaded_by(statement: str) -> set[str]:
    """Return which heavy modules a fresh interpreter has after a statement."""
    program = f"import sys; {statement}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)  # noqa: S603 - our own words
    return set(run.stdout.split()) & set(HEAVY)


LISTED: list[str] = vars(accord.engine)["__all__"]


@pytest.mark.parametrize("name", LISTED)
def test_what_the_front_door_lists_is_there(name: str) -> None:
    assert getattr(accord.engine, name) is not None


def test_the_front_door_lists_each_name_once_and_shows_all_of_them() -> None:
    assert len(set(LISTED)) == len(LISTED)
    assert set(LISTED) <= set(dir(accord.engine))


def test_what_is_not_listed_is_not_there() -> None:
    with pytest.raises(AttributeError):
        _ = accord.engine.Manager  # type: ignore[attr-defined]  # the very thing under test


LIGHT = [
    "import accord.engine",
    "from accord.engine import ToolError, ValidationError, rows",
    "from accord.engine import Tool, Call, Caller, Reply, Effect, Gate",
    "from accord.engine import Secret, Field, Shaped, Credential, Untrusted",
    "from accord.engine import Toolset, Shape, fenced",
    "from accord.engine import trace, validate, confirm, audit",
    "from accord.engine import Calls",
]


@pytest.mark.parametrize("statement", LIGHT)
def test_what_products_declare_with_loads_nothing_heavy(statement: str) -> None:
    assert loaded_by(statement) == set()


def test_serving_loads_no_database_and_no_http_client() -> None:
    loaded = loaded_by("from accord.engine import serve, run_stdio, open_state; open_state(None)")

    assert {"sqlalchemy", "aiohttp", "typer"}.isdisjoint(loaded)
