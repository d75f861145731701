"""onboarding: what new members are asked, changed in part without losing the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked, bodies
from tests.served import desk

from accord.discord.sandbox import demo
from accord.discord.sandbox.demo_guild import OPTIONS, PROMPT
from accord.discord.sandbox.permissions import MANAGE_ROLES

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

ROUTE = f"/guilds/{demo.GUILD}/onboarding"
CHANNELS = [demo.WELCOME, demo.GENERAL]
FIRST: dict[str, Any] = {
    "id": OPTIONS[0], "title": "I build them", "description": "", "emoji_name": "🔧", "emoji_animated": False,
    "role_ids": [demo.MEMBER_ROLE], "channel_ids": [demo.GENERAL],
}  # fmt: skip
SECOND: dict[str, Any] = {
    "id": OPTIONS[1], "title": "I just look at them", "description": "", "emoji_name": "👀", "emoji_animated": False,
    "role_ids": [], "channel_ids": [demo.GENERAL],
}  # fmt: skip
ASKED: dict[str, Any] = {
    "id": PROMPT, "type": 0, "title": "What brings you here?", "single_select": True, "required": False,
    "in_onboarding": True,
}  # fmt: skip
WHOLE: dict[str, Any] = {
    "prompts": [ASKED | {"options": [FIRST, SECOND]}], "default_channel_ids": CHANNELS, "enabled": False, "mode": 0,
}  # fmt: skip


async def test_all_of_an_onboarding_is_shown_and_counted(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        shown = (await served.call("onboarding_get", guild_id=demo.GUILD)).structured

    (prompt,) = shown["prompts"]
    assert prompt == ASKED | {"options": [FIRST | {"emoji_id": None}, SECOND | {"emoji_id": None}]}
    assert (shown["default_channel_ids"], shown["enabled"], shown["mode"]) == (CHANNELS, False, 0)
    assert shown["summary"] == {"prompts": 1, "required_prompts": 0, "options": 2, "default_channels": 2}
    assert shown["untrusted_text"] == "What brings you here?\n- I build them\n- I just look at them"


async def test_what_a_change_leaves_out_is_read_and_sent_again(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        changed = await served.call("onboarding_modify", guild_id=demo.GUILD, mode=1, audit_reason="spring")

    assert asked(sandbox) == [f"GET {ROUTE}", f"PUT {ROUTE}"]
    assert bodies(sandbox) == [WHOLE | {"mode": 1}]
    assert changed.structured["mode"] == 1
    assert changed.structured["prompts"][0]["options"][0]["role_ids"] == [demo.MEMBER_ROLE]


async def test_what_was_read_can_be_sent_back_and_changes_nothing(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        read = (await served.call("onboarding_get", guild_id=demo.GUILD)).structured
        await served.confirmed("onboarding_modify", guild_id=demo.GUILD, prompts=read["prompts"])
        again = (await served.call("onboarding_get", guild_id=demo.GUILD)).structured

    assert again == read


async def test_a_named_prompt_and_a_named_option_keep_what_is_not_said_of_them(sandbox: Sandbox) -> None:
    prompt = {
        "id": PROMPT,
        "title": "And you?",
        "options": [{"id": OPTIONS[0], "title": "I solder"}, {"title": "Else"}],
    }

    async with desk(sandbox) as served:
        changed = await served.confirmed("onboarding_modify", guild_id=demo.GUILD, prompts=[prompt])

    options = [FIRST | {"title": "I solder"}, {"title": "Else"}]
    assert bodies(sandbox) == [WHOLE | {"prompts": [ASKED | {"title": "And you?", "options": options}]}]
    assert changed.structured["prompts"][0]["id"] == PROMPT
    assert [one["id"] == OPTIONS[0] for one in changed.structured["prompts"][0]["options"]] == [True, False]


@pytest.mark.parametrize(
    ("emoji", "sent"),
    [
        ({"emoji_name": ""}, {"emoji_name": None}),
        ({"emoji_id": demo.BLOB, "emoji_name": "blob"}, {"emoji_id": demo.BLOB, "emoji_name": "blob"}),
    ],
)
async def test_an_options_emoji_is_replaced_whole_and_removed_by_an_empty_name(
    sandbox: Sandbox, emoji: dict[str, str], sent: dict[str, str | None]
) -> None:
    prompt = ASKED | {"options": [{"id": OPTIONS[0], "title": "x", **emoji}]}

    async with desk(sandbox) as served:
        await served.confirmed("onboarding_modify", guild_id=demo.GUILD, prompts=[prompt])

    (option,) = bodies(sandbox)[0]["prompts"][0]["options"]
    assert {name: value for name, value in option.items() if name.startswith("emoji_")} == sent
    assert option["role_ids"] == [demo.MEMBER_ROLE]


async def test_a_new_prompt_gets_a_number_until_discord_gives_it_an_id(sandbox: Sandbox) -> None:
    new = [{"title": title, "options": [{"title": "Yes"}]} for title in ("Tea?", "Coffee?")]

    async with desk(sandbox) as served:
        changed = await served.confirmed("onboarding_modify", guild_id=demo.GUILD, prompts=new)

    assert [prompt["id"] for prompt in bodies(sandbox)[0]["prompts"]] == ["1", "2"]
    assert all(len(prompt["id"]) > 16 for prompt in changed.structured["prompts"])


async def test_an_onboarding_with_too_few_channels_cannot_be_switched_on(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("onboarding_modify", guild_id=demo.GUILD, enabled=True)

    assert refused.failed
    assert "requirements are not met" in refused.text


OPTION: dict[str, Any] = {"title": "x"}


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({}, ""),
        ({"prompts": [{"title": "x", "options": [OPTION]}] * 16}, "prompts"),
        ({"prompts": [{"title": "x" * 101, "options": [OPTION]}]}, "prompts[0].title"),
        ({"prompts": [{"title": "x", "options": []}]}, "prompts[0].options"),
        ({"prompts": [{"title": "x", "options": [OPTION] * 51}]}, "prompts[0].options"),
        ({"prompts": [{"title": "x", "options": [{"title": "x" * 51}]}]}, "prompts[0].options[0].title"),
        (
            {"prompts": [{"title": "x", "options": [OPTION | {"description": "x" * 101}]}]},
            "prompts[0].options[0].description",
        ),
        ({"prompts": [{"title": "x", "options": [OPTION | {"emoji": {}}]}]}, "prompts[0].options[0].emoji"),
        ({"default_channel_ids": [demo.GENERAL] * 501}, "default_channel_ids"),
        ({"mode": 2}, "mode"),
    ],
)
async def test_prompts_are_checked_whole_before_discord_is_asked(
    sandbox: Sandbox, given: dict[str, Any], path: str
) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("onboarding_modify", given, guild_id=demo.GUILD)

    assert [issue["path"] for issue in refused.structured["issues"]] == [path]
    assert asked(sandbox) == []


async def test_a_bot_that_does_not_manage_roles_cannot_change_the_onboarding(sandbox: Sandbox) -> None:
    sandbox.world.guilds[demo.GUILD].roles[demo.BOT_ROLE].permissions &= ~MANAGE_ROLES

    async with desk(sandbox) as served:
        refused = await served.call("onboarding_modify", guild_id=demo.GUILD, mode=1)

    assert refused.code == "DISCORD_PERMISSION_DENIED"


async def test_a_guild_without_a_server_guide_is_answered_with_an_empty_one(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        made = (await served.call("onboarding_get_new_member_welcome", guild_id=demo.GUILD)).structured
        none = (await served.call("onboarding_get_new_member_welcome", guild_id=demo.SECOND_GUILD)).structured

    assert made["welcome_message"] == {"author_ids": [demo.MAYA], "message": "Come in and mind the glue."}
    assert made["new_member_actions"][0]["title"] == "Say hello"
    assert none == {
        "guild_id": demo.SECOND_GUILD,
        "enabled": False,
        "new_member_actions": [],
        "resource_channels": [],
    }
