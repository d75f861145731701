"""`deside-mcp agents import`: a file's agents are in the directory, or nothing is changed."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest
from tests.deside.cli.command import ran
from tests.deside.wallets import wallet

from accord.deside.cli.agents import import_file
from accord.deside.identity import Identities
from accord.engine import Database
from accord.terminal.exits import Exit

ANN = str(wallet(1))
ENTRY = {"source": "sati", "sourceEntryId": "7", "ownerWallet": ANN, "name": "Bot"}


@pytest.fixture(autouse=True)
def _environment(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESIDE_DATABASE_URL", database_url)


def fill(file: Path, *entries: object) -> None:
    file.write_bytes(orjson.dumps(entries))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "agents.json"


async def names(store: Database) -> list[str]:
    listed = await Identities(store, domain="x").search(name=None, wallet=None, limit=50, offset=0)
    return [agent["name"] for agent in listed["agents"]]


async def test_agents_of_a_file_are_in_the_directory_of_a_server_that_runs(
    store: Database, file: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    fill(file, ENTRY, {**ENTRY, "sourceEntryId": "8", "published": False})

    assert await import_file(file, as_json=True) is Exit.DONE

    assert orjson.loads(capfd.readouterr().out) == {"shown": 1, "hidden": 1}
    assert await names(store) == ["Bot"]


async def test_the_command_imports(store: Database, database_url: str, file: Path, tmp_path: Path) -> None:
    fill(file, ENTRY)

    done = await ran("agents", "import", str(file), home=tmp_path, DESIDE_DATABASE_URL=database_url)

    assert (done.code, done.out, done.err) == (0, "", "1 agents are shown, 0 are hidden\n")
    assert await names(store) == ["Bot"]


async def test_a_file_with_something_wrong_changes_nothing_and_it_is_said_what(
    store: Database, file: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    fill(file, ENTRY, {**ENTRY, "sourceEntryId": "8", "source": "other"})

    assert await import_file(file, as_json=False) is Exit.FAILED

    assert capfd.readouterr() == (
        "",
        "[1].source: must be one of mip14, 8004solana, sati, said, sap\nnothing was changed\n",
    )
    assert await import_file(file, as_json=True) is Exit.FAILED
    assert orjson.loads(capfd.readouterr().out)["issues"][0]["path"] == "[1].source"
    assert await names(store) == []


@pytest.fixture(params=[None, b"", b"{"])
def bad_file(request: pytest.FixtureRequest, file: Path) -> Path:
    """A file that is not there, or is no JSON."""
    if request.param is not None:
        file.write_bytes(request.param)
    return file


async def test_what_cannot_be_read_fails(bad_file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert await import_file(bad_file, as_json=False) is Exit.FAILED

    assert capfd.readouterr().err.startswith(f"{bad_file}: ")


async def test_a_database_that_cannot_be_used_refuses(
    file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    fill(file)
    monkeypatch.setenv("DESIDE_DATABASE_URL", f"sqlite:///{tmp_path}")

    assert await import_file(file, as_json=False) is Exit.REFUSED

    assert "DESIDE_DATABASE_URL" in capfd.readouterr().err
