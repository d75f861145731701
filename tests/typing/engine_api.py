"""The front door of the engine as products use it: checked by mypy --strict, never run.

A line with an expected error carries an ignore of exactly that error; since unused ignores are errors, it fails the
check on the day when the mistake is no longer seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NotRequired, TypedDict, Unpack, assert_type

from mcp import Client

from accord.engine import (
    Answer,
    AuditSink,
    Backchannel,
    Call,
    Caller,
    Calls,
    ClientError,
    Context,
    Credential,
    Effect,
    Field,
    Gate,
    InputRequired,
    Next,
    NoAudit,
    NoBackchannel,
    Question,
    Reply,
    Secret,
    ServerError,
    Shaped,
    State,
    StderrAudit,
    Tool,
    ToolError,
    Toolset,
    Untrusted,
    ValidationError,
    WithBlocks,
    audit,
    catalogue,
    chain,
    confirm,
    connect,
    listing,
    open_state,
    serve,
    validate,
)

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server


class PlaceId(Shaped):
    """A kind of id."""

    __slots__ = ()
    pattern = "^[0-9]+$"


class PersonId(Shaped):
    """Another kind of id."""

    __slots__ = ()
    pattern = "^[0-9]+$"


class PlaceClosedError(ClientError, code="PLACE_CLOSED", hint="wait", status=423):
    """`{place}` is closed."""

    place: PlaceId
    until: str | None = None


class NewMessage(TypedDict):
    """What a message is made of."""

    content: Annotated[str, Field(max_length=2000)]
    silent: NotRequired[bool]


class Message(TypedDict):
    """What a message is."""

    id: PlaceId
    content: Untrusted


TOOLS = Toolset("messages", fence="untrusted")


@TOOLS.tool(Effect.CREATE, say="Sent {id}.", idempotent=False)
async def send(client: dict[str, str], place: PlaceId, **message: Unpack[NewMessage]) -> Message:
    """Send a message."""
    return {"id": place, "content": message["content"]}


@TOOLS.tool(Effect.READ, say="Drew {id}.")
async def draw(client: object, place: PlaceId) -> WithBlocks[Message]:
    """Return a message with a picture beside it."""
    return WithBlocks({"id": place, "content": "x"}, ({"type": "image"},))


@TOOLS.tool(Effect.READ)
async def draw_wrongly(client: object, place: PlaceId) -> WithBlocks[Message]:
    """Promise one record and return another."""
    return WithBlocks({"id": place})  # type: ignore[typeddict-item]  # a message has a content


@TOOLS.tool("create")  # type: ignore[arg-type]  # an effect is no word
async def wrong_effect(client: object) -> None:
    """Have an effect that does not exist."""


@TOOLS.tool(Effect.READ)  # type: ignore[type-var]  # a tool is async
def not_async(client: object) -> None:
    """Forget to be async."""


async def a_tool_stays_a_typed_function() -> None:
    """Call a decorated function directly: arguments and result are checked."""
    sent = await send({}, PlaceId("1"), content="hi")
    assert_type(sent["content"], str)
    await send({}, PersonId("1"), content="hi")  # type: ignore[arg-type]  # another kind of id
    await send({}, PlaceId("1"), contents="hi")  # type: ignore[call-arg]  # a misspelt argument


def rows_are_built_by_keywords() -> None:
    """Build rows: a wrong, a missing and a misspelt field are seen."""
    error = PlaceClosedError(place=PlaceId("1"), recovery_hint="Wait.", retriable=True, outcome="unknown")
    assert_type(error.place, PlaceId)
    assert_type(error.until, str | None)
    assert_type(error.next_step, str)
    PlaceClosedError()  # type: ignore[call-arg]  # a missing field
    PlaceClosedError(place=PersonId("1"))  # type: ignore[arg-type]  # another kind of id
    PlaceClosedError(place=PlaceId("1"), untl="x")  # type: ignore[call-arg]  # a misspelt field
    PlaceClosedError(PlaceId("1"))  # type: ignore[call-arg]  # by position
    PlaceClosedError(place=PlaceId("1"), outcome="maybe")  # type: ignore[arg-type]  # no such outcome
    ValidationError(issues=[{"path": "x", "message": "y"}])  # type: ignore[typeddict-item]  # an issue has a code
    caught: ToolError = ServerError()
    assert_type(caught.facts, dict[str, Any])


def credentials_are_no_text(key: Credential) -> None:
    """Treat a credential as text, which is seen."""
    assert_type(key.reveal(), str)
    secret: Secret = key
    words: str = key  # type: ignore[assignment]  # it is no str
    del secret, words


async def a_gate(call: Call, following: Next) -> Reply:
    """Ask, then go on."""
    answer = await call.ask(Question(key="sure", message="Sure?", schema={"type": "object"}))
    assert_type(answer, Answer)
    call.arguments = {}  # type: ignore[misc]  # values are frozen
    if answer.action == "yes":  # type: ignore[comparison-overlap]  # no such answer
        return Reply(structured=None, text="")
    return await following(call)


async def no_gate(call: Call) -> Reply:
    """Forget what follows."""
    return Reply(structured=None, text=call.tool.name)


async def with_context(client: object, context: Context) -> None:
    """Use a call's context."""
    assert_type(await context.reply("send", {}), Reply)
    await context.progress(1, 2, "half")


def worded(error: ToolError, tool: str) -> Reply:
    """Word an error."""
    return Reply(structured={"code": error.code}, text=tool, is_error=True)


def a_server_is_put_together() -> Server[Any]:
    """Put a server together from its four parts."""
    tools = catalogue([TOOLS])
    assert_type(tools, dict[str, Tool])
    gates: tuple[Gate, ...] = (audit(NoAudit()), validate, a_gate, confirm(armed=True))
    chain((no_gate,), no_gate)  # type: ignore[arg-type]  # a gate takes what follows
    calls = Calls(tools, gates, lambda caller, _deadline: caller.id, worded, seconds=10)
    state: State = open_state(None)
    return serve("small", "1", calls, listing(tools.values(), {}), state, local=Caller(id="me", transport="memory"))


def clients_of_both_eras(server: Server[Any]) -> None:
    """Connect in process."""
    assert_type(connect(server, "2025"), Client)
    connect(server, "2024")  # type: ignore[arg-type]  # no such era


def protocols_are_met() -> None:
    """Hold our own classes to the protocols that they stand for."""
    sinks: list[AuditSink] = [NoAudit(), StderrAudit()]
    backchannel: Backchannel = NoBackchannel()
    needed = InputRequired({}, "sealed")
    assert_type(needed.state, str)
    del sinks, backchannel
