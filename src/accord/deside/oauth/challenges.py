"""Challenges: the text that a wallet signs, good for one signature within a minute."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa

from accord.deside.config import DOMAIN
from accord.deside.oauth.digests import digest, fresh
from accord.deside.oauth.lifetimes import CHALLENGE_MS
from accord.deside.oauth.refusals import OAuthError
from accord.deside.oauth.requests import OVER, Pending, pending_of, with_state
from accord.deside.store.tables.oauth import CHALLENGES, REQUESTS

__all__ = ["MESSAGE_FORMAT", "Challenge", "issue", "match", "parse", "use"]

MESSAGE_FORMAT: Final = "Domain: {domain}\nNonce: {nonce}"

_MESSAGE: Final = re.compile(rf"Domain: (?P<domain>{DOMAIN})\nNonce: (?P<nonce>[A-Za-z0-9_-]+)")


@dataclass(frozen=True, slots=True)
class Challenge:
    """What a message says: to which service somebody signs in, and the nonce of this sign-in."""

    domain: str
    nonce: str

    @property
    def message(self) -> str:
        """The text, exactly."""
        return MESSAGE_FORMAT.format(domain=self.domain, nonce=self.nonce)


def parse(message: str) -> Challenge | None:
    """Return what a message says, None where it has another form."""
    match = _MESSAGE.fullmatch(message)
    return Challenge(match["domain"], match["nonce"]) if match else None


def issue(connection: sa.Connection, request_id: str, domain: str, now_ms: int) -> Challenge:
    """Make a challenge for a sign-in under way, beside those that it has."""
    challenge = Challenge(domain, fresh())
    connection.execute(
        sa.insert(CHALLENGES).values(
            nonce_hash=digest(challenge.nonce),
            request_id=request_id,
            domain=domain,
            expires_ms=now_ms + CHALLENGE_MS,
        )
    )
    return challenge


def match(
    connection: sa.Connection, challenge: Challenge | None, state: str, now_ms: int
) -> tuple[Pending | None, bool]:
    """Return the sign-in under way that a challenge and a state belong to, and True.

    Where the state has no such challenge: the only sign-in with that state, if there is just one, and False.

    Raises:
        OAuthError: invalid_grant where no sign-in with this state is under way, or the challenge has run out.
    """
    row = None if challenge is None else _challenged(connection, challenge, state, now_ms)
    if row is not None:
        if row.until_ms <= now_ms:
            raise OAuthError("invalid_grant", "this challenge has run out; get a new one")
        return pending_of(row), True
    rows = connection.execute(with_state(state, now_ms).limit(2)).all()
    if not rows:
        raise OAuthError("invalid_grant", OVER)
    return pending_of(rows[0]) if len(rows) == 1 else None, False


def use(connection: sa.Connection, challenge: Challenge, request_id: str, now_ms: int) -> bool:
    """Use a challenge up: of several that race for it, exactly one gets it."""
    named = (CHALLENGES.c.nonce_hash == digest(challenge.nonce), CHALLENGES.c.request_id == request_id)
    using = sa.delete(CHALLENGES).where(*named, CHALLENGES.c.expires_ms > now_ms)
    return connection.scalar(using.returning(CHALLENGES.c.request_id)) is not None


def _challenged(connection: sa.Connection, challenge: Challenge, state: str, now_ms: int) -> sa.Row[Any] | None:
    of_state = with_state(state, now_ms).add_columns(CHALLENGES.c.expires_ms.label("until_ms"))
    both = of_state.join_from(REQUESTS, CHALLENGES, CHALLENGES.c.request_id == REQUESTS.c.id)
    named = (CHALLENGES.c.nonce_hash == digest(challenge.nonce), CHALLENGES.c.domain == challenge.domain)
    return connection.execute(both.where(*named)).one_or_none()
