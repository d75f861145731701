"""emojis: a guild's custom emoji, uploaded, renamed, kept for some roles, deleted."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked, bodies, only
from tests.discord.tools.usual.emojis import PICTURE
from tests.discord.tools.usual_calls import example
from tests.served import desk

from accord.discord.results.custom_emojis import guild_emojis
from accord.discord.sandbox import demo
from accord.discord.sandbox.permissions import MANAGE_GUILD_EXPRESSIONS

if TYPE_CHECKING:
    from pathlib import Path

    from accord.discord.sandbox import Sandbox

PLACE = {"guild_id": demo.GUILD}
KIBIBYTES_256 = 256 * 1024


async def test_an_emoji_is_uploaded_from_the_upload_folder_for_some_roles(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "fish.png").write_bytes(demo.ONE_PIXEL)
    new = {"name": "fish", "image": "fish.png", "roles": [f"<@&{demo.MEMBER_ROLE}>"], "audit_reason": "market"}

    async with desk(sandbox, MCP_UPLOAD_DIR=str(tmp_path)) as served:
        made = (await served.call("emojis_create", PLACE, **new)).structured
        listed = (await served.call("emojis_list_guild", PLACE)).structured

    assert bodies(sandbox) == [{"name": "fish", "image": PICTURE, "roles": [demo.MEMBER_ROLE]}]
    assert only(sandbox, "POST").request_headers["x-audit-log-reason"] == "market"
    assert (made["roles"], made["user"]["id"]) == ([demo.MEMBER_ROLE], demo.BOT)
    assert [one["name"] for one in listed["emojis"]] == ["blob", "fish"]
    assert listed["emojis"][1] == made


@pytest.mark.parametrize(("size", "code"), [(KIBIBYTES_256, None), (KIBIBYTES_256 + 1, "too_big")])
@pytest.mark.parametrize("given", ["file", "data URI"])
async def test_a_picture_has_at_most_256_kibibytes(
    sandbox: Sandbox, tmp_path: Path, size: int, code: str | None, given: str
) -> None:
    content = demo.ONE_PIXEL.ljust(size, b"\0")
    (tmp_path / "big.png").write_bytes(content)
    image = "big.png" if given == "file" else f"data:image/png;base64,{base64.b64encode(content).decode()}"

    async with desk(sandbox, MCP_UPLOAD_DIR=str(tmp_path)) as served:
        reply = await served.call("emojis_create", PLACE, name="big", image=image)

    assert [issue["code"] for issue in reply.structured.get("issues", ())] == ([code] if code else [])
    assert len(served.writes) == (code is None)


@pytest.mark.parametrize("name", ["x", "with space", "hyphen-ated", "ümlaut", "a" * 33, ":lamp:"])
async def test_a_name_that_discord_does_not_take_is_refused(sandbox: Sandbox, name: str) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("emojis_create", PLACE, name=name, image=PICTURE)

    assert [issue["path"] for issue in refused.structured["issues"]] == ["name"]
    assert asked(sandbox) == []


async def test_an_emoji_is_found_by_how_it_stands_in_a_message(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        found = await served.call("emojis_get", PLACE, emoji_id=f"<:blob:{demo.BLOB}>")

    assert asked(sandbox) == [f"GET /guilds/{demo.GUILD}/emojis/{demo.BLOB}"]
    assert found.structured["name"] == "blob"


@pytest.mark.parametrize(
    ("change", "body"),
    [
        ({"clear": ["roles"]}, {"roles": None}),
        ({"roles": []}, {"roles": []}),
        ({"name": "lamp", "roles": None}, {"name": "lamp"}),
    ],
)
async def test_roles_are_cleared_by_name_and_never_by_leaving_them_out(
    sandbox: Sandbox, change: dict[str, Any], body: dict[str, Any]
) -> None:
    arguments = example(sandbox, "emojis_modify")
    sandbox.world.guilds[demo.GUILD].emojis[arguments["emoji_id"]].roles = [demo.ADMIN_ROLE]
    place = {name: arguments[name] for name in ("guild_id", "emoji_id")}

    async with desk(sandbox) as served:
        changed = await served.call("emojis_modify", place, **change)

    assert bodies(sandbox) == [body]
    assert changed.structured["roles"] == ([] if "roles" in body else [demo.ADMIN_ROLE])


@pytest.mark.parametrize(
    ("change", "path"), [({}, ""), ({"roles": [demo.GUILD] * 2}, "roles"), ({"roles": [], "clear": ["roles"]}, "clear")]
)
async def test_a_change_of_nothing_and_one_against_itself_are_refused(
    sandbox: Sandbox, change: dict[str, Any], path: str
) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("emojis_modify", PLACE, emoji_id=demo.BLOB, **change)

    assert [issue["path"] for issue in refused.structured["issues"]] == [path]
    assert asked(sandbox) == []


@pytest.mark.parametrize("tool", ["emojis_modify", "emojis_delete"])
async def test_who_may_only_upload_changes_nothing_of_others(sandbox: Sandbox, tool: str) -> None:
    own = example(sandbox, tool)
    sandbox.world.guilds[demo.GUILD].roles[demo.BOT_ROLE].permissions &= ~MANAGE_GUILD_EXPRESSIONS

    async with desk(sandbox) as served:
        refused = await served.call(tool, own | {"emoji_id": demo.BLOB})
        done = await served.call(tool, own)

    assert (refused.code, done.failed) == ("DISCORD_PERMISSION_DENIED", False)
    assert demo.BLOB in sandbox.world.guilds[demo.GUILD].emojis


def test_a_list_that_is_null_is_an_empty_one() -> None:
    assert guild_emojis(None) == {"emojis": [], "count": 0, "next_cursor": None, "has_more": False}
