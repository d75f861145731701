from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from accord.discord.sandbox import Sandbox, demo
from accord.discord.sandbox.permissions import ADD_REACTIONS, MANAGE_MESSAGES

if TYPE_CHECKING:
    from tests.discord.sandbox.bare_client import BareClient

CUSTOM = f"blob:{demo.BLOB}"


def path_to(sandbox: Sandbox, emoji: str = "") -> str:
    message_id = demo.message_with(sandbox.world, demo.GENERAL, "The first fish").id
    return f"/channels/{demo.GENERAL}/messages/{message_id}/reactions" + (f"/{quote(emoji, safe='')}" if emoji else "")


@pytest.mark.parametrize("emoji", ["👍", "❤️", "👩‍👩‍👧‍👦", "🏳️‍🌈", "1️⃣", "🇫🇷", "👋🏽", "‼️", CUSTOM, f"a:blob:{demo.BLOB}"])
async def test_a_known_emoji_can_be_added_and_taken_back(sandbox: Sandbox, discord: BareClient, emoji: str) -> None:
    path = path_to(sandbox, emoji)

    added = await discord("PUT", f"{path}/@me")
    reactors = (await discord("GET", path)).json
    removed = await discord("DELETE", f"{path}/@me")

    assert (added.status, removed.status) == (204, 204)
    assert demo.BOT in [each["id"] for each in reactors]
    assert demo.BOT not in [each["id"] for each in (await discord("GET", path)).json]


@pytest.mark.parametrize("emoji", ["blob", ":blob:", f"<:blob:{demo.BLOB}>", demo.BLOB, f"blob:{demo.GUILD}", "x", "é"])
async def test_anything_else_is_an_unknown_emoji(sandbox: Sandbox, discord: BareClient, emoji: str) -> None:
    answer = await discord("PUT", f"{path_to(sandbox, emoji)}/@me")

    assert (answer.status, answer.code) == (400, 10014)


async def test_reactions_are_counted_on_the_message(sandbox: Sandbox, discord: BareClient) -> None:
    await discord("PUT", f"{path_to(sandbox, '🐟')}/@me")

    message = (await discord("GET", path_to(sandbox).removesuffix("/reactions"))).json

    fish = message["reactions"][0]
    assert (fish["emoji"], fish["count"], fish["me"]) == ({"id": None, "name": "🐟"}, 3, True)


async def test_two_spellings_of_a_heart_are_one_reaction(sandbox: Sandbox, discord: BareClient) -> None:
    for heart in ("❤", "❤️"):
        await discord("PUT", f"{path_to(sandbox, heart)}/@me")

    message = (await discord("GET", path_to(sandbox).removesuffix("/reactions"))).json
    assert [each["count"] for each in message["reactions"]] == [2, 1, 1]


async def test_reactors_come_in_pages(sandbox: Sandbox, discord: BareClient) -> None:
    path = path_to(sandbox, "🐟")

    first = (await discord("GET", f"{path}?limit=1")).json
    rest = (await discord("GET", f"{path}?after={first[0]['id']}")).json
    bursts = (await discord("GET", f"{path}?type=1")).json

    assert [each["id"] for each in first + rest] == [demo.MAYA, demo.OMAR]
    assert bursts == []


async def test_reactions_of_others_one_emoji_and_all_can_be_removed(sandbox: Sandbox, discord: BareClient) -> None:
    await discord("DELETE", f"{path_to(sandbox, '🐟')}/{demo.MAYA}")
    assert [each["id"] for each in (await discord("GET", path_to(sandbox, "🐟"))).json] == [demo.OMAR]

    await discord("DELETE", path_to(sandbox, CUSTOM))
    assert (await discord("GET", path_to(sandbox, CUSTOM))).json == []

    await discord("DELETE", path_to(sandbox))
    assert "reactions" not in (await discord("GET", path_to(sandbox).removesuffix("/reactions"))).json


async def test_others_reactions_need_the_right_to_manage_messages(sandbox: Sandbox, discord: BareClient) -> None:
    sandbox.world.guilds[demo.GUILD].roles[demo.BOT_ROLE].permissions &= ~MANAGE_MESSAGES

    for path in (f"{path_to(sandbox, '🐟')}/{demo.MAYA}", path_to(sandbox, "🐟"), path_to(sandbox)):
        assert (await discord("DELETE", path)).code == 50013


async def test_without_the_right_to_add_only_known_reactions_can_be_joined(
    sandbox: Sandbox, discord: BareClient
) -> None:
    for role_id in (demo.GUILD, demo.BOT_ROLE):
        sandbox.world.guilds[demo.GUILD].roles[role_id].permissions &= ~ADD_REACTIONS

    assert (await discord("PUT", f"{path_to(sandbox, '🐟')}/@me")).status == 204
    assert (await discord("PUT", f"{path_to(sandbox, '👍')}/@me")).code == 50013


async def test_a_message_takes_twenty_kinds_of_reaction(sandbox: Sandbox, discord: BareClient) -> None:
    emojis = [chr(0x1F600 + number) for number in range(19)]

    answers = [await discord("PUT", f"{path_to(sandbox, emoji)}/@me") for emoji in emojis]

    assert [each.status for each in answers] == [204] * 18 + [400]
    assert answers[-1].code == 30010


async def test_a_message_is_pinned_and_unpinned(sandbox: Sandbox, discord: BareClient) -> None:
    message_id = demo.message_with(sandbox.world, demo.GENERAL, "Six works").id
    pins = f"/channels/{demo.GENERAL}/messages/pins"

    await discord("PUT", f"{pins}/{message_id}", headers={"X-Audit-Log-Reason": "plan"})
    pinned = (await discord("GET", pins)).json
    newest = (await discord("GET", f"/channels/{demo.GENERAL}/messages?limit=1")).json[0]
    await discord("DELETE", f"{pins}/{message_id}")

    assert [each["message"]["id"] for each in pinned["items"]] == [message_id]
    assert pinned["items"][0]["message"]["pinned"] is True
    assert (newest["type"], newest["message_reference"]["message_id"]) == (6, message_id)
    assert (await discord("GET", pins)).json == {"items": [], "has_more": False}


async def test_pins_come_in_pages_by_time(sandbox: Sandbox, discord: BareClient) -> None:
    channel = sandbox.world.channels[demo.GENERAL]
    channel.pins = {message_id: f"2026-01-0{day}T00:00:00.000000+00:00" for day, message_id in
                    enumerate(list(channel.messages)[:3], start=1)}  # fmt: skip

    first = (await discord("GET", f"/channels/{demo.GENERAL}/messages/pins?limit=2")).json
    before = quote(first["items"][-1]["pinned_at"])
    rest = (await discord("GET", f"/channels/{demo.GENERAL}/messages/pins?before={before}")).json

    assert (len(first["items"]), first["has_more"]) == (2, True)
    assert [each["pinned_at"][:10] for each in rest["items"]] == ["2026-01-01"]
