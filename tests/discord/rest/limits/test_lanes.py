"""Which lane a request takes."""

from __future__ import annotations

import pytest
from tests.discord.rest.timeline import request

from accord.discord.rest.limits.lanes import DISCORD_EPOCH_MS, is_one_shot, lane_of

NOW = 1_800_000_000.0


def message_aged(seconds: float) -> str:
    return str(int((NOW - seconds) * 1000 - DISCORD_EPOCH_MS) << 22)


@pytest.mark.parametrize(
    ("route", "values", "resource"),
    [
        ("GET /channels/{}/messages/{}", ("1", "7"), ("channels", "1")),
        ("GET /guilds/{}/members/{}", ("2", "7"), ("guilds", "2")),
        ("PATCH /webhooks/{}", ("3",), ("webhooks", "3")),
        ("POST /webhooks/{}/{}", ("3", "token"), ("webhooks", "3", "token")),
        ("PATCH /webhooks/{}/{}/messages/{}", ("3", "token", "7"), ("webhooks", "3", "token")),
        ("POST /interactions/{}/{}/callback", ("4", "token"), ("interactions", "4", "token")),
        ("GET /users/{}", ("5",), ("",)),
        ("GET /users/@me/guilds/{}/member", ("2",), ("",)),
        ("PUT /applications/{}/guilds/{}/commands", ("6", "2"), ("",)),
    ],
)
def test_limits_are_counted_apart_for_the_top_level_resource(
    route: str, values: tuple[str, ...], resource: tuple[str, ...]
) -> None:
    assert lane_of(request(route, *values), NOW) == (route, "", resource)


@pytest.mark.parametrize(
    ("age", "part"),
    [(-5, "young"), (9, "young"), (11, "between"), (14 * 86_400 - 1, "between"), (14 * 86_400 + 1, "old")],
)
def test_deletions_of_messages_are_told_apart_by_their_age(age: float, part: str) -> None:
    lane = lane_of(request("DELETE /channels/{}/messages/{}", "1", message_aged(age)), NOW)

    assert lane[1] == part


def test_the_deletion_of_what_is_no_id_has_a_lane_too() -> None:
    assert lane_of(request("DELETE /channels/{}/messages/{}", "1", "x"), NOW)[1] == "old"


@pytest.mark.parametrize(
    ("body", "part"),
    [(b'{"name":"x"}', "renaming"), (b'{"topic":null}', "renaming"), (b'{"nsfw":true}', ""), (None, "")],
)
def test_another_name_or_topic_for_a_channel_has_its_own_lane(body: bytes | None, part: str) -> None:
    assert lane_of(request("PATCH /channels/{}", "1", body=body), NOW)[1] == part


@pytest.mark.parametrize(
    ("route", "expected"), [("POST /interactions/{}/{}/callback", True), ("POST /webhooks/{}/{}", False)]
)
def test_only_the_first_answer_of_an_interaction_is_one_shot(route: str, expected: bool) -> None:
    assert is_one_shot(lane_of(request(route, "1", "token"), NOW)) is expected
