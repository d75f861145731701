"""Files that go along with a request: what arrives, how it is read, and when it is sent again."""

from __future__ import annotations

import asyncio
import gc
import os
import traceback
import tracemalloc
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from aiohttp import web
from tests.discord.rest.stub import Act, Stub, client, closed_port, json, limited, listening, page
from tests.judge import NO_FILE, Judge

from accord.discord.rest.client import Discord
from accord.discord.rest.errors import (
    DiscordAuthError,
    DiscordRateLimitError,
    DiscordRequestError,
    DiscordUpstreamError,
    ExternalServiceError,
)
from accord.discord.rest.exchange import Attempt
from accord.discord.rest.uploads import Upload, safe_filename
from accord.discord.sandbox import Sandbox, demo
from accord.engine.errors import ToolError, ValidationError
from accord.engine.secrets import Secret

MESSAGES = "/channels/{}/messages"
STICKERS = "/guilds/{}/stickers"


async def pieces(*contents: bytes) -> AsyncIterator[bytes]:
    for content in contents:
        yield content


async def sent_to(sandbox: Sandbox, *files: Upload, **body: Any) -> dict[str, Any]:
    """Send a message to the sandbox's general channel."""
    async with client(sandbox.base_url, token=Secret(sandbox.token)) as discord:
        message: dict[str, Any] = await discord.post(MESSAGES, demo.GENERAL, into=dict, body=body, files=files)
        return message


def kept(sandbox: Sandbox, message: dict[str, Any]) -> list[bytes]:
    """The bytes of a message's attachments, as they arrived."""
    return [sandbox.world.files[attachment["id"]].content for attachment in message["attachments"]]


def parts_of(body: bytes) -> list[tuple[bytes, bytes]]:
    """The heads and contents of a form's parts."""
    boundary = body.partition(b"\r\n")[0]
    found = [part.partition(b"\r\n\r\n") for part in body.split(boundary)[1:-1]]
    return [(head, content.removesuffix(b"\r\n")) for head, _blank, content in found]


# What arrives


async def test_files_go_along_with_the_message_that_speaks_of_them(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "plan.txt").write_bytes(b"from the disk")
    files = (
        Upload("cat.png", b"\x89PNG"),
        Upload("plan.txt", tmp_path / "plan.txt"),
        Upload("log.bin", pieces(b"in ", b"pieces")),
    )
    attachments = [{"id": number, "description": f"number {number}"} for number in range(3)]

    message = await sent_to(sandbox, *files, content="look", attachments=attachments)

    assert kept(sandbox, message) == [b"\x89PNG", b"from the disk", b"in pieces"]
    assert message["content"] == "look"
    assert [(one["filename"], one["content_type"], one["description"]) for one in message["attachments"]] == [
        ("cat.png", "image/png", "number 0"),
        ("plan.txt", "text/plain", "number 1"),
        ("log.bin", "application/octet-stream", "number 2"),
    ]


async def test_an_open_file_is_sent_from_where_it_stands_and_stays_open(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"read:unread")

    with (tmp_path / "a.txt").open("rb") as file:
        file.read(5)
        message = await sent_to(sandbox, Upload("a.txt", file))
        assert not file.closed

    assert kept(sandbox, message) == [b"unread"]


async def test_a_stated_type_goes_before_what_the_filename_says(stub: Stub, discord: Discord) -> None:
    await discord.do("POST", MESSAGES, "1", files=[Upload("a.txt", b"{}", content_type="application/json")])

    ((head, content),) = parts_of(stub.bodies[0])
    assert b"Content-Type: application/json" in head
    assert content == b"{}"


async def test_a_filename_arrives_in_its_own_letters(stub: Stub, discord: Discord) -> None:
    await discord.do("POST", MESSAGES, "1", files=[Upload("naïve 猫.png", b"x")])

    assert 'name="files[0]"; filename="naïve 猫.png"'.encode() in stub.bodies[0]


