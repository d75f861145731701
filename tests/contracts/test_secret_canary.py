"""Secrets stay where they were given: whatever becomes of a call, no answer, record, log or state holds one."""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import orjson
import pytest
from mcp import types
from mcp.server._otel import OpenTelemetryMiddleware
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine
from tests.discord.tools.usual_calls import TOOLS, example
from tests.served import Called, Desk, approval_of, desk, environment

from accord.discord.access import secrets_of
from accord.discord.app import own_tools
from accord.discord.config import ConfigError, load_config
from accord.discord.front import BearerFront
from accord.discord.gates import PAYLOAD_TOOLS
from accord.discord.rest.wire import Wire
from accord.discord.sandbox import Sandbox
from accord.discord.tokens import Tokens
from accord.engine import (
    Caller,
    Pendings,
    Quota,
    Refusal,
    Reply,
    SealedState,
    Secret,
    configure_logs,
    open_state,
    records_of,
)

if TYPE_CHECKING:
    from accord.discord.rest.exchange import HttpRequest

SECRETIVE: Final = [name for name, tool in own_tools().items() if secrets_of(tool)]
GATED: Final = [name for name in SECRETIVE if own_tools()[name].confirms]
WRITING: Final = [name for name in SECRETIVE if own_tools()[name].effect.writes]
RESERVED: Final = ("__confirm_id", "__confirm_hash", "__consent_id", "__consent_hash", "__consent")

HMAC_KEY: Final = "canary-key-of-approvals-0123456789ab"
ACCESS_TOKEN: Final = "canary-access-token-0123456789abcdef"
PASSWORD: Final = "canary-password-of-the-database"
RESERVED_CANARY: Final = "canary-of-a-reserved-key-0123456789"

TELLING_CHARACTERS: Final = 16
"""So much of a secret is one: what is cut off after it tells enough."""

OFTEN: Final[dict[str, Any]] = {
    "MCP_RETRY_ENABLED": "false",
    "MCP_CIRCUIT_ENABLED": "false",
    "DISCORD_MCP_ACCESS_TOKEN": ACCESS_TOKEN,
}
"""Failures follow each other at once here, and none keeps the next from happening."""

FAILURES: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    "401": ("status", {"status": 401, "message": "401: Unauthorized"}),
    "403": ("status", {"status": 403, "code": 50013, "message": "Missing Permissions"}),
    "404": ("status", {"status": 404, "code": 10015, "message": "Unknown Webhook"}),
    "429": ("rate_limited", {"retry_after": 3600}),
    "500": ("status", {"status": 500}),
    "a page of the edge": ("bad_gateway_html", {"after": True}),
    "a block by the edge": ("cloudflare_1015", {}),
    "an answer that was lost": ("drop", {"after": True}),
    "an answer that was cut off": ("malformed_json", {}),
}


@dataclass
class Heard:
    """All that anybody could have read, by where it stood."""

    folder: Path
    stderr: StringIO
    spans: InMemorySpanExporter
    replies: dict[str, str] = field(default_factory=dict)

    @property
    def audit(self) -> Path:
        return self.folder / "audit.jsonl"

    @property
    def state(self) -> str:
        return f"sqlite:///{self.folder / 'state.db'}"

    def reply(self, when: str, reply: Called | Reply) -> None:
        structured = {} if reply.structured is None else dict(reply.structured)
        self.replies[when] = f"{reply.text}\n{orjson.dumps(structured, default=str).decode()}"

    def everything(self, *, replies: bool = True) -> Iterator[tuple[str, str]]:
        yield from self.replies.items() if replies else ()
        yield "stderr", self.stderr.getvalue()
        yield "the spans", "".join(span.to_json() for span in self.spans.get_finished_spans())
        yield from ((file.name, file.read_bytes().decode(errors="replace")) for file in self.folder.iterdir())


