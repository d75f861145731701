"""Asking a client's person or model, in both eras of the protocol. Whatever goes wrong is no yes."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import orjson
from mcp import types

from accord.engine.logs import logger
from accord.engine.nouns import Answer, Call, Hear, InputRequired, Question, State

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

__all__ = ["Handshake", "RoundTrip", "Seal"]

_log = logger("accord.asking")

Json: TypeAlias = Any
Answered = TypeVar("Answered", types.ElicitResult, types.CreateMessageResult)

ANSWER_SECONDS = 600
"""How long a person may take to answer in the 2026 era."""

_KEY = "request-state-key"


class Seal:
    """Seals what a 2026 client carries between two rounds of one call, with a key that lives in the state store."""

    def __init__(self, state: State) -> None:
        self.state = state

    async def close(self, claims: Mapping[str, Json]) -> str:
        """Return the claims sealed; they can be opened once."""
        ticket = secrets.token_hex(16)
        await self.state.put(f"asked:{ticket}", b"1", lifetime_seconds=ANSWER_SECONDS)
        whole = {**claims, "ticket": ticket, "until": time.time() + ANSWER_SECONDS}
        sealed: str = (await self._codec()).seal(orjson.dumps(whole))
        return sealed

    async def open(self, token: str) -> dict[str, Json] | None:
        """Return the claims, or None where the token is not ours, has run out, or was opened before."""
        from mcp.server.request_state import InvalidRequestState  # noqa: PLC0415 - brings cryptography, seldom needed

        try:
            claims: dict[str, Json] = orjson.loads((await self._codec()).unseal(token))
        except InvalidRequestState:
            return None
        fresh = claims["until"] > time.time()
        return claims if fresh and await self.state.take_once(f"asked:{claims['ticket']}") else None

    async def _codec(self) -> Any:
        from mcp.server.request_state import AESGCMRequestStateCodec  # noqa: PLC0415 - as above

        await self.state.put(_KEY, secrets.token_bytes(32), only_if_absent=True)
        key = await self.state.get(_KEY)
        return AESGCMRequestStateCodec([key or b""])


class Handshake:
    """The eras with a session: the server sends its question while the call waits."""

    def __init__(self, context: ServerRequestContext[Any, Any]) -> None:
        self._session = context.session
        self._request_id = context.request_id
        self._request = context.request

    @property
    def _offers(self) -> types.ClientCapabilities:
        return self._session.client_capabilities or types.ClientCapabilities()

    @property
    def samples(self) -> bool:
        """Whether the client offers its model."""
        return self._offers.sampling is not None

    async def ask(self, call: Call, question: Question) -> Answer:
        """Send the question and wait for the answer, as long as the call may take."""
        if self._offers.elicitation is None:
            return Answer("unavailable")
        request = types.ElicitRequest(params=_form(question))
        result = await self._send(call, request, types.ElicitResult)
        return Answer("unavailable") if result is None else Answer(result.action, result.content or {})

    async def sample(
        self,
        call: Call,
        key: str,  # noqa: ARG002 - the 2026 era needs it
        request: Mapping[str, Json],
    ) -> Mapping[str, Json] | None:
        """Send the request to the client's model."""
        if not self.samples:
            return None
        message = types.CreateMessageRequest(params=types.CreateMessageRequestParams.model_validate(request))
        result = await self._send(call, message, types.CreateMessageResult)
        return None if result is None else result.model_dump(mode="json", by_alias=True, exclude_none=True)

    async def _send(self, call: Call, request: Any, result_type: Any) -> Any:
        from mcp.shared.message import ServerMessageMetadata  # noqa: PLC0415 - loaded by the SDK already

        left = call.deadline - asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(max(0.0, left)):
                return await self._session.send_request(
                    request, result_type, metadata=ServerMessageMetadata(related_request_id=self._request_id)
                )
        except Exception as error:  # noqa: BLE001 - whatever happens on the way, it is no answer
            _log.info("the client did not answer", error=type(error).__name__)
            return None

    async def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Send a progress notification, if the request carried a token."""
        await self._session.report_progress(done, total, message)

    def when_answered(self, hear: Hear) -> bool:
        """Let it hear what became of the answer, where that goes by HTTP."""
        return _heard_by(self._request, hear)


class RoundTrip:
    """The 2026 era: the call says that it needs input; the client repeats it with the answers and our sealed state."""

    def __init__(
        self, context: ServerRequestContext[Any, Any], params: types.CallToolRequestParams, seal: Seal
    ) -> None:
        self._session = context.session
        self._request = context.request
        self._params = params
        self._seal = seal
        self._answers: dict[str, Json] | None = None

    @property
    def _offers(self) -> types.ClientCapabilities:
        return self._session.client_capabilities or types.ClientCapabilities()

    @property
    def samples(self) -> bool:
        """Whether the client offers its model."""
        return self._offers.sampling is not None

    async def ask(self, call: Call, question: Question) -> Answer:
        """Return the answer that came with the call, or ask for it.

        Raises:
            InputRequired: The client has to ask its person first.
        """
        if self._offers.elicitation is None:
            return Answer("unavailable")
        request = types.ElicitRequest(params=_form(question))
        result = _read(types.ElicitResult, await self._answer(call, question.key, request))
        return Answer("unavailable") if result is None else Answer(result.action, result.content or {})

    async def sample(self, call: Call, key: str, request: Mapping[str, Json]) -> Mapping[str, Json] | None:
        """Return what the client's model said, or ask for it.

        Raises:
            InputRequired: The client has to ask its model first.
        """
        if not self.samples:
            return None
        params = types.CreateMessageRequestParams.model_validate(request)
        answer = await self._answer(call, key, types.CreateMessageRequest(params=params))
        result = _read(types.CreateMessageResult, answer)
        return None if result is None else result.model_dump(mode="json", by_alias=True, exclude_none=True)

    async def _answer(self, call: Call, key: str, request: Any) -> Json:
        # One call may make several inner calls of one tool: an answer is for the arguments that were asked about.
        key = f"{call.tool.name}.{key}.{_digest(call.preview())[:16]}"
        answers = await self._known(call)
        if key not in answers:
            state = await self._seal.close({**_binding(call, self._params), "answers": answers})
            raise InputRequired({key: request.model_dump(mode="json", by_alias=True, exclude_none=True)}, state)
        return answers[key]

    async def _known(self, call: Call) -> dict[str, Json]:
        """Return the answers of earlier rounds and of this one, if the state is ours and of this very call."""
        if self._answers is None:
            self._answers = await self._opened(call)
        return self._answers

    async def _opened(self, call: Call) -> dict[str, Json]:
        token = self._params.request_state
        claims = await self._seal.open(token) if token else None
        if claims is None or any(claims[name] != value for name, value in _binding(call, self._params).items()):
            return {}
        brought = self._params.input_responses or {}
        now = {key: answer.model_dump(mode="json", by_alias=True, exclude_none=True) for key, answer in brought.items()}
        return {**claims["answers"], **now}

    async def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Send a progress notification, if the request carried a token."""
        await self._session.report_progress(done, total, message)

    def when_answered(self, hear: Hear) -> bool:
        """Let it hear what became of the answer, where that goes by HTTP."""
        return _heard_by(self._request, hear)


def _heard_by(request: Any, hear: Hear) -> bool:
    """Add a hearer to the HTTP request that brought the call; a pipe tells nothing of what is read of it."""
    hearers = getattr(request, "hearers", None)
    if hearers is None:
        return False
    hearers.append(hear)
    return True


def _form(question: Question) -> types.ElicitRequestFormParams:
    return types.ElicitRequestFormParams(message=question.message, requested_schema=dict(question.schema))


def _binding(call: Call, params: types.CallToolRequestParams) -> dict[str, Json]:
    """What a sealed state is good for: this caller, this tool, these arguments to the letter."""
    return {"caller": call.caller.id, "tool": params.name, "payload": _digest(params.arguments or {})}


def _digest(arguments: Mapping[str, Json]) -> str:
    return hashlib.sha256(orjson.dumps(arguments, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _read(kind: type[Answered], answer: Json) -> Answered | None:
    """Return what the client brought, or None where it is no answer to that question."""
    try:
        return kind.model_validate(answer)
    except ValueError:
        return None
