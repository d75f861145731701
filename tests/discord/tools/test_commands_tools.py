"""commands: reading them whole, making, changing, replacing them, and who may use them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked, bodies, only
from tests.discord.tools.usual.commands import BEARER, DEAD_TOKEN, FOR_MODERATORS, own_command, user_token
from tests.discord.tools.usual_calls import example
from tests.served import desk

from accord.discord.sandbox import demo, demo_application

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

GLOBAL = f"/applications/{demo.APPLICATION}/commands"
GUILD = f"/applications/{demo.APPLICATION}/guilds/{demo.GUILD}/commands"
LAMP = demo_application.LAMP_COMMAND
NAMES = {"name_localizations": {"de": "sud", "pt-BR": "infusão"}}
TREE = [
    {
        "type": 2, "name": "tea", "description": "Tea", **NAMES,
        "options": [
            {
                "type": 1, "name": "brew", "description": "Brew it",
                "options": [
                    {
                        "type": 3, "name": "kind", "description": "Which", "required": True, "max_length": 20,
                        "choices": [{"name": "Green", "value": "g", "name_localizations": {"de": "Grün"}}],
                    },
                    {"type": 10, "name": "litres", "description": "How much", "min_value": 0.25, "max_value": 2},
                    {"type": 7, "name": "where", "description": "Which channel", "channel_types": [0, 5]},
                ],
            }
        ],
    }
]  # fmt: skip


async def test_a_command_is_read_with_all_that_can_be_set_of_it(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        lamp = (await served.call("commands_get_global", command_id=LAMP)).structured

    (light,) = lamp["options"]
    assert light["options"][0]["choices"][1] == {"name": "Moonlight", "value": "4100K"}
    assert (lamp["contexts"], lamp["integration_types"], lamp["nsfw"]) == ([0, 1], [0], False)
    assert lamp["name_localizations"] == {"de": "lampe"}
    assert (lamp["application_id"], "guild_id" in lamp) == (demo.APPLICATION, False)


@pytest.mark.parametrize(
    ("tool", "place", "path"),
    [("commands_list_global", {}, GLOBAL), ("commands_list_guild", {"guild_id": demo.GUILD}, GUILD)],
)
async def test_translations_are_listed_where_they_are_asked_for(
    sandbox: Sandbox, tool: str, place: dict[str, str], path: str
) -> None:
    async with desk(sandbox) as served:
        without = (await served.call(tool, place)).structured["commands"][0]
        with_them = (await served.call(tool, place, with_localizations=True)).structured["commands"][0]

    assert asked(sandbox) == ["GET /applications/@me", f"GET {path}", f"GET {path}?with_localizations=true"]
    assert ("name_localizations" in without, "name_localizations" in with_them) == (False, True)


async def test_a_command_goes_out_as_it_was_given_and_comes_back_the_same(sandbox: Sandbox) -> None:
    new = {
        "name": "kitchen", "description": "Drinks", **NAMES, "options": TREE, "contexts": [0], "nsfw": True,
        "integration_types": [0, 1], "default_member_permissions": "MANAGE_GUILD, BAN_MEMBERS",
    }  # fmt: skip

    async with desk(sandbox) as served:
        made = (await served.call("commands_create_global", new)).structured
        read = (await served.call("commands_get_global", command_id=made["id"])).structured

    sent = {**new, "default_member_permissions": "36"}
    assert bodies(sandbox) == [sent]
    assert made == read
    assert {name: made[name] for name in sent} == sent


async def test_a_second_command_of_a_name_takes_the_place_of_the_first(sandbox: Sandbox) -> None:
    new = example(sandbox, "commands_create_guild")

    async with desk(sandbox) as served:
        first = await served.call("commands_create_guild", new)
        second = await served.call("commands_create_guild", new, description="Better")
        menu = await served.call("commands_create_guild", guild_id=demo.GUILD, name="brew", type=2)

    assert second.structured["id"] == first.structured["id"] != menu.structured["id"]
    assert second.structured["description"] == "Better"


async def test_a_new_command_whose_answer_was_lost_is_sent_again(sandbox: Sandbox) -> None:
    sandbox.fail("POST /applications/{}/commands", "drop", after=True)

    async with desk(sandbox, MCP_RETRY_BASE_DELAY_MS="50") as served:
        made = await served.call("commands_create_global", example(sandbox, "commands_create_global"))

    assert not made.failed
    assert served.writes == [f"POST {GLOBAL}"] * 2


async def test_only_what_is_given_changes_and_what_is_cleared_is_emptied(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        changed = await served.call(
            "commands_modify_global", command_id=LAMP, nsfw=True, name=None, clear=["options", "contexts"]
        )

    assert bodies(sandbox) == [{"nsfw": True, "options": None, "contexts": None}]
    assert ("options" in changed.structured, changed.structured["contexts"]) == (False, None)
    assert changed.structured["description"] == "Lanterns of the workshop"


async def test_what_was_listed_can_be_written_back_and_keeps_its_ids(sandbox: Sandbox) -> None:
    own_command(sandbox)

    async with desk(sandbox) as served:
        before = (await served.call("commands_list_global", with_localizations=True)).structured["commands"]
        after = await served.call(
            "commands_bulk_overwrite_global", commands=[*before, {"name": "new", "description": "x"}], __confirm=True
        )

    assert after.structured["commands"][:-1] == before
    assert [one.get("id") for one in bodies(sandbox)[0]] == [*(one["id"] for one in before), None]  # type: ignore[attr-defined]


async def test_what_is_not_listed_is_deleted_in_that_scope_alone(sandbox: Sandbox) -> None:
    gone = own_command(sandbox, demo.GUILD)["command_id"]

    async with desk(sandbox) as served:
        shown = await served.call("commands_bulk_overwrite_guild", guild_id=demo.GUILD, commands=[])
        await served.call("commands_bulk_overwrite_guild", guild_id=demo.GUILD, commands=[], __confirm=True)

    assert shown.code == "DRY_RUN_PREVIEW"
    assert served.writes == [f"PUT {GUILD}"]
    assert gone not in sandbox.world.commands
    assert LAMP in sandbox.world.commands
    assert sandbox.world.command_permissions == {}


async def test_a_deep_mistake_is_told_with_its_place(sandbox: Sandbox) -> None:
    wrong = [{"type": 1, "name": "sub", "description": "x", "options": [{"type": 3, "name": "a", "max_length": 0}]}]

    async with desk(sandbox) as served:
        refused = await served.call("commands_create_global", name="brew", description="x", options=wrong)

    assert {issue["path"] for issue in refused.structured["issues"]} == {
        "options[0].options[0].description",
        "options[0].options[0].max_length",
    }
    assert asked(sandbox) == []


async def test_a_locale_that_discord_does_not_have_is_refused(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        refused = await served.call(
            "commands_create_global", name="brew", description="x", name_localizations={"xx": "y", "de": "z" * 33}
        )

    assert {issue["path"] for issue in refused.structured["issues"]} == {
        "name_localizations.xx",
        "name_localizations.de",
    }


# --- Permissions ------------------------------------------------------------------------------------------------------


async def test_permissions_are_set_as_the_user_through_the_one_client(sandbox: Sandbox) -> None:
    place = {"guild_id": demo.GUILD, "command_id": LAMP, "bearer_token": user_token(sandbox)}

    async with desk(sandbox) as served:
        done = await served.confirmed("commands_edit_command_permissions", place, permissions=FOR_MODERATORS)
        read = await served.call("commands_get_command_permissions", guild_id=demo.GUILD, command_id=LAMP)

    sent = only(sandbox, "PUT")
    assert (sent.path, sent.request_headers["authorization"]) == (f"{GUILD}/{LAMP}/permissions", f"Bearer {BEARER}")
    assert bodies(sandbox) == [{"permissions": FOR_MODERATORS}]
    assert done.structured == read.structured
    assert BEARER not in done.text + str(done.structured)


async def test_a_user_who_may_not_manage_the_guild_sets_no_permissions(sandbox: Sandbox) -> None:
    place = {"guild_id": demo.GUILD, "command_id": LAMP, "bearer_token": user_token(sandbox, demo.LENA)}

    async with desk(sandbox) as served:
        refused = await served.confirmed("commands_edit_command_permissions", place, permissions=[])

    assert refused.code == "DISCORD_PERMISSION_DENIED"
    assert BEARER not in refused.text + str(refused.structured)


async def test_a_dead_user_token_does_not_stop_the_bot(sandbox: Sandbox) -> None:
    place: dict[str, Any] = {"guild_id": demo.GUILD, "command_id": LAMP, "bearer_token": DEAD_TOKEN}

    async with desk(sandbox) as served:
        refused = await served.confirmed("commands_edit_command_permissions", place, permissions=[])
        read = await served.call("commands_get_global", command_id=LAMP)

    assert (refused.code, read.failed) == ("DISCORD_AUTH_INVALID", False)


async def test_no_permissions_of_a_command_are_no_riddle(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        nothing = await served.call("commands_get_command_permissions", guild_id=demo.GUILD, command_id=LAMP)

    assert nothing.code == "DISCORD_NOT_FOUND"
    assert "nobody has set permissions" in nothing.structured["recovery_hint"]
