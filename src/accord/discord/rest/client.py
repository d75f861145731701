"""Discord's HTTP API: a route, its values and a body in, the answer's JSON or an error's row out."""

from __future__ import annotations

import time
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from io import BytesIO
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Unpack
from urllib.parse import quote, urlsplit

import orjson

from accord import __version__
from accord.discord.rest.answers import error_of, unknown_outcome, unreachable
from accord.discord.rest.codes import GONE_FROM
from accord.discord.rest.errors import DiscordAuthError, DiscordNotFoundError, DiscordRetryableError
from accord.discord.rest.limiter import Limiter
from accord.discord.rest.places import Places
from accord.discord.rest.resilience import classify_discord_error, composed
from accord.discord.rest.resilience.classify import lost_connection, surely_undone
from accord.discord.rest.resilience.failures import RAW_FAILURES, BulkheadRejected, DeadlinePassed, plain, refusal
from accord.discord.rest.resilience.hooks import tell
from accord.discord.rest.resilience.layers import Request
from accord.discord.rest.routes import Value, carries_credential, collection_of, path_of, query_of
from accord.discord.rest.tokens import bot_id_of
from accord.engine import InternalError, ToolError

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from aiohttp import ClientHandlerType, ClientRequest, ClientResponse, ClientSession

    from accord.discord.rest.resilience import Policy
    from accord.discord.rest.resilience.layers import Next
    from accord.engine import Secret

__all__ = ["Answer", "Attempt", "Discord", "HttpRequest", "Write"]

API_VERSION = "v10"
USER_AGENT = f"DiscordBot (accord-mcp, {__version__})"

IDEMPOTENT_METHODS = frozenset({"GET", "HEAD", "PUT", "DELETE"})
"""RFC 9110, 9.2.2: sent twice they do what they do once. PATCH does not promise that."""

MOST_REASON_CHARACTERS = 512
"""Discord's limit of X-Audit-Log-Reason (docs, resources/audit-log)."""

MOST_ANSWER_BYTES = 32 * 1024 * 1024
"""Far above Discord's largest answer. A longer one is cut, which makes its JSON unreadable."""

MOST_DIRECT_BYTES = 1024 * 1024
"""aiohttp writes larger bytes in one go, which holds up the event loop, and warns of it; a file it writes in pieces."""

CONNECTIONS = 100
KEEPALIVE_SECONDS = 15.0
"""Shorter than Discord's edge keeps an idle connection, so that a write does not meet one that is being closed."""
DNS_CACHE_SECONDS = 300

READY_SECONDS = 60
"""How long a success says that the token is good."""

T = TypeVar("T")


class Write(TypedDict, total=False):
    """What may go with a request.

    `body` is sent as JSON. In `query` None is left out, booleans are `true` and `false`, and a list repeats its name.
    `reason`, at most 512 characters, is shown in the guild's audit log. `nonce` goes into the body with
    `enforce_nonce`: Discord then takes a message only once, so that it may be sent again. `idempotent` says the same
    of what is harmless twice.
    """

    body: Mapping[str, Any] | list[Any] | None
    query: Mapping[str, object] | None
    reason: str | None
    nonce: str | None
    idempotent: bool


@dataclass(frozen=True, slots=True)
class Attempt:
    """One exchange with Discord, for logs and telemetry: the route's template, never its values.

    `status` is None where no answer came; `number` counts from 1.
    """

    method: str
    template: str
    status: int | None
    duration_ms: float
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest(Request):
    """A request as it is sent, each time. What may hold secrets or people's words is not in its repr.

    `idempotent` is true for what is harmless twice by itself; `replayable` also where a nonce makes it so.
    """

    method: str
    template: str
    values: tuple[Value, ...] = field(repr=False)
    url: str = field(repr=False)
    body: bytes | None = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    idempotent: bool
    nonce: str | None
    paced: bool = True


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back, whatever its status."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)


