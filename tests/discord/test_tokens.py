"""Named access tokens: in their store, at the door over HTTP, and on the command line."""

from __future__ import annotations

import asyncio
import socket
import stat
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import httpx2
import orjson
import pytest
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tests.clock import Clock
from tests.discord.cli.shell import Ran, ran, started
from tests.served import Era, environment

from accord.discord import build_http, build_rest, build_server, load_config
from accord.discord.cli.tokens import Wish, wish_of
from accord.discord.front import BearerFront
from accord.discord.grants import EVERYTHING, Scopes
from accord.discord.sandbox import Sandbox, demo
from accord.discord.tokens import MARK_SECONDS, NameTakenError, Tokens
from accord.engine import Hosts, Quota, Record, Refusal, Secret, State, open_state, state_folder
from accord.engine.state import MemoryState
from accord.engine.state.sql import SqlState

READER: Scopes = frozenset({"read"})
SENDER: Scopes = frozenset({"read", f"write:messages:{demo.GENERAL}"})
SHARED = "k" * 32
HELLO = {"channel_id": demo.GENERAL, "content": "Hello."}
both_eras = pytest.mark.parametrize("era", ["2025", "2026"])


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["memory", "sqlite"])
async def state(request: pytest.FixtureRequest, clock: Clock) -> AsyncIterator[State]:
    opened: State = MemoryState(clock=clock) if request.param == "memory" else SqlState.open("sqlite://", clock=clock)
    yield opened
    await opened.close()


@pytest.fixture
def tokens(state: State, clock: Clock) -> Tokens:
    return Tokens(state, clock)


async def made(tokens: Tokens, name: str, **terms: Any) -> str:
    """Make a token and return it as it is presented."""
    _, secret = await tokens.add(name, **terms)
    return secret.reveal()


# --- In the store -----------------------------------------------------------------------------------------------------


async def test_a_token_is_found_by_itself_with_its_name_rights_and_quotas(tokens: Tokens) -> None:
    presented = await made(tokens, "ci", scopes=SENDER, quotas=[Quota(60, "h"), Quota(5, "d", "messages")])

    found = await tokens.find(presented)

    assert found is not None
    assert presented.startswith("dmcp_ci_")
    assert found.caller.id == "token:ci"
    assert found.caller.scopes == SENDER
    assert found.caller.quotas == (Quota(60, "h"), Quota(5, "d", "messages"))


async def test_a_token_is_never_kept_itself(tokens: Tokens, state: State) -> None:
    presented = await made(tokens, "ci")
    await tokens.find(presented)

    kept = {key: await state.get(key) for key in await state.keys("")}

    secret = presented.removeprefix("dmcp_ci_")
    assert len(secret) == 43
    assert not any(secret in f"{key} {value!r}" for key, value in kept.items())


async def test_two_tokens_are_never_alike(tokens: Tokens) -> None:
    assert await made(tokens, "one") != await made(tokens, "two")


async def test_what_is_no_token_finds_nothing(tokens: Tokens) -> None:
    presented = await made(tokens, "ci")
    wrong = [
        "",
        "dmcp_",
        "dmcp_ci",
        "dmcp_ci_",
        presented[:-1],
        presented + "x",
        presented.removeprefix("dmcp_"),
        presented.replace("_ci_", "_alice_"),
        presented.upper(),
        "dmcp_../ci_x",
        "dmcp_ci_\udcff",
        "x" * 10_000,
    ]

    assert [await tokens.find(each) for each in wrong] == [None] * len(wrong)


async def test_a_name_is_given_once(tokens: Tokens) -> None:
    await tokens.add("ci", scopes=READER)

    with pytest.raises(NameTakenError, match="revoke it first"):
        await tokens.add("ci")

    (kept,) = await tokens.living()
    assert kept.scopes == READER


async def test_of_many_racing_for_a_name_exactly_one_gets_it(tokens: Tokens) -> None:
    answers = await asyncio.gather(*(made(tokens, "ci") for _ in range(20)), return_exceptions=True)

    (presented,) = [answer for answer in answers if isinstance(answer, str)]
    assert await tokens.find(presented) is not None


