"""The kinds of fault as tables: what each does to a request, and the options that it takes.

A kind is an async function `(options, request, following) -> answer`, where `following(request)` gives the right one.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from email.utils import formatdate
from typing import Any, TypeAlias

import orjson

from accord.discord.sandbox import codes
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.invalid import ban_notice
from accord.discord.sandbox.wire import NO_ANSWER, Answer, Refusing, Request, json_answer, refusal

LONGEST_DELAY_SECONDS = 60
LONGEST_WAIT_SECONDS = 24 * 60 * 60
HTML = {"Content-Type": "text/html; charset=UTF-8", "Server": "cloudflare"}
BAD_REQUEST = 400
INDEX_NOT_READY = 110000
SCOPES = ("user", "shared", "global")
LIMIT_HEADERS = "x-ratelimit-"
RESET = "X-RateLimit-Reset"

Options: TypeAlias = Mapping[str, Any]
Following: TypeAlias = Callable[[Request], Awaitable[Answer]]
Strike: TypeAlias = Callable[[Options, Request, Following], Awaitable[Answer]]


# What stands in the place of the right answer.


async def _status(options: Options, _request: Request, _following: Following) -> Answer:
    """Answers with any status, as JSON or as a page of the edge."""
    status, message = options["status"], options["message"]
    if options["html"]:
        return _page(status, message)
    return json_answer(status, {"message": message, "code": options["code"]})


async def _rate_limited(options: Options, request: Request, following: Following) -> Answer:
    """Answers 429. The headers of scope `user` tell of that limit; those of `shared`, and of a `hidden` one, do not."""
    refusing = Refusing(options["scope"], options["retry_after"], hidden=options["hidden"])
    return await following(replace(request, refusing=refusing))


async def _ban_notice(_options: Options, _request: Request, _following: Following) -> Answer:
    """Answers as to an address with too many invalid requests: 429 with no time to wait, from the edge."""
    return ban_notice()


async def _cloudflare_1015(options: Options, _request: Request, _following: Following) -> Answer:
    """Answers Cloudflare's page for a banned address."""
    page = _page(options["status"], "error code: 1015")
    wait = options["retry_after"]
    waiting = {} if wait is None else {"Retry-After": str(math.ceil(wait))}
    return replace(page, headers={**page.headers, **waiting})


async def _bad_gateway_html(options: Options, request: Request, following: Following) -> Answer:
    """Answers the edge's 502 page, before or after the request took effect."""
    if options["after"]:
        await following(request)
    return _page(502, "502 Bad Gateway")


async def _drop(options: Options, request: Request, following: Following) -> Answer:
    """Closes the connection without an answer, before or after the request took effect."""
    if options["after"]:
        await following(request)
    return NO_ANSWER


async def _unauthorized(_options: Options, _request: Request, _following: Following) -> Answer:
    """Answers 401 as to a token that was reset."""
    return refusal(Refused(codes.UNAUTHORIZED))


async def _search_not_ready(options: Options, _request: Request, _following: Following) -> Answer:
    """Answers 202: the guild's search index is still being made."""
    body = {
        "message": "Index not yet available. Try again later",
        "code": INDEX_NOT_READY,
        "documents_indexed": options["documents_indexed"],
        "retry_after": options["retry_after"],
    }
    return json_answer(202, body)


def _page(status: int, words: str) -> Answer:
    page = f"<!DOCTYPE html><html><head><title>{words}</title></head><body><h1>{words}</h1></body></html>"
    return Answer(status, HTML, page.encode())


# What changes the right answer, or that of one of the kinds above.


async def _delay(options: Options, request: Request, following: Following) -> Answer:
    """Answers late; what is delayed `after` its effect was counted at once, so that answers overtake each other."""
    if options["after"]:
        answer = await following(request)
        await asyncio.sleep(options["seconds"])
        return answer
    await asyncio.sleep(options["seconds"])
    return await following(request)


