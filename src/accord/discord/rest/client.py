"""Discord's HTTP API: a route, its values and a body in, the answer's JSON or an error's row out."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from copy import copy
from http import HTTPStatus
from math import inf
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Unpack
from urllib.parse import quote

import orjson

from accord import __version__
from accord.discord.rest.exchange import Answer, Attempt, HttpRequest
from accord.discord.rest.folder import UploadFolder
from accord.discord.rest.limiter import Limiter
from accord.discord.rest.media import Media
from accord.discord.rest.outcomes import lost, worded
from accord.discord.rest.places import Places
from accord.discord.rest.resilience import composed
from accord.discord.rest.resilience.clock import loop_time
from accord.discord.rest.resilience.failures import RAW_FAILURES, plain
from accord.discord.rest.routes import Value, carries_credential, path_of, query_of
from accord.discord.rest.tokens import NOBODY, Credential, bot_id_of, identity_of
from accord.discord.rest.uploads import Form, Upload
from accord.discord.rest.wire import Wire
from accord.engine import InternalError, Secret, ToolError

if TYPE_CHECKING:
    from collections.abc import Callable

    from accord.discord.rest.resilience import Policy
    from accord.discord.rest.resilience.layers import Next

__all__ = ["Discord", "Write"]

USER_AGENT = f"DiscordBot (accord-mcp, {__version__})"

IDEMPOTENT_METHODS = frozenset({"GET", "HEAD", "PUT", "DELETE"})
"""RFC 9110, 9.2.2: sent twice they do what they do once. PATCH does not promise that."""

MOST_REASON_CHARACTERS = 512
"""Discord's limit of X-Audit-Log-Reason (docs, resources/audit-log)."""

LASTING_SECONDS = 10
"""How long a reading may take that several calls wait for."""

READY_SECONDS = 60
"""How long a success says that the token is good."""

T = TypeVar("T")


class Write(TypedDict, total=False):
    """What may go with a request.

    `body` is sent as JSON. In `query` None is left out, booleans are `true` and `false`, and a list repeats its name.
    `reason`, at most 512 characters, is shown in the guild's audit log. `headers` are what else an operation reads
    there; their values are plain ASCII. `nonce` goes into the body with
    `enforce_nonce`: Discord then takes a message only once, so that it may be sent again. `idempotent` says the same
    of what is harmless twice.

    With `files` or a `form` the request is a multipart form: `body` becomes its part `payload_json`, as messages have
    it; `form` are plain fields, as creating a sticker has them. Files are read anew for each attempt. A request with
    one that can be read only once is sent once, whatever becomes of it.
    """

    body: Mapping[str, Any] | list[Any] | None
    form: Mapping[str, str] | None
    files: Sequence[Upload]
    query: Mapping[str, object] | None
    reason: str | None
    headers: Mapping[str, str]
    nonce: str | None
    idempotent: bool


