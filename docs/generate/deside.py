# ruff: noqa: INP001 - a script, no package
"""Write the table of settings at the end of docs/deside.md: `python docs/generate/deside.py`."""

from __future__ import annotations

from pathlib import Path

from accord.deside.config import document

PAGE = Path(__file__).parents[1] / "deside.md"

MARK = "<!-- Written by docs/generate/deside.py from accord/deside/config.py; change that, not the table. -->\n"

if __name__ == "__main__":
    words, mark, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
    PAGE.write_text(f"{words}{mark}\n{document()}\n", encoding="utf-8")
