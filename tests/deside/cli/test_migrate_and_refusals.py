"""`deside-mcp migrate`, and what `serve` refuses to start with."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.deside.cli.command import ran

from accord.deside.store import SCHEMA_VERSION

REFUSED = 4


async def test_migrate_makes_the_tables_of_a_new_database_and_is_harmless_twice(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'own' / 'deside.db'}"
    first = await ran("migrate", "--json", home=tmp_path, DESIDE_DATABASE_URL=url)
    second = await ran("migrate", home=tmp_path, DESIDE_DATABASE_URL=url)

    assert (first.code, first.json) == (0, {"schema_version": SCHEMA_VERSION})
    assert (second.code, second.out) == (0, f"The tables are those of version {SCHEMA_VERSION}.\n")


async def test_a_database_of_a_newer_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "deside.db"
    url = f"sqlite:///{path}"
    await ran("migrate", home=tmp_path, DESIDE_DATABASE_URL=url)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE deside_schema SET version = 99")

    for command in (("migrate",), ("serve", "--port", "0")):
        told = await ran(*command, home=tmp_path, DESIDE_DATABASE_URL=url)

        assert (told.code, told.out) == (REFUSED, "")
        assert "DESIDE_DATABASE_URL" in told.err
        assert "schema version 99" in told.err


@pytest.mark.parametrize(
    ("words", "variables", "said"),
    [
        ((), {"DESIDE_MODE": "producton"}, "DESIDE_MODE"),
        ((), {"DESIDE_MODE": "production"}, "DESIDE_PUBLIC_URL"),
        ((), {"DESIDE_SESION_MODE": "strict"}, "DESIDE_SESION_MODE"),
        ((), {"DESIDE_DATABASE_URL": "mysql://somewhere/db"}, "DESIDE_DATABASE_URL"),
        (("--host", "0.0.0.0"), {}, "--allowed-host"),  # noqa: S104 - it is refused
        (("--allowed-host", "https://dm.example.com"), {}, "--allowed-host"),
        (("--host", "192.0.2.1", "--allowed-host", "dm.example.com"), {}, "cannot listen on 192.0.2.1:0"),
    ],
)
async def test_serve_refuses_what_would_be_wrong_and_names_it(
    tmp_path: Path, words: tuple[str, ...], variables: dict[str, str], said: str
) -> None:
    told = await ran("serve", "--port", "0", *words, home=tmp_path, **variables)

    assert (told.code, told.out) == (REFUSED, "")
    assert said in told.err
    assert "Traceback" not in told.err
