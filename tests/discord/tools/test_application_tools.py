"""application: the bot's own settings, its linked roles, its activities, and where the gateway is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked, bodies, only
from tests.discord.tools.usual.commands import BEARER, user_token
from tests.served import desk

from accord.discord.sandbox import demo, demo_application

if TYPE_CHECKING:
    from pathlib import Path

    from accord.discord.sandbox import Sandbox

OWN = f"/applications/{demo.APPLICATION}"
PARAMS = {"scopes": ["bot", "applications.commands"], "permissions": "SEND_MESSAGES"}
RECORD = {"type": 2, "key": "lamps", "name": "Lamps", "description": "Built", "name_localizations": {"de": "Lampen"}}

# --- Settings ---------------------------------------------------------------------------------------------------------


async def test_what_is_set_goes_out_and_can_be_read(sandbox: Sandbox) -> None:
    settings: dict[str, Any] = {
        "description": "Lights", "tags": ["light"], "interactions_endpoint_url": "https://lantern.example/in",
        "event_webhooks_url": "https://lantern.example/events", "event_webhooks_status": 2,
        "event_webhooks_types": ["ENTITLEMENT_CREATE"], "explicit_content_filter": 1, "max_participants": -1,
        "custom_install_url": "https://lantern.example/add", "flags": 8192, "type": 4,
        "role_connections_verification_url": "https://lantern.example/linked", "install_params": PARAMS,
        "integration_types_config": {"0": {"oauth2_install_params": PARAMS}, "1": {}},
    }  # fmt: skip

    async with desk(sandbox) as served:
        changed = (await served.confirmed("application_modify_current", settings)).structured
        read = (await served.call("application_get_current")).structured

    params = {**PARAMS, "permissions": "2048"}
    sent = {**settings, "install_params": params}
    sent["integration_types_config"] = {"0": {"oauth2_install_params": params}, "1": {}}
    assert (only(sandbox, "PATCH").path, bodies(sandbox)) == ("/applications/@me", [sent])
    assert changed == read
    assert {name: read[name] for name in sent} == sent
    assert (read["owner_id"], read["id"]) == (demo.MAYA, demo.APPLICATION)


@pytest.mark.parametrize(
    ("tool", "place"),
    [("application_modify_current", {}), ("application_modify", {"application_id": demo.APPLICATION})],
)
async def test_pictures_are_read_and_what_is_cleared_is_emptied(
    sandbox: Sandbox, tmp_path: Path, tool: str, place: dict[str, str]
) -> None:
    (tmp_path / "icon.png").write_bytes(demo.ONE_PIXEL)

    async with desk(sandbox, MCP_UPLOAD_DIR=str(tmp_path)) as served:
        changed = await served.confirmed(tool, place, icon="icon.png", clear=["cover_image", "install_params"])

    (body,) = bodies(sandbox)
    assert body.pop("icon").startswith("data:image/png;base64,iVBOR")
    assert body == {"cover_image": None, "install_params": None}
    assert len(changed.structured["icon"]) == 32


@pytest.mark.parametrize(
    ("settings", "path"),
    [
        ({}, ""),
        ({"description": "x", "clear": ["description"]}, "clear"),
        ({"tags": ["a", "a"]}, "tags"),
        ({"tags": ["a" * 21]}, "tags[0]"),
        ({"tags": list("abcdef")}, "tags"),
        ({"integration_types_config": {}}, "integration_types_config"),
        ({"integration_types_config": {"2": {}}}, "integration_types_config.2"),
        ({"install_params": {"scopes": ["bot", "bot"], "permissions": "0"}}, "install_params"),
        ({"install_params": {"scopes": ["identify"], "permissions": "0"}}, "install_params.scopes[0]"),
        ({"event_webhooks_types": ["SOMETHING"]}, "event_webhooks_types[0]"),
        ({"interactions_endpoint_url": "javascript:x"}, "interactions_endpoint_url"),
    ],
)
async def test_settings_that_discord_would_not_take_are_refused(
    sandbox: Sandbox, settings: dict[str, Any], path: str
) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("application_modify_current", settings)

    assert [issue["path"] for issue in refused.structured["issues"]] == [path]
    assert asked(sandbox) == []


async def test_a_team_is_shown_by_its_id(sandbox: Sandbox) -> None:
    sandbox.world.application["team"] = {
        "id": demo.GUILD, "name": "Lanterns", "icon": None, "owner_user_id": demo.MAYA, "members": [],
    }  # fmt: skip

    async with desk(sandbox) as served:
        shown = (await served.call("application_get_oauth2")).structured

    assert (shown["team_id"], "team" in shown, "bot" in shown) == (demo.GUILD, False, False)
    assert asked(sandbox) == ["GET /oauth2/applications/@me"]


# --- Linked roles -----------------------------------------------------------------------------------------------------


async def test_records_replace_all_that_there_were(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        before = (await served.call("application_get_role_connection_metadata")).structured["records"]
        kept = await served.call("application_modify_role_connection_metadata", records=[*before, RECORD])
        gone = await served.call("application_modify_role_connection_metadata", records=[])

    path = f"{OWN}/role-connections/metadata"
    assert asked(sandbox) == ["GET /applications/@me", f"GET {path}", f"PUT {path}", f"PUT {path}"]
    sent: list[Any] = bodies(sandbox)
    assert sent == [[*before, RECORD], []]
    assert kept.structured["records"] == [*before, RECORD]
    assert gone.structured["count"] == 0


@pytest.mark.parametrize(
    ("records", "path"),
    [
        ([{**RECORD, "key": f"k{n}"} for n in range(6)], "records"),
        ([RECORD, RECORD], "records[1].key"),
        ([{**RECORD, "key": "Lamps"}], "records[0].key"),
        ([{**RECORD, "key": "k" * 51}], "records[0].key"),
        ([{**RECORD, "type": 9}], "records[0].type"),
        ([{**RECORD, "name_localizations": {"xx": "y"}}], "records[0].name_localizations.xx"),
    ],
)
async def test_records_that_discord_would_not_take_are_refused(sandbox: Sandbox, records: Any, path: str) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("application_modify_role_connection_metadata", records=records)

    assert [issue["path"] for issue in refused.structured["issues"]] == [path]
    assert asked(sandbox) == []


# --- Activities -------------------------------------------------------------------------------------------------------


async def test_an_activity_is_shown_with_its_place_and_people(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        shown = await served.call("application_get_activity_instance", instance_id=demo_application.ACTIVITY)

    assert asked(sandbox)[-1] == f"GET {OWN}/activity-instances/{demo_application.ACTIVITY}"
    assert (shown.structured["location"]["channel_id"], len(shown.structured["users"])) == (demo.VOICE, 2)


@pytest.mark.parametrize(
    "instance_id", ["../../users/@me", "..", ".", "", "i-1/../../users/@me", "%2e%2e%2fusers", "i-1?x=1", "i-1#x", "é"]
)
async def test_an_instance_cannot_leave_the_path(sandbox: Sandbox, instance_id: str) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("application_get_activity_instance", instance_id=instance_id)

    assert [issue["path"] for issue in refused.structured["issues"]] == ["instance_id"]
    assert asked(sandbox) == []


@pytest.mark.parametrize(("given", "kind"), [({"file": "map.png"}, "image/png"), ({"text": "six bulbs"}, "text/plain")])
async def test_a_file_is_sent_as_the_one_part_that_discord_wants(
    sandbox: Sandbox, tmp_path: Path, given: dict[str, str], kind: str
) -> None:
    (tmp_path / "map.png").write_bytes(demo.ONE_PIXEL)

    async with desk(sandbox, MCP_UPLOAD_DIR=str(tmp_path)) as served:
        sent = await served.call("application_upload_attachment", given, filename="it.bin")

    request = only(sandbox, "POST")
    assert request.path == f"{OWN}/attachment"
    assert request.request_body.count(b"Content-Disposition") == 1
    assert b'name="file"; filename="it.bin"' in request.request_body
    assert sent.structured["filename"] == "it.bin"
    assert (sent.structured["content_type"] or "").startswith((kind, "application/octet-stream"))


# --- Tokens and the gateway -------------------------------------------------------------------------------------------


async def test_a_users_token_is_asked_what_it_is_good_for(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        shown = await served.call("application_get_authorization", bearer_token=user_token(sandbox, demo.LENA))

    (request,) = sandbox.requests
    assert (request.path, request.request_headers["authorization"]) == ("/oauth2/@me", f"Bearer {BEARER}")
    assert shown.structured["user"]["id"] == demo.LENA
    assert "identify" in shown.structured["scopes"]


async def test_the_gateways_address_needs_no_token_and_its_limits_need_one(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        await served.call("application_get_gateway")
        limits = (await served.call("application_get_gateway_bot")).structured

    open_one, own_one = sandbox.requests
    assert ("authorization" in open_one.request_headers, "authorization" in own_one.request_headers) == (False, True)
    assert limits["session_start_limit"]["max_concurrency"] == 1
