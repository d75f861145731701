"""The least client that can speak to the sandbox: no retries, no models, no opinion on the answer."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

import aiohttp
import orjson
from yarl import URL

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Reply:
    """An answer; `json` is None where there is no JSON body."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def json(self) -> Any:
        return orjson.loads(self.text) if self.text else None

    @property
    def code(self) -> int:
        return int(self.json["code"])


@dataclass(frozen=True)
class BareClient:
    """Sends one request a call, with the bot's token unless other headers are given."""

    session: aiohttp.ClientSession
    base_url: str
    token: str

    async def __call__(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        headers: Mapping[str, str] | None = None,
        form: aiohttp.FormData | None = None,
    ) -> Reply:
        sent = {"Authorization": f"Bot {self.token}", **(headers or {})}
        url = URL(self.base_url + path, encoded=True)
        async with self.session.request(method, url, json=body, data=form, headers=sent) as answer:
            return Reply(answer.status, answer.headers, await answer.text())


def uploads(payload: Any, *files: tuple[str, bytes]) -> aiohttp.FormData:
    """A multipart form as Discord takes it: payload_json, and files numbered from 0."""
    form = aiohttp.FormData()
    form.add_field("payload_json", orjson.dumps(payload).decode(), content_type="application/json")
    for number, (name, content) in enumerate(files):
        form.add_field(f"files[{number}]", BytesIO(content), filename=name, content_type="application/octet-stream")
    return form
