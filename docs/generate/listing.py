# ruff: noqa: INP001 - a script, no package
"""Write the prepared tools/list entries that the package ships: `python docs/generate/listing.py`."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from accord.discord import TOOLSETS
from accord.engine import catalogue, prepared

LINES = Path(str(files("accord.discord.tools").joinpath("listing.jsonl")))


def document() -> bytes:
    """Return the file: an entry a line, in the order of the toolsets."""
    return prepared(catalogue(TOOLSETS).values())


if __name__ == "__main__":
    LINES.write_bytes(document())