@pytest.mark.parametrize("name", ["", "A", "a b", "a_b", "-a", "a" * 33, "é", "a\n", "token:ci"])
async def test_what_is_no_name_is_refused(tokens: Tokens, name: str) -> None:
    with pytest.raises(ValueError, match="a name has"):
        await tokens.add(name)


async def test_two_quotas_for_the_same_are_refused(tokens: Tokens) -> None:
    with pytest.raises(ValueError, match="two quotas"):
        await tokens.add("ci", quotas=[Quota(60, "h"), Quota(10, "h")])


async def test_a_revoked_token_is_unknown_at_once_and_its_name_free(tokens: Tokens) -> None:
    old = await made(tokens, "ci")
    assert await tokens.find(old) is not None

    assert await tokens.revoke("ci")

    assert await tokens.find(old) is None
    new = await made(tokens, "ci")
    assert await tokens.find(old) is None
    assert await tokens.find(new) is not None


async def test_revoking_what_is_not_there_says_so(tokens: Tokens) -> None:
    assert not await tokens.revoke("ci")


async def test_a_use_under_way_does_not_undo_a_revocation(tokens: Tokens) -> None:
    presented = await made(tokens, "ci")

    await asyncio.gather(tokens.find(presented), tokens.revoke("ci"), tokens.find(presented))

    assert await tokens.find(presented) is None
    assert await tokens.living() == []


async def test_a_token_runs_out(tokens: Tokens, clock: Clock) -> None:
    presented = await made(tokens, "ci", lifetime_seconds=3600)
    clock.now += 3599
    assert await tokens.find(presented) is not None
    clock.now += 1

    assert await tokens.find(presented) is None
    assert await tokens.living() == []


async def test_living_tokens_are_told_by_name_with_their_times(tokens: Tokens, clock: Clock) -> None:
    start = clock.now
    await tokens.add("zoe")
    presented = await made(tokens, "ci", scopes=READER, lifetime_seconds=3600)
    clock.now += 10
    await tokens.find(presented)

    ci, zoe = await tokens.living()

    assert (ci.name, ci.created_at, ci.expires_at, ci.used_at) == ("ci", start, start + 3600, start + 10)
    assert (zoe.name, zoe.scopes, zoe.expires_at, zoe.used_at) == ("zoe", EVERYTHING, None, None)


async def test_the_last_use_is_known_to_the_minute(tokens: Tokens, clock: Clock) -> None:
    presented = await made(tokens, "ci")
    first = clock.now
    await tokens.find(presented)
    clock.now += MARK_SECONDS - 1
    await tokens.find(presented)
    (early,) = await tokens.living()
    clock.now += 1
    await tokens.find(presented)
    (late,) = await tokens.living()

    assert (early.used_at, late.used_at) == (first, first + MARK_SECONDS)


async def test_a_token_given_out_anew_was_not_used_yet(tokens: Tokens) -> None:
    await tokens.find(await made(tokens, "ci"))
    await tokens.revoke("ci")
    await tokens.add("ci")

    (new,) = await tokens.living()

    assert new.used_at is None


async def test_two_processes_that_share_a_store_agree_at_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/state.db"
    serving, shell = open_state(url), open_state(url)
    presented = await made(Tokens(shell), "ci")
    served = Tokens(serving)

    before = await served.find(presented)
    await Tokens(shell).revoke("ci")
    after = await served.find(presented)
    await serving.close()
    await shell.close()

    assert before is not None
    assert after is None


# --- At the door ------------------------------------------------------------------------------------------------------


