"""What the endpoints of the authorization server share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from accord.deside.config import Config
from accord.deside.oauth import clients
from accord.deside.oauth.bearers import Bearers
from accord.deside.oauth.clients import Client
from accord.deside.oauth.limits import SignInLimits
from accord.deside.oauth.refusals import OAuthError
from accord.deside.oauth.scopes import offered
from accord.deside.times import Clock, ms_of
from accord.deside.wallets import Wallet
from accord.engine import Database

__all__ = ["AuthorizationServer", "ReturnedError", "Welcome", "returning"]

Welcome: TypeAlias = Callable[[Wallet], Awaitable[None]]
"""What else happens when a wallet has signed in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorizationServer:
    """Where everything is kept, and the rules that are configured."""

    config: Config
    store: Database
    limits: SignInLimits
    bearers: Bearers
    clock: Clock
    welcome: Welcome

    @property
    def now_ms(self) -> int:
        """The time, in milliseconds since the epoch."""
        return ms_of(self.clock)

    @property
    def is_production(self) -> bool:
        """Whether redirects go to https alone."""
        return self.config.DESIDE_MODE == "production"

    @property
    def scopes(self) -> tuple[str, ...]:
        """The scopes that a client can register for."""
        return offered(self.config)

    async def client(self, client_id: str) -> Client:
        """Return a registered client.

        Raises:
            OAuthError: invalid_client.
        """
        client = await self.store.read(partial(clients.find, client_id=client_id))
        if client is None:
            raise OAuthError("invalid_client", "this client_id is not registered here; register first")
        return client


class ReturnedError(OAuthError):
    """A refusal that the client hears of at its redirect URI, which is a registered one."""

    def __init__(self, error: OAuthError, redirect_uri: str, state: str) -> None:
        super().__init__(error.name, error.description)
        self.redirect_uri = redirect_uri
        self.state = state


@contextmanager
def returning(redirect_uri: str, state: str) -> Iterator[None]:
    """Tell the client, at its redirect URI, what is refused within."""
    try:
        yield
    except OAuthError as error:
        raise ReturnedError(error, redirect_uri, state) from None
