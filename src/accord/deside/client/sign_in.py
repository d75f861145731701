"""Signing in: registration, a challenge signed by the wallet, a code, a token; renewal and revocation."""

from __future__ import annotations

import base64
import hashlib
import secrets
import time
from collections.abc import Mapping
from typing import Any, TypeAlias
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

from accord.deside.client.discovery import Endpoints, origin_of
from accord.deside.client.errors import RefusedError, UntrustworthyError
from accord.deside.client.http import Answer, Http
from accord.deside.client.tokens import Grant
from accord.deside.client.wallet import LocalWallet
from accord.engine.secrets import Secret

__all__ = ["DEFAULT_SCOPES", "register", "renew", "revoke", "sign_in"]

Json: TypeAlias = Any

DEFAULT_SCOPES = ("dm:read", "dm:write")

CLIENT_NAME = "deside-mcp"

CHALLENGE = "Domain: {domain}\nNonce: {nonce}"
"""The one text that this client signs: it names the service, and can be no transaction."""

FOUND = 302
"""HTTP's status for every step of the way to a code."""


async def register(http: Http, endpoints: Endpoints, scopes: tuple[str, ...] = DEFAULT_SCOPES) -> str:
    """Make this client known, and return the id that it is given."""
    asked = {"client_name": CLIENT_NAME, "redirect_uris": [_redirect_uri(endpoints)], "scope": " ".join(scopes)}
    public = {"token_endpoint_auth_method": "none", "grant_types": ["authorization_code"], "response_types": ["code"]}
    answer = await http.post(endpoints.registration, {**asked, **public})
    # RFC 7591 says 201; this service says 200, as its public example needs it.
    given = answer.expect(answer.status if answer.status in {200, 201} else 200)
    return _text(given, "client_id")


async def sign_in(
    http: Http,
    endpoints: Endpoints,
    wallet: LocalWallet,
    client_id: str,
    scopes: tuple[str, ...] = DEFAULT_SCOPES,
) -> Grant:
    """Sign in as a client that is registered.

    Raises:
        RefusedError: The service says no.
        UntrustworthyError: It wants something else signed than a sign-in to itself.
        UnreachableError: It does not answer.
    """
    verifier = secrets.token_urlsafe(64)
    code = await _code(http, endpoints, wallet, client_id=client_id, scopes=scopes, challenge=_digest(verifier))
    body = {
        "grant_type": "authorization_code",
        "code": code,
        "client_id": client_id,
        "redirect_uri": _redirect_uri(endpoints),
        "code_verifier": verifier,
        "resource": endpoints.resource,
    }
    return await _granted(http, endpoints, client_id, body)


async def renew(http: Http, endpoints: Endpoints, grant: Grant) -> Grant:
    """Use the refresh token, which is then used up.

    Raises:
        RefusedError: invalid_grant where it was used, revoked or too old: sign in again.
    """
    if grant.refresh_token is None:
        raise RefusedError("invalid_grant", 400, "there is no refresh token")
    body = {
        "grant_type": "refresh_token",
        "refresh_token": grant.refresh_token.reveal(),
        "client_id": grant.client_id,
        "resource": endpoints.resource,
    }
    return await _granted(http, endpoints, grant.client_id, body)


async def revoke(http: Http, endpoints: Endpoints, grant: Grant) -> None:
    """Take back both tokens."""
    for token in (grant.refresh_token, grant.access_token):
        if endpoints.revocation is not None and token is not None:
            await http.post(endpoints.revocation, {"token": token.reveal(), "client_id": grant.client_id})


