"""A running sandbox and a bare HTTP client for it; Discord's own file judges every answer where it is at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import aiohttp
import pytest
from tests.discord.sandbox.bare_client import BareClient
from tests.judge import Judge

from accord.discord.sandbox import Exchange, Sandbox

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class JudgedAnswers:
    """Holds the sandbox's successful answers to Discord's file; what a test asks for may well be wrong."""

    def __init__(self, judge: Judge | None) -> None:
        self.violations: list[str] = []
        self._judge = judge

    def __call__(self, exchange: Exchange) -> None:
        if self._judge is not None:
            self.violations += self._judge.answer(
                exchange.method, exchange.path, exchange.status, exchange.response_headers, exchange.response_body
            )


@pytest.fixture(scope="session")
def judge() -> Judge | None:
    return Judge.load()


@pytest.fixture
async def sandbox(judge: Judge | None) -> AsyncIterator[Sandbox]:
    judged = JudgedAnswers(judge)
    async with Sandbox.start(limits=False, on_exchange=judged) as started:
        yield started
    assert judged.violations == []


@pytest.fixture
async def discord(sandbox: Sandbox) -> AsyncIterator[BareClient]:
    async with aiohttp.ClientSession() as session:
        yield BareClient(session, sandbox.base_url, sandbox.token)
