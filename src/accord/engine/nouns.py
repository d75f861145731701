"""The nouns of the engine: what serving, gates and tools say to each other. One file, for they refer to each other."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    from accord.engine.errors import ToolError
    from accord.engine.tools.shape import Shape

__all__ = [
    "Answer",
    "Backchannel",
    "Block",
    "Call",
    "Caller",
    "ClientFor",
    "Condition",
    "Door",
    "Effect",
    "Front",
    "Gate",
    "Hear",
    "InputRequired",
    "Next",
    "NoBackchannel",
    "Outcome",
    "Question",
    "Quota",
    "Refusal",
    "Reply",
    "Resource",
    "Run",
    "State",
    "Tool",
    "Voice",
    "WithBlocks",
]

T = TypeVar("T")

Json: TypeAlias = Any
"""A value that came from JSON or goes there."""


class Effect(Enum):
    """What a call does to the world, and whether doing it twice is harmless."""

    READ = (False, False, True)
    CREATE = (True, False, False)
    UPDATE = (True, False, True)
    DELETE = (True, True, True)

    def __init__(self, writes: bool, destroys: bool, repeatable: bool) -> None:  # noqa: FBT001 - three facts of a row
        self.writes = writes
        self.destroys = destroys
        self.repeatable = repeatable


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A typed function that a caller may call, and what is true of it.

    `run` takes the call with checked arguments. `condition` says why a call with these arguments is gated by a
    confirmation where others are not. `confirms` means that it is gated by a confirmation; what destroys
    always is. `facts` are the product's own (permissions, auth kind); the engine does not read them.
    """

    name: str
    description: str
    category: str
    effect: Effect
    idempotent: bool
    open_world: bool
    shape: Shape
    run: Run
    gates: tuple[Gate, ...] = ()
    scopes: tuple[str, ...] = ()
    confirms: bool = False
    condition: Condition | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def hints(self) -> dict[str, bool]:
        """The four MCP annotations, all of them stated."""
        return {
            "readOnlyHint": not self.effect.writes,
            "destructiveHint": self.effect.destroys,
            "idempotentHint": self.idempotent,
            "openWorldHint": self.open_world,
        }


@dataclass(frozen=True, slots=True)
class Quota:
    """How much may be written within any minute, hour or day; of one tool or category alone where `of` names it.

    Its text is `60/h` or `5/d:messages`.
    """

    limit: int
    unit: Literal["m", "h", "d"]
    of: str | None = None

    def __str__(self) -> str:
        return f"{self.limit}/{self.unit}" + (f":{self.of}" if self.of else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who calls: an id that audit and approvals may name, the transport, what was granted, and how much of it.

    The id is empty where nobody knows who it is. `client` is the program through which it calls, where that has an id.
    """

    id: str
    transport: Literal["stdio", "http", "memory"]
    scopes: frozenset[str] = frozenset()
    quotas: tuple[Quota, ...] = ()
    client: str = ""

    @property
    def is_known(self) -> bool:
        """Whether it is known who calls."""
        return self.id != ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a person is asked: a text, and the JSON Schema (one flat object) of the answer."""

    key: str
    message: str
    schema: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. Only `accept` is a yes; `unavailable` means that nobody could be asked."""

    action: Literal["accept", "decline", "cancel", "unavailable"]
    content: Mapping[str, Json] = field(default_factory=dict)


Hear: TypeAlias = Callable[[bool], None]
"""Hears whether the answer of a call was written to a client that was there, as far as this side can know."""


class Backchannel(Protocol):
    """The way from a call back to its client: to ask its person, to use its model, to tell how far the work is."""

    @property
    def samples(self) -> bool:
        """Whether the client offers its model."""

    async def ask(self, call: Call, question: Question) -> Answer:
        """Ask the client's person. Every failure is an answer that is no `accept`."""

    async def sample(self, call: Call, key: str, request: Mapping[str, Json]) -> Mapping[str, Json] | None:
        """Ask the client's model (`sampling/createMessage` params); None where it offers none."""

    async def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Tell how far the call is; silent where the client did not ask for it."""

    def when_answered(self, hear: Hear) -> bool:
        """Let it hear once, after the answer, whether that went out; False where nobody can tell: it never hears.

        A failure that went out instead of the answer is no answer: a tool's result may yet fail to become a reply.
        """


class NoBackchannel:
    """A caller that cannot be asked anything: an embedder, or a client without the capabilities."""

    samples = False

    async def ask(self, call: Call, question: Question) -> Answer:  # noqa: ARG002 - the protocol's signature
        """Say that nobody can be asked."""
        return Answer("unavailable")

    async def sample(self, call: Call, key: str, request: Mapping[str, Json]) -> None:
        """Say that there is no model."""

    async def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Tell nobody."""

    def when_answered(self, hear: Hear) -> bool:  # noqa: ARG002 - the protocol's signature
        """Say that nobody can tell."""
        return False


class Door(Protocol):
    """How a running call comes to other tools: each inner call is a whole call."""

    async def reply(self, parent: Call, name: str, arguments: Mapping[str, Json] | None) -> Reply:
        """Call another tool; a failure is a reply too."""

    async def invoke(self, parent: Call, name: str, arguments: Mapping[str, Json] | None) -> Json:
        """Call another tool and return its structured result.

        Raises:
            ToolError: The row with which that call failed.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One use of one tool.

    `arguments` are the caller's until the validation gate replaces them with checked ones; `reserved` holds the `__`
    keys. `facts` is shared by all copies of a call: what happened inside, for the gates outside (audit, trace).
    `deadline` is the event loop's time by which the call must have answered.
    """

    tool: Tool
    arguments: dict[str, Json]
    caller: Caller
    client: Any
    door: Door
    id: str
    deadline: float
    reserved: Mapping[str, Json] = field(default_factory=dict)
    parent: Call | None = None
    backchannel: Backchannel = field(default_factory=NoBackchannel)
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def confirmed(self) -> bool:
        """Whether the caller said `__confirm: true`, and meant the boolean."""
        return self.reserved.get("__confirm") is True

    def preview(self) -> dict[str, Json]:
        """The call's own arguments, as its caller may see them again: whole, credentials apart."""
        return self.tool.shape.preview(self.arguments)

    async def ask(self, question: Question) -> Answer:
        """Ask the person behind the client.

        In the 2026 era the whole call is repeated with the answer, so nothing with a side effect may stand before an
        ask.

        Raises:
            InputRequired: The client must bring the answer with a repeated call; only serving catches this.
        """
        return await self.backchannel.ask(self, question)


Block: TypeAlias = Mapping[str, Json]
"""An MCP content block beside the text, such as an image."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a call comes back as: the declared fields raw in `structured`, the same for reading in `text`."""

    structured: Mapping[str, Json] | None
    text: str
    is_error: bool = False
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True)
class WithBlocks(Generic[T]):
    """A tool's result with content blocks beside its text; the result's type stays what the tool promises."""

    result: T
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """A text that clients can read at a URI. `name` is for programs, `title` for people.

    `read` returns it as it is now, or raises a ToolError that says why that cannot be.
    """

    uri: str
    name: str
    description: str
    read: Callable[[], Awaitable[str]]
    title: str | None = None
    mime_type: str = "application/json"


