"""The wallet's challenge: given out for a sign-in under way, and answered with a signature that ends it in a code."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import sqlalchemy as sa

from accord.deside.oauth import challenges, clients, requests
from accord.deside.oauth.bodies import Fields, required, text
from accord.deside.oauth.challenges import Challenge
from accord.deside.oauth.clients import Client
from accord.deside.oauth.codes import write_code
from accord.deside.oauth.refusals import OAuthError
from accord.deside.oauth.requests import Pending
from accord.deside.oauth.server import AuthorizationServer, ReturnedError, returning
from accord.deside.people import register
from accord.deside.wallets import Wallet

__all__ = ["Challenged", "SignedIn", "answer", "challenge"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Challenged:
    """A challenge, and who asks for its signature."""

    challenge: Challenge
    pending: Pending
    client: Client


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn:
    """A sign-in that has ended well; the code goes to its redirect URI."""

    pending: Pending
    code: str


async def challenge(server: AuthorizationServer, fields: Fields, address: str, domain: str) -> Challenged:
    """Give out a challenge. Links of authorize name the very request; a state alone finds the newest that has it.

    Raises:
        OAuthError: invalid_grant where no such sign-in is under way.
        ReturnedError: temporarily_unavailable.
    """
    now_ms = server.now_ms
    finding = partial(
        requests.find,
        state=required(fields, "state"),
        client_id=text(fields, "client_id"),
        request_id=text(fields, "request"),
        now_ms=now_ms,
    )
    pending = await server.store.read(finding)
    if pending is None:
        raise _over()
    with returning(pending.grant.redirect_uri, pending.state):
        await server.limits.count_challenge(address)
    issuing = partial(challenges.issue, request_id=pending.id, domain=domain, now_ms=now_ms)
    return Challenged(
        challenge=await server.store.write(issuing),
        pending=pending,
        client=await server.client(pending.grant.client_id),
    )


async def answer(server: AuthorizationServer, fields: Fields, address: str) -> SignedIn:
    """Take a signature, and register the wallet.

    A signature that is refused uses its challenge up; what names no challenge changes nothing.

    Raises:
        OAuthError: invalid_request for a field that is missing or no wallet; invalid_grant for a state or a challenge
            that is unknown, over or used; access_denied where nobody can be told.
        ReturnedError: access_denied, temporarily_unavailable.
    """
    wallet, signature = _wallet(required(fields, "wallet")), required(fields, "signature")
    said, state = challenges.parse(required(fields, "message")), required(fields, "state")
    now_ms = server.now_ms
    pending, is_its_own = await server.store.read(
        partial(challenges.match, challenge=said, state=state, now_ms=now_ms),
    )
    if pending is None or said is None or not is_its_own:
        raise _denied("the message is not the challenge of this sign-in", pending)
    with returning(pending.grant.redirect_uri, pending.state):
        await server.limits.count_sign_in(address)
    signer = wallet if wallet.signed(said.message, signature) else None
    code = await server.store.write(partial(_settle, said=said, pending=pending, signer=signer, now_ms=now_ms))
    if signer is None:
        raise _denied("the signature is not this wallet's for this challenge", pending)
    if code is None:
        raise _over()
    await server.welcome(signer)
    return SignedIn(pending=pending, code=code)


def _settle(
    connection: sa.Connection, *, said: Challenge, pending: Pending, signer: Wallet | None, now_ms: int
) -> str | None:
    """Use the challenge up, and end the sign-in with a code if somebody signed; None where another was faster."""
    if not challenges.use(connection, said, pending.id, now_ms) or signer is None:
        return None
    if not requests.end(connection, pending.id, now_ms):
        return None
    register(connection, signer, now_ms)
    clients.mark_used(connection, pending.grant.client_id, now_ms)
    return write_code(connection, pending.grant, signer, now_ms)


def _wallet(address: str) -> Wallet:
    try:
        return Wallet.parse(address)
    except ValueError as error:
        raise OAuthError("invalid_request", f"wallet {error}") from None


def _denied(description: str, pending: Pending | None) -> OAuthError:
    """Refuse what was signed; the client hears of it where it is known which one."""
    error = OAuthError("access_denied", description)
    return error if pending is None else ReturnedError(error, pending.grant.redirect_uri, pending.state)


def _over() -> OAuthError:
    return OAuthError("invalid_grant", requests.OVER)
