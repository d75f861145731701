"""Discord's rate limits as a table of buckets, and the fixed windows that count against them."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from accord.discord.sandbox.snowflakes import created_at
from accord.discord.sandbox.wire import Answer, json_answer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

WINDOWS_KEPT = 10_000
RATE_LIMITED = "You are being rate limited."
TOP_LEVEL = ("channels", "guilds", "webhooks")
DAY_SECONDS = 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class Bucket:
    """So many requests in so many seconds, counted apart for each top-level resource."""

    name: str
    size: int
    seconds: float

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


@dataclass(slots=True)
class Window:
    """How much of a bucket is used, and the Unix time at which it is full again."""

    used: int
    ends_at: float


@dataclass(frozen=True, slots=True)
class Toll:
    """What a request was counted as: the headers for its answer, and the refusal if it came too soon."""

    headers: Mapping[str, str]
    refusal: Answer | None = None


class Limits:
    """Counts requests in fixed windows; `clock` tells the Unix time in seconds."""

    def __init__(self, clock: Callable[[], float], *, enforced: bool = True) -> None:
        """Start with every bucket full; without enforcement headers are sent and nothing is refused."""
        self._clock = clock
        self._enforced = enforced
        self._windows: dict[tuple[str, str], Window] = {}

    def take(self, route_key: str, values: tuple[str, ...], body: Any) -> Toll:
        """Count one request against the global window, its bucket and the hidden limit on channel names and topics."""
        bucket = self._bucket(route_key, values)
        resource = values[0] if values and route_key.split("/")[1] in TOP_LEVEL else ""
        overall = self._count(GLOBAL, "")
        if overall.used > GLOBAL.size and self._enforced:
            return Toll({}, self._refused_globally(overall))
        window = self._count(bucket, resource)
        headers = self._headers(bucket, window)
        if not self._enforced:
            return Toll(headers)
        if window.used > bucket.size:
            return Toll(headers, self._refused(window, headers))
        return Toll(headers, self._refused_by_hidden_limit(route_key, resource, body, headers))

    def _bucket(self, route_key: str, values: tuple[str, ...]) -> Bucket:
        if route_key == MESSAGE_DELETION:
            age = self._clock() - created_at(values[1])
            return next(bucket for oldest, bucket in DELETION_BY_AGE if age < oldest)
        return BUCKETS.get(route_key) or Bucket(route_key, ORDINARY_SIZE, ORDINARY_SECONDS)

    def _count(self, bucket: Bucket, resource: str) -> Window:
        now = self._clock()
        window = self._windows.get((bucket.name, resource))
        if window is None or window.ends_at <= now:
            self._forget_ended(now)
            window = self._windows[bucket.name, resource] = Window(0, now + bucket.seconds)
        window.used += 1
        return window

    def _forget_ended(self, now: float) -> None:
        if len(self._windows) > WINDOWS_KEPT:
            self._windows = {key: window for key, window in self._windows.items() if window.ends_at > now}

    def _headers(self, bucket: Bucket, window: Window) -> Mapping[str, str]:
        left = bucket.size - window.used
        if not self._enforced:
            left = max(left, 1)  # or a client would wait for a window that is never closed
        return {
            "X-RateLimit-Limit": str(bucket.size),
            "X-RateLimit-Remaining": str(max(left, 0)),
            "X-RateLimit-Reset": f"{window.ends_at:.3f}",
            "X-RateLimit-Reset-After": f"{self._left(window):.3f}",
            "X-RateLimit-Bucket": bucket.hash,
        }

    def _left(self, window: Window) -> float:
        return max(window.ends_at - self._clock(), 0.001)

    def _refused(self, window: Window, headers: Mapping[str, str]) -> Answer:
        return rate_limited(self._left(window), "user", headers)

    def _refused_globally(self, window: Window) -> Answer:
        return rate_limited(self._left(window), "global", {})

    def _refused_by_hidden_limit(
        self, route_key: str, resource: str, body: Any, headers: Mapping[str, str]
    ) -> Answer | None:
        renames = isinstance(body, dict) and not body.keys().isdisjoint(("name", "topic"))
        if route_key != CHANNEL_UPDATE or not renames:
            return None
        window = self._count(RENAMES, resource)
        return self._refused(window, headers) if window.used > RENAMES.size else None


def rate_limited(retry_after: float, scope: str, headers: Mapping[str, str]) -> Answer:
    """A 429 of scope user, shared or global; `retry_after` is in seconds, the header's whole ones are rounded up."""
    shared = "The resource is being rate limited."
    body = {
        "message": shared if scope == "shared" else RATE_LIMITED,
        "retry_after": round(retry_after, 3),
        "global": scope == "global",
    }
    answer = json_answer(429, body)
    marks = {"Retry-After": str(math.ceil(retry_after)), "X-RateLimit-Scope": scope}
    if scope == "global":
        marks["X-RateLimit-Global"] = "true"
    return Answer(429, {**answer.headers, **headers, **marks}, answer.body)