async def test_a_sticker_is_a_form_of_plain_fields_and_one_file(
    stub: Stub, discord: Discord, discords_file: Judge | None
) -> None:
    fields = {"name": "wave", "tags": "👋", "description": ""}

    await discord.post(STICKERS, "1", into=dict, form=fields, files=[Upload("wave.png", b"PNG", field_name="file")])

    assert [content.decode() for _head, content in parts_of(stub.bodies[0])] == ["wave", "👋", "", "PNG"]
    if discords_file is None:
        pytest.skip(NO_FILE)
    headers = dict(stub.seen[0].headers)
    assert discords_file.request("POST", "/guilds/1/stickers", "", headers, stub.bodies[0]) == []


async def test_a_file_alone_needs_no_body(stub: Stub, discord: Discord, discords_file: Judge | None) -> None:
    await discord.do("POST", "/applications/{}/attachment", "1", files=[Upload("a.png", b"x", field_name="file")])

    assert [content for _head, content in parts_of(stub.bodies[0])] == [b"x"]
    if discords_file is None:
        pytest.skip(NO_FILE)
    headers = dict(stub.seen[0].headers)
    assert discords_file.request("POST", "/applications/1/attachment", "", headers, stub.bodies[0]) == []


async def test_without_files_a_body_is_plain_json(stub: Stub, discord: Discord) -> None:
    await discord.do("POST", MESSAGES, "1", body={"content": "x"}, files=[])

    assert (stub.seen[0].headers["Content-Type"], stub.bodies) == ("application/json", [b'{"content":"x"}'])


async def test_plain_fields_beside_a_json_body_are_refused(stub: Stub, discord: Discord) -> None:
    with pytest.raises(ValueError, match="not both"):
        await discord.do("POST", STICKERS, "1", form={"name": "wave"}, body={})

    assert stub.seen == []


async def test_the_size_is_told_beforehand_where_it_is_known(stub: Stub, discord: Discord, tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(bytes(1000))

    await discord.do("POST", MESSAGES, "1", files=[Upload("a.bin", tmp_path / "a.bin"), Upload("b.bin", b"x")])
    await discord.do("POST", MESSAGES, "1", files=[Upload("a.bin", pieces(b"x"))])

    assert stub.seen[0].headers["Content-Length"] == str(len(stub.bodies[0]))
    assert "Content-Length" not in stub.seen[1].headers


# Names


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cat.png", "cat.png"),
        ("../../etc/passwd", "passwd"),
        (r"C:\Users\me\cat.png", "cat.png"),
        ('a"; filename="b.png', "a; filename=b.png"),
        ("a\r\nX-Header: 1.png", "aX-Header: 1.png"),
        ("gpj.\u202eexe", "gpj.exe"),
        ("a\ud800\u2028.txt", "a.txt"),
        ("  spaced name.txt ", "spaced name.txt"),
        (".env", ".env"),
        ("", "file"),
        ("..", "file"),
        ("docs/", "file"),
        ("x" * 300 + ".png", "x" * 256 + ".png"),
        ("x." + "y" * 300, "x." + "y" * 258),
    ],
)
def test_a_filename_is_one_short_and_visible_part(name: str, expected: str) -> None:
    assert safe_filename(name) == expected
    assert Upload(name, b"").filename == expected


def test_what_is_in_a_file_is_not_in_its_repr() -> None:
    assert "secret" not in repr(Upload("a.txt", b"secret"))


# Reading


async def test_a_large_file_is_never_in_memory_as_a_whole(tmp_path: Path) -> None:
    large = 64 * 1024 * 1024
    with (tmp_path / "large.bin").open("wb") as file:
        file.truncate(large)
    counting = Counting()

    async with listening(counting), client(counting.url) as discord:
        tracemalloc.start()
        await discord.do("POST", MESSAGES, "1", files=[Upload("large.bin", tmp_path / "large.bin")])
        _now, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()

    assert counting.received > large
    assert peak < 16 * 1024 * 1024


class Counting(Stub):
    """Counts what arrives, and keeps none of it."""

    received = 0

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        async for piece in request.content.iter_any():
            self.received += len(piece)
        return json(200, {})


