"""Faults on demand: the ways in which Discord, or the road to it, is known to fail."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import orjson

from accord.discord.sandbox import codes
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.limits import rate_limited
from accord.discord.sandbox.routes import ROUTES
from accord.discord.sandbox.wire import NO_ANSWER, Answer, json_answer, refusal

LONGEST_DELAY_SECONDS = 60
ANY_ROUTE = "*"
PLACEHOLDER = re.compile(r"{[^}/]*}")
ROUTE_KEYS = frozenset(route.key for route in ROUTES)
HTML = {"Content-Type": "text/html; charset=UTF-8", "Server": "cloudflare"}
BANNED = (
    "You are being blocked from accessing our API temporarily due to exceeding our rate limits frequently. "
    "Please read our docs at https://discord.com/developers/docs/topics/rate-limits to prevent this moving forward."
)
INDEX_NOT_READY = 110000
SCOPES = ("user", "shared", "global")

Proceed: TypeAlias = Callable[[], Answer]
Options: TypeAlias = Mapping[str, Any]


async def _status(options: Options, _proceed: Proceed) -> Answer:
    """Answer with any status, as JSON or as a page of the edge."""
    status, message = options["status"], options["message"]
    if options["html"]:
        return _page(status, message)
    return json_answer(status, {"message": message, "code": options["code"]})


async def _rate_limited(options: Options, _proceed: Proceed) -> Answer:
    """Answer a 429 of the given scope, as Discord words it."""
    return rate_limited(options["retry_after"], options["scope"], {})


async def _ban_notice(_options: Options, _proceed: Proceed) -> Answer:
    """Answer as to a client that met too many limits: a 429 with no time to wait, not from Discord's own servers."""
    return json_answer(429, {"message": BANNED, "code": 0}, headers={"Server": "cloudflare"})


async def _cloudflare_1015(options: Options, _proceed: Proceed) -> Answer:
    """Answer Cloudflare's page for a banned address."""
    page = _page(options["status"], "error code: 1015")
    wait = options["retry_after"]
    waiting = {} if wait is None else {"Retry-After": str(math.ceil(wait))}
    return Answer(page.status, {**page.headers, **waiting}, page.body)


async def _bad_gateway_html(options: Options, proceed: Proceed) -> Answer:
    """Answer the edge's 502 page, before or after the request took effect."""
    if options["after"]:
        proceed()
    return _page(502, "502 Bad Gateway")


async def _drop(options: Options, proceed: Proceed) -> Answer:
    """Close the connection without an answer, before or after the request took effect."""
    if options["after"]:
        proceed()
    return NO_ANSWER


async def _delay(options: Options, proceed: Proceed) -> Answer:
    """Answer rightly, but late."""
    await asyncio.sleep(options["seconds"])
    return proceed()


async def _unauthorized(_options: Options, _proceed: Proceed) -> Answer:
    """Answer as to a token that was reset."""
    return refusal(Refused(codes.UNAUTHORIZED))


