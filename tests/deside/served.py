"""The wallet service on a loopback port, and wallets that are signed in there."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import aiohttp
from tests.loopback import Answer, Plain, on_loopback, post_of

from accord.deside.app import App, build
from accord.deside.config import load_config
from accord.deside.oauth.codes import Grant, Presented, challenge_of, exchange, write_code
from accord.deside.people import register
from accord.deside.tools import TOOLSETS
from accord.deside.wallets import Wallet
from accord.engine import Hosts, Tool

__all__ = ["EVERY_SCOPE", "Service", "body_of", "served"]

Json: TypeAlias = Any

EVERY_SCOPE = "dm:read dm:write llm:invoke webhook:manage"

VERIFIER = "v" * 43
REDIRECT = "http://127.0.0.1/callback"


@dataclass(frozen=True)
class Service(Plain):
    """A client of a service that runs; without a token until it signs in."""

    app: App
    clock: Callable[[], float]

    async def token(self, wallet: Wallet, scope: str = "dm:read dm:write", *, client: str = "client") -> str:
        """Return an access token for a wallet, which is registered by that, as a sign-in would end."""
        now_ms = int(self.clock() * 1000)
        challenge = challenge_of(VERIFIER)
        assert challenge is not None
        grant = Grant(client_id=client, redirect_uri=REDIRECT, scope=scope, code_challenge=challenge)
        await self.app.store.write(partial(register, wallet=wallet, at_ms=now_ms))
        code = await self.app.store.write(partial(write_code, grant=grant, wallet=wallet, now_ms=now_ms))
        presented = Presented(code=code, client_id=client, redirect_uri=REDIRECT, code_verifier=VERIFIER)
        lifetime_ms = self.app.config.OAUTH_ACCESS_TOKEN_TTL_MS
        issued = await self.app.store.write(
            partial(exchange, presented=presented, now_ms=now_ms, access_ms=lifetime_ms)
        )
        assert issued is not None
        return issued.access_token.reveal()

    async def signed_in(self, wallet: Wallet, scope: str = "dm:read dm:write", *, client: str = "client") -> Service:
        """Return a client that acts for a wallet."""
        return self.bearing(await self.token(wallet, scope, client=client))

    def bearing(self, token: str | None) -> Service:
        """Return a client with another token, or with none."""
        return replace(self, authorization=None if token is None else f"Bearer {token}")

    async def listed(self, session: str) -> Answer:
        """List the tools."""
        return await self.post(post_of("tools/list"), mcp_session_id=session)


def body_of(answer: Answer) -> Json:
    """Return what a tool answered, in a result of HTTP 200."""
    assert answer.status == 200, answer.body
    return answer.json["result"]["structuredContent"]


@asynccontextmanager
async def served(
    database_url: str,
    *,
    toolsets: Iterable[Iterable[Tool]] = TOOLSETS,
    clock: Callable[[], float] = time.time,
    env: Mapping[str, str] | None = None,
    **variables: str,
) -> AsyncIterator[Service]:
    """Serve on a free port until the block ends; `env` and further variables are the environment's."""
    config = load_config({"DESIDE_DATABASE_URL": database_url, **(env or {}), **variables})
    async with (
        build(config, toolsets=toolsets, clock=clock) as app,
        on_loopback(app.http(Hosts.of("127.0.0.1"))) as (_, port),
        aiohttp.ClientSession() as http,
    ):
        yield Service(port, http, None, app, clock)
