"""A judged sandbox for every test, and servers on it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from tests.judge import NO_FILE, Judge, JudgedExchanges
from tests.postgres import databases, in_memory

from accord.discord.sandbox import Sandbox

STATE_HOMES = ("XDG_STATE_HOME", "LOCALAPPDATA")
"""What names the folder for programs' state, on one system or another."""


# How long an example takes says nothing on a machine that others use too; a test's own time limit stays.
settings.register_profile("accord", deadline=None)
settings.load_profile("accord")


@pytest.fixture(scope="session")
def discords_file() -> Judge | None:
    """Discord's own OpenAPI file, or None where it is not to be had."""
    return Judge.load()


@pytest.fixture(scope="session", autouse=True)
def _state_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let no program that a test starts keep its state in the home of whoever runs the tests."""
    folder = str(tmp_path_factory.mktemp("state"))
    with pytest.MonkeyPatch.context() as environment:
        for variable in STATE_HOMES:
            environment.setenv(variable, folder)
        yield


@pytest.fixture
def judged(discords_file: Judge | None) -> JudgedExchanges | None:
    """The judge of this test's exchanges."""
    return JudgedExchanges(discords_file) if discords_file else None


@pytest.fixture
async def sandbox(judged: JudgedExchanges | None) -> AsyncIterator[Sandbox]:
    """A fresh sandbox; a request or an answer that Discord's file forbids fails the test that caused it."""
    async with Sandbox.start(on_exchange=judged) as running:
        yield running
    if judged is not None:
        judged.assert_clean()


@pytest.fixture
def answers_of_the_future(judged: JudgedExchanges | None) -> Iterator[None]:
    """Judge no answer: the test has Discord send what its file does not know yet."""
    with judged.expecting_bad_answers() if judged else nullcontext():
        yield


def pytest_report_header() -> str:
    """Say at the top of every run whether exchanges are judged."""
    return "exchanges with the sandbox are judged by Discord's file" if Judge.load() else f"not judged: {NO_FILE}"


@pytest.fixture(scope="session")
def postgres() -> Iterator[Iterator[str]]:
    """The URLs of new PostgreSQL databases, one after another.

    They lie outside of pytest's own folder: that is closed to the database's user by every other run that starts; and
    in memory where there is room, for on a busy disk a database takes half a minute to make.
    """
    with TemporaryDirectory(prefix="postgres-", dir=in_memory()) as folder, databases(Path(folder)) as urls:
        yield urls