async def test_every_bad_token_is_refused_alike(tokens: Tokens, clock: Clock) -> None:
    expired, revoked = await made(tokens, "expired", lifetime_seconds=1), await made(tokens, "revoked")
    clock.now += 1
    await tokens.revoke("revoked")
    bad = ["", "Bearer", f"Basic {SHARED}", f"Bearer {expired}", f"Bearer {revoked}", "Bearer dmcp_x_y", "Bearer é"]
    front = BearerFront(Secret(SHARED), tokens)

    refusals = []
    for given in bad:
        with pytest.raises(Refusal) as caught:
            await front.admit({"authorization": given}, None)
        refusals.append((caught.value.status, caught.value.body, caught.value.headers))

    assert {status for status, _, _ in refusals} == {401}
    assert all(refusal == refusals[0] for refusal in refusals)


async def test_the_shared_token_grants_everything_and_a_named_one_its_own(tokens: Tokens) -> None:
    front = BearerFront(Secret(SHARED), tokens)
    presented = await made(tokens, "ci", scopes=SENDER)

    shared = await front.admit({"authorization": f"Bearer {SHARED}"}, None)
    named = await front.admit({"authorization": f"bearer  {presented} "}, None)

    assert (shared.id, shared.scopes, shared.quotas) == ("bearer", EVERYTHING, ())
    assert (named.id, named.scopes) == ("token:ci", SENDER)


async def test_without_a_shared_token_only_named_ones_come_in(tokens: Tokens) -> None:
    front = BearerFront(None, tokens)
    presented = await made(tokens, "ci")

    assert (await front.admit({"authorization": f"Bearer {presented}"}, None)).id == "token:ci"
    for given in ("Bearer ", "Bearer None", f"Bearer {SHARED}"):
        with pytest.raises(Refusal):
            await front.admit({"authorization": given}, None)


@pytest.mark.parametrize("bearer", ["shared", "named"])
async def test_headers_narrow_every_caller_and_a_strange_one_is_refused(tokens: Tokens, bearer: str) -> None:
    presented = SHARED if bearer == "shared" else await made(tokens, "ci")
    front = BearerFront(Secret(SHARED), tokens)
    headers = {"authorization": f"Bearer {presented}"}

    caller = await front.admit({**headers, "x-mcp-readonly": "true", "x-mcp-categories": "messages"}, None)
    with pytest.raises(Refusal) as caught:
        await front.admit({**headers, "x-mcp-readonly": "yes please"}, None)

    assert caller.scopes == {"read:messages"}
    assert (caught.value.status, caught.value.body["error"]) == (400, "invalid_header")


# --- Over HTTP --------------------------------------------------------------------------------------------------------


@dataclass
class Records:
    """An audit sink that keeps its records."""

    kept: list[Record] = field(default_factory=list)

    def emit(self, record: Record) -> None:
        self.kept.append(record)

    async def close(self) -> None:
        """Have nothing to release."""


@dataclass(frozen=True)
class Place:
    """discord-mcp on a loopback port, on a sandbox."""

    sandbox: Sandbox
    tokens: Tokens
    records: list[Record]
    url: str

    @property
    def writes(self) -> int:
        """How many writes the sandbox saw."""
        return sum(one.method != "GET" for one in self.sandbox.requests)

    @asynccontextmanager
    async def client(
        self, presented: str, era: Era = "2026", headers: Mapping[str, str] | None = None
    ) -> AsyncIterator[Client]:
        """Connect the official client with this token."""
        sent = {"authorization": f"Bearer {presented}", **(headers or {})}
        async with httpx2.AsyncClient(headers=sent, timeout=20) as http:
            transport = streamable_http_client(self.url, http_client=http)
            async with Client(transport, mode="legacy" if era == "2025" else "auto") as client:
                yield client

    async def send(self, presented: str, headers: Mapping[str, str] | None = None) -> Any:
        """Send a message; return the code of the failure, None where it went well."""
        async with self.client(presented, headers=headers) as client:
            return await code_of(client, "messages_send", HELLO)


ADMITTED = 400
"""The status of a request whose token is good and whose body says nothing."""


async def status_of(url: str, presented: str) -> int:
    """Return the HTTP status of a request with this token and an empty body."""
    async with httpx2.AsyncClient(headers={"authorization": f"Bearer {presented}"}) as http:
        return (await http.post(url, json={})).status_code


