"""`deside-mcp login`, `send`, `read`, `watch`, `logout` at a server that runs, as two people with a wallet each."""

from __future__ import annotations

import asyncio
import signal
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeAlias

import orjson
import pytest
from rich.cells import cell_len
from tests.deside.cli.command import ran, started
from tests.deside.process import Served, served
from tests.discord.cli.shell import Ran, Running

from accord.deside.cli.messages import table_of

Json: TypeAlias = Any


class Person:
    """Somebody with folders of their own, whose commands leave no secret behind."""

    def __init__(self, home: Path, address: str) -> None:
        self.home = home
        self.address = address

    @classmethod
    async def new(cls, home: Path, server: Served) -> Person:
        """Make a wallet and sign in."""
        made = await ran("wallet", "new", home=home)
        person = cls(home, made.out.strip())
        signed_in = await person.runs("login", "--url", server.url)
        assert signed_in.code == 0, signed_in.err
        return person

    async def runs(self, *words: str) -> Ran:
        """Run a command to its end."""
        done = await ran(*words, home=self.home)
        said = done.out + done.err
        assert not [secret for secret in self.secrets() if secret in said], words
        return done

    def secrets(self) -> list[str]:
        """What no command may show."""
        grants = [orjson.loads(file.read_bytes()) for file in self.home.glob("deside-mcp/grants/*.json")]
        tokens = [grant[name] for grant in grants for name in ("access_token", "refresh_token")]
        return [*tokens, (self.home / "deside-mcp" / "wallet.json").read_text()]

    @asynccontextmanager
    async def watches(self) -> AsyncIterator[Running]:
        """Run `watch` until the block ends, from when it says that it watches."""
        async with started("watch", "--json", home=self.home) as running:
            assert running.process.stderr is not None
            assert b"watching what arrives" in await running.process.stderr.readline()
            yield running


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path / "server") as running:
        yield running


@pytest.fixture
async def ada(tmp_path: Path, server: Served) -> Person:
    return await Person.new(tmp_path / "ada", server)


@pytest.fixture
async def ben(tmp_path: Path, server: Served) -> Person:
    return await Person.new(tmp_path / "ben", server)


async def next_of(watch: Running) -> Json:
    line = await watch.line()
    assert line, (await watch.end()).err
    return orjson.loads(line)


async def test_what_a_login_brings_is_kept_for_its_owner_alone(ada: Person) -> None:
    (grant,) = ada.home.glob("deside-mcp/grants/*.json")

    assert stat.S_IMODE(grant.stat().st_mode) == 0o600
    assert stat.S_IMODE(grant.parent.stat().st_mode) == 0o700


async def test_a_message_is_sent_listed_and_read_and_counts_as_read_then(ada: Person, ben: Person) -> None:
    sent = await ada.runs("send", ben.address, "hello\x1b[31m \u202eBen\nas before")
    listed = (await ben.runs("read", "--json")).json["conversations"]
    read = await ben.runs("read", ada.address)
    again = (await ben.runs("read", "--json")).json["conversations"]

    assert (sent.code, sent.out) == (0, f"delivered to {ben.address}\n")
    assert [(one["peerWallet"], one["unread"]) for one in listed] == [(ada.address, 1)]
    assert read.code == 0
    assert read.out.endswith(f"{ada.address}: hello\\u001b[31m \\u202eBen\n    as before\n")
    assert [one["unread"] for one in again] == [0]


async def test_one_can_look_without_having_read(ada: Person, ben: Person) -> None:
    await ada.runs("send", ben.address, "hello")

    await ben.runs("read", ada.address, "--peek")

    assert (await ben.runs("read", "--json")).json["conversations"][0]["unread"] == 1


async def test_a_conversation_is_read_by_its_id_too_and_page_by_page(ada: Person, ben: Person) -> None:
    sent = [(await ada.runs("send", ben.address, text, "--json")).json for text in ("one", "two", "three")]

    newest = await ada.runs("read", sent[0]["convId"], "--limit", "2")
    older = await ada.runs("read", sent[0]["convId"], "--limit", "2", "--before", "2")

    assert [line.rpartition(" ")[2] for line in newest.out.splitlines()] == ["two", "three"]
    assert "you: " in newest.out
    assert newest.err == "older ones: --before 2\n"
    assert [line.rpartition(" ")[2] for line in older.out.splitlines()] == ["one"]


