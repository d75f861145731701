"""Programs of the JavaScript world that tests run: installed once, by their lock file."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

__all__ = ["node_with"]

INSTALL: Final = ("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=0")
INSTALL_SECONDS: Final = 30
"""How long installing may take: less than a test may, so that a missing network skips the test."""
OWN_FAULTS: Final = ("EUSAGE", "EJSONPARSE", "EINTEGRITY")
"""npm's codes for a lock file that does not fit: no reason to skip anything."""


def node_with(folder: Path, what: str) -> str:
    """Return Node, once the packages of the folder's lock file are installed; skip the test where they cannot be."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        pytest.skip(f"{what}: Node is needed, and is not installed")
    lock, installed = folder / "package-lock.json", folder / "node_modules" / ".installed-lock.json"
    with _alone(lock):
        if not installed.exists() or installed.read_bytes() != lock.read_bytes():
            _install(npm, folder, what)
            shutil.copy(lock, installed)
    return node


@contextmanager
def _alone(file: Path) -> Iterator[None]:
    """Let one worker in at a time: npm takes away what is there before it installs, from under whoever uses it."""
    with file.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def _install(npm: str, folder: Path, what: str) -> None:
    try:
        ran = subprocess.run((npm, *INSTALL), cwd=folder, capture_output=True, check=False, timeout=INSTALL_SECONDS)  # noqa: S603 - our own words
    except subprocess.TimeoutExpired:
        pytest.skip(f"{what}: npm did not install it within {INSTALL_SECONDS} seconds")
    said = ran.stderr.decode()
    assert not any(code in said for code in OWN_FAULTS), said
    if ran.returncode != 0:
        pytest.skip(f"{what}: npm cannot install it: {said.partition(chr(10))[0]}")