async def code_of(client: Client, tool: str, arguments: dict[str, Any]) -> Any:
    result = await client.call_tool(tool, arguments)
    assert result.structured_content is not None
    return result.structured_content["code"] if result.is_error else None


@asynccontextmanager
async def served(sandbox: Sandbox, **variables: str) -> AsyncIterator[Place]:
    config = load_config(environment(sandbox, **{"DISCORD_MCP_ACCESS_TOKEN": SHARED, **variables}))
    rest, records = build_rest(config), Records()
    built = build_server(rest=rest, config=config, transport="http", audit_sink=records, notifies=False)
    app = build_http(built, config, Hosts.of("127.0.0.1"))
    listener = socket.create_server(("127.0.0.1", 0))
    settings = uvicorn.Config(app, log_config=None, access_log=False, ws="none", lifespan="on")
    settings.load()
    server = uvicorn.Server(settings)
    server.lifespan = settings.lifespan_class(settings)
    await server.startup([listener])
    try:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        yield Place(sandbox, Tokens(built.state), records.kept, url)
    finally:
        await server.shutdown([listener])
        await built.state.close()
        await rest.aclose()


@both_eras
async def test_each_of_two_tokens_may_do_what_it_was_granted_and_no_more(sandbox: Sandbox, era: Era) -> None:
    read = ("messages_read", {"channel_id": demo.GENERAL})
    send_elsewhere = ("messages_send", {**HELLO, "channel_id": demo.ANNOUNCEMENTS})
    async with served(sandbox) as place:
        alice, ci = await made(place.tokens, "alice", scopes=READER), await made(place.tokens, "ci", scopes=SENDER)
        async with place.client(alice, era) as client:
            as_alice = [await code_of(client, *attempt) for attempt in (read, ("messages_send", HELLO))]
        async with place.client(ci, era) as client:
            as_ci = [await code_of(client, *attempt) for attempt in (read, ("messages_send", HELLO), send_elsewhere)]

        assert as_alice == [None, "SCOPE_REJECTED"]
        assert as_ci == [None, None, "SCOPE_REJECTED"]
        assert place.writes == 1


EVERY_HEADER = {"x-mcp-readonly": "false", "x-mcp-categories": "messages,channels,reactions,members,users,guild,meta"}


@pytest.mark.parametrize(
    ("policy", "scopes", "headers"),
    [
        ({}, READER, {}),
        ({}, READER, EVERY_HEADER),
        ({}, EVERYTHING, {"x-mcp-readonly": "true"}),
        ({}, EVERYTHING, {"x-mcp-categories": "channels"}),
        ({}, frozenset({"read", f"write:messages:{demo.ANNOUNCEMENTS}"}), EVERY_HEADER),
        ({}, frozenset({"read", "write:channels"}), {"x-mcp-categories": "messages"}),
        ({"MCP_CATEGORIES": "channels"}, EVERYTHING, EVERY_HEADER),
    ],
)
async def test_neither_policy_nor_grant_nor_request_widens_another(
    sandbox: Sandbox, policy: dict[str, str], scopes: Scopes, headers: dict[str, str]
) -> None:
    async with served(sandbox, **policy) as place:
        presented = await made(place.tokens, "ci", scopes=scopes)

        assert await place.send(presented, headers) == "SCOPE_REJECTED"
        assert place.writes == 0


@pytest.mark.parametrize("name", ["x-mcp-readonly", "x-mcp-categories"])
async def test_a_client_cannot_undo_what_a_proxy_narrowed(sandbox: Sandbox, name: str) -> None:
    values = {"x-mcp-readonly": ("true", "false"), "x-mcp-categories": ("channels", "messages")}[name]
    async with served(sandbox) as place, httpx2.AsyncClient() as http:
        headers = [("authorization", f"Bearer {SHARED}"), *((name, value) for value in values)]
        answer = await http.post(place.url, json={}, headers=headers)

        assert answer.status_code == 400
        assert name in answer.json()["message"]


