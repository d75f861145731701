"""guild: its settings, widget, welcome screen, integrations, pruning, speakers on a stage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked, bodies, only
from tests.discord.tools.usual_calls import example
from tests.served import desk

from accord.discord.app import own_tools
from accord.discord.sandbox import demo
from accord.discord.sandbox.demo_guild import INTEGRATION, INTEGRATION_APPLICATION
from accord.discord.sandbox.snowflakes import iso

if TYPE_CHECKING:
    from pathlib import Path

    from accord.discord.sandbox import Sandbox

MISSING = "1199999999999999999"
SETTINGS: dict[str, Any] = {
    "verification_level": 1, "default_message_notifications": 1, "explicit_content_filter": 2,
    "afk_channel_id": None, "afk_timeout": 300, "system_channel_id": None, "system_channel_flags": 0,
    "rules_channel_id": None, "public_updates_channel_id": None, "safety_alerts_channel_id": None,
    "splash": None, "discovery_splash": None, "banner": None, "home_header": None,
    "premium_progress_bar_enabled": False,
}  # fmt: skip


async def test_a_guild_is_shown_with_its_approximate_counts(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        shown = await served.call("guild_get", guild_id=demo.GUILD)

    assert shown.structured == {
        "id": demo.GUILD,
        "name": "Lantern Workshop",
        "icon": None,
        "owner_id": demo.MAYA,
        "description": "People who build lanterns, and the software that lights them.",
        "premium_tier": 0,
        "preferred_locale": "en-US",
        "features": ["COMMUNITY", "NEWS"],
        "member_count": 5,
        "online_count": 5,
        "boosts": 0,
        **SETTINGS,
        "mfa_level": 0,
        "nsfw_level": 0,
        "vanity_url_code": None,
        "incidents_data": None,
    }
    assert shown.text.startswith(f"Guild {demo.GUILD}.\n<untrusted_discord nonce=")
    assert asked(sandbox) == [f"GET /guilds/{demo.GUILD}?with_counts=true"]


async def test_a_guild_that_the_bot_is_not_in_is_not_found(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        shown = await served.call("guild_get", guild_id=MISSING)

    assert shown.code == "DISCORD_NOT_FOUND"
    assert shown.structured["category"] == "client"
    assert "Unknown Guild" in shown.text


async def test_a_guild_is_read_again_after_a_page_of_the_edge(sandbox: Sandbox) -> None:
    sandbox.fail("GET /guilds/{}", "bad_gateway_html")

    async with desk(sandbox, MCP_RETRY_BASE_DELAY_MS="50") as served:
        shown = await served.call("guild_get", guild_id=demo.GUILD)

    assert not shown.failed
    assert [one.status for one in sandbox.requests] == [502, 200]


# --- Settings -------------------------------------------------------------------------------------------------------


async def test_every_setting_that_can_be_changed_is_shown_by_the_change_and_by_the_guild() -> None:
    changed, shown = (own_tools()[name].shape for name in ("guild_modify", "guild_get"))

    settable = changed.slots.keys() - {"guild_id", "clear", "audit_reason"}
    assert changed.output is not None
    assert shown.output is not None
    assert settable <= changed.output["properties"].keys() & shown.output["properties"].keys()


async def test_only_what_is_given_changes_and_a_later_read_shows_it(sandbox: Sandbox) -> None:
    settings = {
        "name": "Lanterns", "verification_level": 3, "afk_channel_id": demo.VOICE, "afk_timeout": 900,
        "system_channel_flags": 5, "preferred_locale": "de", "premium_progress_bar_enabled": True,
    }  # fmt: skip

    async with desk(sandbox) as served:
        changed = await served.confirmed("guild_modify", settings, guild_id=demo.GUILD, audit_reason="spring")
        read = await served.call("guild_get", guild_id=demo.GUILD)

    assert bodies(sandbox) == [settings]
    assert only(sandbox, "PATCH").request_headers["x-audit-log-reason"] == "spring"
    assert changed.structured.items() >= settings.items()
    assert changed.structured["untrusted_text"].startswith("Lanterns\n")
    assert read.structured.items() >= settings.items()


async def test_settings_are_cleared_by_name_alone(sandbox: Sandbox) -> None:
    cleared = ["description", "icon", "afk_channel_id", "verification_level"]

    async with desk(sandbox) as served:
        changed = await served.confirmed("guild_modify", guild_id=demo.GUILD, clear=cleared, banner=None)

    assert bodies(sandbox) == [dict.fromkeys(cleared)]
    assert (changed.structured["description"], changed.structured["verification_level"]) == (None, 0)


@pytest.mark.parametrize("picture", ["icon", "splash", "discovery_splash", "banner", "home_header"])
async def test_a_picture_is_read_from_the_upload_folder(sandbox: Sandbox, tmp_path: Path, picture: str) -> None:
    (tmp_path / "lantern.png").write_bytes(demo.ONE_PIXEL)

    async with desk(sandbox, MCP_UPLOAD_DIR=str(tmp_path)) as served:
        changed = await served.call("guild_modify", {picture: "lantern.png"}, guild_id=demo.GUILD)
        refused = await served.call("guild_modify", {picture: "not-there.png"}, guild_id=demo.GUILD)

    assert bodies(sandbox)[0][picture].startswith("data:image/png;base64,iVBOR")
    assert changed.structured[picture]
    assert [issue["path"] for issue in refused.structured["issues"]] == [picture]


async def test_features_that_anyone_who_manages_may_switch_are_switched_and_others_need_an_administrator(
    sandbox: Sandbox,
) -> None:
    async with desk(sandbox) as served:
        paused = await served.confirmed("guild_modify", guild_id=demo.GUILD, features=["COMMUNITY", "INVITES_DISABLED"])
        refused = await served.confirmed("guild_modify", guild_id=demo.GUILD, features=["INVITES_DISABLED"])

    assert paused.structured["features"] == ["COMMUNITY", "NEWS", "INVITES_DISABLED"]
    assert refused.code == "DISCORD_PERMISSION_DENIED"


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({}, ""),
        ({"name": "x"}, "name"),
        ({"afk_timeout": 61}, "afk_timeout"),
        ({"preferred_locale": "en"}, "preferred_locale"),
        ({"owner_id": demo.LENA}, "owner_id"),
        ({"region": "rotterdam"}, "region"),
        ({"clear": ["name"]}, "clear[0]"),
        ({"description": "x", "clear": ["description"]}, "clear"),
    ],
)
async def test_what_discord_would_not_take_is_refused_before_it_is_asked(
    sandbox: Sandbox, given: dict[str, Any], path: str
) -> None:
    async with desk(sandbox) as served:
        refused = await served.confirmed("guild_modify", given, guild_id=demo.GUILD)

    assert [issue["path"] for issue in refused.structured["issues"]] == [path]
    assert asked(sandbox) == []


# --- Raids ----------------------------------------------------------------------------------------------------------


async def test_pausing_invites_leaves_a_pause_of_messages_as_it_is_until_it_is_over(sandbox: Sandbox) -> None:
    now = sandbox.world.clock()
    still, over, soon = iso(now + 600), iso(now - 600), iso(now + 1200)
    data = sandbox.world.guilds[demo.GUILD].settings

    async with desk(sandbox) as served:
        data["incidents_data"] = {"invites_disabled_until": None, "dms_disabled_until": still}
        paused = await served.call("guild_modify_incident_actions", guild_id=demo.GUILD, invites_disabled_until=soon)
        data["incidents_data"] = {"invites_disabled_until": over, "dms_disabled_until": still}
        ended = await served.call("guild_modify_incident_actions", guild_id=demo.GUILD, clear=["dms_disabled_until"])
        read = await served.call("guild_get", guild_id=demo.GUILD)

    assert bodies(sandbox) == [
        {"invites_disabled_until": soon, "dms_disabled_until": still},
        {"dms_disabled_until": None},
    ]
    assert paused.structured == {"invites_disabled_until": soon, "dms_disabled_until": still}
    assert ended.structured == {"invites_disabled_until": None, "dms_disabled_until": None}
    assert read.structured["incidents_data"] is None


async def test_a_pause_of_more_than_a_day_is_refused_by_discord(sandbox: Sandbox) -> None:
    later = iso(sandbox.world.clock() + 25 * demo.HOUR)

    async with desk(sandbox) as served:
        refused = await served.call("guild_modify_incident_actions", guild_id=demo.GUILD, invites_disabled_until=later)

    assert [issue["path"] for issue in refused.structured["issues"]] == ["invites_disabled_until"]


# --- Widget, vanity, preview ----------------------------------------------------------------------------------------


async def test_a_widget_is_read_without_any_token_and_without_naming_its_members(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        shown = await served.call("guild_get_widget", guild_id=demo.GUILD)

    assert "authorization" not in only(sandbox, "GET").request_headers
    assert shown.structured["members_count"] == shown.structured["presence_count"] - 1
    assert [channel["id"] for channel in shown.structured["channels"]] == [demo.VOICE]
    assert "members" not in shown.structured


async def test_a_widget_that_is_switched_off_is_shown_to_nobody(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        settings = await served.call("guild_modify_widget", guild_id=demo.GUILD, enabled=False, clear=["channel_id"])
        shown = await served.call("guild_get_widget", guild_id=demo.GUILD)

    assert bodies(sandbox) == [{"enabled": False, "channel_id": None}]
    assert settings.structured == {"enabled": False, "channel_id": None}
    assert shown.code == "DISCORD_PERMISSION_DENIED"


@pytest.mark.parametrize(("style", "shown"), [({}, "shield"), ({"style": "banner3"}, "banner3")])
async def test_a_widgets_picture_has_an_address_of_its_version_and_style(
    sandbox: Sandbox, style: dict[str, str], shown: str
) -> None:
    async with desk(sandbox, DISCORD_DEFAULT_GUILD_ID=demo.GUILD) as served:
        image = await served.call("guild_get_widget_image_url", style)

    address = f"https://discord.com/api/v10/guilds/{demo.GUILD}/widget.png?style={shown}"
    assert image.structured == {"url": address, "style": shown}
    assert asked(sandbox) == []


@pytest.mark.parametrize(("code", "uses"), [(None, 0), ("lanterns", 12)])
async def test_a_vanity_invite_is_told_with_its_uses(sandbox: Sandbox, code: str | None, uses: int) -> None:
    guild = sandbox.world.guilds[demo.GUILD]
    guild.settings["vanity_url_code"], guild.vanity_uses = code, uses

    async with desk(sandbox) as served:
        shown = await served.call("guild_get_vanity_url", guild_id=demo.GUILD)

    assert shown.structured == {"code": code, "uses": uses}


async def test_only_a_discoverable_guild_is_shown_to_a_bot_that_is_not_in_it(sandbox: Sandbox) -> None:
    guild = sandbox.world.guilds[demo.SECOND_GUILD]
    del guild.members[demo.BOT]

    async with desk(sandbox) as served:
        refused = await served.call("guild_get_preview", guild_id=demo.SECOND_GUILD)
        guild.features.append("DISCOVERABLE")
        shown = await served.call("guild_get_preview", guild_id=demo.SECOND_GUILD)

    assert refused.code == "DISCORD_NOT_FOUND"
    assert (shown.structured["member_count"], shown.structured["emojis"]) == (2, [])


# --- Welcome screen -------------------------------------------------------------------------------------------------


async def test_a_welcome_screen_is_changed_in_part_and_its_switch_is_a_feature(sandbox: Sandbox) -> None:
    rows = [{"channel_id": demo.GENERAL, "description": "Talk", "emoji_name": "🔥"}]

    async with desk(sandbox) as served:
        changed = await served.call(
            "guild_modify_welcome_screen", guild_id=demo.GUILD, enabled=True, welcome_channels=rows
        )
        emptied = await served.call("guild_modify_welcome_screen", guild_id=demo.GUILD, clear=["description"])
        guild = await served.call("guild_get", guild_id=demo.GUILD)

    assert bodies(sandbox) == [{"enabled": True, "welcome_channels": rows}, {"description": None}]
    assert changed.structured["welcome_channels"] == [rows[0] | {"emoji_id": None}]
    assert changed.structured["untrusted_text"] == "Lanterns, and the software that lights them.\nTalk"
    assert (emptied.structured["description"], emptied.structured["untrusted_text"]) == (None, "Talk")
    assert "WELCOME_SCREEN_ENABLED" in guild.structured["features"]


@pytest.mark.parametrize(
    ("rows", "path"),
    [
        ([{"channel_id": demo.GENERAL, "description": "x"}] * 6, "welcome_channels"),
        ([{"channel_id": demo.GENERAL, "description": "x" * 51}], "welcome_channels[0].description"),
        ([{"channel_id": demo.GENERAL, "description": ""}], "welcome_channels[0].description"),
        ([{"description": "x"}], "welcome_channels[0].channel_id"),
    ],
)
async def test_a_welcome_channel_is_checked_whole(sandbox: Sandbox, rows: list[Any], path: str) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("guild_modify_welcome_screen", guild_id=demo.GUILD, welcome_channels=rows)

    assert [issue["path"] for issue in refused.structured["issues"]] == [path]


# --- Integrations ---------------------------------------------------------------------------------------------------


async def test_integrations_of_every_kind_are_listed_with_what_their_kind_has(sandbox: Sandbox) -> None:
    twitch = {
        "id": "1196731819270463550", "type": "twitch", "name": None, "account": {"id": "7", "name": None},
        "enabled": True, "revoked": False, "subscriber_count": 4,
        "user": sandbox.world.guilds[demo.GUILD].integrations[INTEGRATION]["user"],
    }  # fmt: skip
    sandbox.world.guilds[demo.GUILD].integrations["x"] = twitch

    async with desk(sandbox) as served:
        listed = (await served.call("guild_list_integrations", guild_id=demo.GUILD)).structured

    assert (listed["count"], listed["has_more"]) == (2, False)
    assert listed["integrations"][0]["application"] == {"id": INTEGRATION_APPLICATION, "name": "Lamp Feed"}
    assert listed["integrations"][1] == twitch | {"user": {"id": demo.MAYA, "username": "maya.lindqvist"}}


# --- Pruning --------------------------------------------------------------------------------------------------------


async def test_who_would_be_pruned_is_counted_and_then_pruned(sandbox: Sandbox) -> None:
    arguments = example(sandbox, "guild_begin_prune")
    idler = next(user.id for user in sandbox.world.users.values() if user.username == "idler")
    roles = [demo.MEMBER_ROLE, demo.MODERATOR_ROLE]

    async with desk(sandbox) as served:
        counted = await served.call("guild_get_prune_count", guild_id=demo.GUILD, include_roles=roles)
        pruned = await served.call("guild_begin_prune", arguments, days=30, include_roles=roles, audit_reason="spring")

    assert asked(sandbox) == [
        f"GET /guilds/{demo.GUILD}/prune?days=7&include_roles={'%2C'.join(roles)}",
        f"POST /guilds/{demo.GUILD}/prune",
    ]
    assert bodies(sandbox) == [{"days": 30, "include_roles": roles}]
    assert counted.structured["pruned"] >= 1
    assert pruned.structured == {"pruned": counted.structured["pruned"], "guild_id": demo.GUILD}
    assert idler not in sandbox.world.guilds[demo.GUILD].members


async def test_a_prune_can_be_left_uncounted(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        pruned = await served.call("guild_begin_prune", guild_id=demo.GUILD, compute_prune_count=False, __confirm=True)

    assert bodies(sandbox) == [{"days": 7, "compute_prune_count": False}]
    assert pruned.structured["pruned"] is None


async def test_a_prune_is_sent_once_whatever_comes_back(sandbox: Sandbox) -> None:
    sandbox.fail("POST /guilds/{}/prune", "status", status=500)

    async with desk(sandbox) as served:
        failed = await served.call("guild_begin_prune", guild_id=demo.GUILD, __confirm=True)

    assert len(asked(sandbox)) == 1
    assert failed.structured["outcome"] == "unknown"
    assert not own_tools()["guild_begin_prune"].idempotent


@pytest.mark.parametrize("days", [0, 31])
@pytest.mark.parametrize("tool", ["guild_get_prune_count", "guild_begin_prune"])
async def test_a_prune_reaches_back_for_one_to_thirty_days(sandbox: Sandbox, tool: str, days: int) -> None:
    async with desk(sandbox) as served:
        refused = await served.call(tool, guild_id=demo.GUILD, days=days, __confirm=True)

    assert [issue["path"] for issue in refused.structured["issues"]] == ["days"]


# --- Speakers -------------------------------------------------------------------------------------------------------


async def test_a_listener_is_let_speak_without_naming_the_stage(sandbox: Sandbox) -> None:
    example(sandbox, "guild_modify_user_voice_state")

    async with desk(sandbox) as served:
        done = await served.call(
            "guild_modify_user_voice_state", guild_id=demo.GUILD, user_id=demo.LENA, suppress=False
        )

    assert bodies(sandbox) == [{"suppress": False}]
    assert done.structured == {"ok": True, "user_id": demo.LENA, "channel_id": None}
    state = sandbox.world.guilds[demo.GUILD].voice_states[demo.LENA]
    assert (state["suppress"], bool(state["request_to_speak_timestamp"])) == (False, True)


async def test_the_bot_raises_its_hand_and_takes_it_down_again(sandbox: Sandbox) -> None:
    example(sandbox, "guild_modify_current_voice_state")
    state = sandbox.world.guilds[demo.GUILD].voice_states[demo.BOT]

    async with desk(sandbox) as served:
        await served.call(
            "guild_modify_current_voice_state",
            guild_id=demo.GUILD,
            request_to_speak_timestamp="2036-05-04T18:42:00Z",
        )
        raised = state["request_to_speak_timestamp"]
        await served.call("guild_modify_current_voice_state", guild_id=demo.GUILD, clear=["request_to_speak_timestamp"])

    assert raised == "2036-05-04T18:42:00.000000+00:00"
    assert state["request_to_speak_timestamp"] is None


@pytest.mark.parametrize("when", ["tomorrow", "2036-05-04", "2036-05-04T18:42:00"])
async def test_a_hand_is_raised_at_a_moment_with_its_offset(sandbox: Sandbox, when: str) -> None:
    async with desk(sandbox) as served:
        refused = await served.call(
            "guild_modify_current_voice_state", guild_id=demo.GUILD, request_to_speak_timestamp=when
        )

    assert [issue["path"] for issue in refused.structured["issues"]] == ["request_to_speak_timestamp"]


# --- Permissions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "tool",
    [
        "guild_modify",
        "guild_modify_incident_actions",
        "guild_list_integrations",
        "guild_delete_integration",
        "guild_get_widget_settings",
        "guild_modify_widget",
        "guild_get_vanity_url",
        "guild_get_welcome_screen",
        "guild_modify_welcome_screen",
        "guild_get_prune_count",
        "guild_begin_prune",
        "guild_modify_user_voice_state",
        "guild_modify_current_voice_state",
    ],
)
async def test_a_bot_that_manages_nothing_is_refused_by_discord(sandbox: Sandbox, tool: str) -> None:
    arguments = example(sandbox, tool)
    sandbox.world.guilds[demo.GUILD].roles[demo.BOT_ROLE].permissions = 0

    async with desk(sandbox) as served:
        refused = await served.call(tool, arguments)

    assert refused.code == "DISCORD_PERMISSION_DENIED"
