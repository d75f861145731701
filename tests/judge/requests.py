"""What a request must be like, as it went over the wire."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

import orjson
from tests.judge.forms import Form, UnreadableFormError, parse_multipart, parse_urlencoded, readings
from tests.judge.operations import JSON, MULTIPART
from tests.judge.schemas import closest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from tests.judge.operations import Match, Operation, Place
    from tests.judge.rewrites import Schema
    from tests.judge.schemas import Schemas

URLENCODED = "application/x-www-form-urlencoded"

AUDIT_REASON_CHARACTERS = 512
"""The longest X-Audit-Log-Reason, percent-decoded (Discord's reference, Audit Log)."""
FILES = 10
"""The most files one message carries, as files[0] to files[9]."""

_PERCENT_ENCODED = re.compile(r"(?:[ -$&-~]|%[0-9A-Fa-f]{2})+")
_UPLOAD = re.compile(r"files\[(\d+)\]")
_UPLOADS = frozenset(f"files[{number}]" for number in range(FILES))


class Requests:
    """The rules for requests: `parameters` reads the file as it stands, `bodies` with the rewrites for bodies."""

    def __init__(self, parameters: Schemas, bodies: Schemas) -> None:
        self._parameters = parameters
        self._bodies = bodies
        self._readers: Mapping[str, Callable[[Operation, str, bytes], Iterator[str]]] = {
            JSON: self._json,
            URLENCODED: self._urlencoded,
            MULTIPART: self._multipart,
        }

    def violations(self, match: Match, query: str, headers: Mapping[str, str], body: bytes) -> Iterator[str]:
        """Say what is wrong, part by part. `headers` have lower-case names, `query` is as on the wire."""
        yield from self._path(match)
        yield from self._query(match.operation, query)
        yield from audit_reason_violations(headers)
        yield from self._body(match.operation, headers.get("content-type", ""), body)

    def _path(self, match: Match) -> Iterator[str]:
        for parameter in match.operation.path_parameters:
            yield from self._value(f"path {parameter.name}", parameter.schema, [match.values[parameter.name]])

    def _query(self, operation: Operation, query: str) -> Iterator[str]:
        try:
            given = parse_urlencoded(query).fields
        except UnreadableFormError as error:
            yield f"query: {error}"
            return
        known = operation.query_parameters
        yield from (f"query {name}: unknown" for name in given if name not in known)
        yield from (f"query {name}: missing" for name in known if known[name].required and name not in given)
        for name, texts in given.items():
            if name in known:
                yield from self._value(f"query {name}", known[name].schema, list(texts))

    def _value(self, name: str, schema: Place, texts: list[str]) -> Iterator[str]:
        flaws = closest(self._parameters.flaws(schema, reading) for reading in readings(texts))
        yield from (f"{name}: {flaw}" for flaw in flaws)

    def _body(self, operation: Operation, content_type: str, body: bytes) -> Iterator[str]:
        kind = content_type.partition(";")[0].strip().lower()
        if not operation.bodies:
            yield from ["body: the operation takes none"] if body else []
        elif not body:
            yield from self._missing(operation)
        elif kind not in operation.bodies:
            yield f"body: content type {kind or '(none)'} is none of {', '.join(sorted(operation.bodies))}"
        else:
            yield from self._readers[kind](operation, content_type, body)

    def _missing(self, operation: Operation) -> Iterator[str]:
        """`required: true` stands at every body of the file, also where every field is optional."""
        if self._bodies.flaws(_main_schema(operation), {}):
            yield "body: missing"

    def _json(self, operation: Operation, _content_type: str, body: bytes) -> Iterator[str]:
        try:
            value = orjson.loads(body)
        except orjson.JSONDecodeError as error:
            yield f"body: not JSON: {error}"
            return
        yield from self._flaws(operation.body_schema(JSON), value)

    def _urlencoded(self, operation: Operation, _content_type: str, body: bytes) -> Iterator[str]:
        try:
            form = parse_urlencoded(body.decode())
        except ValueError as error:
            yield f"body: {error}"
            return
        schema = operation.body_schema(URLENCODED)
        yield from self._flaws(schema, self._typed(schema, form))

    def _multipart(self, operation: Operation, content_type: str, body: bytes) -> Iterator[str]:
        try:
            form = parse_multipart(content_type, body)
        except UnreadableFormError as error:
            yield f"body: {error}"
            return
        files = operation.files or _UPLOADS  # the file describes those of some messages only; the others take as many
        yield from (f"body: {name} is no file of this operation" for name in sorted(form.files - files))
        yield from (f"body: {name} needs a filename" for name in form.fields if name in files)
        if JSON not in operation.bodies:
            schema = operation.body_schema(MULTIPART)
            yield from self._flaws(schema, {**dict.fromkeys(form.files & files, ""), **self._typed(schema, form)})
            return
        texts = {name: texts for name, texts in form.fields.items() if name not in files}
        yield from self._payload(operation, Form(texts, form.files))

    def _payload(self, operation: Operation, form: Form) -> Iterator[str]:
        """The file does not know `payload_json`; it holds what would be the JSON body (Reference, Uploading Files)."""
        schema = operation.body_schema(JSON)
        if "payload_json" not in form.fields:
            yield from self._flaws(schema, self._typed(schema, form))
            return
        yield from (f"body: {name} is beside payload_json" for name in form.fields if name != "payload_json")
        try:
            payload = orjson.loads(form.fields["payload_json"][0])
        except orjson.JSONDecodeError as error:
            yield f"body: payload_json: not JSON: {error}"
            return
        flaws = list(self._flaws(schema, payload))
        yield from flaws or (f"body: {flaw}" for flaw in upload_violations(payload, form.files))

    def _flaws(self, schema: Place, value: Any) -> Iterator[str]:
        yield from (f"body: {flaw}" for flaw in self._bodies.flaws(schema, value))

    def _typed(self, schema: Place, form: Form) -> dict[str, Any]:
        return {name: self._reading(schema, name, list(texts)) for name, texts in form.fields.items()}

    def _reading(self, schema: Place, name: str, texts: list[str]) -> Any:
        """Choose the reading of a field that the schema has nothing against."""
        for reading in readings(texts):
            if not any(flaw.path[:1] == (name,) for flaw in self._bodies.flaws(schema, {name: reading})):
                return reading
        return texts[0]


def audit_reason_violations(headers: Mapping[str, str]) -> Iterator[str]:
    """Hold X-Audit-Log-Reason to percent-encoded UTF-8 of 1 to 512 characters; the file does not know the header."""
    reason = headers.get("x-audit-log-reason")
    if reason is None:
        return
    if not _PERCENT_ENCODED.fullmatch(reason):
        yield "header x-audit-log-reason: not percent-encoded ASCII"
        return
    try:
        length = len(unquote_to_bytes(reason).decode())
    except UnicodeDecodeError:
        yield "header x-audit-log-reason: not UTF-8 when decoded"
        return
    if length > AUDIT_REASON_CHARACTERS:
        yield f"header x-audit-log-reason: {length} characters, more than {AUDIT_REASON_CHARACTERS}"


def upload_violations(payload: Schema, files: Iterable[str]) -> Iterator[str]:
    """Hold the n of each files[n] against the attachments' ids (Reference, Uploading Files).

    Where attachments are listed, every upload is among them. An id below 10 is an upload's, any other that of an
    attachment that is already there.
    """
    attachments = _attachments(payload)
    uploads = {number[1] for number in map(_UPLOAD.fullmatch, files) if number}
    listed = {str(attachment["id"]) for attachment in attachments if "id" in attachment}
    if attachments:
        yield from (f"files[{number}] is not among the attachments" for number in sorted(uploads - listed))
    yield from (
        f"attachment {number} has no files[{number}]" for number in sorted(listed - uploads) if len(number) == 1
    )


def _attachments(payload: Schema) -> list[Schema]:
    """A message's attachments: at the top, in an interaction's `data`, or in a forum post's `message`."""
    holders = (payload, payload.get("data"), payload.get("message"))
    lists = [holder["attachments"] for holder in holders if isinstance(holder, dict) and holder.get("attachments")]
    return [attachment for attachments in lists for attachment in attachments]


def _main_schema(operation: Operation) -> Place:
    return operation.body_schema(JSON if JSON in operation.bodies else min(operation.bodies))