async def test_a_hundred_sends_under_a_quota_of_sixty_an_hour_make_sixty_requests() -> None:
    async with Sandbox.start(limits=False) as sandbox, served(sandbox) as place:
        presented = await made(place.tokens, "ci", scopes=SENDER, quotas=[Quota(60, "h")])
        async with place.client(presented) as client:
            refused = [await code_of(client, "messages_send", {**HELLO, "channel_id": demo.STAFF}) for _ in range(5)]
            codes = [await code_of(client, "messages_send", HELLO) for _ in range(100)]

        assert set(refused) == {"SCOPE_REJECTED"}
        assert codes == [None] * 60 + ["QUOTA_EXCEEDED"] * 40
        assert place.writes == 60


async def test_what_other_gates_refuse_does_not_count(sandbox: Sandbox) -> None:
    target = {"channel_id": demo.GENERAL, "message_id": "111122223333444455"}
    async with served(sandbox) as place:
        presented = await made(place.tokens, "ci", quotas=[Quota(1, "h")])
        async with place.client(presented) as client:
            codes = [await code_of(client, "messages_delete", target) for _ in range(3)]
            codes.append(await code_of(client, "messages_send", {"channel_id": demo.GENERAL}))
            codes.append(await code_of(client, "messages_send", HELLO))

        assert codes == ["DRY_RUN_PREVIEW"] * 3 + ["VALIDATION_FAILED", None]


@both_eras
async def test_a_revocation_holds_from_the_next_request_on(sandbox: Sandbox, era: Era) -> None:
    async with served(sandbox) as place:
        presented, other = await made(place.tokens, "ci"), await made(place.tokens, "alice")
        async with place.client(presented, era) as client:
            before = await code_of(client, "messages_send", HELLO)
            await place.tokens.revoke("ci")
            with pytest.raises(Exception):  # noqa: B017, PT011 - what a client makes of a 401 is its own
                await client.call_tool("messages_send", HELLO)

        assert before is None
        statuses = [await status_of(place.url, each) for each in (presented, other, SHARED)]
        assert statuses == [401, ADMITTED, ADMITTED]
        assert place.writes == 1


async def test_one_token_serves_from_two_places(sandbox: Sandbox) -> None:
    async with served(sandbox) as place:
        presented = await made(place.tokens, "ci")
        async with place.client(presented) as one, place.client(presented) as other:
            codes = await asyncio.gather(*(code_of(client, "messages_send", HELLO) for client in (one, other)))

        assert codes == [None, None]


@both_eras
async def test_a_caller_is_listed_only_what_it_may_use(sandbox: Sandbox, era: Era) -> None:
    async with served(sandbox) as place:
        reader = await made(place.tokens, "alice", scopes=READER)
        async with place.client(reader, era) as client:
            listed = (await client.list_tools()).tools
        async with place.client(SHARED, era) as client:
            every = (await client.list_tools()).tools

        assert listed == [tool for tool in every if tool.annotations and tool.annotations.read_only_hint]
        assert len(listed) < len(every)


async def test_records_name_who_acted(sandbox: Sandbox) -> None:
    async with served(sandbox) as place:
        ci, alice = await made(place.tokens, "ci", scopes=SENDER), await made(place.tokens, "alice", scopes=READER)
        for presented in (ci, alice, SHARED):
            await place.send(presented)

        told = [(record["caller"], record["outcome"]) for record in place.records]
        assert told == [("token:ci", "success"), ("token:alice", "refused"), ("bearer", "success")]


