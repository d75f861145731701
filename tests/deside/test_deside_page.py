"""docs/deside.md and the README say what is so: every setting, and commands that exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer.main
from typer.core import TyperGroup

from accord.deside.cli.commands import app
from accord.deside.config import document

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "deside.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")

COMMAND = re.compile(r"(?:^ {4,}(?:\S*/)?|`)deside-mcp ([^`\n#|&]+)", re.MULTILINE)
"""A command on a line of its own, or quoted in a sentence."""


def commands() -> list[str]:
    return sorted({line.strip() for line in COMMAND.findall(PAGE + README)})


def test_the_page_has_every_setting_as_it_is() -> None:
    assert PAGE.endswith(f"\n\n{document()}\n"), "run docs/generate/deside.py"


@pytest.mark.parametrize("line", commands())
def test_a_command_that_is_shown_exists_with_its_options(line: str) -> None:
    command, words = typer.main.get_command(app), shlex.split(line)
    while isinstance(command, TyperGroup):
        name, *words = words
        command = command.commands[name]
    context = command.make_context(line, words)

    assert context.args == []


def test_commands_are_shown() -> None:
    assert {line.split()[0] for line in commands()} >= {"serve", "wallet", "login", "send", "read", "watch", "doctor"}
