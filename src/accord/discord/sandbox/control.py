"""The sandbox's own routes, by which tests in any language ask for faults and read what was requested."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import orjson

from accord.discord.sandbox.exchanges import ExchangeLog, shown
from accord.discord.sandbox.fault_kinds import KINDS
from accord.discord.sandbox.faults import Faults
from accord.discord.sandbox.invalid import PERIOD_SECONDS, InvalidRequests
from accord.discord.sandbox.wire import Answer, Request, json_answer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PREFIX = "/_sandbox"


class Control:
    """Serves /_sandbox; it asks for no token, as it listens on the loopback interface only."""

    def __init__(self, faults: Faults, log: ExchangeLog, invalid: InvalidRequests) -> None:
        """Take what is to be controlled."""
        self._faults = faults
        self._log = log
        self._invalid = invalid
        self._routes: Mapping[tuple[str, str], Callable[[Request], Answer]] = {
            ("POST", "/faults"): self._add_fault,
            ("DELETE", "/faults"): self._clear_faults,
            ("GET", "/requests"): self._list_requests,
            ("DELETE", "/requests"): self._clear_requests,
            ("GET", "/invalid-requests"): self._count_invalid,
            ("DELETE", "/invalid-requests"): self._clear_invalid,
        }

    async def answer(self, request: Request) -> Answer:
        """Serve one request; a refused one says why, and an unknown one lists what there is."""
        route = self._routes.get((request.method, request.path))
        if route is None:
            known = ", ".join(f"{known_method} {PREFIX}{known_path}" for known_method, known_path in self._routes)
            return _refused(404, f"unknown route; known routes: {known}")
        try:
            return route(request)
        except ValueError as problem:
            return _refused(400, str(problem))

    def _add_fault(self, request: Request) -> Answer:
        wanted = _object(request.body)
        route, kind = wanted.pop("route", None), wanted.pop("kind", None)
        if isinstance(route, str) and isinstance(kind, str):
            times, skip = wanted.pop("times", "usual"), wanted.pop("skip", 0)
            self._faults.add(route, kind, wanted, times=times, skip=skip)
            return _done()
        raise ValueError(f"a fault needs 'route' and 'kind' as text; known kinds: {', '.join(KINDS)}")

    def _clear_faults(self, _request: Request) -> Answer:
        self._faults.clear()
        return _done()

    def _list_requests(self, request: Request) -> Answer:
        since = dict(parse_qsl(request.query)).get("since", "0")
        if not since.isdecimal():
            raise ValueError("since must be the number of a request, after which the list is to begin")
        entries = [shown(number, exchange) for number, exchange in self._log if number > int(since)]
        return json_answer(200, {"requests": entries}, headers={})

    def _clear_requests(self, _request: Request) -> Answer:
        self._log.clear()
        return _done()

    def _count_invalid(self, _request: Request) -> Answer:
        invalid = self._invalid
        facts = {
            "count": invalid.count,
            "period_seconds": PERIOD_SECONDS,
            "ban_after": invalid.ban_after,
            "banned": invalid.banned,
        }
        return json_answer(200, facts, headers={})

    def _clear_invalid(self, _request: Request) -> Answer:
        self._invalid.clear()
        return _done()


def _object(body: bytes) -> dict[str, Any]:
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        value = None
    if isinstance(value, dict):
        return value
    raise ValueError(f"the body must be a JSON object; known kinds: {', '.join(KINDS)}")


def _refused(status: int, reason: str) -> Answer:
    return json_answer(status, {"error": reason}, headers={})


def _done() -> Answer:
    return Answer(204)
