"""What the server says of itself, where it says it is, and which pages may read it."""

from __future__ import annotations

import pytest
from tests.clock import Clock
from tests.deside.oauth.serving import Flow, served

from accord.deside.oauth import metadata_url
from accord.engine import Database

ORIGIN = "https://inspector.example"
SCOPES = ["dm:read", "dm:write", "llm:invoke", "webhook:manage"]

SHARED = [
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
    "/oauth/register",
    "/oauth/token",
    "/oauth/revoke",
]


async def test_the_authorization_server_describes_itself(client: Flow) -> None:
    answer = await client.get("/.well-known/oauth-authorization-server")

    assert answer.status == 200
    assert answer.json == {
        "issuer": client.base,
        "authorization_endpoint": f"{client.base}/oauth/authorize",
        "token_endpoint": f"{client.base}/oauth/token",
        "registration_endpoint": f"{client.base}/oauth/register",
        "revocation_endpoint": f"{client.base}/oauth/revoke",
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"],
        "scopes_supported": SCOPES,
        "authorization_response_iss_parameter_supported": True,
    }


@pytest.mark.parametrize("path", ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"])
async def test_the_resource_is_described_at_both_places(client: Flow, path: str) -> None:
    answer = await client.get(path)

    assert answer.json == {
        "resource": f"{client.base}/mcp",
        "authorization_servers": [client.base],
        "scopes_supported": SCOPES,
        "bearer_methods_supported": ["header"],
        "resource_name": "deside-dm",
        "resource_documentation": f"{client.base}/oauth/documentation",
    }


async def test_what_a_401_names_is_there(client: Flow) -> None:
    assert (await client.get(metadata_url(client.base))).json["resource"] == f"{client.base}/mcp"


async def test_the_documentation_is_there(client: Flow) -> None:
    answer = await client.get("/oauth/documentation")

    assert answer.status == 200
    assert "Domain: {domain}" in answer.body.decode()


async def test_a_public_url_is_what_all_links_lead_to(small_store: Database, clock: Clock) -> None:
    async with served(small_store, clock, DESIDE_PUBLIC_URL="https://dm.example") as flow:
        await flow.register()
        issuer = (await flow.get("/.well-known/oauth-authorization-server", host="anything.example")).json["issuer"]
        link = (await flow.authorize()).location
        assert link.startswith("https://dm.example/oauth/wallet-challenge?")
        challenge = (await flow.get(link.removeprefix("https://dm.example"))).json
        answered = await flow.answer(challenge)

    assert issuer == "https://dm.example"
    assert challenge["domain"] == "dm.example"
    assert answered.query["iss"] == "https://dm.example"


async def test_without_a_public_url_no_other_host_is_answered(client: Flow) -> None:
    for path in ("/.well-known/oauth-authorization-server", "/oauth/authorize", "/oauth/wallet-challenge?state=x"):
        assert (await client.get(path, host="evil.example")).error == (400, "invalid_request")


async def test_the_domain_of_a_challenge_is_that_of_the_link(client: Flow) -> None:
    challenge = await client.challenge()

    assert f"http://{challenge['domain']}" == client.base


@pytest.mark.parametrize("path", SHARED)
async def test_clients_in_browsers_read_metadata_registration_and_tokens(client: Flow, path: str) -> None:
    method = "GET" if "well-known" in path else "POST"
    asking = {"origin": ORIGIN, "access-control-request-method": method}

    preflight = await client.send("OPTIONS", path, headers=asking)
    answer = await client.send(method, path, headers={"origin": ORIGIN})

    assert preflight.status == 204
    assert "mcp-protocol-version" in preflight.headers["access-control-allow-headers"]
    for one in (preflight, answer):
        assert one.headers["access-control-allow-origin"] == "*"
        assert "access-control-allow-credentials" not in one.headers


@pytest.mark.parametrize("path", ["/oauth/authorize", "/oauth/wallet-challenge"])
async def test_no_page_reads_what_a_person_does(client: Flow, path: str) -> None:
    preflight = await client.send("OPTIONS", path, headers={"origin": ORIGIN})
    answer = await client.get(path, origin=ORIGIN)

    assert preflight.status == 405
    for one in (preflight, answer):
        assert "access-control-allow-origin" not in one.headers
