"""Discord's own OpenAPI file as the measure of every request and every answer in the tests."""

from __future__ import annotations

from tests.judge.judge import NO_FILE, Judge
from tests.judge.sandbox import Exchange, JudgedExchanges

__all__ = ["NO_FILE", "Exchange", "Judge", "JudgedExchanges"]
