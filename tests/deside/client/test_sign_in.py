"""Signing in at a service that lies: the wallet signs nothing but a sign-in to the service that it talks to."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.deside.client.service import Service, serving

from accord.deside.client import (
    Client,
    GrantFile,
    GrantInMemory,
    GrantStore,
    LocalWallet,
    NotSignedInError,
    RefusedError,
    UnreachableError,
    UntrustworthyError,
)
from accord.deside.wallets import Wallet

WALLET = LocalWallet.new()


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    async with serving() as running:
        yield running


async def signed_in(service: Service, kept: GrantStore | None = None) -> None:
    async with Client.connect(service.url, WALLET, kept) as client:
        await client.sign_in()


async def test_a_sign_in_takes_each_step_once_and_proves_that_the_code_is_its_own(service: Service) -> None:
    await signed_in(service)

    assert service.words[2:] == [
        "GET oauth-authorization-server",
        "POST register",
        "GET authorize",
        "GET wallet-challenge",
        "POST wallet-challenge",
        "POST token",
    ]
    (asked,), (signed,), (code,) = (
        service.asked_of(word) for word in ("GET authorize", "POST wallet-challenge", "POST token")
    )
    digest = hashlib.sha256(code["code_verifier"].encode()).digest()
    assert base64.urlsafe_b64encode(digest).decode().rstrip("=") == asked["code_challenge"]
    assert (code["code"], code["redirect_uri"]) == ("a-code", asked["redirect_uri"])
    assert asked["resource"] == code["resource"] == f"{service.url}/mcp"
    assert signed["message"] == f"Domain: {service.url.removeprefix('http://')}\nNonce: n-1"
    assert Wallet.parse(signed["wallet"]).signed(signed["message"], signed["signature"])
    assert signed["state"] == "the-state"


@pytest.mark.parametrize(
    ("word", "change", "reason"),
    [
        ("wallet-challenge", {"domain": "bank.example"}, "asks to sign in to 'bank.example': not signed"),
        ("wallet-challenge", {"domain": None}, "not signed"),
        ("wallet-challenge", {"message_format": "I give {domain} all that I have {nonce}"}, "another form: not signed"),
        ("wallet-challenge", {"nonce": "1\nand also: all that I have"}, "a nonce that is none: not signed"),
        ("authorize", {"location": "https://elsewhere.example/challenge"}, "leads away to https://elsewhere.example"),
        ("mcp", {"resource": "https://elsewhere.example/mcp"}, "describes another resource"),
        ("mcp", {"authorization_servers": ["http://elsewhere.example"]}, "use https"),
        (
            "mcp",
            {"authorization_servers": ["https://elsewhere.example"]},
            "sends sign-ins to https://elsewhere.example",
        ),
        ("oauth-authorization-server", {"issuer": "https://elsewhere.example"}, "another authorization server"),
        ("oauth-authorization-server", {"code_challenge_methods_supported": ["plain"]}, "does not take PKCE"),
        ("oauth-authorization-server", {"token_endpoint": "http://elsewhere.example/token"}, "use https"),
    ],
)
async def test_nothing_is_signed_for_a_service_that_is_not_what_it_says(
    service: Service, word: str, change: dict[str, Any], reason: str
) -> None:
    service.changes[word] = change

    with pytest.raises(UntrustworthyError, match=reason):
        await signed_in(service)

    assert service.asked_of("POST wallet-challenge") == []


async def test_a_service_gets_no_token_that_is_good_at_another_one(service: Service) -> None:
    async with serving() as evil:
        evil.changes["mcp"] = {"authorization_servers": [service.url]}

        with pytest.raises(UntrustworthyError, match=f"sends sign-ins to {service.url}, and not to {evil.url}"):
            await signed_in(evil)

    assert service.asked == []


async def test_nothing_is_signed_for_another_port_of_the_same_host(service: Service) -> None:
    service.changes["wallet-challenge"] = {"domain": "127.0.0.1"}

    with pytest.raises(UntrustworthyError, match=r"asks to sign in to '127\.0\.0\.1': not signed"):
        await signed_in(service)


async def test_a_service_may_have_its_sign_ins_elsewhere_where_that_is_asked_for(service: Service) -> None:
    async with serving() as signing:
        service.changes["mcp"] = {"authorization_servers": [signing.url]}

        async with Client.connect(service.url, WALLET, issuer_at=signing.url) as client:
            await client.sign_in()

    (asked,) = signing.asked_of("GET authorize")
    assert asked["resource"] == f"{service.url}/mcp"


@pytest.mark.parametrize("change", [{"state": "another"}, {"to": "https://elsewhere.example/"}, {"iss": "x"}])
async def test_a_code_that_comes_back_for_another_sign_in_is_not_used(service: Service, change: dict[str, str]) -> None:
    service.changes["returned"] = change

    with pytest.raises(UntrustworthyError, match="came back to another place, or for another sign-in"):
        await signed_in(service)

    assert service.asked_of("POST token") == []


async def test_an_error_that_comes_back_instead_of_a_code_is_told(service: Service) -> None:
    service.changes["returned"] = {"error": "temporarily_unavailable", "error_description": "too%20many"}

    with pytest.raises(RefusedError, match=r"temporarily_unavailable \(302\): too many"):
        await signed_in(service)


@pytest.mark.parametrize("url", ["http://deside.example", "ftp://127.0.0.1", "127.0.0.1:3100", "http://a:b@127.0.0.1"])
async def test_tokens_go_over_https_or_stay_on_this_machine(url: str) -> None:
    with pytest.raises(UntrustworthyError):
        async with Client.connect(url, WALLET):
            pass


async def test_a_service_that_is_not_there_is_said_to_be_unreachable(service: Service) -> None:
    async with Client.connect("http://127.0.0.1:9", WALLET) as client:
        with pytest.raises(UnreachableError, match=r"http://127\.0\.0\.1:9 cannot be reached: .*refused"):
            await client.sign_in()


async def test_without_a_sign_in_nothing_is_sent(service: Service) -> None:
    async with Client.connect(service.url, WALLET) as client:
        with pytest.raises(NotSignedInError):
            await client.call("get_my_identity")

    assert service.asked == []


async def test_a_token_that_is_over_is_renewed_once_by_all_who_need_it(service: Service, tmp_path: Path) -> None:
    kept = GrantFile.of(tmp_path, service.url, WALLET.address)
    service.changes["token"] = {"expires_in": 0}
    await signed_in(service, kept)
    del service.changes["token"]

    async def token() -> str:
        async with Client.connect(service.url, WALLET, kept) as client:
            return (await client.access.token()).reveal()

    tokens = await asyncio.gather(*(token() for _ in range(8)))

    assert set(tokens) == {"access-2"}
    grants = [(asked["grant_type"], asked.get("refresh_token")) for asked in service.asked_of("POST token")]
    assert grants == [("authorization_code", None), ("refresh_token", "refresh-1")]


async def test_where_a_refresh_token_is_over_the_wallet_signs_in_again_as_the_same_client(service: Service) -> None:
    kept = GrantInMemory()
    await signed_in(service, kept)

    async with Client.connect(service.url, WALLET, kept) as client:
        refused = await client.access.token()
        service.refusals["token"] = (400, {"error": "invalid_grant"})
        with pytest.raises(RefusedError, match="invalid_grant"):
            await client.access.token(refused=refused)

    assert [asked["grant_type"] for asked in service.asked_of("POST token")] == [
        "authorization_code",
        "refresh_token",
        "authorization_code",
    ]
    assert len(service.asked_of("POST register")) == 1


async def test_a_service_that_fails_while_renewing_is_not_signed_in_to_again(service: Service) -> None:
    kept = GrantInMemory()
    await signed_in(service, kept)

    async with Client.connect(service.url, WALLET, kept) as client:
        refused = await client.access.token()
        service.refusals["token"] = (500, {"error": "server_error"})
        with pytest.raises(RefusedError, match="server_error"):
            await client.access.token(refused=refused)

    assert kept.read() is not None
    assert len(service.asked_of("POST wallet-challenge")) == 1


async def test_signing_out_takes_back_both_tokens_and_forgets_them(service: Service, tmp_path: Path) -> None:
    kept = GrantFile.of(tmp_path, service.url, WALLET.address)
    await signed_in(service, kept)

    async with Client.connect(service.url, WALLET, kept) as client:
        await client.access.sign_out()

    assert [asked["token"] for asked in service.asked_of("POST revoke")] == ["refresh-1", "access-1"]
    assert kept.read() is None


async def test_what_is_kept_can_be_read_by_its_owner_alone_and_says_nothing_in_logs(
    service: Service, tmp_path: Path
) -> None:
    kept = GrantFile.of(tmp_path / "grants", service.url, WALLET.address)
    await signed_in(service, kept)

    assert oct(kept.path.stat().st_mode & 0o777) == "0o600"
    assert b"access-1" in kept.path.read_bytes()
    assert "access-1" not in repr(kept.read())
    assert "refresh-1" not in repr(kept.read())


@pytest.mark.parametrize("content", [b"", b"{}", b"null", b"[]", b'{"client_id": 1}'])
async def test_a_broken_file_counts_as_not_signed_in(service: Service, tmp_path: Path, content: bytes) -> None:
    kept = GrantFile(tmp_path / "grant.json")
    kept.path.write_bytes(content)

    async with Client.connect(service.url, WALLET, kept) as client:
        with pytest.raises(NotSignedInError):
            await client.access.token()
