"""What an answer must be like, so that a stand-in for Discord answers nothing that Discord would not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
from tests.judge.operations import JSON

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.judge.operations import Operation
    from tests.judge.schemas import Schemas


class Answers:
    """The rules for answers. Objects are open, as in the file: Discord sends more than it says."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas

    def violations(self, operation: Operation, status: int, headers: Mapping[str, str], body: bytes) -> Iterator[str]:
        """Say what is wrong with an answer; of 5xx nothing is known. `headers` have lower-case names."""
        if 400 <= status < 500:
            yield from _error_violations(headers, body)
        if 200 <= status < 300:
            yield from self._success(operation, str(status), headers.get("content-type", ""), body)

    def _success(self, operation: Operation, status: str, content_type: str, body: bytes) -> Iterator[str]:
        if status not in operation.answers:
            yield f"status: not one of {', '.join(operation.answers)}"
            return
        expected = operation.answers[status]
        if expected is None:
            yield from ["body: must be empty"] if body else []
        elif expected == JSON:
            yield from self._json(operation, status, content_type, body)
        elif content_type.partition(";")[0].strip() != expected:
            yield f"content type: {content_type or '(none)'} is not {expected}"

    def _json(self, operation: Operation, status: str, content_type: str, body: bytes) -> Iterator[str]:
        if content_type != JSON:
            yield f"content type: {content_type or '(none)'} is not exactly {JSON}"
        try:
            value = orjson.loads(body)
        except orjson.JSONDecodeError as error:
            yield f"body: not JSON: {error}"
            return
        yield from (f"body: {flaw}" for flaw in self._schemas.flaws(operation.answer_schema(status, JSON), value))


def _error_violations(headers: Mapping[str, str], body: bytes) -> Iterator[str]:
    """Hold a JSON error to ErrorResponse in outline; what stands before Discord answers HTML, and that is no error."""
    if headers.get("content-type", "").partition(";")[0].strip() != JSON:
        return
    try:
        error = orjson.loads(body)
    except orjson.JSONDecodeError as unreadable:
        yield f"body: not JSON: {unreadable}"
        return
    if not isinstance(error, dict) or not isinstance(error.get("message"), str):
        yield "body: an error without a message"
    elif not isinstance(error.get("code", 0), int):
        yield "body: code: not an integer"
