"""One exchange with Discord: the request as it is sent, what came back, and what an observer hears of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from accord.discord.rest.resilience.layers import Request

if TYPE_CHECKING:
    from collections.abc import Mapping

    from accord.discord.rest.routes import Value
    from accord.discord.rest.tokens import Credential
    from accord.discord.rest.uploads import Form

__all__ = ["Answer", "Attempt", "HttpRequest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest(Request):
    """A request as it is sent, each time. What may hold secrets or people's words is not in its repr.

    `idempotent` is true for what is harmless twice by itself; `replayable` also where a nonce makes it so. With a
    `form`, `body` is one of its parts. `credential` goes along, unless it is None. `identity` tells for whom Discord
    counts the request: None for the bot, and for whomever the path's own token stands.
    """

    method: str
    template: str
    values: tuple[Value, ...] = field(repr=False)
    url: str = field(repr=False)
    body: bytes | None = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    idempotent: bool
    nonce: str | None
    paced: bool = True
    form: Form | None = field(default=None, repr=False)
    credential: Credential | None = field(default=None, repr=False)
    identity: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back, whatever its status."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One exchange, for logs and telemetry: the route's template, never its values.

    `status` is None where no answer came; `number` counts from 1.
    """

    method: str
    template: str
    status: int | None
    duration_ms: float
    number: int