class Discord:
    """Discord's HTTP API as one bot sees it.

    A route is a literal template with positional values: `get("/channels/{}", channel_id, into=Channel)`. `into` is
    what the caller knows the answer to be; it is not checked.

    Everything raised is a `ToolError`, apart from a ValueError for a request that cannot be made: DiscordAuthError
    without a working token, before anything is sent; the row of a failed status, of a rate limit also where the wait
    for it would be too long; CircuitOpenError, BulkheadFullError; a time-out or a lost connection. A write that is not
    harmless twice and whose answer was lost says `outcome: "unknown"`.

    `limiter` belongs to this bot alone; without one there is Discord's usual limit of 50 requests a second.
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
    ) -> None:
        self._wire = Wire(token, base_url=base_url, user_agent=user_agent, on_attempt=on_attempt)
        layers = policy.around(worded, self._wire.judge, limiter or Limiter())
        self._send: Next[HttpRequest, Answer] = composed(layers, self._wire.exchange)
        self._deadline: float | None = None
        self.bot_id = bot_id_of(token)
        self.places = Places()

    def until(self, deadline: float) -> Discord:
        """Return this client for a call that must have answered by then, all retries included.

        `deadline` is the event loop's time in seconds. The connections are shared.
        """
        view = copy(self)
        view._deadline = deadline  # noqa: SLF001 - its own class
        return view

    async def is_ready(self) -> bool:
        """Whether calls can succeed: Discord took the token within a minute, or was never asked, or takes it now."""
        last = self._wire.answered_at
        if self._wire.untried or (last is not None and time.monotonic() - last < READY_SECONDS):
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

    async def _exchange(self, _into: type[T], method: str, template: str, values: tuple[Value, ...], write: Write) -> T:
        request = self._request(method, template, values, write)
        answer = await self._answer(request)
        try:
            parsed: T = orjson.loads(answer.body)
        except orjson.JSONDecodeError:
            raise lost(request, InternalError(reason="unreadable_answer")) from None
        return parsed

    def _request(self, method: str, template: str, values: tuple[Value, ...], write: Write) -> HttpRequest:
        nonce = write.get("nonce")
        idempotent = method in IDEMPOTENT_METHODS or write.get("idempotent", False)
        body = encoded(write.get("body"), nonce)
        return HttpRequest(
            route=f"{method} {template}",
            replayable=idempotent or nonce is not None,
            deadline=self._deadline,
            method=method,
            template=template,
            values=values,
            url=self._wire.root + path_of(template, values) + query_of(write.get("query")),
            body=body,
            headers=headers_of(body, write.get("reason")),
            idempotent=idempotent,
            nonce=nonce,
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


async def worded(request: HttpRequest, following: Next[HttpRequest, Answer]) -> Answer:
    """Give every failure of an attempt its row, and mark those that may pass by themselves.

    Raises:
        DiscordRetryableError: The failure may pass by itself; `original` is its row.
        ToolError: It will not.
    """
    try:
        return await following(request)
    except Exception as error:
        last = reworded(request, error)
        if last is error:
            raise
        raise last from error


def reworded(request: HttpRequest, error: Exception) -> Exception:
    """Return what to raise instead of what an attempt raised, if not that itself."""
    failure = classify_discord_error(error)
    if failure is None:
        return lost(request, row_of(error)) if request.doubtful else error
    row = row_of(error)
    if request.doubtful or not surely_undone(failure):
        row = lost(request, row)
    if row is not error:
        row.__cause__ = error
    return DiscordRetryableError(original=row, retry_after_ms=failure.retry_after_ms)


def row_of(error: Exception) -> ToolError:
    """Return the row of what an attempt raised."""
    if isinstance(error, BulkheadRejected | DeadlinePassed):
        return refusal(error)
    if isinstance(error, ToolError):
        return error
    loss = lost_connection(error)
    return unreachable(loss.kind) if loss else InternalError()


def lost(request: HttpRequest, error: ToolError) -> ToolError:
    """Return the error of a request that Discord may have carried out, although its answer is of no use."""
    return error if request.idempotent else unknown_outcome(error, nonce=request.nonce)


def was_deleted_before(request: HttpRequest, row: ToolError) -> bool:
    """Whether the row says no more than that an earlier attempt, whose answer was lost, deleted what it was to delete.

    Where Discord does not know what encloses it, the request was wrong from the start.
    """
    if request.method != "DELETE" or not request.doubtful or not isinstance(row, DiscordNotFoundError):
        return False
    return GONE_FROM.get(row.discord_code or 0) == collection_of(request.template)


class Wire:
    """The connections to Discord, and whether the token still opens them; shared by all views of a client."""

    def __init__(
        self,
        token: Secret | None,
        *,
        base_url: str,
        user_agent: str,
        on_attempt: Callable[[Attempt], None] | None,
    ) -> None:
        self.root = f"{base_url.rstrip('/')}/{API_VERSION}"
        self._token = token
        self._user_agent = user_agent
        self._on_attempt = on_attempt
        self._session: ClientSession | None = None
        self.answered_at: float | None = None
        self.untried = True

    async def judge(self, request: HttpRequest, following: Next[HttpRequest, Answer]) -> Answer:
        """Let an answer pass if it is a success, or says that an earlier attempt was one.

        After a 401 the token is dead: further requests would be answered alike, and count towards a ban of this
        address.

        Raises:
            ToolError: The row of the answer.
        """
        self.untried = False
        answer = await following(request)
        if 200 <= answer.status <= 299:  # noqa: PLR2004 - HTTP's successes
            self.answered_at = time.monotonic()
            return answer
        if answer.status == 401 and not carries_credential(request.template):  # noqa: PLR2004 - HTTP's Unauthorized
            self._token = None
        row = error_of(answer.status, answer.headers, answer.body, route=request.template)
        if was_deleted_before(request, row):
            return Answer(204, answer.headers, b"")
        raise row

    async def exchange(self, request: HttpRequest) -> Answer:
        """Send the request, read all of its answer, and tell the observer.

        Raises:
            DiscordAuthError: There is no token that may still be good; nothing was sent.
            aiohttp.ClientError: The connection failed or was lost.
        """
        headers = self._headers_of(request)
        started, status = time.perf_counter(), None
        try:
            async with self._sent(request, headers) as response:
                status = response.status
                return Answer(status, response.headers, await body_of(response))
        finally:
            if self._on_attempt is not None:
                duration_ms = (time.perf_counter() - started) * 1000
                attempt = Attempt(request.method, request.template, status, duration_ms, request.attempt)
                tell(self._on_attempt, attempt)

    async def aclose(self) -> None:
        """Close the connections."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def _sent(self, request: HttpRequest, headers: Mapping[str, str]) -> AbstractAsyncContextManager[ClientResponse]:
        from yarl import URL  # noqa: PLC0415 - comes with aiohttp, as late

        if self._session is None:
            self._session = opened(self.root)
        body = request.body
        return self._session.request(
            request.method,
            URL(request.url, encoded=True),
            data=BytesIO(body) if body is not None and len(body) > MOST_DIRECT_BYTES else body,
            headers=headers,
            allow_redirects=False,
        )

    def _headers_of(self, request: HttpRequest) -> dict[str, str]:
        headers = {"User-Agent": self._user_agent, **request.headers}
        if carries_credential(request.template):
            return headers
        if self._token is None:
            raise DiscordAuthError
        return headers | {"Authorization": f"Bot {self._token.reveal().removeprefix('Bot ')}"}


