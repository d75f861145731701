"""Approvals: issued for exactly one payload, good once, for a while; kept where replicas share them."""

from __future__ import annotations

import hashlib
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

import orjson

from accord.engine.errors import QuotaExceededError
from accord.engine.nouns import State

__all__ = ["Approval", "Binding", "Ledger", "Verdict", "fingerprint"]

Json: TypeAlias = Any
Verdict = Literal["ok", "missing", "expired", "replayed", "mismatch"]

APPROVAL_SECONDS = 5 * 60
MOST_APPROVAL_SECONDS = 15 * 60

FOUR_BYTES = 0xF0
"""The first byte of a character from U+10000 on, in UTF-8."""

MOST_PENDING = 64
"""How many approvals one caller may be issued within a lifetime: nobody can push another's out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """What an approval is good for: this caller's call of this tool on this target with this payload, by this bot."""

    tool: str
    target: str
    payload_hash: str
    caller: str
    bot: str | None = None

    @property
    def facts(self) -> dict[str, str | None]:
        """All of it, by name."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Approval:
    """An approval that was issued; `expires_at` is in seconds since the epoch."""

    id: str
    expires_at: float

    @property
    def expires(self) -> str:
        """When it runs out, ISO 8601 in UTC."""
        moment = datetime.fromtimestamp(self.expires_at, UTC)
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Ledger:
    """Issues approvals and takes each once, whoever of several processes is asked.

    An id is kept only as a hash. What was used or ran out is remembered for one more lifetime, then it is missing. A
    wrong binding does not use an approval up.
    """

    def __init__(
        self,
        state: State,
        *,
        seconds: float = APPROVAL_SECONDS,
        most_pending: int = MOST_PENDING,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._state = state
        self._seconds = min(seconds, MOST_APPROVAL_SECONDS) if seconds > 0 else APPROVAL_SECONDS
        self._most_pending = most_pending
        self._clock = clock

    async def issue(self, binding: Binding) -> Approval:
        """Issue an approval of this binding.

        Raises:
            QuotaExceededError: The caller has been issued as many as may be pending at once.
        """
        await self._count(binding)
        approval = Approval(str(uuid.uuid4()), self._clock() + self._seconds)
        value = orjson.dumps({**binding.facts, "expires_at": approval.expires_at})
        await self._state.put(_key(approval.id), value, lifetime_seconds=2 * self._seconds)
        return approval

    async def check(self, approval_id: str, binding: Binding) -> Verdict:
        """Say whether the approval could be used for this binding now, and leave it as it is."""
        return await self._judged(approval_id, await self._state.get(_key(approval_id)), binding)

    async def consume(self, approval_id: str, binding: Binding) -> Verdict:
        """Use the approval up for this binding; only `ok` lets the call through."""
        key, used = _key(approval_id), _used_key(approval_id)
        held = await self._state.get(key)
        verdict = await self._judged(approval_id, held, binding)
        if verdict != "ok":
            return verdict
        # The mark is what decides: it outlives the approval, and whoever finds that gone finds it.
        if not await self._state.put(used, b"", lifetime_seconds=self._seconds, only_if_absent=True):
            return "replayed"
        await self._state.delete(key)
        return "ok"

    async def _judged(self, approval_id: str, held: bytes | None, binding: Binding) -> Verdict:
        if held is None:
            return "missing" if await self._state.get(_used_key(approval_id)) is None else "replayed"
        issued = orjson.loads(held)
        if issued.pop("expires_at") <= self._clock():
            return "expired"
        return "ok" if issued == binding.facts else "mismatch"

    async def _count(self, binding: Binding) -> None:
        window = f"approvals:{_digest(binding.caller.encode())}"
        wait = await self._state.count_in_window(window, window_seconds=self._seconds, limit=self._most_pending)
        if wait > 0:
            resets = datetime.fromtimestamp(self._clock() + wait + 1, UTC).replace(microsecond=0)
            raise QuotaExceededError(
                tool=binding.tool,
                quota=f"{self._most_pending} pending approvals",
                retry_after_ms=int(wait * 1000) + 1,
                resets_at=resets.isoformat().replace("+00:00", "Z"),
            )


def fingerprint(payload: Mapping[str, Json]) -> str:
    """Return the SHA-256 of the payload's canonical JSON, as lower-case hex.

    Canonical: keys in the order of their UTF-16 code units, lists in their own, nothing between the tokens, and text as
    it is.
    """
    return _digest(_plainly(payload) or _canonical(payload).encode(errors="surrogatepass"))


def _plainly(payload: Mapping[str, Json]) -> bytes | None:
    """Return the same where a library can make it: UTF-8 sorts as UTF-16 does below U+10000 (RFC 2781, 2.1)."""
    try:
        made = orjson.dumps(payload, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:
        return None
    return made if max(made) < FOUR_BYTES else None


def _canonical(value: Json) -> str:
    if isinstance(value, Mapping):
        names = sorted(value, key=lambda name: name.encode("utf-16-be", errors="surrogatepass"))
        return "{" + ",".join(f"{_canonical(name)}:{_canonical(value[name])}" for name in names) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_canonical, value)) + "]"
    return orjson.dumps(str(value) if isinstance(value, str) else value).decode()


def _key(approval_id: str) -> str:
    return f"approval:{_digest(approval_id.encode(errors='surrogatepass'))}"


def _used_key(approval_id: str) -> str:
    return f"approval-used:{_digest(approval_id.encode(errors='surrogatepass'))}"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
