"""Files of messages that are sent and edited: which go, which stay, and which are too large for the guild."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked
from tests.discord.tools.usual.calling import own_message
from tests.served import desk, environment

from accord.discord import build_rest, load_config
from accord.discord.models.ids import ChannelId
from accord.discord.rest.uploads import Upload as ToSend
from accord.discord.sandbox import demo
from accord.discord.sandbox.content.attachments import store
from accord.discord.sandbox.world import Channel, Upload
from accord.discord.upload_limits import files_fit
from accord.engine import ValidationError

if TYPE_CHECKING:
    from pathlib import Path

    from accord.discord.sandbox import Sandbox

MIB = 1024 * 1024
DIRECT = "1196398888888888888"
NEW = [{"text": "three", "filename": "three.txt", "description": "the third"}]


@pytest.fixture
def place(sandbox: Sandbox) -> dict[str, Any]:
    """A message of the bot's with two files."""
    files = [
        store(sandbox.world, demo.GENERAL, Upload(f"{name}.txt", "text/plain", b"x"), {}) for name in ("one", "two")
    ]
    return own_message(sandbox, attachments=files)


def names(sandbox: Sandbox, place: dict[str, Any]) -> list[str]:
    message = sandbox.world.channels[place["channel_id"]].messages[place["message_id"]]
    return [one["filename"] for one in message.attachments]


async def test_files_of_the_folder_and_written_out_go_with_a_message(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "fish.png").write_bytes(demo.ONE_PIXEL)
    files = [{"file": "fish.png", "description": "a fish", "spoiler": True}, {"text": "hm", "filename": "../x.txt"}]

    async with desk(sandbox, MCP_UPLOAD_DIR=str(tmp_path)) as served:
        sent = await served.call("messages_send", channel_id=demo.GENERAL, files=files)

    message = sandbox.world.channels[demo.GENERAL].messages[sent.structured["message_id"]]
    assert [(one["filename"], one.get("description")) for one in message.attachments] == [
        ("SPOILER_fish.png", "a fish"),
        ("x.txt", None),
    ]
    assert sandbox.world.files[message.attachments[0]["id"]].content == demo.ONE_PIXEL


async def test_a_new_file_comes_beside_those_that_are_there(sandbox: Sandbox, place: dict[str, Any]) -> None:
    async with desk(sandbox) as served:
        edited = await served.call("messages_edit", place, files=NEW)

    assert names(sandbox, place) == ["one.txt", "two.txt", "three.txt"]
    assert edited.structured["changed"] == ["attachments"]
    assert len(asked(sandbox)) == 2


async def test_a_new_file_comes_beside_the_kept_ones_or_instead_of_all(sandbox: Sandbox, place: dict[str, Any]) -> None:
    kept = sandbox.world.channels[demo.GENERAL].messages[place["message_id"]].attachments[1]["id"]

    async with desk(sandbox) as served:
        await served.call("messages_edit", place, files=NEW, attachments=[{"id": kept}])
        assert names(sandbox, place) == ["two.txt", "three.txt"]
        await served.call("messages_edit", place, files=NEW, clear=["attachments"])

    assert names(sandbox, place) == ["three.txt"]
    assert {one.split()[0] for one in asked(sandbox)} == {"PATCH"}


async def test_more_than_ten_files_are_refused(sandbox: Sandbox, place: dict[str, Any]) -> None:
    kept = [{"id": str(10**18 + number)} for number in range(8)]

    async with desk(sandbox) as served:
        refused = await served.call("messages_edit", place, attachments=kept, files=NEW * 3)

    assert [issue["path"] for issue in refused.structured["issues"]] == ["files"]
    assert asked(sandbox) == []


@pytest.mark.parametrize(
    ("tier", "most_mib"), [(0, 10), (1, 10), (2, 50), (3, 100)], ids=["plain", "level 1", "level 2", "level 3"]
)
async def test_a_file_is_as_large_as_the_guilds_boosts_allow(sandbox: Sandbox, tier: int, most_mib: int) -> None:
    sandbox.world.guilds[demo.GUILD].settings["premium_tier"] = tier
    rest = build_rest(load_config(environment(sandbox)))
    files = [ToSend("small.txt", b"x"), ToSend("film.bin", bytes(most_mib * MIB))]

    try:
        await files_fit(rest, ChannelId(demo.GENERAL), {"files": files})
        with pytest.raises(ValidationError) as refused:
            await files_fit(
                rest, ChannelId(demo.GENERAL), {"files": [*files, ToSend("more.bin", bytes(most_mib * MIB + 1))]}
            )
    finally:
        await rest.aclose()

    (issue,) = refused.value.issues
    assert (issue["path"], issue["code"]) == ("files[2]", "too_big")
    assert issue["message"].endswith(f"takes at most {most_mib * MIB}")


@pytest.mark.parametrize("tool", ["messages_send", "messages_edit"])
async def test_a_file_that_is_too_large_is_refused_before_anything_is_uploaded(
    sandbox: Sandbox, tmp_path: Path, tool: str
) -> None:
    (tmp_path / "film.bin").write_bytes(bytes(11 * MIB))
    call = own_message(sandbox) if tool == "messages_edit" else {"channel_id": demo.GENERAL}

    async with desk(sandbox, MCP_UPLOAD_DIR=str(tmp_path)) as served:
        refused = await served.call(tool, call, files=[{"file": "film.bin"}])

    assert [issue["path"] for issue in refused.structured["issues"]] == ["files[0]"]
    assert served.writes == []


async def test_a_small_file_asks_nobody_for_the_guilds_boosts(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "fits.bin").write_bytes(bytes(10 * MIB))

    async with desk(sandbox, MCP_UPLOAD_DIR=str(tmp_path)) as served:
        await served.call("messages_send", channel_id=demo.GENERAL, files=[{"file": "fits.bin"}])

    assert f"GET /guilds/{demo.GUILD}" not in asked(sandbox)


async def test_a_direct_message_takes_10_mib(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.world.channels[DIRECT] = Channel(DIRECT, 1, recipient_id=demo.MAYA)
    (tmp_path / "film.bin").write_bytes(bytes(10 * MIB + 1))

    async with desk(sandbox, MCP_UPLOAD_DIR=str(tmp_path)) as served:
        refused = await served.call("messages_send", channel_id=DIRECT, files=[{"file": "film.bin"}])

    assert [issue["path"] for issue in refused.structured["issues"]] == ["files[0]"]
