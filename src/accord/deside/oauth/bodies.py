"""What was sent: a query, a form or JSON, as named texts. Nothing may be said twice (RFC 6749, 3.1)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Final, TypeAlias
from urllib.parse import parse_qsl

import orjson

from accord.deside.oauth.refusals import OAuthError

__all__ = ["BODY_BYTES", "Fields", "fields_of", "query_of", "read", "required", "text"]

Json: TypeAlias = Any
Fields: TypeAlias = Mapping[str, Json]

BODY_BYTES: Final = 64 * 1024
BODY_SECONDS: Final = 30.0
STALL_SECONDS: Final = 5.0
MOST_FIELDS: Final = 64
MOST_CHARACTERS: Final = 8192
"""Of one value: room for any state that a client packs up, and within what servers take of a URL."""

LISTS: Final = frozenset({"redirect_uris", "grant_types", "response_types"})
"""What a form says as often as it has values."""


async def read(chunks: AsyncIterator[bytes], stall_seconds: float = STALL_SECONDS) -> bytes:
    """Return a whole body.

    Raises:
        OAuthError: invalid_request for one that is too large or too slow.
    """
    now = asyncio.get_running_loop().time
    body, until = bytearray(), now() + BODY_SECONDS
    try:
        async with asyncio.timeout(stall_seconds) as patience:
            async for chunk in chunks:
                body += chunk
                if len(body) > BODY_BYTES:
                    raise OAuthError("invalid_request", f"a body has at most {BODY_BYTES} bytes")
                patience.reschedule(min(now() + stall_seconds, until))
    except TimeoutError:
        raise OAuthError("invalid_request", "the body did not come in time") from None
    return bytes(body)


def fields_of(content_type: str, body: bytes) -> Fields:
    """Return the fields of a body: a JSON object, or a form.

    Raises:
        OAuthError: invalid_request for anything else.
    """
    media_type = content_type.partition(";")[0].strip().lower()
    if media_type == "application/json":
        return _object(body)
    if media_type == "application/x-www-form-urlencoded":
        return _form(body)
    raise OAuthError("invalid_request", "send application/json or application/x-www-form-urlencoded")


def query_of(query: bytes) -> Fields:
    """Return the fields of a query.

    Raises:
        OAuthError: invalid_request for one that cannot be read, or says something twice.
    """
    return _once(_pairs(query))


def text(fields: Fields, name: str) -> str:
    """Return a text, which is empty where it was not sent: the two mean the same (RFC 6749, 3.1).

    Raises:
        OAuthError: invalid_request for something else, or what no text field can hold.
    """
    value = fields.get(name)
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > MOST_CHARACTERS or "\0" in value:
        raise OAuthError("invalid_request", f"{name} is a text of at most {MOST_CHARACTERS} characters")
    return value


def required(fields: Fields, name: str) -> str:
    """Return a text that must be there.

    Raises:
        OAuthError: invalid_request.
    """
    value = text(fields, name)
    if not value:
        raise OAuthError("invalid_request", f"{name} is missing")
    return value


def _object(body: bytes) -> Fields:
    try:
        value = orjson.loads(body)
    except ValueError:
        raise OAuthError("invalid_request", "the body is no JSON") from None
    if not isinstance(value, dict):
        raise OAuthError("invalid_request", "the body is no JSON object")
    return value


def _form(body: bytes) -> Fields:
    pairs = _pairs(body)
    lists: dict[str, Json] = {name: [value for key, value in pairs if key == name] for name in LISTS}
    # A browser sends each line end as two characters (https://url.spec.whatwg.org/#urlencoded-serializing has them so).
    single = [(name, value.replace("\r\n", "\n")) for name, value in pairs if name not in LISTS]
    return {name: values for name, values in lists.items() if values} | _once(single)


def _pairs(encoded: bytes) -> Sequence[tuple[str, str]]:
    try:
        return parse_qsl(encoded.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS)
    except ValueError:
        raise OAuthError("invalid_request", "what was sent is no form, or too long a one") from None


def _once(pairs: Sequence[tuple[str, str]]) -> dict[str, Json]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise OAuthError("invalid_request", "a parameter is given twice")
    return fields