def opened(root: str) -> ClientSession:
    """Open a session: no cookies, no time-out but the policy's, and the system's proxy.

    The proxy is looked up once: aiohttp's own `trust_env` asks two threads at each request, and puts the password
    that a netrc file holds for Discord in the way of the bot's token.
    """
    import aiohttp  # noqa: PLC0415 - costs more than all the rest of a start, and only what talks to Discord needs it

    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(
            limit=CONNECTIONS, ttl_dns_cache=DNS_CACHE_SECONDS, keepalive_timeout=KEEPALIVE_SECONDS
        ),
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=None),
        proxy=proxy_for(root),
        middlewares=(sent_once,),
    )


async def sent_once(request: ClientRequest, following: ClientHandlerType) -> ClientResponse:
    """Keep aiohttp from two habits.

    It sends a request again by itself after a lost connection of its own kind (3.14, `ClientSession._request`), which
    nobody would count or bound. And it writes the URL, which may hold a token, into the error of an answer that is no
    HTTP, and that of a proxy's no.
    """
    import aiohttp  # noqa: PLC0415 - loaded by then

    try:
        return await following(request)
    except aiohttp.ClientConnectorError:
        raise
    except aiohttp.ClientHttpProxyError:
        refusal = ConnectionRefusedError("refused by the proxy")
        raise aiohttp.ClientProxyConnectionError(request.connection_key, refusal) from None
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        raise ConnectionResetError("connection lost") from error
    except aiohttp.ClientResponseError:
        raise ConnectionResetError("answer is no HTTP") from None


def proxy_for(root: str) -> str | None:
    """Return the proxy that the environment or the system names for the URL, None for what is on this machine."""
    from urllib.request import getproxies, proxy_bypass  # noqa: PLC0415 - as heavy as aiohttp, and as late

    url = urlsplit(root)
    host = url.hostname or ""
    if is_loopback(host) or proxy_bypass(host):
        return None
    proxies = getproxies()
    return proxies.get(url.scheme) or proxies.get("all")


def is_loopback(host: str) -> bool:
    """Whether the host is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


async def body_of(response: ClientResponse) -> bytes:
    """Read the answer, as far as MOST_ANSWER_BYTES."""
    pieces, size = [], 0
    async for piece in response.content.iter_any():
        pieces.append(piece)
        size += len(piece)
        if size > MOST_ANSWER_BYTES:
            break
    return b"".join(pieces)