class Discord:
    """Discord's HTTP API as one bot sees it.

    A route is a literal template with positional values: `get("/channels/{}", channel_id, into=Channel)`. `into` is
    what the caller knows the answer to be; it is not checked. An answer without content is None.

    Everything raised is a `ToolError`, apart from a ValueError for a request that cannot be made: DiscordAuthError
    without a working token, before anything is sent; ValidationError for a file that cannot be read; the row of a
    failed status, of a rate limit also where the wait for it would be too long; CircuitOpenError, BulkheadFullError; a
    time-out or a lost connection. A write that is not harmless twice and whose answer was lost says `outcome:
    "unknown"`.

    The bot's token goes along, except on routes that have a token of their own. The views of `as_user` and
    `as_nobody` send another or none; they have limits of their own, and share all else.

    `limiter` belongs to this bot alone; without one there is Discord's usual limit of 50 requests a second.
    `uploads` is the folder whose files may be sent; without one there is none.
    """

    def __init__(
        self,
        token: Secret | None,
        *,
        policy: Policy,
        limiter: Limiter | None = None,
        base_url: str = "https://discord.com/api",
        user_agent: str = USER_AGENT,
        on_attempt: Callable[[Attempt], None] | None = None,
        uploads: UploadFolder | None = None,
    ) -> None:
        self._wire = Wire(token, base_url=base_url, user_agent=user_agent, on_attempt=on_attempt)
        layers = policy.around(worded, self._wire.judge, limiter or Limiter())
        self._send: Next[HttpRequest, Answer] = composed(layers, self._wire.exchange)
        self._deadline: float | None = None
        self._credential: Credential | None = self._wire.bot
        self._identity: str | None = None
        self.bot_id = bot_id_of(token)
        self.guilds: frozenset[str] | None = None
        self.places = Places()
        self.uploads = uploads or UploadFolder()

    def until(self, deadline: float) -> Discord:
        """Return this client for a call that must have answered by then, all retries included.

        `deadline` is the event loop's time in seconds. The connections are shared.
        """
        view = copy(self)
        view._deadline = deadline  # noqa: SLF001 - its own class
        return view

    def within(self, guilds: frozenset[str] | None) -> Discord:
        """Return this client for calls that may know of these guilds only: what lists guilds heeds its `guilds`."""
        view = copy(self)
        view.guilds = guilds
        return view

    def sending_only(self, files: Mapping[str, str], *, otherwise: ToolError) -> Discord:
        """Return this client for a call that may send these files alone, each of this SHA-256."""
        view = copy(self)
        view.uploads = self.uploads.only(files, otherwise=otherwise)
        return view

    def lasting(self) -> Discord:
        """Return this client for a reading that several calls wait for, whichever of them is given up."""
        return self.until(loop_time() + LASTING_SECONDS)

    @property
    def seconds_left(self) -> float:
        """The time until this view's call must have answered; infinite for one that has no deadline."""
        return inf if self._deadline is None else self._deadline - loop_time()

    def as_user(self, token: Secret) -> Discord:
        """Return this client with a user's OAuth2 access token, which is sent until Discord refuses it to this view."""
        view = copy(self)
        view._credential, view._identity = Credential("Bearer", token), identity_of(token)  # noqa: SLF001 - its own class
        return view

    def as_nobody(self) -> Discord:
        """Return this client without any token, for what Discord tells everybody."""
        view = copy(self)
        view._credential, view._identity = None, NOBODY  # noqa: SLF001 - its own class
        return view

    async def is_ready(self) -> bool:
        """Whether calls can succeed: Discord took the token within a minute, or was never asked, or takes it now."""
        token = self._wire.bot
        if token.untried or (token.taken_at is not None and time.monotonic() - token.taken_at < READY_SECONDS):
            return True
        try:
            await self.get("/users/@me", into=dict[str, Any])
        except ToolError:
            return False
        return True

    async def aclose(self) -> None:
        """Close the connections; a later request opens new ones."""
        await self._wire.aclose()

    async def get(self, template: str, *values: Value, into: type[T], query: Mapping[str, object] | None = None) -> T:
        """Read what stands at the route."""
        return await self._exchange(into, "GET", template, values, {"query": query})

    async def text(self, template: str, *values: Value, query: Mapping[str, object] | None = None) -> str:
        """Read what stands at a route whose answer is plain text, such as CSV."""
        answer = await self._answer(self._request("GET", template, values, {"query": query}))
        return answer.body.decode(errors="replace")

    async def post(self, template: str, *values: Value, into: type[T], **write: Unpack[Write]) -> T:
        """Create, or have something done; sent again only with `nonce` or `idempotent`."""
        return await self._exchange(into, "POST", template, values, write)

    async def put(self, template: str, *values: Value, into: type[T], **write: Unpack[Write]) -> T:
        """Make it so."""
        return await self._exchange(into, "PUT", template, values, write)

    async def patch(self, template: str, *values: Value, into: type[T], **write: Unpack[Write]) -> T:
        """Change in part; sent again only where said to be `idempotent`."""
        return await self._exchange(into, "PATCH", template, values, write)

    async def do(self, method: str, template: str, *values: Value, **write: Unpack[Write]) -> None:
        """Send a request whose answer says nothing beyond its success."""
        await self._answer(self._request(method, template, values, write))

    async def file(self, address: str, *, most_bytes: int) -> Media:
        """Fetch a message's file from Discord's CDN, as far as `most_bytes`; no credential goes along.

        `address` is a link that Discord sent: any other host than Discord's is refused.
        """
        return await self._wire.fetch(address, most_bytes=most_bytes, seconds=self.seconds_left)

    async def _exchange(self, _into: type[T], method: str, template: str, values: tuple[Value, ...], write: Write) -> T:
        request = self._request(method, template, values, write)
        answer = await self._answer(request)
        try:
            parsed: T = orjson.loads(b"null" if answer.status == HTTPStatus.NO_CONTENT else answer.body)
        except orjson.JSONDecodeError:
            raise lost(request, InternalError(reason="unreadable_answer")) from None
        return parsed

    def _request(self, method: str, template: str, values: tuple[Value, ...], write: Write) -> HttpRequest:
        nonce = write.get("nonce")
        idempotent = method in IDEMPOTENT_METHODS or write.get("idempotent", False)
        body, form = encoded(write.get("body"), nonce), form_of(write)
        has_token = carries_credential(template)
        return HttpRequest(
            route=f"{method} {template}",
            replayable=idempotent or nonce is not None,
            once=form is not None and form.is_spent_by_sending,
            deadline=self._deadline,
            method=method,
            template=template,
            values=values,
            url=self._wire.root + path_of(template, values) + query_of(write.get("query")),
            body=body,
            form=form,
            headers={**write.get("headers", {}), **headers_of(body if form is None else None, write.get("reason"))},
            idempotent=idempotent,
            nonce=nonce,
            credential=None if has_token else self._credential,
            identity=None if has_token else self._identity,
        )

    async def _answer(self, request: HttpRequest) -> Answer:
        try:
            return await self._send(request)
        except RAW_FAILURES as failure:
            error = plain(failure)
        raise error


def encoded(body: Mapping[str, Any] | list[Any] | None, nonce: str | None) -> bytes | None:
    """Return the body as JSON, with the nonce that Discord is to enforce."""
    if nonce is not None:
        if not isinstance(body, Mapping):
            raise ValueError("a nonce needs a body to stand in")
        body = {**body, "nonce": nonce, "enforce_nonce": True}
    if body is None:
        return None
    return orjson.dumps(body if isinstance(body, list) else dict(body))


def headers_of(body: bytes | None, reason: str | None) -> dict[str, str]:
    """Return the headers of one request: its content type and the reason for the guild's audit log."""
    headers = {} if body is None else {"Content-Type": "application/json"}
    if reason is not None:
        if len(reason) > MOST_REASON_CHARACTERS:
            raise ValueError(f"a reason has at most {MOST_REASON_CHARACTERS} characters")
        headers["X-Audit-Log-Reason"] = quote(reason, safe="")
    return headers


def form_of(write: Write) -> Form | None:
    """Return the form that the request is to be, None where plain JSON does."""
    fields, files = write.get("form"), write.get("files")
    if fields is None and not files:
        return None
    if fields is not None and write.get("body") is not None:
        raise ValueError("a form has plain fields or a JSON body, not both")
    return Form(fields or {}, tuple(files or ()))
