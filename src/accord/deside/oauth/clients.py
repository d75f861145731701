"""Clients: public ones, which anybody may register (RFC 7591)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import sqlalchemy as sa

from accord.deside.oauth.bodies import Fields, text
from accord.deside.oauth.digests import fresh
from accord.deside.oauth.redirects import redirect_uris
from accord.deside.oauth.refusals import OAuthError
from accord.deside.oauth.scopes import DEFAULT_SCOPE, scopes_of
from accord.deside.store.tables.oauth import CLIENTS

__all__ = ["Client", "add", "find", "mark_used", "registration"]

Json: TypeAlias = Any

NAME_CHARACTERS: Final = 80

FIXED: Final[Mapping[str, tuple[Json, ...]]] = {
    # The official clients name both grants; refreshing comes with the code in any case.
    "grant_types": (["authorization_code"], ["authorization_code", "refresh_token"]),
    "response_types": (["code"],),
    "token_endpoint_auth_method": ("none",),
}
"""What a client may only be: the first of each is what it is where it does not say. Lists in any order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A registered client; its name is its own claim."""

    client_id: str
    client_name: str
    redirect_uris: tuple[str, ...]
    scope: str
    registered_ms: int


def registration(
    fields: Fields, *, production: bool, now_ms: int, scopes: Collection[str]
) -> tuple[Client, dict[str, Json]]:
    """Return the client that some metadata describes, and what is answered to its registration.

    Raises:
        OAuthError: invalid_client_metadata, invalid_redirect_uri or invalid_scope.
    """
    client = Client(
        client_id=fresh("deside_client_"),
        client_name=_name(fields.get("client_name")),
        redirect_uris=redirect_uris(fields.get("redirect_uris"), production=production),
        scope=" ".join(scopes_of(text(fields, "scope"), scopes)) or DEFAULT_SCOPE,
        registered_ms=now_ms,
    )
    answer = {
        "client_id": client.client_id,
        "client_id_issued_at": now_ms // 1000,
        "client_name": client.client_name,
        "redirect_uris": list(client.redirect_uris),
        "scope": client.scope,
    }
    return client, answer | {name: _fixed(fields, name) for name in FIXED}


def add(connection: sa.Connection, client: Client) -> None:
    """Keep a new client."""
    connection.execute(
        sa.insert(CLIENTS).values(
            client_id=client.client_id,
            client_name=client.client_name,
            redirect_uris=list(client.redirect_uris),
            scope=client.scope,
            registered_ms=client.registered_ms,
        )
    )


def find(connection: sa.Connection, client_id: str) -> Client | None:
    """Return the client of this id."""
    row = connection.execute(sa.select(CLIENTS).where(CLIENTS.c.client_id == client_id)).one_or_none()
    if row is None:
        return None
    return Client(
        client_id=row.client_id,
        client_name=row.client_name,
        redirect_uris=tuple(row.redirect_uris),
        scope=row.scope,
        registered_ms=row.registered_ms,
    )


def mark_used(connection: sa.Connection, client_id: str, now_ms: int) -> None:
    """Note that a wallet signed in through the client, which is therefore kept."""
    connection.execute(sa.update(CLIENTS).where(CLIENTS.c.client_id == client_id).values(used_ms=now_ms))


def _name(value: Json) -> str:
    """Return a name that a person can be shown: without characters that hide, or turn a line around."""
    name = value.strip() if isinstance(value, str) else ""
    if not 1 <= len(name) <= NAME_CHARACTERS or not name.isprintable():
        raise OAuthError("invalid_client_metadata", f"client_name has 1 to {NAME_CHARACTERS} printable characters")
    return name


def _fixed(fields: Fields, name: str) -> Json:
    allowed = FIXED[name]
    value = fields.get(name) or allowed[0]
    ordered = sorted(value, key=str) if isinstance(value, list) else value
    if ordered not in allowed:
        raise OAuthError("invalid_client_metadata", f"{name} is {' '.join(allowed[0])} for every client")
    return value
