"""The HTTP surface of the authorization server: requests in, JSON, redirects and pages out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias
from urllib.parse import urlencode, urlsplit

import orjson
from sqlalchemy.exc import DBAPIError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from accord.deside.config import Config
from accord.deside.oauth import page
from accord.deside.oauth.authorizing import authorize
from accord.deside.oauth.bearers import Bearers
from accord.deside.oauth.bodies import Fields, fields_of, query_of, read
from accord.deside.oauth.challenges import MESSAGE_FORMAT
from accord.deside.oauth.clients import add, registration
from accord.deside.oauth.granting import revoke, tokens
from accord.deside.oauth.hosts import MCP_PATH, METADATA_PATH, public_url
from accord.deside.oauth.lifetimes import CHALLENGE_MS
from accord.deside.oauth.limits import SignInLimits
from accord.deside.oauth.metadata import DOCUMENTATION_PATH, authorization_server, protected_resource
from accord.deside.oauth.redirects import with_query
from accord.deside.oauth.refusals import STATUSES, OAuthError
from accord.deside.oauth.server import AuthorizationServer, ReturnedError, Welcome
from accord.deside.oauth.signing_in import Challenged, answer, challenge
from accord.deside.oauth.sweeping import SWEEP_SECONDS, sweep
from accord.deside.times import Clock
from accord.deside.wallets import Wallet
from accord.engine import Database, State, logger

__all__ = ["routes"]

Json: TypeAlias = Any
Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]

PRIVATE: Final = {"cache-control": "no-store", "pragma": "no-cache", "referrer-policy": "no-referrer"}

SHARED: Final = {"access-control-allow-origin": "*"}
"""Clients in browsers read these answers from any page; no cookie is ever looked at, so no page gains by it."""

PREFLIGHT: Final = {
    **SHARED,
    "access-control-allow-methods": "GET, POST, OPTIONS",
    "access-control-allow-headers": "authorization, content-type, mcp-protocol-version",
    "access-control-max-age": "86400",
}

FOR_PEOPLE: Final = frozenset({"/oauth/authorize", "/oauth/wallet-challenge"})
"""Where a browser is led, so that whoever sits before it reads what is refused."""

_log = logger("accord.deside.oauth")


async def no_more(_wallet: Wallet) -> None:
    """Leave it at the sign-in."""


def routes(
    config: Config, store: Database, state: State, bearers: Bearers, clock: Clock, *, welcome: Welcome = no_more
) -> list[BaseRoute]:
    """Return the routes of the authorization server.

    Args:
        config: Its public URL, mode, limits and the lifetime of access tokens.
        store: Where clients, codes and tokens are kept.
        state: Where sign-ins are counted.
        bearers: Those of the HTTP front: they forget what is revoked here.
        clock: Tells the time in seconds since the epoch.
        welcome: What else happens when a wallet has signed in, before its client hears of it.
    """
    limits = SignInLimits(
        state=state,
        sign_ins_per_5_min=config.OAUTH_SIGN_INS_PER_5_MIN,
        challenges_per_min=config.OAUTH_CHALLENGES_PER_MIN,
        registrations_per_5_min=config.OAUTH_REGISTRATIONS_PER_5_MIN,
    )
    server = AuthorizationServer(
        config=config, store=store, limits=limits, bearers=bearers, clock=clock, welcome=welcome
    )
    at = _Endpoints(server)
    shared: Mapping[str, tuple[str, Endpoint]] = {
        "/.well-known/oauth-authorization-server": ("GET", at.describe_server),
        METADATA_PATH: ("GET", at.describe_resource),
        DOCUMENTATION_PATH: ("GET", _document),
        f"{METADATA_PATH}{MCP_PATH}": ("GET", at.describe_resource),
        "/oauth/register": ("POST", at.register),
        "/oauth/token": ("POST", at.token),
        "/oauth/revoke": ("POST", at.revoke),
    }
    own: Sequence[tuple[str, str, Endpoint]] = (
        ("/oauth/authorize", "GET", at.authorize),
        ("/oauth/wallet-challenge", "GET", at.challenge),
        ("/oauth/wallet-challenge", "POST", at.answer),
    )
    return [
        *(Route(path, _shared(_answered(endpoint)), methods=[method]) for path, (method, endpoint) in shared.items()),
        *(Route(path, _preflight, methods=["OPTIONS"]) for path in shared),
        *(Route(path, _answered(at.returning(endpoint)), methods=[method]) for path, method, endpoint in own),
    ]


class _Endpoints:
    """What is done at each path."""

    def __init__(self, server: AuthorizationServer) -> None:
        self._server = server
        self._swept_at = 0.0

    async def describe_server(self, request: Request) -> Response:
        return _json(authorization_server(self._base(request), self._server.scopes))

    async def describe_resource(self, request: Request) -> Response:
        return _json(protected_resource(self._base(request), self._server.scopes))

    async def register(self, request: Request) -> Response:
        server, metadata = self._server, await _body(request)
        await server.limits.count_registration(_address(request))
        client, said = registration(
            metadata, production=server.is_production, now_ms=server.now_ms, scopes=server.scopes
        )
        await server.store.write(partial(add, client=client))
        return _json(said)

    async def authorize(self, request: Request) -> Response:
        base = self._base(request)
        await self._sweep()
        begun = await authorize(self._server, query_of(request.scope["query_string"]), _address(request), base)
        query = {"state": begun.state, "client_id": begun.client_id, "request": begun.request}
        return _redirect(f"{base}/oauth/wallet-challenge?{urlencode(query)}")

    async def challenge(self, request: Request) -> Response:
        base, fields = self._base(request), query_of(request.scope["query_string"])
        given = await challenge(self._server, fields, _address(request), urlsplit(base).netloc)
        return _page(given, base) if _is_browser(request) else _json(_challenge_of(given))

    async def answer(self, request: Request) -> Response:
        base = self._base(request)
        signed_in = await answer(self._server, await _body(request), _address(request))
        pending = signed_in.pending
        return _redirect(_back(pending.grant.redirect_uri, {"code": signed_in.code}, pending.state, base))

    async def token(self, request: Request) -> Response:
        base = self._base(request)
        return _json((await tokens(self._server, await _body(request), base)).body)

    async def revoke(self, request: Request) -> Response:
        await revoke(self._server, await _body(request))
        return _json({})

    def returning(self, endpoint: Endpoint) -> Endpoint:
        """Send what is refused to the client where that is safe."""

        async def returned(request: Request) -> Response:
            try:
                return await endpoint(request)
            except ReturnedError as error:
                return _redirect(_back(error.redirect_uri, error.body, error.state, self._base(request)))

        return returned

    def _base(self, request: Request) -> str:
        """Return the server's URL.

        Raises:
            OAuthError: invalid_request where it is not configured and the Host is not this machine's own.
        """
        configured = self._server.config.DESIDE_PUBLIC_URL
        base = public_url(configured, request.headers.get("host", ""), request.url.scheme)
        if base is None:
            raise OAuthError("invalid_request", "this Host is not known; the server's owner can set DESIDE_PUBLIC_URL")
        return base

    async def _sweep(self) -> None:
        now = self._server.clock()
        if 0 <= now - self._swept_at < SWEEP_SECONDS:
            return
        self._swept_at = now
        try:
            await self._server.store.write(partial(sweep, now_ms=self._server.now_ms))
        except DBAPIError as error:  # a sign-in does not wait for it
            _log.warning("what has run out was not deleted", error=type(error).__name__)


# --- What is refused, and to whom -----------------------------------------------------------------------------------


def _answered(endpoint: Endpoint) -> Endpoint:
    """Answer a refusal as JSON, and what goes wrong as a server_error that tells nothing."""

    async def answered(request: Request) -> Response:
        try:
            return await endpoint(request)
        except OAuthError as error:
            return _refused(request, error)
        except ClientDisconnect:
            return Response(status_code=400)  # nobody reads it
        except Exception:  # noqa: BLE001 - the last step: whatever it is, it is logged, and its text is not for clients
            _log.exception("an OAuth request failed", path=request.url.path)
            return _refused(request, OAuthError("server_error", "something went wrong in this server; try again"))

    return answered


def _refused(request: Request, error: OAuthError) -> Response:
    status = STATUSES[error.name]
    if _is_browser(request) and request.url.path in FOR_PEOPLE:
        return page.refused(error, status)
    return _json(error.body, status)


def _shared(endpoint: Endpoint) -> Endpoint:
    """Let clients in browsers read the answer."""

    async def shared(request: Request) -> Response:
        response = await endpoint(request)
        response.headers.update(SHARED)
        return response

    return shared


async def _document(_: Request) -> Response:
    return PlainTextResponse(page.documentation())


async def _preflight(_: Request) -> Response:
    return Response(status_code=204, headers=PREFLIGHT)


# --- What is read and written ---------------------------------------------------------------------------------------


async def _body(request: Request) -> Fields:
    return fields_of(request.headers.get("content-type", ""), await read(request.stream()))


def _address(request: Request) -> str:
    """Return the peer's address; behind a proxy the server that runs this must be told to trust its headers."""
    return request.client.host if request.client else "unknown"


