"""The token endpoint and the revocation endpoint: codes and refresh tokens become tokens, and tokens are taken back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Final, TypeAlias

from accord.deside.oauth.bodies import Fields, required, text
from accord.deside.oauth.codes import Presented, exchange
from accord.deside.oauth.families import Issued, revoke_token, rotate
from accord.deside.oauth.refusals import OAuthError
from accord.deside.oauth.resources import check_resource
from accord.deside.oauth.server import AuthorizationServer

__all__ = ["revoke", "tokens"]

_Grant: TypeAlias = Callable[[AuthorizationServer, Fields], Awaitable["Issued | None"]]


async def tokens(server: AuthorizationServer, fields: Fields, base: str) -> Issued:
    """Give out tokens for the server with this URL.

    Raises:
        OAuthError: invalid_grant for what is not good (or not any more, or another's), and by the table for the rest.
    """
    grant = GRANTS.get(required(fields, "grant_type"))
    if grant is None:
        raise OAuthError("unsupported_grant_type", f"the grants are: {' '.join(GRANTS)}")
    check_resource(fields, base)
    issued = await grant(server, fields)
    if issued is None:
        server.bearers.forget()  # what was used before is revoked with all that came from it
        raise OAuthError("invalid_grant", "it is unknown, has run out, was used or revoked, or belongs to another")
    return issued


async def revoke(server: AuthorizationServer, fields: Fields) -> None:
    """Take a token back; nothing tells whether there was one (RFC 7009, 2.2)."""
    token, client_id = required(fields, "token"), text(fields, "client_id") or None
    await server.store.write(partial(revoke_token, presented=token, client_id=client_id, now_ms=server.now_ms))
    server.bearers.forget()


async def _exchange(server: AuthorizationServer, fields: Fields) -> Issued | None:
    client = await server.client(required(fields, "client_id"))
    code, verifier = required(fields, "code"), required(fields, "code_verifier")
    redirect_uri = text(fields, "redirect_uri")
    if not redirect_uri:
        raise OAuthError("invalid_redirect_uri", "redirect_uri is missing")
    presented = Presented(code=code, client_id=client.client_id, redirect_uri=redirect_uri, code_verifier=verifier)
    access_ms = server.config.OAUTH_ACCESS_TOKEN_TTL_MS
    return await server.store.write(
        partial(exchange, presented=presented, now_ms=server.now_ms, access_ms=access_ms),
    )


async def _rotate(server: AuthorizationServer, fields: Fields) -> Issued | None:
    """Refresh. A public client proves nothing by its id, so it may leave it out; a wrong one is refused."""
    token, client_id = required(fields, "refresh_token"), text(fields, "client_id") or None
    if client_id is not None:
        await server.client(client_id)
    work = partial(
        rotate,
        presented=token,
        client_id=client_id,
        scope=text(fields, "scope"),
        now_ms=server.now_ms,
        access_ms=server.config.OAUTH_ACCESS_TOKEN_TTL_MS,
    )
    return await server.store.write(work)


GRANTS: Final[Mapping[str, _Grant]] = {"authorization_code": _exchange, "refresh_token": _rotate}