@pytest.mark.parametrize("kind", ["missing", "folder"])
async def test_what_is_no_file_is_told_before_anything_is_sent(
    stub: Stub, discord: Discord, tmp_path: Path, kind: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_bytes(b"x")

    with pytest.raises(ValidationError) as raised:
        await discord.do("POST", MESSAGES, "1", files=[Upload("a", tmp_path / "file"), Upload("b", tmp_path / kind)])

    assert [(issue["path"], issue["code"]) for issue in raised.value.issues] == [("files[1]", "UNREADABLE_FILE")]
    assert (raised.value.outcome, stub.seen) == (None, [])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
async def test_a_pipe_into_which_nobody_writes_is_not_waited_for(discord: Discord, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(ValidationError):
        await discord.do("POST", MESSAGES, "1", files=[Upload("a", tmp_path / "pipe")])


async def broken(failure: Exception) -> AsyncIterator[bytes]:
    yield b"the beginning"
    raise failure


async def test_a_source_that_breaks_off_is_told_as_it_says(stub: Stub, discord: Discord) -> None:
    failure = ExternalServiceError(provider="pictures")

    with pytest.raises(ExternalServiceError) as raised:
        await discord.do("POST", MESSAGES, "1", files=[Upload("a", broken(failure))])

    assert (raised.value.outcome, stub.bodies) == (None, [])


@pytest.mark.parametrize("failure", [OSError("disk"), KeyError("x"), ConnectionResetError()])
async def test_a_source_that_cannot_be_read_is_no_loss_of_the_connection(
    stub: Stub, discord: Discord, failure: Exception
) -> None:
    with pytest.raises(ValidationError) as raised:
        await discord.do("POST", MESSAGES, "1", files=[Upload("a", broken(failure))])

    assert (raised.value.issues[0]["path"], raised.value.outcome) == ("files[0]", None)
    assert (raised.value.__cause__, stub.bodies) == (failure, [])


async def test_a_refusal_ends_an_upload_that_is_under_way() -> None:
    refusing = Refusing()

    async with listening(refusing), client(refusing.url) as discord:
        with pytest.raises(DiscordRequestError) as raised:
            await discord.do("POST", MESSAGES, "1", files=[Upload("endless.bin", endless())])

    assert raised.value.reason == "too_large"


class Refusing(Stub):
    """Reads the beginning of a request, and has had enough."""

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        await request.content.readany()
        return json(413, {"message": "Request entity too large", "code": 40005}, Connection="close")


async def test_an_upload_that_breaks_off_does_not_show_the_token_in_its_path() -> None:
    token = Secret("hook-token")

    async with listening(Leaving()) as leaving, client(leaving.url) as discord:
        with pytest.raises(DiscordUpstreamError) as raised:
            await discord.do("POST", "/webhooks/{}/{}", "1", token, files=[Upload("a", endless())])

    assert (raised.value.reason, raised.value.outcome) == ("reset", "unknown")
    assert "hook-token" not in "".join(traceback.format_exception(raised.value))


class Leaving(Stub):
    """Reads the beginning of a request, and drops the connection."""

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        await request.content.readany()
        return await self.reset(request)


async def endless() -> AsyncIterator[bytes]:
    while True:
        yield bytes(1024)
        await asyncio.sleep(0)


async def test_a_cancelled_upload_stops_reading_and_closes_its_connection(stub: Stub, discord: Discord) -> None:
    reading, closed = asyncio.Event(), asyncio.Event()

    async def slow() -> AsyncIterator[bytes]:
        yield b"x"
        reading.set()
        try:
            await asyncio.Event().wait()
        finally:
            closed.set()

    task = asyncio.create_task(discord.do("POST", MESSAGES, "1", files=[Upload("a", slow())]))
    await reading.wait()

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(closed.wait(), 5)
    assert stub.bodies == []
    assert await discord.get("/x", into=dict) == {}


async def test_a_cancelled_upload_from_the_disk_leaves_no_file_open(tmp_path: Path) -> None:
    with (tmp_path / "large.bin").open("wb") as file:
        file.truncate(64 * 1024 * 1024)
    unreading = Unreading()

    async with listening(unreading), client(unreading.url) as discord:
        upload = Upload("large.bin", tmp_path / "large.bin")
        task = asyncio.create_task(discord.do("POST", MESSAGES, "1", files=[upload]))
        await unreading.arrived.wait()
        task.cancel()
        await asyncio.wait([task])
        unreading.abandoned.set()
    gc.collect()  # which would warn of a file that is still open

    assert task.cancelled()


class Unreading(Stub):
    """Takes a request, and reads none of it until the test has seen enough."""

    async def answer(self, _request: web.BaseRequest) -> web.StreamResponse:
        self.arrived.set()
        await self.abandoned.wait()
        return web.Response()


async def test_an_upload_that_takes_too_long_is_given_up(stub: Stub) -> None:
    async def stuck() -> AsyncIterator[bytes]:
        yield b"x"
        await asyncio.Event().wait()

    async with client(stub.url, timeout_ms=50) as discord:
        with pytest.raises(ToolError) as raised:
            await discord.do("POST", MESSAGES, "1", files=[Upload("a", stuck())])

    assert (raised.value.facts["reason"], raised.value.outcome) == ("timeout", "unknown")


# Sending again


async def test_a_form_is_sent_again_whole(stub: Stub, discord: Discord, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"from the disk")
    stub.acts = [limited(0.01), page(502), "reset"]
    files = [Upload("a.txt", tmp_path / "a.txt"), Upload("b.txt", b"from memory")]

    await discord.post(MESSAGES, "1", into=dict, body={"content": "x"}, files=files, nonce="n1")

    contents = [[content for _head, content in parts_of(body)] for body in stub.bodies]
    payload = orjson.dumps({"content": "x", "nonce": "n1", "enforce_nonce": True})
    assert contents == [[payload, b"from the disk", b"from memory"]] * 4


@pytest.mark.parametrize(
    ("act", "row", "outcome"),
    [
        (limited(0.01), DiscordRateLimitError, None),
        (page(502), DiscordUpstreamError, "unknown"),
        ("reset", DiscordUpstreamError, "unknown"),
    ],
    ids=["429", "502", "reset"],
)
async def test_what_can_be_read_only_once_is_sent_once_even_with_a_nonce(
    stub: Stub, discord: Discord, act: Act, row: type[ToolError], outcome: str | None
) -> None:
    stub.acts = [act]

    with pytest.raises(row) as raised:
        await discord.do("POST", MESSAGES, "1", body={}, files=[Upload("a", pieces(b"x"))], nonce="n1")

    assert (len(stub.seen), raised.value.outcome) == (1, outcome)


async def test_what_can_be_read_only_once_is_not_even_tried_again_where_it_never_arrived(tmp_path: Path) -> None:
    attempts: list[Attempt] = []
    (tmp_path / "a").write_bytes(b"x")

    with (tmp_path / "a").open("rb") as file:
        async with client(f"http://127.0.0.1:{closed_port()}/api", on_attempt=attempts.append) as discord:
            with pytest.raises(DiscordUpstreamError) as raised:
                await discord.do("PUT", "/invites/{}/target-users", "x", files=[Upload("a", file)])

    assert (len(attempts), raised.value.outcome) == (1, None)


async def test_a_file_that_is_gone_when_its_message_is_sent_again_leaves_the_outcome_unknown(
    stub: Stub, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"x")
    stub.acts = ["reset"]

    async def delete(_seconds: float) -> None:
        path.unlink()

    async with client(stub.url, sleep=delete) as discord:
        with pytest.raises(ValidationError) as raised:
            await discord.do("POST", MESSAGES, "1", body={}, files=[Upload("a.txt", path)], nonce="n1")

    assert (raised.value.outcome, raised.value.nonce, len(stub.seen)) == ("unknown", "n1", 1)


async def test_without_a_token_no_file_is_opened(stub: Stub, tmp_path: Path) -> None:
    async with client(stub.url, token=None) as discord:
        with pytest.raises(DiscordAuthError):
            await discord.do("POST", MESSAGES, "1", files=[Upload("a", tmp_path / "missing")])

    assert stub.seen == []