async def test_a_list_is_a_table_for_a_person(ada: Person, ben: Person) -> None:
    await ada.runs("send", ben.address, "hello")

    listed = await ben.runs("read")

    assert listed.out.split()[:3] == ["with", "unread", "last"]
    assert "hello" in listed.out


async def test_a_list_that_is_piped_is_whole(ada: Person, ben: Person) -> None:
    await ada.runs("send", ben.address, "first line\n" + "long " * 40)

    listed = await ran("read", home=ben.home, COLUMNS="80")

    (line,) = listed.out.splitlines()[1:]
    assert line.split()[:2] == [ada.address, "1"]
    assert line.endswith("first line " + "long " * 40)


def test_in_a_terminal_only_what_was_said_is_cut() -> None:
    wallets = ["4" * 44, "1" * 32]
    said = {"sender": wallets[0], "content": "\u5b57" * 60, "createdAt": "2027-01-15T08:00:00.000Z"}

    lines = list(table_of([{"peerWallet": each, "unread": 12, "lastMessage": said} for each in wallets], "me", 80))

    assert [line.split()[:4] for line in lines[1:]] == [[each, "12", "2027-01-15", "08:00"] for each in wallets]
    assert all(cell_len(line) <= 80 and line.endswith("\u2026") for line in lines[1:])


async def test_a_message_to_nobody_is_a_failure(ada: Person, tmp_path: Path) -> None:
    nobody = (await ran("wallet", "new", home=tmp_path / "nobody")).out.strip()

    sent = await ada.runs("send", nobody, "hello")

    assert sent.code == 3
    assert sent.out == f"not sent: {nobody} has never signed in here, and nothing is kept for it\n"


async def test_what_the_server_refuses_is_told_with_its_code(ada: Person) -> None:
    words = await ada.runs("send", ada.address, "hello")
    facts = await ada.runs("send", ada.address, "hello", "--json")

    assert (words.code, words.out) == (3, "")
    assert words.err.startswith("cannot_dm_self: ")
    assert (facts.code, facts.json["error"], facts.json["status"]) == (3, "cannot_dm_self", 400)


async def test_an_address_that_is_none_is_named(ada: Person) -> None:
    sent = await ada.runs("send", "somebody", "hello")

    assert sent.code == 3
    assert sent.err.startswith("INVALID_INPUT: ")
    assert "\n  to_wallet: " in sent.err


async def test_a_watch_prints_each_message_once_as_it_comes_and_ends_with_a_signal(ada: Person, ben: Person) -> None:
    async with ben.watches() as watch:
        texts = ["first", "second", "third"]
        got = []
        for text in texts:
            await ada.runs("send", ben.address, text)
            got.append((await next_of(watch))["content"])
        ended = await watch.end(signal.SIGINT)

    assert got == texts
    assert (ended.code, ended.out) == (0, "")


async def test_a_watch_begins_with_what_came_since_the_last_one(ada: Person, ben: Person) -> None:
    await ada.runs("send", ben.address, "before any watch")
    async with ben.watches() as watch:
        await ada.runs("send", ben.address, "seen")
        first = await next_of(watch)
        await watch.end(signal.SIGTERM)
    await ada.runs("send", ben.address, "missed")

    async with ben.watches() as watch:
        second = await next_of(watch)
        ended = await watch.end(signal.SIGTERM)

    assert (first["content"], second["content"], ended.out) == ("seen", "missed", "")


async def test_a_strangers_request_is_printed_once_and_can_be_answered(ada: Person, ben: Person) -> None:
    await ben.runs("call", "set_dm_policy", "policy=contacts")
    async with ben.watches() as watch:
        asked = await ada.runs("send", ben.address, "may I?")
        request = await next_of(watch)
        answered = await ben.runs("call", "respond_contact_request", f"wallet={ada.address}", "action=accept")
        await ada.runs("send", ben.address, "thank you")
        message = await next_of(watch)
        ended = await watch.end(signal.SIGTERM)

    assert (asked.code, asked.out) == (0, f"waits until {ben.address} accepts you as a contact\n")
    assert (request["kind"], request["content"], request["sender"]) == ("contact_request", "may I?", ada.address)
    assert (answered.code, answered.json["delivered"]) == (0, 1)
    assert (message["kind"], message["content"], message["seq"]) == ("message", "thank you", 2)
    assert ended.out == ""


