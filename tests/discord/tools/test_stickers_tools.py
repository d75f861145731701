"""stickers: what a file of one may be, what is sent for it, and what Discord leaves open."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked, bodies, only
from tests.discord.tools.usual_calls import example
from tests.served import desk

from accord.discord.sandbox import demo
from accord.discord.sandbox.demo_guild import PACK_STICKERS, STICKER_PACK

if TYPE_CHECKING:
    from pathlib import Path

    from accord.discord.sandbox import Sandbox

GIF, LOTTIE = b"GIF89a\x01\x00\x01\x00", b'{"v": "5.5.2", "layers": []}'
APNG = demo.ONE_PIXEL[:33] + b"\0\0\0\x08acTL" + demo.ONE_PIXEL[33:]
NEW = {"guild_id": demo.GUILD, "name": "Paper fish", "tags": "fish"}


def uri(content: bytes, kind: str = "image/png") -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


@pytest.mark.parametrize(
    ("content", "number", "filename", "kind"),
    [
        (demo.ONE_PIXEL, 1, "sticker.png", "image/png"),
        (APNG, 2, "sticker.png", "image/png"),
        (LOTTIE, 3, "sticker.json", "application/json"),
        (GIF, 4, "sticker.gif", "image/gif"),
    ],
    ids=["png", "apng", "lottie", "gif"],
)
@pytest.mark.parametrize("said", [True, False])
async def test_every_format_is_uploaded_in_a_form(
    sandbox: Sandbox, content: bytes, number: int, filename: str, kind: str, *, said: bool
) -> None:
    more: dict[str, Any] = {"file_format": number} if said else {}

    async with desk(sandbox) as served:
        made = await served.call(
            "stickers_create_guild_sticker", NEW, file_data=uri(content, kind), audit_reason="for fun", **more
        )

    request = only(sandbox, "POST")
    assert made.structured["format_type"] == number
    assert f'name="file"; filename="{filename}"'.encode() in request.request_body
    assert f"Content-Type: {kind}".encode() in request.request_body
    assert content in request.request_body
    assert b"Paper fish" in request.request_body
    assert request.request_headers["x-audit-log-reason"] == "for%20fun"
    assert made.structured["user_id"] == demo.BOT


@pytest.mark.parametrize("form", ["file", "base64"])
async def test_a_file_is_named_or_written_out(sandbox: Sandbox, tmp_path: Path, form: str) -> None:
    (tmp_path / "fish.png").write_bytes(demo.ONE_PIXEL)
    data = "fish.png" if form == "file" else base64.b64encode(demo.ONE_PIXEL).decode()

    async with desk(sandbox, MCP_UPLOAD_DIR=str(tmp_path)) as served:
        made = await served.call("stickers_create_guild_sticker", NEW, file_data=data, description="It swims")

    assert not made.failed, made.text
    assert (made.structured["description"], made.structured["tags"]) == ("It swims", "fish")
    assert sandbox.world.guilds[demo.GUILD].stickers[made.structured["id"]].format == 1


@pytest.mark.parametrize(
    ("data", "more", "code"),
    [
        (uri(b"\xff\xd8\xff", "image/jpeg"), {}, "invalid_file"),
        (uri(b"[]", "application/json"), {}, "invalid_file"),
        (uri(b""), {}, "invalid_string"),
        (uri(GIF), {"file_format": 1}, "invalid_file"),
        (uri(demo.ONE_PIXEL + b"\0" * 512 * 1024), {}, "too_big"),
        ("data:image/png;base64,???", {}, "invalid_string"),
        ("data:image/png,x", {}, "invalid_string"),
        ("fish.png", {}, "uploads_disabled"),
        ("../secret", {}, "uploads_disabled"),
    ],
    ids=["jpeg", "list", "empty", "other format", "large", "no base64", "plain", "file", "elsewhere"],
)
async def test_what_is_no_sticker_is_refused_before_anything_is_asked(
    sandbox: Sandbox, data: str, more: dict[str, Any], code: str
) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("stickers_create_guild_sticker", NEW, file_data=data, **more)

    assert [(issue["path"], issue["code"]) for issue in refused.structured["issues"]] == [("file_data", code)]
    assert asked(sandbox) == []


async def test_only_what_is_given_changes_and_a_description_can_be_taken_away(sandbox: Sandbox) -> None:
    place = example(sandbox, "stickers_modify_guild_sticker")
    del place["name"]

    async with desk(sandbox) as served:
        changed = await served.call("stickers_modify_guild_sticker", place, tags="lamp", clear=["description"])

    assert bodies(sandbox) == [{"tags": "lamp", "description": None}]
    assert (changed.structured["name"], changed.structured["description"]) == ("Glow", None)


@pytest.mark.usefixtures("answers_of_the_future")
@pytest.mark.parametrize("number", [None, 9])
async def test_a_format_that_nobody_knows_yet_does_no_harm(sandbox: Sandbox, number: Any) -> None:
    sandbox.world.guilds[demo.GUILD].stickers[demo.WAVE_STICKER].format = number

    async with desk(sandbox) as served:
        listed = await served.call("stickers_list_guild", guild_id=demo.GUILD)

    assert [one["format_type"] for one in listed.structured["stickers"]] == [number]


async def test_a_sticker_of_a_pack_can_be_found_shown_and_sent(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        listed = (await served.call("stickers_list_packs")).structured
        pack = (await served.call("stickers_get_pack", pack_id=STICKER_PACK)).structured
        one = (await served.call("stickers_get", sticker_id=PACK_STICKERS[0])).structured
        sent = await served.call("messages_send", channel_id=demo.GENERAL, sticker_ids=[PACK_STICKERS[0]])

    assert listed["packs"][0]["stickers"][0] == {"id": PACK_STICKERS[0], "name": "Wave"}
    assert pack["stickers"][0] == one
    assert (one["type"], one["available"], one["pack_id"]) == (1, True, STICKER_PACK)
    assert not sent.failed


async def test_anothers_sticker_needs_the_right_to_manage(sandbox: Sandbox) -> None:
    guild = sandbox.world.guilds[demo.GUILD]
    guild.stickers[demo.WAVE_STICKER].creator_id = demo.LENA
    own = example(sandbox, "stickers_modify_guild_sticker")
    for role in guild.roles.values():
        role.permissions &= ~(1 << 30)  # MANAGE_GUILD_EXPRESSIONS

    async with desk(sandbox) as served:
        refused = await served.call("stickers_modify_guild_sticker", own, sticker_id=demo.WAVE_STICKER)
        changed = await served.call("stickers_modify_guild_sticker", own)

    assert refused.code == "DISCORD_PERMISSION_DENIED"
    assert not changed.failed
