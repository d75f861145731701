from __future__ import annotations

from typing import Any

import aiohttp
import orjson
import pytest
from tests.discord.sandbox.bare_client import BareClient

from accord.discord.sandbox import Sandbox, demo
from accord.discord.sandbox.fault_kinds import KINDS

GENERAL = f"/channels/{demo.GENERAL}/messages"
SEND = "POST /channels/{}/messages"
READ = "GET /channels/{}/messages"


def sent_to_general(sandbox: Sandbox) -> list[str]:
    messages = sandbox.world.channels[demo.GENERAL].messages.values()
    return [each.content for each in messages if each.author_id == demo.BOT]


async def test_a_fault_strikes_once_and_on_its_route_only(sandbox: Sandbox, discord: BareClient) -> None:
    sandbox.fail(SEND, "status", status=503)

    statuses = [
        (await discord("GET", GENERAL)).status,
        (await discord("POST", GENERAL, {"content": "x"})).status,
        (await discord("POST", GENERAL, {"content": "x"})).status,
    ]

    assert statuses == [200, 503, 200]


async def test_faults_strike_in_the_order_in_which_they_were_asked_for(sandbox: Sandbox, discord: BareClient) -> None:
    sandbox.fail("*", "status", status=500, times=2)
    sandbox.fail("GET /users/{user_id}", "status", status=404, code=10013)

    statuses = [(await discord("GET", f"/users/{demo.MAYA}")).status for _ in range(4)]

    assert statuses == [500, 500, 404, 200]


async def test_an_endless_fault_lasts_until_it_is_healed(sandbox: Sandbox, discord: BareClient) -> None:
    sandbox.fail("*", "status", times=None)
    before = [(await discord("GET", "/gateway")).status for _ in range(3)]

    sandbox.heal()

    assert before == [500, 500, 500]
    assert (await discord("GET", "/gateway")).status == 200


async def test_a_status_can_be_a_page_of_the_edge(sandbox: Sandbox, discord: BareClient) -> None:
    sandbox.fail("*", "status", status=520, message="Web server is returning an unknown error", html=True)

    answer = await discord("GET", "/gateway")

    assert answer.headers["Content-Type"].startswith("text/html")
    assert "Via" not in answer.headers


@pytest.mark.parametrize("scope", ["user", "shared", "global"])
async def test_a_rate_limit_has_the_asked_scope(sandbox: Sandbox, discord: BareClient, scope: str) -> None:
    sandbox.fail("*", "rate_limited", scope=scope, retry_after=1.2)

    answer = await discord("GET", "/gateway")

    assert (answer.status, answer.headers["X-RateLimit-Scope"], answer.headers["Retry-After"]) == (429, scope, "2")
    assert (answer.json["retry_after"], answer.json["global"]) == (1.2, scope == "global")


async def test_a_ban_notice_names_no_time_and_does_not_come_from_discord(sandbox: Sandbox, discord: BareClient) -> None:
    sandbox.fail("*", "ban_notice")

    answer = await discord("GET", "/gateway")

    assert (answer.status, answer.code) == (429, 0)
    assert "retry_after" not in answer.json
    assert not {"Via", "Retry-After", "X-RateLimit-Bucket"} & answer.headers.keys()


@pytest.mark.parametrize("status", [403, 429])
async def test_cloudflare_answers_a_page(sandbox: Sandbox, discord: BareClient, status: int) -> None:
    sandbox.fail("*", "cloudflare_1015", status=status, retry_after=3600)

    answer = await discord("GET", "/gateway")

    assert (answer.status, answer.headers["Retry-After"]) == (status, "3600")
    assert "error code: 1015" in answer.text
    assert "Via" not in answer.headers


