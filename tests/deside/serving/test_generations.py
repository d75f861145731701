"""Both generations of clients, request by request as they send them, from nothing to a call that succeeds."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.clock import Clock
from tests.deside.oauth.serving import Flow
from tests.deside.served import Service, body_of, served
from tests.deside.serving.tools import TOOLS
from tests.loopback import HELLO, post_of

from accord.deside.identity import Registry, import_agents
from accord.deside.people.registry import find
from accord.deside.wallets import Wallet

ORDERS = [("lazy", "session first"), ("lazy", "sign-in first"), ("strict", "sign-in first")]


def flow_of(service: Service, clock: Clock) -> Flow:
    """Return a client that signs in with a wallet of its own."""
    base = service.url.removesuffix("/mcp")
    return Flow(base, service.http, service.app.store, service.app.state, clock, service.app.bearers)


async def signed_in(service: Service, flow: Flow) -> tuple[Service, dict[str, Any]]:
    """Register, sign in, and return a client with the token, and all that the token endpoint said."""
    assert (await flow.register()).status == 200
    tokens = await flow.sign_in()
    return service.bearing(tokens["access_token"]), tokens


@pytest.mark.parametrize(("mode", "order"), ORDERS)
async def test_from_nothing_to_a_call(tmp_path: Path, mode: str, order: str) -> None:
    clock, url = Clock(), f"sqlite:///{tmp_path / 'deside.db'}"
    async with served(url, toolsets=[TOOLS], clock=clock, DESIDE_SESSION_MODE=mode) as service:
        flow = flow_of(service, clock)
        if order == "session first":
            session = await service.greet()
            client, _ = await signed_in(service, flow)
        else:
            client, _ = await signed_in(service, flow)
            session = await client.greet()
        await client.post(post_of("notifications/initialized", id=None), mcp_session_id=session)
        called = await client.call("look", mcp_session_id=session)

    assert body_of(called) == {"wallet": str(flow.keypair.pubkey()), "client": flow.client_id}


async def test_a_refreshed_token_goes_on_in_the_session_and_a_revoked_one_does_not(tmp_path: Path) -> None:
    clock, url = Clock(), f"sqlite:///{tmp_path / 'deside.db'}"
    async with served(url, toolsets=[TOOLS], clock=clock) as service:
        flow = flow_of(service, clock)
        client, tokens = await signed_in(service, flow)
        session = await client.greet()
        clock.now += 44 * 60
        renewed = (await flow.refresh(tokens["refresh_token"])).json["access_token"]
        clock.now += 2 * 60
        old = await client.call("look", mcp_session_id=session)
        new = await service.bearing(renewed).call("look", mcp_session_id=session)
        await flow.post("/oauth/revoke", {"token": renewed})
        revoked = await service.bearing(renewed).call("look", mcp_session_id=session)

    assert (old.status, new.status, revoked.status) == (401, 200, 401)


async def test_the_challenge_of_a_refusal_leads_to_what_describes_the_sign_in(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'deside.db'}"
    async with served(url, toolsets=[TOOLS], DESIDE_SESSION_MODE="strict") as service:
        refused = await service.post(post_of("initialize", HELLO))
        named = refused.headers["www-authenticate"].split('"')[1]
        resource = await service.send("GET", named.removeprefix(service.url.removesuffix("/mcp")))
        (server,) = resource.json["authorization_servers"]
        described = await service.send("GET", "/.well-known/oauth-authorization-server")

    assert resource.json["resource"] == service.url
    assert (server, described.json["issuer"]) == (service.url.removesuffix("/mcp"),) * 2


async def test_a_wallet_that_signs_in_with_an_agent_in_a_registry_is_recognised_as_an_agents(tmp_path: Path) -> None:
    clock, url = Clock(), f"sqlite:///{tmp_path / 'deside.db'}"
    async with served(url, toolsets=[TOOLS], clock=clock) as service:
        flow = flow_of(service, clock)
        owner = Wallet(str(flow.keypair.pubkey()))
        entry = {"source": "said", "sourceEntryId": "1", "ownerWallet": str(owner), "name": "An agent"}
        await import_agents(Registry(service.app.store, clock), [entry], clock)
        await signed_in(service, flow)
        row = await service.app.store.read(partial(find, wallet=owner))

    assert row is not None
    assert row["role"] == "agent"
