"""Named access tokens: made and shown once, kept as hashes, found by request, and taken back one by one."""

from __future__ import annotations

import hashlib
import math
import re
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from hmac import compare_digest

import orjson

from accord.discord.grants import EVERYTHING, Scopes
from accord.engine import Caller, Quota, Secret, State, quota_of

__all__ = ["AccessToken", "NameTakenError", "Tokens"]

PREFIX = "dmcp_"
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
SECRET_BYTES = 32
"""256 bits of chance: no guessing, so a plain hash keeps it as well as a slow one."""

MARK_SECONDS = 60.0
"""How exactly the last use is known; marking each use would make every request a write."""

MARK_KEPT_SECONDS = 400 * 24 * 60 * 60.0
"""A mark outlives its token by this at most."""


class NameTakenError(ValueError):
    """There is a token of this name; revoke it first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessToken:
    """What is known of a token, which is all but itself: times are in seconds since the epoch.

    `expires_at` is None for one that does not run out, `used_at` for one that was not used yet.
    """

    name: str
    digest: str = field(repr=False)
    scopes: Scopes
    quotas: tuple[Quota, ...]
    created_at: float
    expires_at: float | None
    used_at: float | None = None

    @property
    def caller(self) -> Caller:
        """Who calls with this token."""
        return Caller(id=f"token:{self.name}", transport="http", scopes=self.scopes, quotas=self.quotas)


class Tokens:
    """The tokens of one server, in its state store.

    Each is one value under its name, which a token carries (`dmcp_<name>_<secret>`): so a name is given once, and a
    token is revoked by removing one value, also where several processes share the store.
    """

    def __init__(self, state: State, clock: Callable[[], float] = time.time) -> None:
        self._state = state
        self._clock = clock
        self._marked: dict[str, float] = {}

    async def add(
        self,
        name: str,
        *,
        scopes: Scopes = EVERYTHING,
        quotas: Sequence[Quota] = (),
        lifetime_seconds: float | None = None,
    ) -> tuple[AccessToken, Secret]:
        """Make a token; return what is known of it, and itself for the only time.

        Raises:
            NameTakenError: A token of this name is alive.
            ValueError: The name is none, or two quotas are for the same thing.
        """
        if not NAME.fullmatch(name):
            raise ValueError("a name has 1 to 32 lower-case letters, digits and -, and begins with no -")
        if len({(quota.unit, quota.of) for quota in quotas}) < len(quotas):
            raise ValueError("two quotas are for the same time and tools")
        presented = f"{PREFIX}{name}_{secrets.token_urlsafe(SECRET_BYTES)}"
        now = self._clock()
        token = AccessToken(
            name=name,
            digest=_digest(presented),
            scopes=scopes,
            quotas=tuple(quotas),
            created_at=now,
            expires_at=None if lifetime_seconds is None else now + lifetime_seconds,
        )
        written = _written(token)
        if not await self._state.put(_key(name), written, lifetime_seconds=lifetime_seconds, only_if_absent=True):
            raise NameTakenError(f"there is a token {name!r}; revoke it first")
        return token, Secret(presented)

    async def find(self, presented: str) -> AccessToken | None:
        """Return the token that was presented; None where it is unknown, has run out or was revoked.

        Nothing is remembered between two calls, so a revocation holds from the next request on.
        """
        name = presented.removeprefix(PREFIX).partition("_")[0]
        if not presented.startswith(PREFIX) or not NAME.fullmatch(name):
            return None
        token = await self._read(name)
        if token is None or not compare_digest(token.digest, _digest(presented)):
            return None
        await self._mark(token)
        return token

    async def living(self) -> list[AccessToken]:
        """Return all living tokens by name, each with its last use."""
        names = [key.removeprefix(_key("")) for key in await self._state.keys(_key(""))]
        found = [token for name in names if (token := await self._read(name))]
        return [replace(token, used_at=await self._used_at(token)) for token in found]

    async def revoke(self, name: str) -> bool:
        """Take the token back; False where there is none of this name."""
        return await self._state.take_once(_key(name)) is not None

    async def _read(self, name: str) -> AccessToken | None:
        value = await self._state.get(_key(name))
        return None if value is None else _read_as(name, value)

    async def _mark(self, token: AccessToken) -> None:
        """Note the use, apart from the token: writing the token again could undo a revocation."""
        now = self._clock()
        if now - self._marked.get(token.digest, -math.inf) < MARK_SECONDS:
            return
        self._marked[token.digest] = now
        await self._state.put(_mark_key(token), orjson.dumps(now), lifetime_seconds=MARK_KEPT_SECONDS)

    async def _used_at(self, token: AccessToken) -> float | None:
        value = await self._state.get(_mark_key(token))
        return None if value is None else float(orjson.loads(value))


def _key(name: str) -> str:
    return f"access-token:{name}"


def _mark_key(token: AccessToken) -> str:
    return f"access-token-used:{token.digest}"


def _digest(presented: str) -> str:
    return hashlib.sha256(presented.encode(errors="surrogatepass")).hexdigest()


def _written(token: AccessToken) -> bytes:
    return orjson.dumps(
        {
            "digest": token.digest,
            "scopes": sorted(token.scopes),
            "quotas": [str(quota) for quota in token.quotas],
            "created_at": token.created_at,
            "expires_at": token.expires_at,
        }
    )


def _read_as(name: str, value: bytes) -> AccessToken:
    kept = orjson.loads(value)
    return AccessToken(
        name=name,
        digest=kept["digest"],
        scopes=frozenset(kept["scopes"]),
        quotas=tuple(quota_of(text) for text in kept["quotas"]),
        created_at=kept["created_at"],
        expires_at=kept["expires_at"],
    )
