"""One verdict on one exchange with Discord: what was asked and what was answered, in wire bytes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
from tests.judge.answers import Answers
from tests.judge.operations import Operation, Routes, operations_of
from tests.judge.requests import Requests
from tests.judge.rewrites import READ_EVERYWHERE, READ_IN_BODIES, Schema, rewritten, with_documented_routes
from tests.judge.schemas import Schemas

if TYPE_CHECKING:
    from collections.abc import Mapping

_BESIDE_THE_REPOSITORY = Path(__file__).parents[3] / "shared" / "data" / "discord-openapi.json"

NO_FILE = "no exchange is judged: DISCORD_OPENAPI does not name Discord's OpenAPI file"
"""The reason to give where a check is skipped because Judge.load() found no file."""


def located() -> Path | None:
    """Find the file: what DISCORD_OPENAPI names, else the one beside the repository, else none."""
    named = os.environ.get("DISCORD_OPENAPI")
    if named:
        return Path(named)
    return _BESIDE_THE_REPOSITORY if _BESIDE_THE_REPOSITORY.exists() else None


class Judge:
    """Discord's OpenAPI file (github.com/discord/discord-api-spec, specs/openapi.json) as a judge.

    `operations` are the ids of the file's operations, `seen` those that were asked for so far; `seen` may also hold
    the ids of the few documented routes that the file lacks.
    """

    def __init__(self, document: Schema) -> None:
        self.operations = frozenset(operation.id for operation in operations_of(document))
        self.seen: set[str] = set()
        known = with_documented_routes(document)
        as_it_stands = Schemas(rewritten(known, READ_EVERYWHERE))
        self._routes = Routes(operations_of(known))
        self._requests = Requests(as_it_stands, Schemas(rewritten(known, (*READ_EVERYWHERE, *READ_IN_BODIES))))
        self._answers = Answers(as_it_stands)

    @classmethod
    def load(cls) -> Judge | None:
        """Read the file where `located` finds it; None where there is none.

        Raises FileNotFoundError when DISCORD_OPENAPI names a file that is not there: a typo must not switch the
        checks off.
        """
        file = located()
        return None if file is None else cls(orjson.loads(file.read_bytes()))

    def operation_of(self, method: str, path: str) -> Operation | None:
        """Find the operation of a path without /api/v10 and query; None where Discord has none."""
        match = self._routes.find(method, path)
        return match.operation if match else None

    def request(self, method: str, path: str, query: str, headers: Mapping[str, str], body: bytes) -> list[str]:
        """Judge what was asked: `query` and `path` as on the wire, the path without /api/v10."""
        match = self._routes.find(method, path)
        if match is None:
            return [f"{method} {path}: Discord has no such operation"]
        self.seen.add(match.operation.id)
        found = self._requests.violations(match, query, _lower(headers), body)
        return [f"{match.operation} request {violation}" for violation in found]

    def answer(self, method: str, path: str, status: int, headers: Mapping[str, str], body: bytes) -> list[str]:
        """Judge what was answered; an answer to what Discord has not is not judged."""
        operation = self.operation_of(method, path)
        if operation is None:
            return []
        found = self._answers.violations(operation, status, _lower(headers), body)
        return [f"{operation} answer {status} {violation}" for violation in found]

    def exchange(  # noqa: PLR0917 - the parts of an exchange, in the order of the wire
        self,
        method: str,
        path: str,
        query: str,
        request_headers: Mapping[str, str],
        request_body: bytes,
        status: int,
        response_headers: Mapping[str, str],
        response_body: bytes,
        *,
        expected_bad: bool = False,
    ) -> list[str]:
        """Judge both sides, whatever the status; `expected_bad` leaves out a request that is wrong on purpose."""
        asked = self.request(method, path, query, request_headers, request_body)
        answered = self.answer(method, path, status, response_headers, response_body)
        return answered if expected_bad else [*asked, *answered]


def _lower(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}
