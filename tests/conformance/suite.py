"""The protocol's own conformance suite: installed by its lock file, run against a server, its verdicts read."""

from __future__ import annotations

import asyncio
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson
from tests.npm import node_with

__all__ = ["Check", "Suite"]

FOLDER: Final = Path(__file__).parent
PROGRAM: Final = (
    "--import",
    "./glob_before_node_22.mjs",
    "node_modules/@modelcontextprotocol/conformance/dist/index.js",
)

RUN_SECONDS: Final = 25
"""How long all scenarios of a revision may take: about five times of what they do."""
FOLDER_OF_RESULTS: Final = re.compile(r"server-(?P<scenario>.+)-\d{4}-\d\d-\d\dT[\d-]+Z")
UNMET: Final = frozenset({"FAILURE", "WARNING", "SKIPPED"})


@dataclass(frozen=True)
class Check:
    """One verdict of one scenario; `str` is the name that the suite's own lists of expected failures use."""

    scenario: str
    id: str
    status: str

    def __str__(self) -> str:
        return f"{self.scenario}:{self.id}"

    @property
    def unmet(self) -> bool:
        """Whether something that the protocol demands or recommends was not seen."""
        return self.status in UNMET


@dataclass(frozen=True)
class Suite:
    """The installed suite."""

    node: str

    @classmethod
    def installed(cls) -> Suite:
        """Install it where that was not done yet; the test is skipped where it cannot be."""
        return cls(node_with(FOLDER, "the conformance suite"))

    async def run(self, url: str, revision: str, results: Path) -> list[Check]:
        """Run every scenario of a revision of the protocol against the server at this URL."""
        arguments = ("server", "--url", url, "--requirements", revision, "--output-dir", str(results))
        process = await asyncio.create_subprocess_exec(
            self.node, *PROGRAM, *arguments, cwd=FOLDER, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        try:
            async with asyncio.timeout(RUN_SECONDS):
                said, _ = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        checks = _checks(results)
        assert checks, said.decode()
        return checks


def _checks(results: Path) -> list[Check]:
    """Return what all scenarios found, each in a folder of its own."""
    return [check for folder in results.iterdir() for check in _found(folder)]


def _found(folder: Path) -> list[Check]:
    named = FOLDER_OF_RESULTS.fullmatch(folder.name)
    assert named is not None, folder.name
    found: list[dict[str, Any]] = orjson.loads((folder / "checks.json").read_bytes())
    return [Check(named["scenario"], check["id"], check["status"]) for check in found]
