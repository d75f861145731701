from __future__ import annotations

import importlib.util
from pathlib import Path

from accord.discord.sandbox import demo
from accord.discord.sandbox.fault_kinds import KINDS

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "sandbox.md").read_text(encoding="utf-8")


def test_the_page_of_the_sandbox_is_current() -> None:
    spec = importlib.util.spec_from_file_location("sandbox_page", ROOT / "docs" / "generate" / "sandbox.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)

    assert script.document() == PAGE


def test_the_page_tells_of_every_kind_and_of_the_token() -> None:
    assert [kind for kind in KINDS if f"| `{kind}` |" not in PAGE] == []
    assert demo.TOKEN in PAGE