class InputRequired(Exception):  # noqa: N818 - no error: the 2026 era's way of asking
    """The call goes on when the client has answered: requests by key, and the sealed state it has to bring back."""

    def __init__(self, requests: Mapping[str, Json], state: str) -> None:
        super().__init__("input required")
        self.requests = requests
        self.state = state


Outcome: TypeAlias = Reply | InputRequired
Next: TypeAlias = Callable[[Call], Awaitable[Reply]]
Gate: TypeAlias = Callable[[Call, Next], Awaitable[Reply]]
Run: TypeAlias = Callable[[Call], Awaitable[Reply]]
ClientFor: TypeAlias = Callable[[Caller, float], Any]
"""Makes what a tool works with, for one caller and one call's deadline (the event loop's time)."""
Condition: TypeAlias = Callable[[Mapping[str, Json]], "str | None"]
"""Says, for checked arguments, in a few words why such a call needs a confirmation; None where it needs none."""
Voice: TypeAlias = "Callable[[ToolError, str], Reply]"
"""Words an error for the tool of that name."""


class Refusal(Exception):  # noqa: N818 - an answer, not a failure
    """A front's plain no: an HTTP status, headers and a JSON body."""

    def __init__(self, status: int, body: Mapping[str, Json], headers: Mapping[str, str] | None = None) -> None:
        super().__init__(str(body.get("error", status)))
        self.status = status
        self.body = body
        self.headers = dict(headers or {})


class Front(Protocol):
    """Who may come in. One a product and transport."""

    async def admit(self, request: Any, session: str | None) -> Caller:
        """Return the caller of this request.

        Raises:
            Refusal: The request may not come in.
        """


class State(Protocol):
    """What must outlive a call: small values under keys, each with a lifetime. Every method is atomic."""

    async def get(self, key: str) -> bytes | None:
        """Return the value, or None where there is none or it has run out."""

    async def put(
        self, key: str, value: bytes, *, lifetime_seconds: float | None = None, only_if_absent: bool = False
    ) -> bool:
        """Store the value; False where `only_if_absent` was asked for and one was there."""

    async def take_once(self, key: str) -> bytes | None:
        """Return the value and remove it: of several racing takers exactly one gets it."""

    async def count_in_window(self, key: str, *, window_seconds: float, limit: int) -> float:
        """Count one event if fewer than `limit` happened within the window: 0.0 when counted, else seconds to wait."""

    async def delete(self, key: str) -> None:
        """Remove the value, if there is one."""

    async def keys(self, prefix: str) -> list[str]:
        """Return the keys of all values that begin so, in order. It looks at every key: for lists that people read."""

    async def notify(self, topic: str, message: bytes) -> None:
        """Tell every listener of the topic."""

    def listen(self, *topics: str) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """Listen to topics from the moment the context is entered.

        Raises:
            TimeoutError: That cannot be now.
        """

    async def close(self) -> None:
        """Release what the state holds open."""