@pytest.fixture
def heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Heard:
    """What is said while all logs are written that there are, and all spans of the protocol's own are kept."""
    stderr = StringIO()
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setattr(logging.root, "handlers", [])
    monkeypatch.setattr(logging.root, "level", logging.root.level)
    monkeypatch.setattr(logging.getLogger("accord"), "level", logging.NOTSET)
    configure_logs("trace")
    spans = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(spans))
    monkeypatch.setattr("mcp.shared._otel._tracer", provider.get_tracer("mcp-python-sdk"))
    return Heard(tmp_path, stderr, spans)


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    """A sandbox that nothing judges: what is sent here is often wrong on purpose."""
    async with Sandbox.start(limits=False, ban_after=10**9) as running:
        yield running


def pieces(secret: str) -> set[str]:
    """What of a secret must not be read, as it is and as a path has it."""
    telling = secret.rpartition(".")[2]  # the first parts of a bot's token are its id and a date
    return {form[:TELLING_CHARACTERS] for form in (telling, quote(telling, safe=""))}


def leaks(heard: Heard, *secrets: str, replies: bool = True) -> list[str]:
    """Where a secret can be read."""
    every = {piece for secret in secrets for piece in pieces(secret)}
    return [place for place, said in heard.everything(replies=replies) if any(piece in said for piece in every)]


def with_secrets(sandbox: Sandbox, tool: str) -> dict[str, Any]:
    """The usual call of a tool, with every credential that it takes."""
    arguments = example(sandbox, tool)
    for name in secrets_of(own_tools()[tool]):
        if name not in arguments:  # a webhook's, which is looked up otherwise
            arguments[name] = sandbox.world.webhooks[arguments["webhook_id"]]["token"]
    return arguments


def secrets_among(tool: str, arguments: Mapping[str, Any]) -> list[str]:
    return [arguments[name] for name in secrets_of(own_tools()[tool])]


@asynccontextmanager
async def overheard(heard: Heard, sandbox: Sandbox, sink: str, **more: Any) -> AsyncIterator[Desk]:
    """Serve with this sink of records; reads are recorded too, and the state is a file."""
    variables = {"MCP_AUDIT_SINK": sink, "MCP_AUDIT_FILE": str(heard.audit), "MCP_AUDIT_READS": "true"}
    approvals = {"MCP_APPROVAL_STATE_DIR": str(heard.folder), "MCP_APPROVAL_HMAC_KEY": HMAC_KEY}
    chosen: dict[str, Any] = {**OFTEN, **variables, **approvals, "MCP_STATE_URL": heard.state, **more}
    async with desk(sandbox, **chosen) as served:
        served.built.server.middleware.insert(0, OpenTelemetryMiddleware())  # as for those who trace their servers
        yield served


each_sink = pytest.mark.parametrize("sink", ["stderr", "file"])


# --- Credentials that a tool takes ------------------------------------------------------------------------------------

REFUSING: Final[Mapping[str, Mapping[str, str]]] = {
    "nothing": {},
    "the categories": {"MCP_CATEGORIES": "users"},
    "the write mode": {"MCP_WRITE_MODE": "preview"},
    "a dry run": {"MCP_DRY_RUN": "true"},
    "a person who is not there": {"MCP_APPROVAL_MODE": "person"},
}


def test_there_are_tools_of_every_kind_of_credential() -> None:
    kinds = {name for tool in SECRETIVE for name in secrets_of(own_tools()[tool])}

    assert kinds == {"bearer_token", "interaction_token", "token"}


@each_sink
@pytest.mark.parametrize("gate", REFUSING)
@pytest.mark.parametrize("tool", SECRETIVE)
async def test_no_gate_tells_a_credential(heard: Heard, sandbox: Sandbox, tool: str, gate: str, sink: str) -> None:
    arguments = with_secrets(sandbox, tool)

    async with overheard(heard, sandbox, sink, **REFUSING[gate]) as served:
        heard.reply("unconfirmed", await served.call(tool, arguments | {"__confirm": False}))
        heard.reply("confirmed", await served.call(tool, arguments))

    assert leaks(heard, *secrets_among(tool, arguments)) == []


