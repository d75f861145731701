"""The authorization server on a free port, and a client that walks through its steps over HTTP."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from urllib.parse import parse_qs, urlsplit

import aiohttp
import orjson
import uvicorn
from solders.keypair import Keypair
from starlette.applications import Starlette
from tests.clock import Clock

from accord.deside.config import load_config
from accord.deside.oauth import Bearers, routes
from accord.deside.oauth.codes import challenge_of
from accord.engine import Database, State
from accord.engine.state.memory import MemoryState

__all__ = ["REDIRECT", "STATE", "VERIFIER", "Answer", "Flow", "Json", "served", "signed"]

Json: TypeAlias = Any

REDIRECT = "http://127.0.0.1:8123/callback"
STATE = "a-state-of-the-client"
VERIFIER = "v" * 43

USUAL = {
    "OAUTH_SIGN_INS_PER_5_MIN": "0",
    "OAUTH_CHALLENGES_PER_MIN": "0",
    "OAUTH_REGISTRATIONS_PER_5_MIN": "0",
    "DESIDE_LLM_FREE_BASE_URL": "http://127.0.0.1:9/v1",
    "DESIDE_LLM_FREE_MODEL": "none",
}
"""The environment of a server."""


@dataclass(frozen=True)
class Answer:
    """What came back: JSON where it is JSON, and the query of where a redirect leads."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Json:
        return orjson.loads(self.body)

    @property
    def location(self) -> str:
        return self.headers["location"]

    @property
    def query(self) -> dict[str, str]:
        """The query of the location, each parameter of which is there once."""
        pairs = parse_qs(urlsplit(self.location).query, strict_parsing=True)
        assert all(len(values) == 1 for values in pairs.values())
        return {name: values[0] for name, values in pairs.items()}

    @property
    def error(self) -> tuple[int, str]:
        """The status, and the name of what is refused in the body or in the location."""
        return self.status, self.query["error"] if self.status == 302 else self.json["error"]


def signed(keypair: Keypair, challenge: Json, **other: str) -> dict[str, str]:
    """Return what a wallet posts for a challenge, or something else in a field of it."""
    message = f"Domain: {challenge['domain']}\nNonce: {challenge['nonce']}"
    own = {
        "wallet": str(keypair.pubkey()),
        "signature": str(keypair.sign_message(message.encode())),
        "message": message,
        "state": challenge["state"],
    }
    return {**own, **other}


@dataclass
class Flow:
    """A client of the server; each step takes other values for what it would say."""

    base: str
    http: aiohttp.ClientSession
    store: Database
    state: State
    clock: Clock
    bearers: Bearers
    client_id: str = ""
    keypair: Keypair = field(default_factory=Keypair)

    async def get(self, path: str, query: Mapping[str, str] | None = None, **headers: str) -> Answer:
        return await self._send("GET", path, params=query, headers=headers)

    async def post(self, path: str, body: Json, *, form: bool = False, **headers: str) -> Answer:
        return await self._send("POST", path, headers=headers, **({"data": body} if form else {"json": body}))

    async def send(self, method: str, path: str, **options: Any) -> Answer:
        return await self._send(method, path, **options)

    async def register(self, **other: Json) -> Answer:
        """Register, and be that client from now on if it worked."""
        metadata = {"client_name": "A test", "redirect_uris": [REDIRECT], **other}
        answer = await self.post("/oauth/register", {name: one for name, one in metadata.items() if one is not None})
        if answer.status == 200:
            self.client_id = answer.json["client_id"]
        return answer

    async def authorize(self, **other: str | None) -> Answer:
        challenge = challenge_of(VERIFIER)
        own: dict[str, str | None] = {
            "client_id": self.client_id,
            "redirect_uri": REDIRECT,
            "response_type": "code",
            "code_challenge": challenge,
            "code_challenge_method": "S256",
            "state": STATE,
            **other,
        }
        return await self.get("/oauth/authorize", {name: one for name, one in own.items() if one is not None})

    async def challenge(self, **other: str | None) -> Json:
        """Authorize and follow the link to the challenge."""
        answer = await self.get((await self.authorize(**other)).location)
        assert answer.status == 200
        return answer.json

    async def answer(self, challenge: Json, *, form: bool = False, **other: str) -> Answer:
        return await self.post("/oauth/wallet-challenge", signed(self.keypair, challenge, **other), form=form)

    async def code(self, **other: str | None) -> str:
        """Walk from authorize to a code."""
        answer = await self.answer(await self.challenge(**other))
        assert answer.status == 302
        return answer.query["code"]

    async def exchange(self, code: str, *, form: bool = False, **other: str | None) -> Answer:
        own: dict[str, str | None] = {
            "grant_type": "authorization_code",
            "code": code,
            "client_id": self.client_id,
            "redirect_uri": REDIRECT,
            "code_verifier": VERIFIER,
            **other,
        }
        return await self.post("/oauth/token", {name: one for name, one in own.items() if one is not None}, form=form)

    async def refresh(self, token: str, *, form: bool = False, **other: str) -> Answer:
        own = {"grant_type": "refresh_token", "refresh_token": token, "client_id": self.client_id, **other}
        return await self.post("/oauth/token", own, form=form)

    async def sign_in(self, **other: str | None) -> Json:
        """Walk from authorize to tokens."""
        answer = await self.exchange(await self.code(**other))
        assert answer.status == 200
        return answer.json

    async def _send(self, method: str, path: str, **options: Any) -> Answer:
        url = path if path.startswith("http") else f"{self.base}{path}"
        async with self.http.request(method, url, allow_redirects=False, **options) as answer:
            return Answer(answer.status, answer.headers, await answer.read())


@asynccontextmanager
async def served(store: Database, clock: Clock, **env: str) -> AsyncIterator[Flow]:
    """Serve on a free loopback port until the block ends.

    Limits are off where the environment sets none, and there is a provider of completions, so that all scopes are
    offered; nothing here asks it.
    """
    config, state, bearers = load_config({**USUAL, **env}), MemoryState(clock=clock), Bearers(store, clock)
    app = Starlette(routes=routes(config, store, state, bearers, clock))
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # or an answer's second half is late
    settings = uvicorn.Config(app, log_config=None, access_log=False, ws="none", lifespan="off")
    settings.load()
    server = uvicorn.Server(settings)
    server.lifespan = settings.lifespan_class(settings)
    await server.startup([listener])
    base = f"http://127.0.0.1:{listener.getsockname()[1]}"
    async with aiohttp.ClientSession() as http:
        try:
            yield Flow(base, http, store, state, clock, bearers)
        finally:
            await http.close()
            for one in server.servers:
                one.close()
            if tasks := server.server_state.tasks:
                await asyncio.wait(tasks, timeout=5)
            await state.close()
