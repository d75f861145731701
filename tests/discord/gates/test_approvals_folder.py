"""MCP_APPROVAL_STATE_DIR: approvals in a file of their own, sealed, which servers and a terminal share."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.usual_calls import example
from tests.served import approval_of, desk

from accord.discord import ConfigError, load_config
from accord.discord.state_folder import kept_approvals
from accord.engine import Pendings

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

KEY = "k" * 32
SEND = "components_v2_send"
GATED = "messages_delete"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "approvals"


def kept_in(folder: Path | str, key: str = KEY, **more: str) -> dict[str, Any]:
    return {"MCP_APPROVAL_STATE_DIR": str(folder), "MCP_APPROVAL_HMAC_KEY": key, **more}


def modes_in(folder: Path) -> dict[str, int]:
    return {each.name: stat.S_IMODE(each.stat().st_mode) for each in (folder, *folder.iterdir())}


def bytes_in(folder: Path) -> bytes:
    return b"".join(each.read_bytes() for each in folder.iterdir())


async def test_what_one_server_showed_another_sends_once(sandbox: Sandbox, folder: Path) -> None:
    arguments = example(sandbox, SEND)

    async with desk(sandbox, approves=False, **kept_in(folder)) as one:
        shown = await one.call(SEND, arguments)
    async with desk(sandbox, approves=False, **kept_in(folder)) as other:
        approved = arguments | approval_of(shown.structured)
        done, again = await other.call(SEND, approved), await other.call(SEND, approved)

    assert (done.failed, again.code) == (False, "PAYLOAD_CONFIRMATION_APPROVAL_REPLAYED")
    assert len(other.writes) == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows has no file modes")
async def test_folder_and_file_are_the_owners_alone_and_hold_no_id(sandbox: Sandbox, folder: Path) -> None:
    async with desk(sandbox, approves=False, **kept_in(folder)) as served:
        shown = await served.call(SEND, example(sandbox, SEND))
        modes = modes_in(folder)

    held = bytes_in(folder)
    assert modes.pop("approvals") == 0o700
    assert "approvals.db" in modes
    assert set(modes.values()) == {0o600}
    assert shown.structured["approval_id"].encode() not in held
    assert KEY.encode() not in held


async def test_an_approval_that_was_changed_in_the_file_is_missing(sandbox: Sandbox, folder: Path) -> None:
    arguments = example(sandbox, SEND)

    async with desk(sandbox, approves=False, **kept_in(folder)) as served:
        shown = await served.call(SEND, arguments)
        with closing(sqlite3.connect(folder / "approvals.db")) as connection:
            changed = connection.execute(
                "UPDATE state_values SET value = CAST(replace(CAST(value AS TEXT), 'local', 'other') AS BLOB)"
            )
            connection.commit()
        refused = await served.call(SEND, arguments | approval_of(shown.structured))

    assert changed.rowcount > 0
    assert refused.code == "PAYLOAD_CONFIRMATION_APPROVAL_MISSING"
    assert served.writes == []


async def test_an_approval_under_another_key_is_missing(sandbox: Sandbox, folder: Path) -> None:
    arguments = example(sandbox, SEND)

    async with desk(sandbox, approves=False, **kept_in(folder)) as one:
        shown = await one.call(SEND, arguments)
    async with desk(sandbox, approves=False, **kept_in(folder, key="x" * 32)) as other:
        refused = await other.call(SEND, arguments | approval_of(shown.structured))

    assert refused.code == "PAYLOAD_CONFIRMATION_APPROVAL_MISSING"


async def test_a_terminal_decides_there_what_a_server_asked(sandbox: Sandbox, folder: Path) -> None:
    arguments = example(sandbox, GATED)
    variables = kept_in(folder, MCP_APPROVAL_MODE="person")

    async with desk(sandbox, **variables) as served:
        asked = await served.call(GATED, arguments)
        async with kept_approvals(load_config(variables), {}) as seen:
            await Pendings(seen).decide(asked.structured["approval_id"], "approved", by="maya")
        done = await served.call(GATED, arguments)

    assert (asked.code, done.failed) == ("DRY_RUN_PREVIEW", False)


async def test_all_other_state_stays_where_it_was(sandbox: Sandbox, folder: Path) -> None:
    async with desk(sandbox, approves=False, **kept_in(folder)) as served:
        await served.call(SEND, example(sandbox, SEND))

        assert await served.built.state.keys("approval:") == []
        assert len(await served.built.approvals.keys("approval:")) == 1


async def test_a_place_that_can_be_no_folder_refuses_to_start(sandbox: Sandbox, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()

    with pytest.raises(ConfigError, match="MCP_APPROVAL_STATE_DIR: is no folder for approvals"):
        async with desk(sandbox, **kept_in(file)):
            pass


@pytest.mark.parametrize(
    "variables",
    [kept_in("approvals", key="k" * 31), kept_in(" "), kept_in("approvals", key="")],
    ids=["a short key", "a blank folder", "a blank key"],
)
def test_half_a_setting_refuses_to_start(variables: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match="MCP_APPROVAL_"):
        load_config(variables)
