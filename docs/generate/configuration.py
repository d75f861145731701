# ruff: noqa: INP001 - a script, no package
"""Write the page of all environment variables: `python docs/generate/configuration.py`."""

from __future__ import annotations

from pathlib import Path

from accord.discord.config import document

PAGE = Path(__file__).parents[1] / "configuration.md"

if __name__ == "__main__":
    PAGE.write_text(document())