@pytest.mark.parametrize(("after", "expected"), [(False, []), (True, ["x"])])
async def test_a_bad_gateway_comes_before_or_after_the_write(
    sandbox: Sandbox, discord: BareClient, after: bool, expected: list[str]
) -> None:
    sandbox.fail(SEND, "bad_gateway_html", after=after)

    answer = await discord("POST", GENERAL, {"content": "x"})

    assert (answer.status, sent_to_general(sandbox)) == (502, expected)


@pytest.mark.parametrize(("after", "expected"), [(False, []), (True, ["x"])])
async def test_a_dropped_connection_comes_before_or_after_the_write(
    sandbox: Sandbox, discord: BareClient, after: bool, expected: list[str]
) -> None:
    sandbox.fail(SEND, "drop", after=after)

    with pytest.raises(aiohttp.ClientConnectionError):
        await discord("POST", GENERAL, {"content": "x"})

    assert sent_to_general(sandbox) == expected
    assert (sandbox.requests[-1].status, sandbox.requests[-1].response_body) == (0, b"")


async def test_a_delayed_answer_is_right_but_late(sandbox: Sandbox, discord: BareClient) -> None:
    sandbox.fail(SEND, "delay", seconds=0.05)

    assert (await discord("POST", GENERAL, {"content": "x"})).status == 200


async def test_a_sandbox_ends_at_once_though_an_answer_is_delayed() -> None:
    async with Sandbox.start() as sandbox:
        sandbox.fail("*", "delay", seconds=60)
        timeout = aiohttp.ClientTimeout(total=0.05)
        async with aiohttp.ClientSession(timeout=timeout) as session:
            with pytest.raises(TimeoutError):
                await session.get(f"{sandbox.base_url}/gateway")


async def test_a_token_is_unauthorized_from_then_on(sandbox: Sandbox, discord: BareClient) -> None:
    sandbox.fail("*", "unauthorized")

    answers = [await discord("GET", "/users/@me") for _ in range(3)]

    assert [(each.status, each.code) for each in answers] == [(401, 0)] * 3


async def test_malformed_json_cannot_be_read() -> None:
    async with Sandbox.start() as sandbox, aiohttp.ClientSession() as session:
        discord = BareClient(session, sandbox.base_url, sandbox.token)
        sandbox.fail(SEND, "malformed_json")
        answer = await discord("POST", GENERAL, {"content": "x"})

    assert (answer.status, sent_to_general(sandbox)) == (200, ["x"])
    with pytest.raises(orjson.JSONDecodeError):
        assert answer.json


async def test_a_search_that_is_not_ready_is_accepted(sandbox: Sandbox, discord: BareClient) -> None:
    sandbox.fail("GET /guilds/{}/messages/search", "search_not_ready", retry_after=2)

    answer = await discord("GET", f"/guilds/{demo.GUILD}/messages/search?content=x")

    assert (answer.status, answer.code, answer.json["retry_after"]) == (202, 110000, 2)


async def test_blank_messages_keep_everything_but_their_content(sandbox: Sandbox, discord: BareClient) -> None:
    await discord("POST", GENERAL, {"content": "mine"})
    whole = (await discord("GET", f"{GENERAL}?limit=100")).json
    sandbox.fail(READ, "blank")

    blank = (await discord("GET", f"{GENERAL}?limit=100")).json

    assert [each["id"] for each in blank] == [each["id"] for each in whole]
    assert {each["content"] for each in blank if each["author"]["id"] != demo.BOT} == {""}
    assert not any(each["embeds"] or each["attachments"] for each in blank)
    assert blank[0]["content"] == "mine"
    assert (await discord("GET", GENERAL)).json[1]["content"] == ""


async def test_a_blank_message_that_mentions_the_bot_can_be_read(sandbox: Sandbox, discord: BareClient) -> None:
    demo.message_with(sandbox.world, demo.GENERAL, "Six works").mentions = [demo.BOT]
    sandbox.fail(READ, "blank")

    assert (await discord("GET", f"{GENERAL}?limit=1")).json[0]["content"] == "Six works. I will bring tea."