def _is_browser(request: Request) -> bool:
    return "text/html" in request.headers.get("accept", "")


def _json(body: Json, status: int = 200) -> Response:
    return Response(orjson.dumps(body), status, media_type="application/json", headers=PRIVATE)


def _redirect(location: str) -> Response:
    return Response(status_code=302, headers={**PRIVATE, "location": location})


def _back(redirect_uri: str, said: Mapping[str, str], state: str, issuer: str) -> str:
    """Return where a client hears of how its sign-in ended; who says so stands there too (RFC 9207)."""
    return with_query(redirect_uri, {**said, **({"state": state} if state else {}), "iss": issuer})


def _challenge_of(given: Challenged) -> dict[str, Json]:
    return {
        "nonce": given.challenge.nonce,
        "domain": given.challenge.domain,
        "message_format": MESSAGE_FORMAT,
        "state": given.pending.state,
        "expires_in": CHALLENGE_MS // 1000,
    }


def _page(given: Challenged, issuer: str) -> Response:
    pending, declined = given.pending, OAuthError("access_denied", "the person did not sign in")
    asked = page.Asked(
        domain=given.challenge.domain,
        nonce=given.challenge.nonce,
        state=pending.state,
        client_name=given.client.client_name,
        scope=pending.grant.scope,
        redirect_uri=pending.grant.redirect_uri,
        cancel=_back(pending.grant.redirect_uri, declined.body, pending.state, issuer),
    )
    return page.sign_in(asked)