@each_sink
@pytest.mark.parametrize("tool", SECRETIVE)
async def test_no_refusal_of_a_callers_rights_tells_a_credential(
    heard: Heard, sandbox: Sandbox, tool: str, sink: str
) -> None:
    arguments = with_secrets(sandbox, tool)
    nobody = Caller(id="token:nobody", transport="http")
    done = Caller(id="token:done", transport="http", scopes=frozenset({"read", "write"}), quotas=(Quota(0, "h"),))

    async with overheard(heard, sandbox, sink) as served:
        for caller in (nobody, done):
            reply = await served.built.calls.enter(caller, tool, arguments)
            assert isinstance(reply, Reply)
            heard.reply(caller.id, reply)

    assert leaks(heard, *secrets_among(tool, arguments)) == []


@each_sink
@pytest.mark.parametrize("tool", SECRETIVE)
async def test_no_invalid_call_tells_a_credential(heard: Heard, sandbox: Sandbox, tool: str, sink: str) -> None:
    arguments = with_secrets(sandbox, tool)
    secrets = secrets_among(tool, arguments)
    named = {name: secret for name in own_tools()[tool].shape.slots for secret in secrets}
    wrong = [{name: form(secret)} for name, secret in named.items() for form in MALFORMED]

    async with overheard(heard, sandbox, sink) as served:
        for number, change in enumerate([*wrong, {"unknown": secrets}]):
            told = await served.call(tool, arguments | change)
            if told.failed:  # as a text to be written it is one, and comes back as such
                heard.reply(f"{number} {[*change]}", told)

    assert leaks(heard, *secrets) == []


MALFORMED: Final[tuple[Callable[[str], Any], ...]] = (
    lambda secret: secret,  # where it does not belong
    lambda secret: f"{secret} \n",
    lambda secret: f"{secret}ä",
    lambda secret: [secret],
    lambda secret: {"token": secret},
    lambda secret: secret * 100,
)


@each_sink
@pytest.mark.parametrize("tool", SECRETIVE)
async def test_no_failure_tells_a_credential(heard: Heard, sandbox: Sandbox, tool: str, sink: str) -> None:
    arguments = with_secrets(sandbox, tool)

    async with overheard(heard, sandbox, sink) as served:
        await fail_in_every_way(heard, served, tool, arguments)

    assert leaks(heard, sandbox.token, *secrets_among(tool, arguments)) == []


async def fail_in_every_way(heard: Heard, served: Desk, tool: str, arguments: Mapping[str, Any]) -> None:
    for failure, (kind, options) in FAILURES.items():
        served.sandbox.fail("*", kind, **options)
        heard.reply(failure, await served.call(tool, arguments))
        served.sandbox.heal()


@pytest.mark.parametrize("tool", SECRETIVE)
async def test_an_answer_that_repeats_a_credential_is_not_repeated(heard: Heard, sandbox: Sandbox, tool: str) -> None:
    arguments = with_secrets(sandbox, tool)
    secrets = secrets_among(tool, arguments)
    sandbox.fail("*", "status", times=None, status=400, code=50035, message=f"No such thing: {secrets}")

    async with overheard(heard, sandbox, "file") as served:
        heard.reply("400", await served.call(tool, arguments))

    assert "No such thing" in heard.replies["400"]
    assert leaks(heard, *secrets) == []


