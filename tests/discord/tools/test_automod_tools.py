"""automod: what triggers a rule, what it does, and what a change of it leaves alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked, bodies, only
from tests.discord.tools.usual.automod import NEW
from tests.discord.tools.usual_calls import example
from tests.served import desk

from accord.discord.results.automod import rules
from accord.discord.sandbox import demo, demo_plans
from accord.discord.sandbox.permissions import MANAGE_GUILD, MODERATE_MEMBERS

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

PLACE = {"guild_id": demo.GUILD}
RULES = f"/guilds/{demo.GUILD}/auto-moderation/rules"
BLOCK = {"type": 1}


async def test_a_rule_goes_out_as_it_was_given_and_comes_back_whole(sandbox: Sandbox) -> None:
    alert = {"type": "2", "metadata": {"channel_id": f"<#{demo.GENERAL}>"}}
    new = {**NEW, "actions": [BLOCK, alert], "enabled": True, "exempt_roles": [demo.ADMIN_ROLE]}

    async with desk(sandbox) as served:
        made = (await served.call("automod_create_rule", PLACE, **new, audit_reason="spam")).structured
        read = (await served.call("automod_get_rule", PLACE, rule_id=made["id"])).structured

    sent = {**new, "actions": [BLOCK, {"type": 2, "metadata": {"channel_id": demo.GENERAL}}]}
    assert bodies(sandbox) == [sent]
    assert only(sandbox, "POST").request_headers["x-audit-log-reason"] == "spam"
    assert made == read
    assert read["trigger_metadata"] == {**NEW["trigger_metadata"], "regex_patterns": []}
    assert (read["creator_id"], read["untrusted_text"], read["enabled"]) == (demo.BOT, "Prices", True)


async def test_a_list_says_what_rules_do_and_leaves_their_words_to_the_single_one(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        listed = (await served.call("automod_list_rules", PLACE)).structured

    (one,) = listed["rules"]
    assert one.keys() == {"id", "name", "enabled", "event_type", "trigger_type", "actions"}
    assert (one["id"], listed["count"], listed["untrusted_names"]) == (demo_plans.SCAM_RULE, 1, "Scams")


async def test_a_null_among_the_rules_is_passed_over(sandbox: Sandbox) -> None:
    sandbox.world.guilds[demo.GUILD].automod_rules["0"] = None  # type: ignore[assignment]  # Discord's file allows it

    async with desk(sandbox) as served:
        listed = (await served.call("automod_list_rules", PLACE)).structured

    assert ([one["name"] for one in listed["rules"]], listed["count"]) == (["Scams"], 1)
    assert rules(None)["rules"] == []


# --- Rules between arguments ----------------------------------------------------------------------------------------


FITTING: list[dict[str, Any]] = [
    {"trigger_type": 1, "trigger_metadata": {"keyword_filter": ["a"] * 1000, "regex_patterns": ["b" * 260] * 10}},
    {"trigger_type": 1, "trigger_metadata": {"allow_list": ["a" * 60] * 100}},
    {"trigger_type": 3},
    {"trigger_type": 4, "trigger_metadata": {"presets": [1, 2, 3], "allow_list": ["a"] * 1000}},
    {"trigger_type": 5, "trigger_metadata": {"mention_total_limit": 50, "mention_raid_protection_enabled": True}},
    {"trigger_type": 5, "actions": [{"type": 3, "metadata": {"duration_seconds": 2_419_200}}]},
    {"trigger_type": 6, "event_type": 2, "trigger_metadata": {"keyword_filter": ["a"]}, "actions": [{"type": 4}]},
    {"trigger_type": 3, "actions": [{"type": 1, "metadata": {"custom_message": "x" * 150}}]},
]

UNFITTING: list[tuple[dict[str, Any], str]] = [
    ({"trigger_metadata": {"keyword_filter": ["a"] * 1001}}, "trigger_metadata.keyword_filter"),
    ({"trigger_metadata": {"keyword_filter": ["a" * 61]}}, "trigger_metadata.keyword_filter[0]"),
    ({"trigger_metadata": {"keyword_filter": [""]}}, "trigger_metadata.keyword_filter[0]"),
    ({"trigger_metadata": {"regex_patterns": ["a"] * 11}}, "trigger_metadata.regex_patterns"),
    ({"trigger_metadata": {"regex_patterns": ["a" * 261]}}, "trigger_metadata.regex_patterns[0]"),
    ({"trigger_metadata": {"allow_list": ["a"] * 101}}, "trigger_metadata.allow_list"),
    ({"trigger_type": 4, "trigger_metadata": {"allow_list": ["a"] * 1001}}, "trigger_metadata.allow_list"),
    ({"trigger_type": 4, "trigger_metadata": {"presets": [1, 1]}}, "trigger_metadata.presets"),
    ({"trigger_type": 4, "trigger_metadata": {"presets": [4]}}, "trigger_metadata.presets[0]"),
    ({"trigger_type": 4}, "trigger_metadata"),
    ({"trigger_type": 6}, "trigger_metadata"),
    ({"trigger_type": 3, "trigger_metadata": {"allow_list": ["a"]}}, "trigger_metadata.allow_list"),
    ({"trigger_type": 5, "trigger_metadata": {"mention_total_limit": 51}}, "trigger_metadata.mention_total_limit"),
    ({"trigger_type": 1, "trigger_metadata": {"mention_total_limit": 5}}, "trigger_metadata.mention_total_limit"),
    ({"trigger_type": 2}, "trigger_type"),
    ({"event_type": 3}, "event_type"),
    ({"actions": []}, "actions"),
    ({"actions": [BLOCK] * 6}, "actions"),
    ({"actions": [{"type": 5}]}, "actions[0].type"),
    ({"actions": [{"type": 2}]}, "actions[0].metadata.channel_id"),
    ({"actions": [BLOCK, {"type": 3, "metadata": {}}]}, "actions[1].metadata.duration_seconds"),
    ({"actions": [{"type": 3, "metadata": {"duration_seconds": 2_419_201}}]}, "actions[0].metadata.duration_seconds"),
    ({"trigger_type": 3, "actions": [{"type": 3, "metadata": {"duration_seconds": 60}}]}, "actions[0].type"),
    ({"actions": [{"type": 4, "metadata": {"custom_message": "x"}}]}, "actions[0].metadata.custom_message"),
    ({"actions": [{"type": 1, "metadata": {"custom_message": "x" * 151}}]}, "actions[0].metadata.custom_message"),
    ({"exempt_roles": [demo.ADMIN_ROLE] * 2}, "exempt_roles"),
    ({"exempt_roles": [demo.ADMIN_ROLE] * 21}, "exempt_roles"),
    ({"exempt_channels": [demo.STAFF] * 51}, "exempt_channels"),
]


def new_rule(fields: dict[str, Any]) -> dict[str, Any]:
    return {"name": "A rule", "event_type": 1, "trigger_type": 1, "actions": [BLOCK], **fields}


@pytest.mark.parametrize("fields", FITTING)
async def test_a_rule_that_discord_takes_is_made(sandbox: Sandbox, fields: dict[str, Any]) -> None:
    async with desk(sandbox) as served:
        made = await served.call("automod_create_rule", PLACE, **new_rule(fields))

    assert not made.failed
    assert bodies(sandbox) == [new_rule(fields)]


@pytest.mark.parametrize(("fields", "path"), UNFITTING)
async def test_a_rule_that_discord_would_refuse_is_refused_before(
    sandbox: Sandbox, fields: dict[str, Any], path: str
) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("automod_create_rule", PLACE, **new_rule(fields))

    assert [issue["path"] for issue in refused.structured["issues"]] == [path]
    assert asked(sandbox) == []


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({}, ""),
        ({"actions": []}, "actions"),
        (
            {"trigger_metadata": {"keyword_filter": ["a"], "mention_total_limit": 5}},
            "trigger_metadata.mention_total_limit",
        ),
        ({"trigger_type": 4, "trigger_metadata": {"keyword_filter": []}}, "trigger_metadata.keyword_filter"),
        ({"exempt_roles": [], "clear": ["exempt_roles"]}, "clear"),
    ],
)
async def test_a_change_that_fits_no_rule_is_refused_before(
    sandbox: Sandbox, fields: dict[str, Any], path: str
) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("automod_modify_rule", PLACE, rule_id=demo_plans.SCAM_RULE, **fields)

    assert [issue["path"] for issue in refused.structured["issues"]] == [path]
    assert asked(sandbox) == []


# --- Changes --------------------------------------------------------------------------------------------------------


async def test_a_change_of_one_list_leaves_the_triggers_others_alone(sandbox: Sandbox) -> None:
    one = f"{RULES}/{demo_plans.SCAM_RULE}"

    async with desk(sandbox) as served:
        changed = await served.call(
            "automod_modify_rule",
            PLACE,
            rule_id=demo_plans.SCAM_RULE,
            trigger_metadata={"keyword_filter": ["free boost*"]},
            clear=["exempt_channels"],
        )

    trigger = {"keyword_filter": ["free boost*"], "regex_patterns": [], "allow_list": ["no free nitro"]}
    assert asked(sandbox) == [f"GET {one}", f"PATCH {one}"]
    assert bodies(sandbox) == [{"trigger_metadata": trigger, "exempt_channels": []}]
    assert changed.structured["trigger_metadata"] == trigger


async def test_a_change_that_does_not_belong_to_the_rules_trigger_is_refused_unsent(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        refused = await served.call(
            "automod_modify_rule", PLACE, rule_id=demo_plans.SCAM_RULE, trigger_metadata={"mention_total_limit": 5}
        )

    assert [issue["path"] for issue in refused.structured["issues"]] == ["trigger_metadata.mention_total_limit"]
    assert served.writes == []


async def test_a_rule_is_switched_off_without_reading_it(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        changed = await served.call("automod_modify_rule", PLACE, rule_id=demo_plans.SCAM_RULE, enabled=False)

    assert asked(sandbox) == [f"PATCH {RULES}/{demo_plans.SCAM_RULE}"]
    assert bodies(sandbox) == [{"enabled": False}]
    assert changed.structured["enabled"] is False


@pytest.mark.parametrize(
    ("tool", "missing"),
    [
        ("automod_list_rules", MANAGE_GUILD),
        ("automod_create_rule", MODERATE_MEMBERS),
        ("automod_delete_rule", MANAGE_GUILD),
    ],
)
async def test_without_the_permission_nothing_happens(sandbox: Sandbox, tool: str, missing: int) -> None:
    arguments = example(sandbox, tool)
    guild = sandbox.world.guilds[demo.GUILD]
    before = list(guild.automod_rules)
    guild.roles[demo.BOT_ROLE].permissions &= ~missing

    async with desk(sandbox) as served:
        refused = await served.call(tool, arguments)

    assert refused.code == "DISCORD_PERMISSION_DENIED"
    assert list(guild.automod_rules) == before
