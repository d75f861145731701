"""Files of messages: from Discord's own hosts alone, without the bot's token, bounded in bytes and in time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from aiohttp import web
from tests.discord.rest.stub import TOKEN, client, closed_port, page

from accord.discord.rest.errors import DiscordNotFoundError, DiscordUpstreamError
from accord.discord.rest.media import allowed
from accord.engine import InternalError, ToolError

if TYPE_CHECKING:
    from tests.discord.rest.stub import Stub

    from accord.discord.rest.client import Discord

ROOT = "https://discord.com/api/v10"


def link(stub: Stub, path: str = "/attachments/1/2/fish.png?ex=6&is=6&hm=6") -> str:
    return f"http://127.0.0.1:{stub.port}{path}"


@pytest.mark.parametrize(
    "address",
    [
        "https://cdn.discordapp.com/attachments/1/2/fish.png?ex=6&is=6&hm=6",
        "https://media.discordapp.net/attachments/1/2/fish.png",
    ],
)
def test_discords_own_hosts_are_allowed_as_they_are(address: str) -> None:
    assert str(allowed(address, ROOT)) == address


@pytest.mark.parametrize(
    "address",
    [
        "http://cdn.discordapp.com/attachments/1/2/fish.png",
        "https://cdn.discordapp.com:8443/x",
        "https://user:pw@cdn.discordapp.com/x",
        "https://cdn.discordapp.com@169.254.169.254/x",
        "https://cdn.discordapp.com.evil.example/x",
        "https://evil.example/cdn.discordapp.com",
        "https://evil.example\\@cdn.discordapp.com/x",
        "http://127.0.0.1/attachments/1",
        "http://169.254.169.254/latest/meta-data",
        "http://[::ffff:10.0.0.1]/",
        "http://2130706433/",
        "http://0.0.0.0/",
        "https://discord.com/api/v10/users/@me",
        "file:///etc/passwd",
        "//cdn.discordapp.com/x",
        "",
        "https://[",
        "http://127.0.0.1:99999/attachments/1",
    ],
)
def test_no_other_address_is(address: str) -> None:
    with pytest.raises(DiscordUpstreamError) as refused:
        allowed(address, ROOT)

    assert (refused.value.reason, refused.value.retriable) == ("foreign_link", False)


@pytest.mark.parametrize("path", ["/api/v10/users/@me", "/", "/attachments", "/attachments/../api"])
def test_on_this_machine_only_the_apis_own_files_are_allowed(path: str) -> None:
    root = "http://127.0.0.1:5000/api/v10"

    assert allowed("http://127.0.0.1:5000/attachments/1/2/x.png", root)
    for other in (f"http://127.0.0.1:5000{path}", "http://127.0.0.1:5001/attachments/1", "http://localhost:5000/"):
        with pytest.raises(DiscordUpstreamError):
            allowed(other, root)


async def test_no_credential_goes_along(stub: Stub, discord: Discord) -> None:
    stub.acts = [web.Response(body=b"fish")]

    media = await discord.file(link(stub), most_bytes=100)

    assert (media.content, media.is_cut) == (b"fish", False)
    assert stub.paths == ["/attachments/1/2/fish.png?ex=6&is=6&hm=6"]
    assert "Authorization" not in stub.seen[0].headers
    assert TOKEN.reveal() not in str(stub.seen[0].headers)


@pytest.mark.parametrize(("size", "is_cut"), [(99, False), (100, False), (101, True), (5_000_000, True)])
async def test_no_more_is_read_than_was_asked_for(stub: Stub, discord: Discord, size: int, is_cut: bool) -> None:
    stub.acts = [web.Response(body=b"x" * size)]

    media = await discord.file(link(stub), most_bytes=100)

    assert (len(media.content), media.is_cut) == (min(size, 100), is_cut)


async def test_a_redirect_is_not_followed(stub: Stub, discord: Discord) -> None:
    stub.acts = [web.Response(status=302, headers={"Location": link(stub)})]

    with pytest.raises(ToolError):
        await discord.file(link(stub), most_bytes=100)

    assert len(stub.paths) == 1


@pytest.mark.parametrize("status", [403, 404, 410])
async def test_a_link_that_has_run_out_is_not_found(stub: Stub, discord: Discord, status: int) -> None:
    stub.acts = [page(status)]

    with pytest.raises(DiscordNotFoundError) as gone:
        await discord.file(link(stub), most_bytes=100)

    assert gone.value.facts["resource_type"] == "file"


@pytest.mark.parametrize("act", ["reset", "cut"])
async def test_a_lost_connection_is_told_as_one(stub: Stub, discord: Discord, act: str) -> None:
    stub.acts = [act]

    with pytest.raises(DiscordUpstreamError):
        await discord.file(link(stub), most_bytes=100)


async def test_nobody_there_is_told_without_the_address() -> None:
    origin = f"http://127.0.0.1:{closed_port()}"
    async with client(f"{origin}/api") as discord:
        with pytest.raises(DiscordUpstreamError) as lost:
            await discord.file(f"{origin}/attachments/1/2/fish.png", most_bytes=100)

    assert lost.value.reason == "connection"
    assert origin not in f"{lost.value} {lost.value.facts}"


async def test_it_takes_no_longer_than_the_call_has(stub: Stub, discord: Discord) -> None:
    stub.acts = ["hang"]
    view = discord.until(asyncio.get_running_loop().time() + 0.05)

    with pytest.raises(InternalError) as late:
        await view.file(link(stub), most_bytes=100)

    assert late.value.reason == "timeout"
