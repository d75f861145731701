"""Whose token goes along with a request, what ends its use, and for whom its limits count."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from aiohttp import web
from tests.discord.rest.stub import TOKEN, Stub, client, json
from tests.discord.rest.timeline import FakeDiscord, Limit, Timeline, limited, request

from accord.discord.rest.client import Discord
from accord.discord.rest.errors import DiscordAuthError, DiscordRateLimitError
from accord.discord.rest.exchange import Answer, HttpRequest
from accord.discord.rest.limiter import Limiter
from accord.discord.rest.limits.window import WINDOW_SECONDS, Window
from accord.discord.rest.tokens import NOBODY, identity_of
from accord.discord.rest.uploads import Upload
from accord.engine.secrets import Secret

BEARER = Secret("user-access-token")
MEMBER = "/users/@me/guilds/{}/member"
READ = "GET /channels/{}/messages"

Send = Callable[[HttpRequest], Awaitable[Answer]]


def unauthorized() -> web.Response:
    return json(401, {"message": "401: Unauthorized", "code": 0})


def authorizations(stub: Stub) -> list[str | None]:
    return [request.headers.get("Authorization") for request in stub.seen]


# What goes along


async def test_a_users_token_goes_along_instead_of_the_bots_for_that_view_alone(stub: Stub, discord: Discord) -> None:
    user = discord.as_user(BEARER)

    await user.get(MEMBER, "1", into=dict)
    await discord.get("/users/@me", into=dict)

    assert authorizations(stub) == ["Bearer user-access-token", f"Bot {TOKEN.reveal()}"]


async def test_a_token_that_says_bearer_itself_is_not_called_bearer_twice(stub: Stub, discord: Discord) -> None:
    await discord.as_user(Secret("Bearer abc")).get(MEMBER, "1", into=dict)

    assert authorizations(stub) == ["Bearer abc"]


async def test_nobody_sends_no_token(stub: Stub) -> None:
    async with client(stub.url, token=None) as discord:
        await discord.as_nobody().get("/invites/{}", "abc", into=dict)

    assert authorizations(stub) == [None]


async def test_a_users_token_stays_out_of_a_route_with_a_token_of_its_own(stub: Stub, discord: Discord) -> None:
    await discord.as_user(BEARER).get("/webhooks/{}/{}", "1", Secret("hook"), into=dict)

    assert authorizations(stub) == [None]


async def test_a_file_goes_along_with_the_users_token(stub: Stub, discord: Discord) -> None:
    await discord.as_user(BEARER).do("POST", "/x", files=[Upload("a.txt", b"x")])

    assert authorizations(stub) == ["Bearer user-access-token"]


async def test_a_view_keeps_its_token_for_a_call_with_a_deadline(stub: Stub, discord: Discord) -> None:
    later = asyncio.get_running_loop().time() + 60

    await discord.as_user(BEARER).until(later).get(MEMBER, "1", into=dict)
    await discord.until(later).as_user(BEARER).get(MEMBER, "1", into=dict)

    assert authorizations(stub) == ["Bearer user-access-token"] * 2


async def test_neither_the_client_nor_a_view_shows_a_token(discord: Discord) -> None:
    user = discord.as_user(BEARER)

    assert BEARER.reveal() not in repr([vars(discord), vars(user), vars(vars(user)["_credential"])])


# What ends the use of a token


async def test_a_refused_user_token_is_not_sent_again_by_its_view(stub: Stub, discord: Discord) -> None:
    stub.acts = [unauthorized()]
    user = discord.as_user(BEARER)

    for view in (user, user, user.until(asyncio.get_running_loop().time() + 60)):
        with pytest.raises(DiscordAuthError):
            await view.get(MEMBER, "1", into=dict)

    assert len(stub.seen) == 1


async def test_a_refused_user_token_ends_no_other_view(stub: Stub, discord: Discord) -> None:
    stub.acts = [unauthorized()]

    with pytest.raises(DiscordAuthError):
        await discord.as_user(BEARER).get(MEMBER, "1", into=dict)

    assert await discord.get("/users/@me", into=dict) == {}
    assert await discord.as_user(BEARER).get(MEMBER, "1", into=dict) == {}
    assert await discord.as_nobody().get("/x", into=dict) == {}


async def test_a_refused_bot_token_ends_no_users(stub: Stub, discord: Discord) -> None:
    stub.acts = [unauthorized()]

    with pytest.raises(DiscordAuthError):
        await discord.get("/users/@me", into=dict)

    assert await discord.as_user(BEARER).get(MEMBER, "1", into=dict) == {}


@pytest.mark.parametrize("times", [1, 2], ids=["as Discord says it", "before anything is sent"])
async def test_a_refused_user_token_is_not_blamed_on_the_bots(stub: Stub, discord: Discord, times: int) -> None:
    stub.acts = [unauthorized()]
    user = discord.as_user(BEARER)

    for _ in range(times):
        with pytest.raises(DiscordAuthError) as raised:
            await user.get(MEMBER, "1", into=dict)

    assert "authorize the application again" in raised.value.next_step
    assert "DISCORD_TOKEN" not in raised.value.next_step


async def test_what_discord_says_of_a_user_token_goes_before_our_own_hint(stub: Stub, discord: Discord) -> None:
    stub.acts = [json(401, {"message": "Invalid OAuth2 access token", "code": 50025})]

    with pytest.raises(DiscordAuthError) as raised:
        await discord.as_user(BEARER).get(MEMBER, "1", into=dict)

    assert (raised.value.reason, raised.value.next_step) == (
        "invalid_oauth_token",
        "Get a fresh OAuth2 access token: this one is invalid.",
    )


async def test_a_route_that_wants_a_token_of_nobody_can_be_asked_again(stub: Stub, discord: Discord) -> None:
    stub.acts = [unauthorized()]
    nobody = discord.as_nobody()

    with pytest.raises(DiscordAuthError):
        await nobody.get("/users/@me", into=dict)

    assert await nobody.get("/invites/{}", "abc", into=dict) == {}


async def test_those_who_wait_while_a_token_is_refused_do_not_send_it(stub: Stub, discord: Discord) -> None:
    stub.acts = [unauthorized()]

    outcomes = await asyncio.gather(
        *(discord.get("/channels/{}", "1", into=dict) for _ in range(5)), return_exceptions=True
    )

    assert [type(outcome) for outcome in outcomes] == [DiscordAuthError] * 5
    assert len(stub.seen) == 1


async def test_a_token_is_no_longer_ready_once_it_was_refused(stub: Stub, discord: Discord) -> None:
    stub.acts = [unauthorized()]
    assert await discord.is_ready()

    with pytest.raises(DiscordAuthError):
        await discord.get("/users/@me", into=dict)

    assert not await discord.is_ready()


async def test_what_others_tokens_do_says_nothing_of_the_bots(stub: Stub, discord: Discord) -> None:
    stub.acts = [unauthorized(), json(200, {}), json(200, {}), unauthorized()]

    with pytest.raises(DiscordAuthError):
        await discord.as_user(BEARER).get(MEMBER, "1", into=dict)
    assert await discord.is_ready()
    await discord.as_user(BEARER).get(MEMBER, "1", into=dict)
    await discord.get("/webhooks/{}/{}", "1", Secret("hook"), into=dict)
    with pytest.raises(DiscordAuthError):
        await discord.get("/users/@me", into=dict)

    assert not await discord.is_ready()


# For whom limits count


@pytest.fixture
def timeline() -> Timeline:
    return Timeline()


def sent_by(discord: FakeDiscord, **settings: Any) -> Send:
    limiter = Limiter(scheduler=lambda: discord.timeline, **settings)
    return partial(limiter.__call__, following=discord)


def by(identity: str | None, route: str = READ, *values: str) -> HttpRequest:
    return replace(request(route, *(values or ("1",))), identity=identity)


async def test_a_bucket_that_the_bot_used_up_is_still_full_for_a_user(timeline: Timeline) -> None:
    limits = {identity: Limit("b", 2, 5.0) for identity in (None, "a", "b")}
    discord = FakeDiscord(timeline, lambda asked: limits[asked.identity], latency=0)
    send = sent_by(discord)

    await timeline.run(*(send(by(identity)) for identity in (None, "a", "b") for _ in range(3)))

    assert sorted(discord.times) == [0] * 6 + [5.02] * 3
    assert discord.statuses == {200: 9}


async def test_each_token_has_a_global_window_of_its_own(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline)
    send = sent_by(discord, requests_per_second=1)

    await timeline.run(
        *(send(by(identity, READ, channel)) for channel in "12" for identity in (None, "a", "b", NOBODY))
    )

    assert discord.times == [0] * 4 + [1.05] * 4


async def test_a_global_limit_that_a_user_met_stops_that_user_alone(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline)
    discord.acts = [limited(2.0, "global")]
    send = sent_by(discord)
    await timeline.run(send(by("a")))

    await timeline.run(*(send(by(identity, READ, "2")) for identity in (None, "a", "b")))

    assert [(round(at - discord.seen[0][0], 3), asked.identity) for at, asked in discord.seen[1:]] == [
        (0.02, None),
        (0.02, "b"),
        (2.04, "a"),
    ]


async def test_a_global_limit_that_the_bot_met_does_not_stop_a_user(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline)
    discord.acts = [limited(60.0, "global")]
    send = sent_by(discord)
    await timeline.run(send(by(None)))

    bots, users = await timeline.run(send(by(None, READ, "2")), send(by("a", READ, "2")))

    assert isinstance(bots, DiscordRateLimitError)
    assert isinstance(users, Answer)


async def test_views_with_one_token_share_its_limits(stub: Stub, discord: Discord) -> None:
    spent = {"X-RateLimit-Bucket": "b", "X-RateLimit-Limit": "1", "X-RateLimit-Remaining": "0"}
    stub.acts = [json(200, {}, **spent, **{"X-RateLimit-Reset-After": "60"})]
    await discord.as_user(BEARER).get("/channels/{}", "1", into=dict)

    with pytest.raises(DiscordRateLimitError):
        await discord.as_user(BEARER).get("/channels/{}", "1", into=dict)
    assert await discord.as_user(Secret("another")).get("/channels/{}", "1", into=dict) == {}
    assert await discord.as_nobody().get("/channels/{}", "1", into=dict) == {}
    assert await discord.get("/channels/{}", "1", into=dict) == {}

    assert len(stub.seen) == 4


def test_what_tells_tokens_apart_does_not_tell_them() -> None:
    assert identity_of(BEARER) != identity_of(Secret("another"))
    assert BEARER.reveal() not in identity_of(BEARER)


async def test_the_windows_of_many_tokens_are_forgotten_again(timeline: Timeline) -> None:
    discord = FakeDiscord(timeline)
    limiter = Limiter(scheduler=lambda: timeline)
    for number in range(2000):
        await timeline.run(limiter(by(str(number)), discord))
        await timeline.advance(WINDOW_SECONDS)

    assert len(limiter._overall._others) == 1024


def test_a_window_is_not_forgotten_while_its_starts_count() -> None:
    window = Window(2)
    window.enter(100.0)

    assert not window.is_idle(100.0 + WINDOW_SECONDS - 0.01)
    assert window.is_idle(100.0 + WINDOW_SECONDS)