async def _malformed_json(_options: Options, request: Request, following: Following) -> Answer:
    """Cuts the body off in its middle."""
    answer = await following(request)
    return replace(answer, body=answer.body[: len(answer.body) // 2])


async def _headers(options: Options, request: Request, following: Following) -> Answer:
    """Changes some headers, or leaves them out where the value is null."""
    answer = await following(request)
    replaced = {name.lower() for name in options["set"]}
    kept = {name: value for name, value in answer.headers.items() if name.lower() not in replaced}
    given = {name: str(value) for name, value in options["set"].items() if value is not None}
    return replace(answer, headers=kept | given)


async def _no_limit_headers(_options: Options, request: Request, following: Following) -> Answer:
    """Leaves out every X-RateLimit header, as some of Discord's routes do."""
    answer = await following(request)
    kept = {name: value for name, value in answer.headers.items() if not name.lower().startswith(LIMIT_HEADERS)}
    return replace(answer, headers=kept)


async def _clock_skew(options: Options, request: Request, following: Following) -> Answer:
    """Tells X-RateLimit-Reset and Date by a clock that is ahead of the client's, or behind it."""
    answer = await following(request)
    headers = {**answer.headers, "Date": formatdate(time.time() + options["seconds"], usegmt=True)}
    if RESET in headers:
        headers[RESET] = f"{float(headers[RESET]) + options['seconds']:.3f}"
    return replace(answer, headers=headers)


async def _blank(options: Options, request: Request, following: Following) -> Answer:
    """Empties other people's messages, as for an application without the message content intent."""
    answer = await following(request)
    if answer.body and answer.headers.get("Content-Type") == "application/json":
        return replace(answer, body=orjson.dumps(_blanked(orjson.loads(answer.body), options["my_id"])))
    return answer


async def _newer(_options: Options, request: Request, following: Following) -> Answer:
    """Adds a field that nobody knows yet to every object of an answer, as a later Discord may."""
    answer = await following(request)
    if answer.status < BAD_REQUEST and answer.headers.get("Content-Type") == "application/json" and answer.body:
        return replace(answer, body=orjson.dumps(_with_more(orjson.loads(answer.body))))
    return answer


def _with_more(value: Any) -> Any:
    if isinstance(value, list):
        return [_with_more(each) for each in value]
    if isinstance(value, dict):
        inner = {name: _with_more(each) for name, each in value.items()}
        is_table = bool(value) and all(name.isdigit() for name in value)  # by ids: its names are no fields
        return inner if is_table else inner | {"of_the_future": {"deep": [1]}}
    return value


async def _bucket(options: Options, request: Request, following: Following) -> Answer:
    """Counts against a bucket that is otherwise than usual; routes that are given one `name` share it, and its hash."""
    change = {name: value for name in ("name", "size", "seconds", "leaky") if (value := options[name]) is not None}
    return await following(replace(request, bucket=change))


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


# The options, and the tables.


@dataclass(frozen=True, slots=True)
class Option:
    """A setting of a kind: what it must be, and what it is if it is not given."""

    fits: Callable[[Any], bool]
    wanted: str
    usual: Any


def _number(least: float, most: float) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most


def _whole(least: int, most: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _or_null(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or fits(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool)


def _is_header_table(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(each, str | int | float | None) for each in value.values())


_AFTER = Option(_is_truth, "true or false: whether the request takes effect first", usual=False)
_WAIT = _number(0, LONGEST_WAIT_SECONDS)
_WAIT_WORDS = f"seconds from 0 to {LONGEST_WAIT_SECONDS}"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of fault: what it does, its options, and whether it lasts until it is cleared."""

    strike: Strike
    options: Mapping[str, Option] = field(default_factory=dict)
    lasts: bool = False

    @property
    def meaning(self) -> str:
        """What it does, in a sentence."""
        return self.strike.__doc__ or ""


ANSWERS: Mapping[str, Kind] = {
    "status": Kind(
        _status,
        {
            "status": Option(_whole(400, 599), "a status from 400 to 599", usual=500),
            "code": Option(_whole(0, 999_999), "a JSON error code", usual=0),
            "message": Option(_is_text, "text", usual="500: Internal Server Error"),
            "html": Option(_is_truth, "true or false: whether it is a page of the edge", usual=False),
        },
    ),
    "rate_limited": Kind(
        _rate_limited,
        {
            "scope": Option(lambda value: value in SCOPES, "user, shared or global", usual="user"),
            "retry_after": Option(_WAIT, _WAIT_WORDS, usual=1.0),
            "hidden": Option(_is_truth, "true or false: whether the headers say that there is room", usual=False),
        },
    ),
    "ban_notice": Kind(_ban_notice),
    "cloudflare_1015": Kind(
        _cloudflare_1015,
        {
            "status": Option(lambda value: value in (403, 429), "403 or 429", usual=429),
            "retry_after": Option(_or_null(_WAIT), f"{_WAIT_WORDS}, or null for no such header", usual=None),
        },
    ),
    "bad_gateway_html": Kind(_bad_gateway_html, {"after": _AFTER}),
    "drop": Kind(_drop, {"after": _AFTER}),
    "unauthorized": Kind(_unauthorized, lasts=True),
    "search_not_ready": Kind(
        _search_not_ready,
        {
            "retry_after": Option(_WAIT, _WAIT_WORDS, usual=1),
            "documents_indexed": Option(_whole(0, 10**9), "a whole number", usual=0),
        },
    ),
}
"""What stands in the place of the right answer; a request meets at most one of them."""

CHANGES: Mapping[str, Kind] = {
    "delay": Kind(
        _delay,
        {
            "seconds": Option(
                _number(0, LONGEST_DELAY_SECONDS), f"seconds from 0 to {LONGEST_DELAY_SECONDS}", usual=1.0
            ),
            "after": _AFTER,
        },
    ),
    "malformed_json": Kind(_malformed_json),
    "headers": Kind(_headers, {"set": Option(_is_header_table, "an object of names and values or null", usual={})}),
    "no_limit_headers": Kind(_no_limit_headers, lasts=True),
    "clock_skew": Kind(
        _clock_skew,
        {
            "seconds": Option(
                _number(-LONGEST_WAIT_SECONDS, LONGEST_WAIT_SECONDS),
                f"seconds from -{LONGEST_WAIT_SECONDS} to {LONGEST_WAIT_SECONDS}",
                usual=3600,
            )
        },
        lasts=True,
    ),
    "blank": Kind(_blank, lasts=True),
    "newer": Kind(_newer, lasts=True),
    "bucket": Kind(
        _bucket,
        {
            "name": Option(_or_null(_is_text), "text, or null for the route's own", usual=None),
            "size": Option(_or_null(_whole(1, 10_000)), "requests from 1 to 10000, or null for as usual", usual=None),
            "seconds": Option(
                _or_null(_number(0.001, LONGEST_WAIT_SECONDS)),
                f"seconds from 0.001 to {LONGEST_WAIT_SECONDS}, or null for as usual",
                usual=None,
            ),
            "leaky": Option(_or_null(_is_truth), "true, false or null: whether it fills up all the time", usual=None),
        },
        lasts=True,
    ),
}
"""What changes the answer, whichever it is; they come together, the outermost first."""

KINDS: Mapping[str, Kind] = {**ANSWERS, **CHANGES}