@each_sink
@pytest.mark.parametrize("tool", SECRETIVE)
async def test_no_bug_tells_a_credential(
    heard: Heard, sandbox: Sandbox, tool: str, sink: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = with_secrets(sandbox, tool)
    monkeypatch.setattr(Wire, "exchange", broken)

    async with overheard(heard, sandbox, sink) as served:
        heard.reply("bug", await served.call(tool, arguments))

    assert [span.name for span in heard.spans.get_finished_spans()].count(f"tools/call {tool}") >= 1
    assert "INTERNAL_ERROR" in heard.replies["bug"]
    assert leaks(heard, sandbox.token, *secrets_among(tool, arguments)) == []


async def broken(wire: Wire, request: HttpRequest) -> None:
    """Fail as a library does that puts all it knows into its message."""
    raise RuntimeError(f"{request.url} {request} {vars(wire)} {request.credential}")


@pytest.mark.parametrize("tool", GATED)
@pytest.mark.parametrize("decision", ["approved", "denied"])
async def test_no_person_is_told_a_credential(heard: Heard, sandbox: Sandbox, tool: str, decision: Any) -> None:
    arguments = with_secrets(sandbox, tool)
    state = SealedState(open_state(f"sqlite:///{heard.folder / 'approvals.db'}"), Secret(HMAC_KEY))

    async with overheard(heard, sandbox, "file", MCP_APPROVAL_MODE="person") as served:
        asked = await served.call(tool, arguments)
        heard.reply("asked", asked)
        await Pendings(state).decide(asked.structured["approval_id"], decision, by="maya")
        heard.reply("decided", await served.call(tool, arguments))
    heard.replies["list"] = str(await Pendings(state).all())
    await state.close()

    assert len(list(records_of(heard.audit))) == 2
    assert leaks(heard, *secrets_among(tool, arguments)) == []


@pytest.mark.parametrize("tool", GATED)
async def test_no_question_to_a_person_holds_a_credential(heard: Heard, sandbox: Sandbox, tool: str) -> None:
    arguments = with_secrets(sandbox, tool)

    async def answered(_context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        heard.replies["question"] = params.model_dump_json()
        return types.ElicitResult(action="accept", content={"approve": True})

    asking = {"elicitation_callback": answered}
    async with overheard(heard, sandbox, "file", options=asking, MCP_APPROVAL_MODE="person") as served:
        heard.reply("done", await served.call(tool, arguments))

    assert "question" in heard.replies
    assert leaks(heard, *secrets_among(tool, arguments)) == []


@pytest.mark.parametrize("tool", WRITING)
async def test_no_record_that_cannot_be_kept_tells_a_credential(heard: Heard, sandbox: Sandbox, tool: str) -> None:
    arguments = with_secrets(sandbox, tool)
    no_file = {"MCP_AUDIT_FILE": str(heard.folder), "MCP_AUDIT_REQUIRED": "true"}

    async with overheard(heard, sandbox, "file", **no_file) as served:
        heard.reply("unrecorded", await served.call(tool, arguments))

    assert "AUDIT_UNAVAILABLE" in heard.replies["unrecorded"]
    assert leaks(heard, *secrets_among(tool, arguments)) == []


# --- What the owner knows ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", TOOLS)
async def test_no_tool_tells_the_bots_token(
    heard: Heard, sandbox: Sandbox, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = example(sandbox, tool)

    async with overheard(heard, sandbox, "file") as served:
        await fail_in_every_way(heard, served, tool, arguments)
    monkeypatch.setattr(Wire, "exchange", broken)
    async with overheard(heard, sandbox, "stderr") as served:
        heard.reply("bug", await served.call(tool, arguments))

    assert leaks(heard, sandbox.token, ACCESS_TOKEN, HMAC_KEY) == []


async def without_tables(url: str) -> None:
    engine = create_async_engine(url.replace("://", "+asyncpg://"))
    async with engine.begin() as connection:
        await connection.execute(text("DROP TABLE state_values"))
    await engine.dispose()


DATABASES: Final = {
    "does not answer": f"postgresql://accord:{PASSWORD}@127.0.0.1:9/accord",
    "has a password with an @ in it": f"postgresql://accord:p@:{PASSWORD}@127.0.0.1/accord",
    "is of another kind": f"mysql://accord:{PASSWORD}@127.0.0.1/accord",
}


@pytest.mark.parametrize("database", DATABASES)
async def test_a_database_that_cannot_be_opened_tells_no_password(
    heard: Heard, sandbox: Sandbox, database: str
) -> None:
    with pytest.raises(ConfigError, match="MCP_STATE_URL") as refused:
        async with overheard(heard, sandbox, "file", MCP_STATE_URL=DATABASES[database]):
            pass

    heard.replies["refused"] = "".join(traceback.format_exception(refused.value))
    assert leaks(heard, PASSWORD) == []


async def test_a_database_that_is_lost_tells_no_password(
    heard: Heard, sandbox: Sandbox, postgres: Iterator[str]
) -> None:
    url = next(postgres).replace("postgresql://postgres:@", f"postgresql://postgres:{PASSWORD}@")
    arguments = example(sandbox, "components_v2_send") | {"__confirm_id": RESERVED_CANARY}

    async with desk(sandbox, MCP_AUDIT_SINK="stderr", MCP_STATE_URL=url) as served:
        await without_tables(url)
        heard.reply("lost", await served.call("components_v2_send", arguments))

    assert PASSWORD in url
    assert "INTERNAL_ERROR" in heard.replies["lost"]
    assert leaks(heard, PASSWORD, RESERVED_CANARY) == []


async def test_who_comes_in_over_http_and_who_does_not_tell_no_access_token(heard: Heard, sandbox: Sandbox) -> None:
    config = load_config(environment(sandbox, DISCORD_MCP_ACCESS_TOKEN=ACCESS_TOKEN, MCP_AUDIT_SINK="stderr"))
    state = open_state(heard.state)
    tokens = Tokens(state)
    _, named = await tokens.add("ci")
    front = BearerFront(config.DISCORD_MCP_ACCESS_TOKEN, tokens)

    for key in (ACCESS_TOKEN, named.reveal(), ACCESS_TOKEN + "x", named.reveal() + "x"):
        try:
            heard.replies[key] = repr(await front.admit({"authorization": f"Bearer {key}"}, None))
        except Refusal as refused:
            heard.replies[key] = f"{refused} {refused.body} {refused.headers}"
    await state.close()

    assert [reply.partition("(")[0] for reply in heard.replies.values()][:2] == ["Caller", "Caller"]
    assert leaks(heard, ACCESS_TOKEN, named.reveal().removeprefix("dmcp_ci_")) == []


# --- What releases a call ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", TOOLS)
async def test_no_reserved_key_is_repeated(heard: Heard, sandbox: Sandbox, tool: str) -> None:
    arguments = example(sandbox, tool)

    async with overheard(heard, sandbox, "file") as served:
        for name in RESERVED:
            told = await served.call(tool, arguments | {"__confirm": True, name: RESERVED_CANARY})
            heard.reply(name, told)
        heard.reply("all", await served.call(tool, arguments | dict.fromkeys(RESERVED, RESERVED_CANARY)))

    assert leaks(heard, RESERVED_CANARY) == []


@each_sink
@pytest.mark.parametrize("tool", sorted(PAYLOAD_TOOLS))
async def test_an_approval_is_known_by_its_hash_alone(heard: Heard, sandbox: Sandbox, tool: str, sink: str) -> None:
    arguments = example(sandbox, tool)

    async with overheard(heard, sandbox, sink) as served:
        shown = await Desk(served.client, served.built, sandbox, approves=False).call(tool, arguments)
        approved = arguments | approval_of(shown.structured)
        first, second = await served.call(tool, approved), await served.call(tool, approved)

    assert (first.failed, second.code) == (False, "PAYLOAD_CONFIRMATION_APPROVAL_REPLAYED")
    assert leaks(heard, shown.structured["approval_id"], replies=False) == []
