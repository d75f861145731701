from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import pytest
from tests.discord.sandbox.bare_client import uploads

from accord.discord.sandbox import Exchange, Sandbox, demo
from accord.discord.sandbox.snowflakes import created_at

if TYPE_CHECKING:
    from tests.discord.sandbox.bare_client import BareClient


async def test_a_sandbox_listens_on_the_loopback_interface_only(sandbox: Sandbox) -> None:
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/api", sandbox.base_url)


async def seconds_to_start() -> float:
    began = time.perf_counter()
    async with Sandbox.start():
        return time.perf_counter() - began


async def test_a_sandbox_starts_within_fifty_milliseconds() -> None:
    took = [await seconds_to_start() for _ in range(5)]  # a busy machine slows some of them

    assert min(took) < 0.05


async def test_a_port_that_is_taken_is_refused(sandbox: Sandbox) -> None:
    port = int(sandbox.base_url.split(":")[2].removesuffix("/api"))

    with pytest.raises(OSError, match="in use"):
        async with Sandbox.start(port):
            pass


@pytest.mark.parametrize("version", ["", "/v10"])
async def test_the_api_answers_with_and_without_its_version(discord: BareClient, version: str) -> None:
    answer = await discord("GET", f"{version}/users/@me")

    assert (answer.status, answer.json["id"]) == (200, demo.BOT)


async def test_an_answer_looks_as_if_discord_itself_had_sent_it(discord: BareClient) -> None:
    answer = await discord("GET", "/users/@me")

    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Via"] == "1.1 google"


@pytest.mark.parametrize("credential", ["Bot wrong", "Bearer x", "", demo.TOKEN])
async def test_a_request_with_another_token_is_unauthorized(discord: BareClient, credential: str) -> None:
    answer = await discord("GET", "/users/@me", headers={"Authorization": credential})

    assert (answer.status, answer.json) == (401, {"message": "401: Unauthorized", "code": 0})


async def test_an_unknown_route_is_not_found(discord: BareClient) -> None:
    answer = await discord("GET", "/no/such/thing")

    assert (answer.status, answer.json) == (404, {"message": "404: Not Found", "code": 0})


async def test_a_known_path_with_another_method_is_not_allowed(discord: BareClient) -> None:
    assert (await discord("PUT", "/gateway")).status == 405


async def test_an_id_that_is_none_is_told_by_its_name(discord: BareClient) -> None:
    answer = await discord("GET", "/channels/general")

    assert answer.json["errors"] == {
        "channel_id": {"_errors": [{"code": "NUMBER_TYPE_COERCE", "message": 'Value "general" is not snowflake.'}]}
    }


@pytest.mark.parametrize(
    ("content_type", "body", "code"),
    [("application/json", b"{", 50109), ("text/plain", b"{}", 50035), ("multipart/form-data", b"x", 50035)],
)
async def test_a_body_that_is_no_json_is_refused(
    discord: BareClient, content_type: str, body: bytes, code: int
) -> None:
    headers = {"Authorization": f"Bot {discord.token}", "Content-Type": content_type}
    url = f"{discord.base_url}/channels/{demo.GENERAL}/messages"

    async with discord.session.post(url, data=body, headers=headers) as answer:
        refused = await answer.json()

    assert (answer.status, refused["code"]) == (400, code)


async def test_a_body_above_thirty_megabytes_is_refused(discord: BareClient) -> None:
    form = uploads({}, ("huge.bin", bytes(31 * 1024 * 1024)))

    answer = await discord("POST", f"/channels/{demo.GENERAL}/messages", form=form)

    assert (answer.status, answer.code) == (413, 40005)


async def test_every_exchange_is_told_with_the_bytes_of_the_wire(sandbox: Sandbox, discord: BareClient) -> None:
    answer = await discord("POST", f"/v10/channels/{demo.GENERAL}/messages?x=%20", {"content": "hi"})

    told = sandbox.requests[-1]
    assert isinstance(told, Exchange)
    assert (told.method, told.path, told.query) == ("POST", f"/channels/{demo.GENERAL}/messages", "x=%20")
    assert (told.request_body, told.response_body.decode()) == (b'{"content": "hi"}', answer.text)
    assert told.request_headers["authorization"] == f"Bot {sandbox.token}"
    assert told.response_headers["Content-Type"] == answer.headers["Content-Type"]


def test_the_token_looks_like_a_bot_token() -> None:
    assert len(demo.TOKEN) >= 50
    assert re.fullmatch(r"[\w-]{24,}\.[\w-]{6}\.[\w-]{27,}", demo.TOKEN)


def test_the_demo_world_is_the_same_at_each_start_but_for_the_age_of_its_messages() -> None:
    early, late = demo.world(lambda: 1.8e9, ""), demo.world(lambda: 1.9e9, "")

    assert early.channels.keys() == late.channels.keys()
    said = [[each.content for each in world.channels[demo.GENERAL].messages.values()] for world in (early, late)]
    assert said[0] == said[1]
    oldest = min(late.channels[demo.GENERAL].messages, key=int)
    assert 1.9e9 - created_at(oldest) == pytest.approx(2 * demo.DAY, abs=1)


def test_the_messages_of_every_demo_channel_are_in_order() -> None:
    for channel in demo.world(lambda: 1.8e9, "").channels.values():
        ids = [int(each) for each in channel.messages]
        assert ids == sorted(set(ids))
