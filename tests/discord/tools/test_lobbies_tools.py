"""lobbies: opening and closing them, and who is in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest
from tests.discord.tools.asked import asked, bodies, only
from tests.discord.tools.usual.lobbies import own_lobby
from tests.served import desk

from accord.discord.sandbox import demo
from accord.discord.sandbox.demo_hooks import LOBBY

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

LONG = {f"name{number}": "x" * 240 for number in range(5)}


async def test_a_lobby_tells_its_members_and_its_channel(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        shown = (await served.call("lobbies_get", lobby_id=LOBBY)).structured

    assert shown["members"] == [{"id": demo.LENA, "metadata": {"lantern": "fish"}, "flags": 1}]
    assert shown["linked_channel"] == {"id": demo.GENERAL, "guild_id": demo.GUILD, "name": "general"}
    assert shown["metadata"] == {"map": "Old bridge"}


async def test_only_what_is_given_changes_and_what_is_cleared_is_emptied(sandbox: Sandbox) -> None:
    place = own_lobby(sandbox)
    sandbox.world.lobbies[place["lobby_id"]]["flags"] = 1

    async with desk(sandbox) as served:
        changed = await served.call("lobbies_modify", place, metadata={"map": "x"}, clear=["flags"], members=None)

    assert bodies(sandbox) == [{"metadata": {"map": "x"}, "flags": None}]
    assert (changed.structured["metadata"], changed.structured["flags"]) == ({"map": "x"}, 0)
    assert [member["id"] for member in changed.structured["members"]] == [demo.LENA]


async def test_members_that_are_given_replace_all_there_were(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        changed = await served.confirmed("lobbies_modify", own_lobby(sandbox), members=[{"id": demo.THEO}])

    assert [member["id"] for member in changed.structured["members"]] == [demo.THEO]


async def test_players_are_put_in_changed_and_taken_out_in_one_go(sandbox: Sandbox) -> None:
    place = own_lobby(sandbox)
    members = [{"id": demo.THEO, "additional_name": "Bridge"}, {"id": demo.LENA, "remove_member": True}]

    async with desk(sandbox) as served:
        kept = (await served.confirmed("lobbies_update_members", place, members=members)).structured

    assert orjson.loads(only(sandbox, "POST").request_body) == members
    assert [(one["id"], one["additional_name"]) for one in kept["items"]] == [(demo.THEO, "Bridge")]
    assert list(sandbox.world.lobbies[place["lobby_id"]]["members"]) == [demo.THEO]


async def test_a_player_who_is_there_keeps_what_is_left_out(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        shown = await served.call("lobbies_add_member", own_lobby(sandbox), user_id=demo.LENA, flags=1)

    assert bodies(sandbox) == [{"flags": 1}]
    assert (shown.structured["metadata"], shown.structured["flags"]) == ({"lantern": "fish"}, 1)


async def test_an_invite_is_told_as_people_use_it(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        invite = (await served.call("lobbies_create_invite_for_user", own_lobby(sandbox), user_id=demo.LENA)).structured

    assert invite["url"] == f"https://discord.gg/{invite['invite_code']}"


async def test_moderation_is_passed_on_word_for_word(sandbox: Sandbox) -> None:
    place = own_lobby(sandbox)
    message_id = sandbox.world.new_id()

    async with desk(sandbox) as served:
        await served.call("lobbies_moderate_message", place, message_id=message_id, metadata={"action": "hide"})

    assert asked(sandbox) == [f"PUT /lobbies/{place['lobby_id']}/messages/{message_id}/moderation-metadata"]
    assert sandbox.world.lobbies[place["lobby_id"]]["moderated"] == {message_id: {"action": "hide"}}


@pytest.mark.parametrize(
    ("tool", "given", "path"),
    [
        ("lobbies_create", {"metadata": LONG}, "metadata"),
        ("lobbies_create", {"metadata": {str(number): "" for number in range(26)}}, "metadata"),
        ("lobbies_create", {"metadata": {"map": 1}}, "metadata.map"),
        ("lobbies_create", {"members": [{"id": demo.LENA, "metadata": LONG}]}, "members[0].metadata"),
        ("lobbies_create", {"members": [{"id": demo.LENA}] * 26}, "members"),
        ("lobbies_create", {"idle_timeout_seconds": 4}, "idle_timeout_seconds"),
        ("lobbies_create", {"override_event_webhooks_url": "ftp://x"}, "override_event_webhooks_url"),
        ("lobbies_modify", {"lobby_id": LOBBY}, ""),
        ("lobbies_update_members", {"lobby_id": LOBBY, "members": []}, "members"),
        ("lobbies_moderate_message", {"lobby_id": LOBBY, "message_id": LOBBY, "metadata": {}}, "metadata"),
        (
            "lobbies_moderate_message",
            {"lobby_id": LOBBY, "message_id": LOBBY, "metadata": dict.fromkeys("abcdef", "x")},
            "metadata",
        ),
    ],
)
async def test_what_discord_would_refuse_is_refused_at_once(
    sandbox: Sandbox, tool: str, given: dict[str, Any], path: str
) -> None:
    async with desk(sandbox) as served:
        refused = await served.call(tool, **given)

    assert refused.code == "VALIDATION_FAILED"
    assert [issue["path"] for issue in refused.structured["issues"]] == [path]
    assert asked(sandbox) == []
