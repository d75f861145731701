"""What comes in and what goes out: a request, the call it makes on a route, and the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import orjson

from accord.discord.sandbox.audit import AuditEntry, Deed
from accord.discord.sandbox.forms import Check, form, listed, read

if TYPE_CHECKING:
    from accord.discord.sandbox.codes import Refused
    from accord.discord.sandbox.world import Guild, Upload, World

# Every answer of Discord's own servers has it, an answer of the edge in front of them has not.
FROM_DISCORD: Mapping[str, str] = {"Via": "1.1 google", "Server": "cloudflare"}


@dataclass(frozen=True, slots=True)
class Refusing:
    """A 429 that a request is to get; `hidden` says that the headers of its bucket know nothing of the limit."""

    scope: str
    retry_after: float
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """One API request; `path` begins after /api/v10, header names are in lower case.

    What faults have in store for it comes along: what is otherwise about its `bucket`, by the field's name, and the
    429 that it is to get.
    """

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes
    bucket: Mapping[str, Any] = field(default_factory=dict)
    refusing: Refusing | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """One API answer; a `status` of 0 means that the connection is closed instead."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


NO_ANSWER = Answer(0)


@dataclass(frozen=True, slots=True)
class Call:
    """A request as a route's function sees it: parsed, but nothing in it checked.

    `files` go by their number, or by the name of their part where that is not `files[n]`; the plain fields of a form
    are the body where it has no JSON. `user_id` is who asks: the bot, or the user of an OAuth2 token.
    """

    world: World
    query: tuple[tuple[str, str], ...]
    body: Any
    files: Mapping[str, Upload]
    reason: str | None
    user_id: str = ""

    def asked(self, **fields: Check) -> dict[str, Any]:
        """The checked query parameters that were given; raises Refused 50035."""
        checked: dict[str, Any] = read(form(fields), dict(self.query))
        return checked

    def asked_all(self, name: str, check: Check) -> tuple[Any, ...]:
        """The checked values of a query parameter that may be given more than once; raises Refused 50035."""
        given = [value for key, value in self.query if key == name]
        checked: dict[str, Any] = read(form({name: listed(check, most=100)}), {name: given})
        return tuple(checked[name])

    def record(self, guild: Guild, deed: Deed, target_id: str | None, **more: Any) -> None:
        """Write a line into the guild's audit log, with the reason that the request gave."""
        actor = self.user_id or self.world.me.id
        guild.audit.append(AuditEntry(self.world.new_id(), deed, actor, target_id, reason=self.reason, **more))


Function: TypeAlias = Callable[..., Any]
Auth: TypeAlias = Literal["bot", "bearer", "anybody"]


@dataclass(frozen=True, slots=True)
class Route:
    """A row of the API's table: `function(call, *path values)` gives the body of a `status`, or None for a 204.

    Where the body is no JSON, it gives the whole Answer. `auth` says who may ask: the bot, a user with an OAuth2 token
    as well, or anybody, as where the path holds a token.
    """

    method: str
    template: str
    function: Function
    status: int = 200
    auth: Auth = "bot"

    @property
    def key(self) -> str:
        """The route without its placeholders' names, `POST /channels/{}/messages`."""
        return f"{self.method} {self.template_key}"

    @property
    def template_key(self) -> str:
        """The path template without its placeholders' names."""
        return "/".join("{}" if part.startswith("{") else part for part in self.template.split("/"))


def json_answer(status: int, body: Any, headers: Mapping[str, str] = FROM_DISCORD) -> Answer:
    """An answer with a JSON body; its content type has no charset, as Discord's has none."""
    return Answer(status, {"Content-Type": "application/json", **headers}, orjson.dumps(body))


def refusal(refused: Refused) -> Answer:
    """The answer that a refused request gets."""
    return json_answer(refused.code.status, refused.body)
