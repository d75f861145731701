"""docs/deside.md, docs/payments.md and the README say what is so: settings, commands, codes and states that exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer.main
from typer.core import TyperGroup

from accord.deside.cli.commands import app
from accord.deside.config import Config, document
from accord.deside.payments.ledger import STEPS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "deside.md").read_text(encoding="utf-8")
PAYMENTS = (ROOT / "docs" / "payments.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")

COMMAND = re.compile(r"(?:^ {4,}(?:\S*/)?|`)deside-mcp ([^`\n#|&]+)", re.MULTILINE)
"""A command on a line of its own, or quoted in a sentence."""


COMPLETION_CODES = {
    "BUDGET_EXCEEDED",
    "CONFLICT",
    "INPUT_TOO_LARGE",
    "INVALID_INPUT",
    "MODEL_UNAVAILABLE",
    "PAYMENT_FAILED",
    "PAYMENT_INVALID",
    "PAYMENT_REQUIRED",
    "PROVIDER_ERROR",
    "PROVIDER_TIMEOUT",
    "RATE_LIMITED",
}
"""What llm_complete can fail with, beside what every tool can."""


def commands() -> list[str]:
    return sorted({line.strip() for line in COMMAND.findall(PAGE + PAYMENTS + README)})


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


def test_the_page_of_payments_has_every_state_and_every_code_of_completions() -> None:
    states = set(re.findall(r"^\| ([a-z]+) \|", PAYMENTS, re.MULTILINE))
    codes = set(re.findall(r"`([A-Z_]+)`", PAYMENTS))

    assert {step.target for step in STEPS.values()} | {"quoted"} <= states
    assert codes >= COMPLETION_CODES


def test_every_setting_that_the_page_of_payments_names_exists() -> None:
    named = set(re.findall(r"\b(?:DESIDE|LLM)_[A-Z_]*[A-Z]\b", PAYMENTS))

    assert len(named) > 5
    assert named <= set(Config.model_fields)
