"""Discord's rate limits as a table of buckets, and the fixed and leaky counts that are kept of them."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from accord.discord.sandbox.snowflakes import created_at
from accord.discord.sandbox.wire import Answer, json_answer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from accord.discord.sandbox.wire import Refusing

COUNTS_KEPT = 10_000
RATE_LIMITED = "You are being rate limited."
RESOURCE_RATE_LIMITED = "The resource is being rate limited."
TOP_LEVEL = ("channels", "guilds", "webhooks")
DAY_SECONDS = 24 * 60 * 60
ROUNDING_SECONDS = 1e-6
"""What sums of Unix times, as floats, may be off by."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """So many requests in so many seconds, counted apart for each top-level resource.

    A fixed one is full again `seconds` after its first request, a leaky one fills up all the time.
    """

    name: str
    size: int
    seconds: float
    leaky: bool = False

    @property
    def hash(self) -> str:
        """The opaque name under which clients see the bucket; it says nothing of the resource."""
        return hashlib.blake2b(self.name.encode(), digest_size=16).hexdigest()


GLOBAL = Bucket("global", 50, 1.0)  # https://discord.com/developers/docs/topics/rate-limits#global-rate-limit
REACTIONS = Bucket("reactions", 1, 0.25)
RENAMES = Bucket("channel name or topic", 2, 600.0)
MESSAGE_DELETION = "DELETE /channels/{}/messages/{}"
CHANNEL_UPDATE = "PATCH /channels/{}"

# Discord publishes none of these: they are what clients report to see, and change without notice.
ORDINARY_SIZE, ORDINARY_SECONDS = 10, 1.0
BUCKETS: Mapping[str, Bucket] = {
    "POST /channels/{}/messages": Bucket("message create", 5, 5.0),
    "PATCH /channels/{}/messages/{}": Bucket("message edit", 5, 5.0),
    "GET /channels/{}/messages": Bucket("message list", 5, 1.0),
    "POST /channels/{}/messages/bulk-delete": Bucket("message bulk delete", 1, 1.0),
    "POST /channels/{}/typing": Bucket("typing", 5, 5.0),
    "PUT /channels/{}/messages/{}/reactions/{}/@me": REACTIONS,
    "DELETE /channels/{}/messages/{}/reactions/{}/@me": REACTIONS,
    "DELETE /channels/{}/messages/{}/reactions/{}/{}": REACTIONS,
    "DELETE /channels/{}/messages/{}/reactions/{}": REACTIONS,
    "DELETE /channels/{}/messages/{}/reactions": REACTIONS,
    "PUT /channels/{}/messages/pins/{}": Bucket("pins", 5, 4.0),
    "DELETE /channels/{}/messages/pins/{}": Bucket("pins", 5, 4.0),
    "PATCH /channels/{}": Bucket("channel update", 5, 15.0),
    "PATCH /guilds/{}/members/{}": Bucket("member update", 10, 10.0),
}
# Messages are deleted from three buckets, by their age in seconds.
DELETION_BY_AGE: tuple[tuple[float, Bucket], ...] = (
    (10, Bucket("message delete, young", 5, 1.0)),
    (14 * DAY_SECONDS, Bucket("message delete", 3, 0.33)),
    (math.inf, Bucket("message delete, old", 30, 4.0)),
)


class Count(Protocol):
    """How much of a bucket is used on one resource. Times are in seconds."""

    def take(self, bucket: Bucket, now: float) -> float:
        """Count one request; gives the time until there is room for one that came too soon and was not counted."""

    def left(self, bucket: Bucket, now: float) -> int:
        """How many more there is room for."""

    def full_in(self, now: float) -> float:
        """The time until there is room for all again."""


@dataclass(slots=True)
class Window:
    """A fixed window: it begins with a request, and when it ends all of it is forgotten."""

    used: int = 0
    ends_at: float = 0.0

    def take(self, bucket: Bucket, now: float) -> float:
        """Count one request if it still fits."""
        if self.ends_at <= now:
            self.used, self.ends_at = 0, now + bucket.seconds
        if self.used >= bucket.size:
            return self.ends_at - now
        self.used += 1
        return 0.0

    def left(self, bucket: Bucket, now: float) -> int:  # noqa: ARG002 - a leak needs the time
        """How many more fit."""
        return max(bucket.size - self.used, 0)

    def full_in(self, now: float) -> float:
        """The time until the window ends."""
        return self.ends_at - now


@dataclass(slots=True)
class Leak:
    """A leaky bucket: each request moves away the time at which it is full again."""

    full_at: float = 0.0

    def take(self, bucket: Bucket, now: float) -> float:
        """Count one request if one has leaked out for it."""
        full_at = max(self.full_at, now) + bucket.seconds / bucket.size
        wait = full_at - now - bucket.seconds
        if wait > ROUNDING_SECONDS:
            return wait
        self.full_at = full_at
        return 0.0

    def left(self, bucket: Bucket, now: float) -> int:
        """How many whole ones there is room for."""
        return int((bucket.seconds - self.full_in(now) + ROUNDING_SECONDS) * bucket.size / bucket.seconds)

    def full_in(self, now: float) -> float:
        """The time until all have leaked out."""
        return max(self.full_at - now, 0.0)


@dataclass(frozen=True, slots=True)
class Toll:
    """What a request was counted as: the headers for its answer, and the refusal if it came too soon."""

    headers: Mapping[str, str] = field(default_factory=dict)
    refusal: Answer | None = None


class Limits:
    """Counts requests against their buckets; `clock` tells the Unix time in seconds."""

    def __init__(self, clock: Callable[[], float], *, enforced: bool = True) -> None:
        """Start with every bucket full; without enforcement only those are counted that faults have changed."""
        self._clock = clock
        self._enforced = enforced
        self._counts: dict[tuple[str, bool, str], Count] = {}

    def take(
        self,
        route_key: str,
        values: tuple[str, ...],
        body: Any,
        *,
        change: Mapping[str, Any] | None = None,
        refusing: Refusing | None = None,
    ) -> Toll:
        """Count one request against the global limit, its bucket and the hidden limit on channel names and topics.

        `change` says what is otherwise about its bucket, and `refusing` which 429 it is to get.
        """
        if refusing is not None and (refusing.scope == "global" or not (self._enforced or change)):
            return Toll(refusal=rate_limited(refusing.retry_after, refusing.scope, {}))
        if self._enforced and (wait := self._count(GLOBAL, "").take(GLOBAL, self._clock())):
            return Toll(refusal=rate_limited(wait, "global", {}))
        if not self._enforced and not change:
            return Toll()
        resource = values[0] if values and route_key.split("/")[1] in TOP_LEVEL else ""
        toll = self._passed(replace(self._bucket(route_key, values), **(change or {})), resource)
        if toll.refusal is not None:
            return toll
        if refusing is not None:
            return self._refused_as_asked(refusing, toll.headers)
        return Toll(toll.headers, self._refused_by_hidden_limit(route_key, resource, body, toll.headers))

    def _bucket(self, route_key: str, values: tuple[str, ...]) -> Bucket:
        if route_key == MESSAGE_DELETION:
            age = self._clock() - created_at(values[1])
            return next(bucket for oldest, bucket in DELETION_BY_AGE if age < oldest)
        return BUCKETS.get(route_key) or Bucket(route_key, ORDINARY_SIZE, ORDINARY_SECONDS)

    def _passed(self, bucket: Bucket, resource: str) -> Toll:
        count, now = self._count(bucket, resource), self._clock()
        wait = count.take(bucket, now)
        headers = {
            "X-RateLimit-Limit": str(bucket.size),
            "X-RateLimit-Remaining": "0" if wait else str(count.left(bucket, now)),
            **_reset(now, count.full_in(now)),
            "X-RateLimit-Bucket": bucket.hash,
        }
        return Toll(headers, rate_limited(wait, "user", headers) if wait else None)

    def _count(self, bucket: Bucket, resource: str) -> Count:
        key = bucket.name, bucket.leaky, resource
        if key not in self._counts:
            self._forget_full()
            self._counts[key] = Leak() if bucket.leaky else Window()
        return self._counts[key]

    def _forget_full(self) -> None:
        if len(self._counts) >= COUNTS_KEPT:
            now = self._clock()
            self._counts = {key: count for key, count in self._counts.items() if count.full_in(now) > 0}

    def _refused_as_asked(self, refusing: Refusing, headers: Mapping[str, str]) -> Toll:
        """Refuse a request for a limit of its own: only that of scope user is the one of which headers tell."""
        if refusing.scope == "user" and not refusing.hidden:
            empty = {"X-RateLimit-Remaining": "0", **_reset(self._clock(), refusing.retry_after)}
            headers = {**headers, **empty}
        return Toll(headers, rate_limited(refusing.retry_after, refusing.scope, headers))

    def _refused_by_hidden_limit(
        self, route_key: str, resource: str, body: Any, headers: Mapping[str, str]
    ) -> Answer | None:
        renames = isinstance(body, dict) and not body.keys().isdisjoint(("name", "topic"))
        if route_key != CHANNEL_UPDATE or not renames or not self._enforced:
            return None
        wait = self._count(RENAMES, resource).take(RENAMES, self._clock())
        return rate_limited(wait, "user", headers) if wait else None


def _reset(now: float, seconds: float) -> dict[str, str]:
    return {
        "X-RateLimit-Reset": f"{now + seconds:.3f}",
        "X-RateLimit-Reset-After": f"{_in_whole_ms(seconds):.3f}",
    }


def _in_whole_ms(seconds: float) -> float:
    """The time in milliseconds' steps, rounded up: whoever waits that long has waited long enough."""
    return math.ceil(round(seconds * 1000, 3)) / 1000


def rate_limited(retry_after: float, scope: str, headers: Mapping[str, str]) -> Answer:
    """A 429 of scope user, shared or global; `retry_after` is in seconds, the header's whole ones are rounded up."""
    body = {
        "message": RESOURCE_RATE_LIMITED if scope == "shared" else RATE_LIMITED,
        "retry_after": _in_whole_ms(retry_after),
        "global": scope == "global",
    }
    answer = json_answer(429, body)
    marks = {"Retry-After": str(math.ceil(retry_after)), "X-RateLimit-Scope": scope}
    if scope == "global":
        marks["X-RateLimit-Global"] = "true"
    return Answer(429, {**answer.headers, **headers, **marks}, answer.body)
