"""Requests and answers as bytes, for the judge's own tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.judge import Judge

JSON = {"Content-Type": "application/json"}
MULTIPART = {"Content-Type": "multipart/form-data; boundary=cut"}
URLENCODED = {"Content-Type": "application/x-www-form-urlencoded"}

MESSAGES = "/channels/110/messages"


def asked(judge: Judge, method: str, path: str, body: Any = None, *, query: str = "") -> list[str]:
    """The verdict on a request with a JSON body, or with none."""
    return judge.request(method, path, query, JSON, b"" if body is None else orjson.dumps(body))


def answered(judge: Judge, method: str, path: str, status: int, body: Any) -> list[str]:
    """The verdict on an answer with a JSON body."""
    return judge.answer(method, path, status, JSON, orjson.dumps(body))


def multipart(fields: Mapping[str, str], files: Mapping[str, str]) -> bytes:
    """A multipart body: texts by part name, and file names by part name."""
    parts = [
        f'--cut\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n' for name, text in fields.items()
    ]
    parts += [
        f'--cut\r\nContent-Disposition: form-data; name="{name}"; filename="{file}"\r\n\r\n\x89\x00\r\n'
        for name, file in files.items()
    ]
    return "".join([*parts, "--cut--\r\n"]).encode()