async def _malformed_json(_options: Options, proceed: Proceed) -> Answer:
    """Answer rightly, but cut the body off in its middle."""
    answer = proceed()
    return Answer(answer.status, answer.headers, answer.body[: len(answer.body) // 2] or b"{")


async def _search_not_ready(options: Options, _proceed: Proceed) -> Answer:
    """Answer that the guild's search index is still being made."""
    body = {
        "message": "Index not yet available. Try again later",
        "code": INDEX_NOT_READY,
        "documents_indexed": options["documents_indexed"],
        "retry_after": options["retry_after"],
    }
    return json_answer(202, body)


async def _blank(options: Options, proceed: Proceed) -> Answer:
    """Answer as to an application without the message content intent."""
    answer = proceed()
    if not answer.body:
        return answer
    return Answer(answer.status, answer.headers, orjson.dumps(_blanked(orjson.loads(answer.body), options["my_id"])))


async def _headers(options: Options, proceed: Proceed) -> Answer:
    """Answer rightly, but with some headers changed, or left out where the value is null."""
    answer = proceed()
    replaced = {name.lower() for name in options["set"]}
    kept = {name: value for name, value in answer.headers.items() if name.lower() not in replaced}
    given = {name: str(value) for name, value in options["set"].items() if value is not None}
    return Answer(answer.status, kept | given, answer.body)


def _page(status: int, words: str) -> Answer:
    page = f"<!DOCTYPE html><html><head><title>{words}</title></head><body><h1>{words}</h1></body></html>"
    return Answer(status, HTML, page.encode())


def _blanked(value: Any, my_id: str) -> Any:
    """The value with every message in it emptied that is neither the bot's own nor mentions it."""
    if isinstance(value, list):
        return [_blanked(each, my_id) for each in value]
    if not isinstance(value, dict):
        return value
    inner = {name: _blanked(each, my_id) for name, each in value.items()}
    return inner if "content" not in inner or _may_be_read(inner, my_id) else _emptied(inner)


def _may_be_read(message: Mapping[str, Any], my_id: str) -> bool:
    people = [message.get("author", {}), *message.get("mentions", [])]
    return any(each.get("id") == my_id for each in people)


def _emptied(message: dict[str, Any]) -> dict[str, Any]:
    blanks = {"content": "", "embeds": [], "attachments": [], "components": []}
    kept = {name: value for name, value in message.items() if name != "poll"}
    return kept | {name: blank for name, blank in blanks.items() if name in kept}


@dataclass(frozen=True, slots=True)
class Option:
    """A setting of a kind: what it must be, and what it is if it is not given."""

    fits: Callable[[Any], bool]
    wanted: str
    usual: Any


def _number(least: float, most: float) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool)


def _is_header_table(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(each, str | int | float | None) for each in value.values())


_AFTER = Option(_is_truth, "true or false: whether the request takes effect before", usual=False)
_RETRY_AFTER = Option(_number(0, 86_400), "seconds from 0 to 86400", usual=1.0)


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of fault: what it does, its options, and whether it lasts until it is cleared."""

    answer: Callable[[Options, Proceed], Awaitable[Answer]]
    options: Mapping[str, Option] = field(default_factory=dict)
    lasts: bool = False


KINDS: Mapping[str, Kind] = {
    "status": Kind(
        _status,
        {
            "status": Option(_number(400, 599), "a status from 400 to 599", usual=500),
            "code": Option(_number(0, 999_999), "a JSON error code", usual=0),
            "message": Option(_is_text, "text", usual="500: Internal Server Error"),
            "html": Option(_is_truth, "true or false", usual=False),
        },
    ),
    "rate_limited": Kind(
        _rate_limited,
        {
            "scope": Option(lambda value: value in SCOPES, "user, shared or global", usual="user"),
            "retry_after": _RETRY_AFTER,
        },
    ),
    "ban_notice": Kind(_ban_notice),
    "cloudflare_1015": Kind(
        _cloudflare_1015,
        {
            "status": Option(lambda value: value in (403, 429), "403 or 429", usual=429),
            "retry_after": Option(
                lambda value: value is None or _number(0, 86_400)(value), "seconds from 0 to 86400 or null", usual=None
            ),
        },
    ),
    "bad_gateway_html": Kind(_bad_gateway_html, {"after": _AFTER}),
    "drop": Kind(_drop, {"after": _AFTER}),
    "delay": Kind(
        _delay,
        {"seconds": Option(_number(0, LONGEST_DELAY_SECONDS), f"seconds from 0 to {LONGEST_DELAY_SECONDS}", usual=1.0)},
    ),
    "unauthorized": Kind(_unauthorized, lasts=True),
    "malformed_json": Kind(_malformed_json),
    "search_not_ready": Kind(
        _search_not_ready,
        {
            "retry_after": Option(_number(0, 86_400), "whole seconds from 0 to 86400", usual=1),
            "documents_indexed": Option(_number(0, 10**9), "a number", usual=0),
        },
    ),
    "blank": Kind(_blank, lasts=True),
    "headers": Kind(_headers, {"set": Option(_is_header_table, "an object of names and values or null", usual={})}),
}


@dataclass(slots=True)
class Fault:
    """A fault that waits for its route; `times` counts down, None lasts until it is cleared."""

    route: str
    kind: str
    times: int | None
    options: Mapping[str, Any]


class Faults:
    """The faults that wait, in the order in which they were asked for; each request meets the first that fits."""

    def __init__(self, my_id: str) -> None:
        """Start with none; the bot's id tells whose messages keep their content."""
        self._my_id = my_id
        self._waiting: list[Fault] = []

    def add(self, route: str, kind: str, times: int | Literal["usual"] | None, options: Options) -> None:
        """Let a fault wait; raises ValueError with a readable reason for one that cannot be."""
        key = PLACEHOLDER.sub("{}", route)
        _check(key, kind, times, options)
        if times == "usual":
            times = None if KINDS[kind].lasts else 1
        usual = {name: option.usual for name, option in KINDS[kind].options.items()}
        self._waiting.append(Fault(key, kind, times, {**usual, **options, "my_id": self._my_id}))

    def clear(self) -> None:
        """Let every request be answered rightly again."""
        self._waiting.clear()

    async def answer(self, route_key: str | None, proceed: Proceed) -> Answer:
        """The answer of the first fault that waits for this route, or the right one."""
        fault = next((each for each in self._waiting if each.route in (ANY_ROUTE, route_key)), None)
        if fault is None:
            return proceed()
        if fault.times is not None:
            fault.times -= 1
            if fault.times == 0:
                self._waiting.remove(fault)
        return await KINDS[fault.kind].answer(fault.options, proceed)


def _check(route: str, kind: str, times: int | str | None, options: Options) -> None:
    if kind not in KINDS:
        raise ValueError(f"unknown kind {kind!r}; known kinds: {', '.join(KINDS)}")
    if route != ANY_ROUTE and route not in ROUTE_KEYS:
        raise ValueError(f"unknown route {route!r}; give '*' or a route such as 'POST /channels/{{}}/messages'")
    if times not in ("usual", None) and not (isinstance(times, int) and times >= 1 and times is not True):
        raise ValueError("times must be a whole number from 1, or null for a fault that lasts until it is cleared")
    known = KINDS[kind].options
    for name, value in options.items():
        if name not in known:
            raise ValueError(f"unknown option {name!r} of kind {kind!r}; known options: {', '.join(known) or 'none'}")
        if not known[name].fits(value):
            raise ValueError(f"option {name!r} of kind {kind!r} must be {known[name].wanted}")