async def test_headers_can_be_changed_and_left_out(sandbox: Sandbox, discord: BareClient) -> None:
    sandbox.fail("*", "headers", set={"X-RateLimit-Limit": None, "x-ratelimit-reset-after": 7.5})

    answer = await discord("GET", "/gateway")

    assert "X-RateLimit-Limit" not in answer.headers
    assert answer.headers["X-RateLimit-Reset-After"] == "7.5"


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (("*", "gremlin", {}), "known kinds: status, rate_limited"),
        (("GET /nowhere", "drop", {}), "unknown route 'GET /nowhere'"),
        (("*", "drop", {"later": True}), "known options: after"),
        (("*", "delay", {"seconds": 61}), "seconds from 0 to 60"),
        (("*", "drop", {"times": 0}), "times must be a whole number from 1"),
    ],
)
async def test_a_fault_that_cannot_be_is_refused_with_its_reason(
    sandbox: Sandbox, fault: tuple[str, str, dict[str, Any]], words: str
) -> None:
    route, kind, options = fault

    with pytest.raises(ValueError, match=words):
        sandbox.fail(route, kind, **options)


def test_the_usual_options_of_every_kind_are_options_that_fit() -> None:
    for kind in KINDS.values():
        assert all(option.fits(option.usual) for option in kind.options.values())


@pytest.fixture
def control(sandbox: Sandbox, discord: BareClient) -> BareClient:
    """The same client, pointed at the sandbox's own routes."""
    return type(discord)(discord.session, sandbox.world.origin + "/_sandbox", "no token is needed")


async def test_faults_are_asked_for_over_http(control: BareClient, discord: BareClient) -> None:
    added = await control("POST", "/faults", {"route": "*", "kind": "status", "status": 500, "times": None})
    failed = await discord("GET", "/gateway")
    cleared = await control("DELETE", "/faults")

    assert (added.status, failed.status, cleared.status) == (204, 500, 204)
    assert (await discord("GET", "/gateway")).status == 200


@pytest.mark.parametrize("body", [[], {}, {"route": "*"}, {"route": "*", "kind": "x"}, {"route": 1, "kind": "drop"}])
async def test_a_malformed_fault_is_told_the_known_kinds(control: BareClient, body: Any) -> None:
    answer = await control("POST", "/faults", body)

    assert answer.status == 400
    assert "known kinds: status, rate_limited, ban_notice" in answer.json["error"]


async def test_requests_are_listed_without_the_credential(control: BareClient, discord: BareClient) -> None:
    await discord("GET", "/gateway?a=1")
    await discord("POST", GENERAL, {"content": "hé"})

    listed = (await control("GET", "/requests")).json["requests"]

    assert [(each["method"], each["path"], each["query"], each["status"]) for each in listed] == [
        ("GET", "/gateway", "a=1", 200),
        ("POST", GENERAL, "", 200),
    ]
    assert orjson.loads(listed[1]["body"]) == {"content": "hé"}
    assert "authorization" not in listed[0]["headers"]


async def test_requests_are_listed_since_a_number_and_can_be_cleared(control: BareClient, discord: BareClient) -> None:
    for _ in range(3):
        await discord("GET", "/gateway")
    listed = (await control("GET", "/requests")).json["requests"]

    later = (await control("GET", f"/requests?since={listed[1]['number']}")).json["requests"]
    cleared = await control("DELETE", "/requests")

    assert [each["number"] for each in later] == [listed[2]["number"]]
    assert (cleared.status, (await control("GET", "/requests")).json) == (204, {"requests": []})
    assert (await control("GET", "/requests?since=yesterday")).status == 400


async def test_an_unknown_control_route_names_the_known_ones(control: BareClient) -> None:
    answer = await control("GET", "/faults")

    assert answer.status == 404
    assert "POST /_sandbox/faults" in answer.json["error"]
