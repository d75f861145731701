"""A token that is good now: the one that is kept, else a renewed one, else a new sign-in where that is allowed."""

from __future__ import annotations

import time
from dataclasses import dataclass

from accord.deside.client.discovery import Endpoints, discover
from accord.deside.client.errors import NotSignedInError, RefusedError
from accord.deside.client.http import Http
from accord.deside.client.sign_in import DEFAULT_SCOPES, register, renew, revoke, sign_in
from accord.deside.client.tokens import Grant, GrantStore
from accord.deside.client.wallet import LocalWallet
from accord.engine.secrets import Secret

__all__ = ["Access"]

SIGN_IN_AGAIN = {"invalid_grant", "invalid_client"}
"""What a refresh token that is over is answered with: it, or its client, is not known any more."""


@dataclass(slots=True, kw_only=True)
class Access:
    """One wallet's access to one service."""

    http: Http
    mcp_url: str
    wallet: LocalWallet
    kept: GrantStore
    scopes: tuple[str, ...] = DEFAULT_SCOPES
    issuer_at: str | None = None
    """Whom this service may send sign-ins to; itself alone unless given."""
    _endpoints: Endpoints | None = None

    async def token(self, *, refused: Secret | None = None) -> Secret:
        """Return an access token; not the one that was `refused`.

        Raises:
            NotSignedInError: This wallet has never signed in here.
        """
        grant = self.kept.read()
        if not _is_good(grant, refused):
            grant = await self._renewed(refused)
        assert grant is not None  # noqa: S101 - what is good, or renewed, is there
        return grant.access_token

    async def sign_in(self) -> Grant:
        """Sign in anew for these scopes, as the client that was granted them before where there is one."""
        async with self.kept.lock():
            before = self.kept.read()
            known = before is not None and set(self.scopes) <= set(before.scope.split())
            return await self._sign_in(before.client_id if before and known else None, self.scopes)

    async def sign_out(self) -> None:
        """Take back what was granted, and forget it."""
        async with self.kept.lock():
            grant = self.kept.read()
            if grant is not None:
                await revoke(self.http, await self._where(), grant)
            self.kept.write(None)

    async def _renewed(self, refused: Secret | None) -> Grant:
        async with self.kept.lock():
            grant = self.kept.read()
            if grant is None:
                raise NotSignedInError(f"{self.wallet.address} is not signed in at {self.mcp_url}")
            if _is_good(grant, refused):
                return grant  # another process has renewed it while this one waited
            try:
                return self._keep(await renew(self.http, await self._where(), grant))
            except RefusedError as error:
                if error.error not in SIGN_IN_AGAIN:
                    raise
            return await self._sign_in(grant.client_id, tuple(grant.scope.split()) or self.scopes)

    async def _sign_in(self, client_id: str | None, scopes: tuple[str, ...]) -> Grant:
        """Sign in; a client that is not known any more is made known again."""
        where = await self._where()
        if client_id is not None:
            try:
                return self._keep(await sign_in(self.http, where, self.wallet, client_id, scopes))
            except RefusedError as error:
                if error.error != "invalid_client":
                    raise
        client_id = await register(self.http, where, scopes)
        return self._keep(await sign_in(self.http, where, self.wallet, client_id, scopes))

    def _keep(self, grant: Grant) -> Grant:
        self.kept.write(grant)
        return grant

    async def _where(self) -> Endpoints:
        if self._endpoints is None:
            self._endpoints = await discover(self.http, self.mcp_url, self.issuer_at)
        return self._endpoints


def _is_good(grant: Grant | None, refused: Secret | None) -> bool:
    return grant is not None and grant.is_fresh(time.time()) and grant.access_token != refused