@pytest.mark.parametrize(
    ("bearer", "reason", "shown"),
    [
        ("named", "spam", "spam (via ci)"),
        ("named", None, "via ci"),
        ("named", "x" * 512, "x" * 503 + " (via ci)"),
        ("shared", "spam", "spam"),
        ("shared", None, None),
    ],
)
async def test_the_guilds_audit_log_says_which_token_acted(
    sandbox: Sandbox, bearer: str, reason: str | None, shown: str | None
) -> None:
    async with served(sandbox) as place:
        presented = await made(place.tokens, "ci") if bearer == "named" else SHARED
        async with place.client(presented) as client:
            sent = await client.call_tool("messages_send", HELLO)
            assert sent.structured_content is not None
            target = {"channel_id": demo.GENERAL, "message_id": sent.structured_content["message_id"]}
            given = {} if reason is None else {"audit_reason": reason}
            await client.call_tool("messages_delete", {**target, **given, "__confirm": True})

        (deletion,) = [one for one in sandbox.requests if one.method == "DELETE"]
        header = deletion.request_headers.get("x-audit-log-reason")
        assert (header and unquote(header)) == shown


# --- On the command line ----------------------------------------------------------------------------------------------


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    return {"XDG_STATE_HOME": str(tmp_path)}


async def tokens_command(home: dict[str, str], *words: str) -> Ran:
    return await ran("tokens", *words, **home)


async def test_where_there_are_no_tokens_the_list_says_how_to_make_one(home: dict[str, str]) -> None:
    listed = await tokens_command(home, "list")

    assert (listed.code, listed.out) == (0, "")
    assert "tokens add NAME" in listed.err


async def test_a_token_is_printed_alone_once_and_what_it_may_do_beside_it(home: dict[str, str], tmp_path: Path) -> None:
    made_one = await tokens_command(
        home, "add", "ci", "--write", f"messages:{demo.GENERAL}", "--quota", "60/h", "--expires", "30d"
    )
    listed = await tokens_command(home, "list", "--json")

    path = tmp_path / "discord-mcp" / "state.db"
    (facts,) = listed.json
    assert (made_one.code, listed.code) == (0, 0)
    assert made_one.out.startswith("dmcp_ci_")
    assert made_one.out.count("\n") == 1
    assert f"read, write:messages:{demo.GENERAL}, at most 60/h, until " in made_one.err
    assert made_one.out.strip() not in listed.out + made_one.err
    assert facts["name"] == "ci"
    assert facts["scopes"] == ["read", f"write:messages:{demo.GENERAL}"]
    assert facts["quotas"] == ["60/h"]
    assert facts["used_at"] is None
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def wish(**options: Any) -> Wish:
    return wish_of(**{"read_only": False, "writes": (), "quotas": (), "expires": None, **options})


@pytest.mark.parametrize(
    ("options", "scopes"),
    [
        ({}, EVERYTHING),
        ({"read_only": True}, {"read"}),
        ({"writes": ["messages"]}, {"read", "write:messages"}),
        ({"writes": [f"messages:{demo.GENERAL}"]}, SENDER),
        ({"writes": [f"messages:<#{demo.GENERAL}>"]}, SENDER),
        ({"writes": ["messages", "reactions"]}, {"read", "write:messages", "write:reactions"}),
    ],
)
def test_options_only_narrow(options: dict[str, Any], scopes: Scopes) -> None:
    assert wish(**options).scopes == scopes


@pytest.mark.parametrize(("text", "seconds"), [(None, None), ("90m", 5400), ("12h", 43_200), ("30d", 2_592_000)])
def test_a_lifetime_is_read_in_minutes_hours_or_days(text: str | None, seconds: float | None) -> None:
    assert wish(expires=text).lifetime_seconds == seconds


def test_quotas_are_read_of_everything_a_category_or_a_tool() -> None:
    quotas = wish(quotas=["60/h", "10/m:messages", "5/d:messages_delete"]).quotas

    assert quotas == (Quota(60, "h"), Quota(10, "m", "messages"), Quota(5, "d", "messages_delete"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"writes": ["mesages"]}, "did you mean 'messages'"),
        ({"writes": [""]}, "there is no ''"),
        ({"writes": ["messages:general"]}, "ChannelId"),
        ({"writes": ["messages:"]}, "ChannelId"),
        ({"writes": ["messages"], "read_only": True}, "contradict"),
        ({"quotas": ["lots"]}, "60/h"),
        ({"quotas": ["5/d:mesages"]}, "did you mean 'messages'"),
        ({"expires": "never"}, "30d"),
        ({"expires": "0d"}, "30d"),
        ({"expires": ""}, "30d"),
    ],
)
def test_an_option_that_would_leave_something_open_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        wish(**options)


