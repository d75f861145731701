"""What is said of every tool: in its manual, on its page, and by an example that was really carried out."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.discord.tools.usual_calls import REFUSED, TOOLS

from accord.discord.app import own_tools
from accord.discord.manual import manual_of, shipped_examples

if TYPE_CHECKING:
    from types import ModuleType

    from accord.engine import Tool

ROOT = Path(__file__).parents[2]

each_tool = pytest.mark.parametrize("tool", own_tools().values(), ids=lambda tool: tool.name)


def pages() -> ModuleType:
    """The script that writes the pages."""
    spec = importlib.util.spec_from_file_location("tool_pages", ROOT / "docs" / "generate" / "tools.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_are_current() -> None:
    folder = ROOT / "docs" / "tools"

    written = {file.name: file.read_text(encoding="utf-8") for file in folder.glob("*.md")}

    assert written == pages().documents(), "run `make docs`"


def test_every_tool_ships_an_example_that_succeeded_and_one_that_failed() -> None:
    assert list(shipped_examples()) == list(TOOLS), "run `make docs`"
    assert {name: one.code for name, one in shipped_examples().items()} == {name: REFUSED[name].code for name in TOOLS}


@each_tool
def test_an_example_fits_its_tool(tool: Tool) -> None:
    example = shipped_examples()[tool.name]
    given = {name: value for name, value in example.arguments.items() if not name.startswith("__")}

    assert tool.shape.check(given, {}).keys() >= given.keys()
    assert tool.shape.output is not None
    assert example.answer.keys() <= tool.shape.output["properties"].keys()


@each_tool
def test_a_manual_tells_how_a_tool_fails_and_where_its_guild_is(tool: Tool) -> None:
    manual = manual_of(tool)

    assert "guild" in dict(manual.needs)
    assert manual.errors
    assert ("DRY_RUN_PREVIEW" in dict(manual.errors)) == (tool.confirms or tool.condition is not None)


@each_tool
def test_no_secret_argument_goes_unsaid(tool: Tool) -> None:
    said = dict(manual_of(tool).needs).get("secret arguments", "")

    assert all(f"`{name}`" in said for name in tool.shape.slots if name.endswith("token"))