async def _code(
    http: Http,
    endpoints: Endpoints,
    wallet: LocalWallet,
    *,
    client_id: str,
    scopes: tuple[str, ...],
    challenge: str,
) -> str:
    """Walk from the authorization endpoint over the wallet's challenge to a code."""
    state = secrets.token_urlsafe(24)
    query = {
        "client_id": client_id,
        "redirect_uri": _redirect_uri(endpoints),
        "response_type": "code",
        "code_challenge": challenge,
        "code_challenge_method": "S256",
        "scope": " ".join(scopes),
        "state": state,
        "resource": endpoints.resource,
    }
    page = _location(await http.get(f"{endpoints.authorization}?{urlencode(query)}"), endpoints.authorization)
    if origin_of(page) != origin_of(endpoints.authorization):
        raise UntrustworthyError(f"the sign-in leads away to {origin_of(page)}")
    asked = (await http.get(page)).expect(200)
    message = _message(asked, endpoints)
    signed = {"wallet": wallet.address, "signature": wallet.sign(message), "message": message}
    answer = await http.post(page.partition("?")[0], {**signed, "state": asked.get("state", state)})
    return _returned(_location(answer, page), endpoints, state)


def _message(asked: Mapping[str, Json], endpoints: Endpoints) -> str:
    """Return the text to sign, if it signs the wallet in here and does nothing else.

    A service that passes on another one's challenge would sign in there with what it gets.

    Raises:
        UntrustworthyError: It is another text, or for another service.
    """
    domain, nonce = str(asked.get("domain")), str(asked.get("nonce"))
    parts = urlsplit(endpoints.issuer)
    if domain != parts.netloc:
        raise UntrustworthyError(f"{parts.netloc} asks to sign in to {domain!r}: not signed")
    if asked.get("message_format", CHALLENGE) != CHALLENGE:
        raise UntrustworthyError(f"{parts.netloc} asks to sign a text of another form: not signed")
    if not nonce.isascii() or not nonce.isprintable():
        raise UntrustworthyError(f"{parts.netloc} asks to sign a nonce that is none: not signed")
    return CHALLENGE.format(domain=domain, nonce=nonce)


def _location(answer: Answer, base: str) -> str:
    """Return where a step leads.

    Raises:
        RefusedError: It leads nowhere, or carries an error.
    """
    if answer.status != FOUND:
        raise answer.refusal
    location = urljoin(base, answer.headers.get("location", ""))
    query = parse_qs(urlsplit(location).query)
    if "error" in query:
        raise RefusedError(query["error"][0], answer.status, query.get("error_description", [""])[0])
    return location


def _returned(location: str, endpoints: Endpoints, state: str) -> str:
    """Return the code that came back, if it came back to us and for this sign-in."""
    query = parse_qs(urlsplit(location).query)
    # The issuer comes along where a service names itself (RFC 9207), so that codes of two cannot be mixed up.
    issuer = query.get("iss", [endpoints.issuer])
    to = location.partition("?")[0]
    if (to, query.get("state"), issuer) != (_redirect_uri(endpoints), [state], [endpoints.issuer]):
        raise UntrustworthyError("the code came back to another place, or for another sign-in")
    if "code" not in query:
        raise RefusedError("no_code", FOUND, "the sign-in came back without a code")
    return query["code"][0]


async def _granted(http: Http, endpoints: Endpoints, client_id: str, body: dict[str, str]) -> Grant:
    asked_at = time.time()
    given = (await http.post(endpoints.token, body)).expect(200)
    lifetime = float(given.get("expires_in", 0))
    refresh_token = given.get("refresh_token")
    return Grant(
        client_id=client_id,
        scope=str(given.get("scope", "")),
        access_token=Secret(_text(given, "access_token")),
        refresh_token=Secret(str(refresh_token)) if refresh_token else None,
        expires_at=asked_at + lifetime,
        lifetime_seconds=lifetime,
    )


def _text(given: Mapping[str, Json], name: str) -> str:
    """Return a text that an answer must hold."""
    value = given.get(name)
    if not isinstance(value, str) or not value:
        raise RefusedError("unexpected_answer", 200, f"the answer has no {name}")
    return value


def _redirect_uri(endpoints: Endpoints) -> str:
    """Return where a browser would be sent back to. This client only reads it off the answer: nobody goes there."""
    return f"{origin_of(endpoints.issuer)}/deside-mcp/signed-in"


def _digest(verifier: str) -> str:
    """Return the challenge of a PKCE verifier (RFC 7636, 4.2)."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
