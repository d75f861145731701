"""What a wallet holds at one service after it signed in, kept in a file of its own.

Processes that share a file never use one refresh token twice: whoever renews holds the file's lock, and looks first
whether another one has renewed meanwhile. The service revokes everything when a used refresh token comes back.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol, TypeAlias

import orjson

from accord.engine.secrets import Secret

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment] # checked where it is used

__all__ = ["Grant", "GrantFile", "GrantInMemory", "GrantStore"]

Json: TypeAlias = Any

RENEWED_BEFORE_SECONDS = 30.0
"""How long before its end an access token is no longer sent: more than a request takes."""

LOCK_POLL_SECONDS = 0.02
"""How often a lock is tried that another process holds: it renews in the time of one request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What the service granted; `expires_at` is in seconds since the epoch, by this machine's clock."""

    client_id: str
    scope: str
    access_token: Secret
    refresh_token: Secret | None
    expires_at: float
    lifetime_seconds: float

    def is_fresh(self, now: float) -> bool:
        """Whether the access token is good for one more request. One that lives for seconds is used till half of it."""
        return now < self.expires_at - min(RENEWED_BEFORE_SECONDS, self.lifetime_seconds / 2)


class GrantStore(Protocol):
    """Where a grant is kept."""

    def read(self) -> Grant | None:
        """Return what is kept."""
        ...

    def write(self, grant: Grant | None) -> None:
        """Keep this grant instead; None forgets it."""
        ...

    def lock(self) -> AbstractAsyncContextManager[None]:
        """Keep everybody else who would renew waiting."""
        ...


class GrantInMemory:
    """A grant that ends with the process."""

    def __init__(self) -> None:
        self._grant: Grant | None = None
        self._lock = asyncio.Lock()

    def read(self) -> Grant | None:
        """Return what is kept."""
        return self._grant

    def write(self, grant: Grant | None) -> None:
        """Keep this grant instead; None forgets it."""
        self._grant = grant

    def lock(self) -> AbstractAsyncContextManager[None]:
        """Keep everybody else who would renew waiting."""
        return self._lock


class GrantFile:
    """A grant in a file that only its owner can read, written whole or not at all."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def of(cls, folder: Path, url: str, wallet: str) -> GrantFile:
        """Return the file for this wallet at this service."""
        name = hashlib.sha256(f"{url}\n{wallet}".encode()).hexdigest()[:32]
        return cls(folder / f"{name}.json")

    def read(self) -> Grant | None:
        """Return what is kept. A file that somebody else's program wrote counts as none."""
        try:
            return _grant(orjson.loads(self.path.read_bytes()))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write(self, grant: Grant | None) -> None:
        """Keep this grant instead; None forgets it."""
        if grant is None:
            self.path.unlink(missing_ok=True)
            return
        self._make_folder()
        draft = self.path.with_suffix(f".{os.getpid()}")
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(orjson.dumps(_facts(grant)))
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self.path)

    @asynccontextmanager
    async def lock(self) -> AsyncIterator[None]:
        """Keep every other process that would renew waiting."""
        self._make_folder()
        # A file beside it: the grant's own is replaced, and a lock on what was replaced holds nobody.
        with self.path.with_suffix(".lock").open("ab") as file:
            while not _locked(file):  # noqa: ASYNC110 - another process holds it, which sets no event of ours
                await asyncio.sleep(LOCK_POLL_SECONDS)
            yield

    def _make_folder(self) -> None:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)


def _locked(file: IO[bytes]) -> bool:
    """Take the lock if it is free; it ends when the file is closed. Windows has none of this kind."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _facts(grant: Grant) -> dict[str, Json]:
    return {
        "client_id": grant.client_id,
        "scope": grant.scope,
        "access_token": grant.access_token.reveal(),
        "refresh_token": grant.refresh_token.reveal() if grant.refresh_token else None,
        "expires_at": grant.expires_at,
        "lifetime_seconds": grant.lifetime_seconds,
    }


def _grant(facts: Json) -> Grant:
    refresh_token = facts["refresh_token"]
    return Grant(
        client_id=facts["client_id"],
        scope=facts["scope"],
        access_token=Secret(facts["access_token"]),
        refresh_token=Secret(refresh_token) if refresh_token else None,
        expires_at=float(facts["expires_at"]),
        lifetime_seconds=float(facts["lifetime_seconds"]),
    )
