"""The authorization endpoint: a client asks that a wallet signs in (RFC 6749, 4.1.1, with PKCE always)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from accord.deside.oauth import requests
from accord.deside.oauth.bodies import Fields, required, text
from accord.deside.oauth.clients import Client
from accord.deside.oauth.codes import CODE_CHALLENGE, Grant
from accord.deside.oauth.digests import fresh
from accord.deside.oauth.redirects import check_redirect_uri, is_registered
from accord.deside.oauth.refusals import OAuthError
from accord.deside.oauth.resources import check_resource
from accord.deside.oauth.scopes import granted
from accord.deside.oauth.server import AuthorizationServer, returning

__all__ = ["Begun", "authorize"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A sign-in that has begun, as the link to its challenge names it."""

    state: str
    client_id: str
    request: str


async def authorize(server: AuthorizationServer, fields: Fields, address: str, base: str) -> Begun:
    """Keep what a client asks for at the server with this URL.

    Raises:
        OAuthError: The client or its redirect URI is not known, so nobody is redirected.
        ReturnedError: Anything else is wrong.
    """
    client = await server.client(required(fields, "client_id"))
    redirect_uri = _redirect_uri(server, client, fields)
    state = text(fields, "state")
    with returning(redirect_uri, state):
        check_resource(fields, base)
        grant = _grant(client, redirect_uri, fields)
        await server.limits.count_request(address)
    state = state or fresh()
    work = partial(requests.begin, state=state, grant=grant, now_ms=server.now_ms)
    return Begun(state=state, client_id=client.client_id, request=await server.store.write(work))


def _redirect_uri(server: AuthorizationServer, client: Client, fields: Fields) -> str:
    uri = text(fields, "redirect_uri")
    if not uri:
        raise OAuthError("invalid_redirect_uri", "redirect_uri is missing")
    if not is_registered(uri, client.redirect_uris):
        raise OAuthError("invalid_redirect_uri", "this redirect_uri is not registered for this client")
    # Again, for a server that went into production with the clients that it had.
    return check_redirect_uri(uri, production=server.is_production)


def _grant(client: Client, redirect_uri: str, fields: Fields) -> Grant:
    if required(fields, "response_type") != "code":
        raise OAuthError("invalid_request", "response_type is code")
    if text(fields, "code_challenge_method") != "S256":
        raise OAuthError("invalid_request", "PKCE is required, with code_challenge_method=S256")
    challenge = required(fields, "code_challenge")
    if not CODE_CHALLENGE.fullmatch(challenge):
        raise OAuthError("invalid_request", "code_challenge is a SHA-256 in base64url, 43 characters")
    scope = granted(text(fields, "scope"), client.scope)
    return Grant(client_id=client.client_id, redirect_uri=redirect_uri, scope=scope, code_challenge=challenge)
