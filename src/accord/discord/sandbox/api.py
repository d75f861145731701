"""The API without its socket: takes a request to its route and gives the answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote

import orjson

from accord.discord.sandbox import codes
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.forms import Complaints, snowflake
from accord.discord.sandbox.multipart import parts_of
from accord.discord.sandbox.routes import ROUTES
from accord.discord.sandbox.wire import FROM_DISCORD, Answer, Call, Request, Route, json_answer, refusal
from accord.discord.sandbox.world import Upload, World

if TYPE_CHECKING:
    from collections.abc import Mapping

    from accord.discord.sandbox.limits import Limits

FILE_PART = re.compile(r"files\[([0-9]+)\]")


@dataclass(frozen=True, slots=True)
class Match:
    """A route, and the values that a path has for the placeholders of its template."""

    route: Route
    values: tuple[str, ...]


class Api:
    """Answers requests out of a world; `token` is the one bot token that it accepts."""

    def __init__(self, world: World, token: str, limits: Limits) -> None:
        """Take the state to work on."""
        self._world = world
        self._authorization = f"Bot {token}"
        self._limits = limits

    def answer(self, request: Request) -> Answer:
        """Serve one request; whatever is wrong with it is said in the answer."""
        try:
            match = find_route(request.method, request.path)
            self._check_token(match.route, request)
            _check_ids(match)
        except Refused as refused:
            return refusal(refused)
        return self._within_limits(match, request)

    def _check_token(self, route: Route, request: Request) -> None:
        given = request.headers.get("authorization")
        if given == self._authorization or route.auth == "anybody":
            return
        if route.auth == "bearer" and given and given.removeprefix("Bearer ") in self._world.bearers:
            return
        raise Refused(codes.UNAUTHORIZED)

    def _asking(self, request: Request) -> str:
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        return self._world.bearers.get(bearer, self._world.me.id)

    def _within_limits(self, match: Match, request: Request) -> Answer:
        try:
            body, files = _payload(request)
            problem = None
        except Refused as refused:
            body, files, problem = None, {}, refusal(refused)
        toll = self._limits.take(match.route.key, match.values, body, change=request.bucket, refusing=request.refusing)
        if toll.refusal is not None:
            return toll.refusal
        answer = problem or self._run(match, request, body, files)
        return Answer(answer.status, {**answer.headers, **toll.headers}, answer.body)

    def _run(self, match: Match, request: Request, body: Any, files: Mapping[str, Upload]) -> Answer:
        query = tuple(parse_qsl(request.query, keep_blank_values=True))
        reason = request.headers.get("x-audit-log-reason")
        call = Call(self._world, query, body, files, unquote(reason) if reason else None, self._asking(request))
        try:
            result = match.route.function(call, *match.values)
        except Refused as refused:
            return refusal(refused)
        if isinstance(result, Answer):
            return result
        return Answer(204, FROM_DISCORD) if result is None else json_answer(match.route.status, result)


def find_route(method: str, path: str) -> Match:
    """The route of a path; raises Refused 404 for an unknown path, 405 for one known with other methods only."""
    parts = tuple(unquote(part) for part in path.split("/"))
    fitting = [route for route in _BY_LENGTH.get(len(parts), ()) if _fits(route, parts)]
    if not fitting:
        raise Refused(codes.NOT_FOUND)
    for route in fitting:
        if route.method == method:
            return Match(route, _values(route, parts))
    raise Refused(codes.METHOD_NOT_ALLOWED)


def route_key_of(request: Request) -> str | None:
    """The key of the route that a request is for, None for one that there is not."""
    try:
        return find_route(request.method, request.path).route.key
    except Refused:
        return None


def _fits(route: Route, parts: tuple[str, ...]) -> bool:
    return all(_is_placeholder(wanted) or wanted == part for wanted, part in _pairs(route, parts))


def _values(route: Route, parts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part for wanted, part in _pairs(route, parts) if _is_placeholder(wanted))


def _pairs(route: Route, parts: tuple[str, ...]) -> list[tuple[str, str]]:
    return list(zip(route.template.split("/"), parts, strict=True))


def _is_placeholder(part: str) -> bool:
    return part.startswith("{")


def _index(routes: tuple[Route, ...]) -> dict[int, list[Route]]:
    """Routes by their number of parts, literal parts first: /users/@me must win over /users/{user_id}."""
    index: dict[int, list[Route]] = {}
    for route in sorted(routes, key=lambda route: route.template.replace("{", "~")):
        index.setdefault(route.template.count("/") + 1, []).append(route)
    return index


_BY_LENGTH = _index(ROUTES)


def _check_ids(match: Match) -> None:
    """Refuse a path in which something that should be an id is none."""
    names = [part.strip("{}") for part in match.route.template.split("/") if _is_placeholder(part)]
    complaints = Complaints()
    for name, value in zip(names, match.values, strict=True):
        if name.endswith("_id"):
            snowflake(value, complaints.at(name))
    complaints.settle()


def _payload(request: Request) -> tuple[Any, Mapping[str, Upload]]:
    """The JSON of the body and the files that came with it; raises Refused 50109 or 50035."""
    content_type = request.headers.get("content-type", "")
    if not request.body:
        return {}, {}
    if content_type.startswith("multipart/form-data"):
        return _multipart(request.body, content_type)
    if content_type.partition(";")[0].strip() != "application/json":
        _refuse_content_type()
    return _json(request.body), {}


def _multipart(body: bytes, content_type: str) -> tuple[Any, Mapping[str, Upload]]:
    try:
        parts = parts_of(body, content_type)
    except ValueError:
        _refuse_content_type()
    fields = {part.name: part.content.decode(errors="replace") for part in parts if part.filename is None}
    payload: Any = _json(fields["payload_json"]) if "payload_json" in fields else fields
    files = {
        found[1] if (found := FILE_PART.fullmatch(part.name)) else part.name: Upload(
            part.filename, part.content_type, part.content
        )
        for part in parts
        if part.filename is not None
    }
    return payload, files


def _json(body: bytes | str) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        raise Refused(codes.INVALID_JSON) from None


def _refuse_content_type() -> None:
    complaints = Complaints()
    complaints.say("CONTENT_TYPE_INVALID", "Expected \"Content-Type\" header to be one of {'application/json'}.")
    complaints.settle()