async def test_any_tool_can_be_called_and_a_wrong_argument_is_named(ada: Person) -> None:
    good = await ada.runs("call", "get_user_info", f"wallet={ada.address}")
    wrong = await ada.runs("call", "get_user_info", "walet=x")
    malformed = await ada.runs("call", "get_user_info", "wallet")

    assert (good.code, good.json["registered"]) == (0, True)
    assert (wrong.code, wrong.json["error"]) == (3, "INVALID_INPUT")
    assert malformed.code == 2


async def test_a_watch_outlives_its_server_and_misses_and_repeats_nothing(
    ada: Person, ben: Person, server: Served, tmp_path: Path
) -> None:
    port = int(server.url.rpartition(":")[2])
    async with ben.watches() as watch:
        await ada.runs("send", ben.address, "before")
        before = await next_of(watch)
        await server.stop(signal.SIGKILL)
        async with served(tmp_path / "server", port=port):
            await ada.runs("send", ben.address, "after")
            after = await next_of(watch)
            await ada.runs("send", ben.address, "later")
            later = await next_of(watch)
            ended = await watch.end(signal.SIGTERM)

    assert [one["content"] for one in (before, after, later)] == ["before", "after", "later"]
    assert (ended.code, ended.out) == (0, "")


async def test_a_watch_goes_on_where_its_server_begins_anew_and_says_so(
    ada: Person, ben: Person, server: Served, tmp_path: Path
) -> None:
    port = int(server.url.rpartition(":")[2])
    async with ben.watches() as watch:
        await ada.runs("send", ben.address, "before")
        await next_of(watch)
        await server.stop(signal.SIGKILL)
        async with served(tmp_path / "another", port=port):
            assert watch.process.stderr is not None
            while b"begins anew" not in (line := await watch.process.stderr.readline()):
                assert line
            await ada.runs("send", ben.address, "after")
            after = await next_of(watch)
            await watch.end(signal.SIGTERM)

    assert (after["content"], after["seq"]) == ("after", 1)


async def test_processes_that_share_a_token_never_use_its_refresh_token_twice(tmp_path: Path) -> None:
    # A refresh token that comes back takes the whole sign-in back, and another sign-in is not to be had here.
    short = "1000"
    async with served(tmp_path / "server", OAUTH_SIGN_INS_PER_5_MIN="1", OAUTH_ACCESS_TOKEN_TTL_MS=short) as server:
        person = await Person.new(tmp_path / "ada", server)

        done = [await asyncio.gather(*(person.runs("read", "--json") for _ in range(4))) for _ in range(2)]

    assert [(one.code, one.err) for round_ in done for one in round_] == [(0, "")] * 8


async def test_a_login_asks_for_the_scopes_that_are_named(ada: Person, ben: Person, server: Served) -> None:
    narrowed = await ada.runs("login", "--scope", "dm:read")
    refused = await ada.runs("send", ben.address, "hello")
    unknown = await ada.runs("login", "--scope", "dm:raed")
    await ada.runs("login")
    sent = await ada.runs("send", ben.address, "hello")

    assert (narrowed.code, refused.code, sent.code) == (0, 3, 0)
    assert refused.err.startswith("insufficient_scope: ")
    assert (unknown.code, unknown.out) == (3, "")
    assert "invalid_scope" in unknown.err


async def test_a_login_that_may_not_read_is_one(ada: Person, ben: Person) -> None:
    in_words = await ada.runs("login", "--scope", "dm:write")
    as_json = await ada.runs("login", "--scope", "dm:write", "--json")
    sent = await ada.runs("send", ben.address, "hello")

    assert (in_words.code, as_json.code, sent.code) == (0, 0, 0)
    assert as_json.json["identity"] is None


async def test_after_a_logout_one_has_to_sign_in_again(ada: Person) -> None:
    out = await ada.runs("logout")

    read = await ada.runs("read")

    assert (out.code, read.code) == (0, 3)
    assert "`deside-mcp login` signs in" in read.err


async def test_a_server_that_is_not_there_is_a_failure_in_one_line(ada: Person, server: Served) -> None:
    await server.stop(signal.SIGTERM)

    read = await ada.runs("read")

    assert (read.code, read.out) == (3, "")
    assert read.err == f"{server.url} cannot be reached: Connection refused\n"