async def test_a_revoked_token_is_gone_and_cannot_be_revoked_again(home: dict[str, str]) -> None:
    await tokens_command(home, "add", "ci")

    answers = [await tokens_command(home, "revoke", "ci") for _ in range(2)]

    assert [answer.code for answer in answers] == [0, 3]
    assert (await tokens_command(home, "list", "--json")).json == []


async def test_a_second_token_of_a_name_is_refused(home: dict[str, str]) -> None:
    await tokens_command(home, "add", "ci")

    again = await tokens_command(home, "add", "ci")

    assert (again.code, again.out) == (3, "")
    assert "revoke it first" in again.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("CI",), "lower-case"),
        (("ci", "--write", "mesages"), "did you mean 'messages'"),
        (("ci", "--quota", "5/d", "--quota", "6/d"), "two quotas"),
    ],
)
async def test_a_wrong_option_makes_no_token(home: dict[str, str], words: tuple[str, ...], said: str) -> None:
    refused = await tokens_command(home, "add", *words)

    assert (refused.code, refused.out) == (2, "")
    assert said in " ".join(refused.err.replace("│", " ").split())
    assert (await tokens_command(home, "list", "--json")).json == []


async def test_the_list_for_people_fits_80_columns(home: dict[str, str]) -> None:
    await tokens_command(home, "add", "a" * 32, "--write", f"messages:{demo.GENERAL}", "--quota", "60/h:messages")

    listed = await tokens_command(home, "list")

    assert "never" in listed.out
    assert max(map(len, listed.out.splitlines())) <= 80


async def test_a_store_that_cannot_be_opened_is_told(tmp_path: Path) -> None:
    (tmp_path / "discord-mcp").write_text("in the way")

    refused = await ran("tokens", "list", XDG_STATE_HOME=str(tmp_path))

    assert (refused.code, refused.out) == (4, "")
    assert "MCP_STATE_URL" in refused.err
    assert "Traceback" not in refused.err


async def test_http_starts_neither_without_a_shared_token_nor_a_named_one(home: dict[str, str]) -> None:
    refused = await ran("serve", "--http", "--sandbox", "--port", "0", **home)

    assert (refused.code, refused.out) == (4, "")
    assert "DISCORD_MCP_ACCESS_TOKEN" in refused.err
    assert "discord-mcp tokens add" in refused.err


async def test_http_starts_with_a_named_token_alone_and_a_revocation_reaches_it(home: dict[str, str]) -> None:
    presented = (await tokens_command(home, "add", "ci")).out.strip()
    async with started("serve", "--http", "--sandbox", "--port", "0", **home) as running:
        assert running.process.stderr is not None
        ready = orjson.loads(await running.process.stderr.readline())
        url = f"http://127.0.0.1:{ready['port']}/mcp"
        before = await status_of(url, presented)
        await tokens_command(home, "revoke", "ci")
        after = await status_of(url, presented)

    assert (before, after) == (ADMITTED, 401)


@pytest.mark.parametrize(
    ("env", "platform", "folder"),
    [
        ({"XDG_STATE_HOME": "/var/state"}, "linux", Path("/var/state/discord-mcp")),
        ({"XDG_STATE_HOME": "state"}, "linux", Path.home() / ".local/state/discord-mcp"),
        ({}, "linux", Path.home() / ".local/state/discord-mcp"),
        ({}, "darwin", Path.home() / "Library/Application Support/discord-mcp"),
        ({}, "win32", Path.home() / "AppData/Local/discord-mcp"),
        ({"LOCALAPPDATA": "/local"}, "win32", Path("/local/discord-mcp")),
    ],
)
def test_state_lies_where_the_platform_keeps_it(env: dict[str, str], platform: str, folder: Path) -> None:
    assert state_folder("discord-mcp", env, platform) == folder
