"""Whose sign-ins are counted when `deside-mcp serve` stands behind a proxy."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import aiohttp
import orjson
import pytest
from tests.deside.cli.command import started
from tests.loopback import HELLO, post_of

from accord.deside.oauth.codes import challenge_of

REDIRECT = "http://127.0.0.1:8123/callback"


@asynccontextmanager
async def served(home: Path, **variables: str) -> AsyncIterator[str]:
    """Serve with one challenge a minute for each address, and return where."""
    async with started("serve", "--port", "0", home=home, OAUTH_CHALLENGES_PER_MIN="1", **variables) as running:
        stderr = running.process.stderr
        assert stderr is not None
        async with asyncio.timeout(30):
            while b'"ready"' not in (line := await stderr.readline()):
                assert line, "it ended before it was ready"
        yield f"http://127.0.0.1:{orjson.loads(line)['port']}"


async def signs_in_from(base: str, *forwarded: str) -> list[bool]:
    """Return for each X-Forwarded-For whether a sign-in may begin."""
    async with aiohttp.ClientSession(base) as http:
        metadata = {"client_name": "A test", "redirect_uris": [REDIRECT]}
        async with http.post("/oauth/register", json=metadata) as answer:
            client_id = (await answer.json())["client_id"]
        asked = {
            "client_id": client_id,
            "redirect_uri": REDIRECT,
            "response_type": "code",
            "code_challenge": str(challenge_of("v" * 43)),
            "code_challenge_method": "S256",
        }
        began = []
        for address in forwarded:
            headers = {"x-forwarded-for": address}
            async with http.get("/oauth/authorize", params=asked, headers=headers, allow_redirects=False) as answer:
                began.append("error" not in parse_qs(urlsplit(answer.headers["location"]).query))
        return began


@pytest.mark.parametrize(
    ("variables", "began"),
    [
        ({}, [True, False, False]),
        ({"DESIDE_TRUSTED_PROXIES": "192.0.2.0/24"}, [True, False, False]),
        # What a client puts before the address that the proxy saw is not believed.
        ({"DESIDE_TRUSTED_PROXIES": "127.0.0.1"}, [True, True, False]),
    ],
    ids=["no proxy is trusted", "another is trusted", "this one is trusted"],
)
async def test_only_a_trusted_proxy_says_who_signs_in(
    tmp_path: Path, variables: dict[str, str], began: list[bool]
) -> None:
    async with served(tmp_path, **variables) as base:
        assert await signs_in_from(base, "198.51.100.1", "198.51.100.2", "203.0.113.9, 198.51.100.2") == began


async def test_sessions_of_strangers_are_counted_for_the_address_that_a_trusted_proxy_names(tmp_path: Path) -> None:
    async with (
        served(tmp_path, DESIDE_TRUSTED_PROXIES="127.0.0.1", DESIDE_ANONYMOUS_SESSIONS_PER_MIN="1") as base,
        aiohttp.ClientSession(base) as http,
    ):
        statuses = []
        for address in ("198.51.100.1", "198.51.100.2", "203.0.113.9, 198.51.100.2"):
            hello = post_of("initialize", HELLO)
            async with http.post("/mcp", json=hello, headers={"x-forwarded-for": address}) as answer:
                statuses.append(answer.status)

    assert statuses == [200, 200, 429]
