"""A layout is sent as it was shown: with an approval of exactly this payload, good once and for a while."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

import pytest
from mcp import types
from tests.clock import Clock
from tests.discord.tools.usual_calls import example
from tests.served import Called, Desk, approval_of, desk

from accord.discord import load_config
from accord.discord.app import gates_of
from accord.discord.gates import PAYLOAD_TOOLS, PayloadApprovals
from accord.discord.sandbox import demo
from accord.engine import Ledger, NoAudit, Pendings, open_state

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from accord.discord.sandbox import Sandbox
    from accord.engine import Binding, State, Verdict

each_tool = pytest.mark.parametrize("tool", sorted(PAYLOAD_TOOLS))
SEND = "components_v2_send"
TEXT = {"type": 10, "content": "## Lanterns"}
OTHER = {"type": 10, "content": "## Candles"}


@pytest.fixture
async def state() -> AsyncIterator[State]:
    opened = open_state("sqlite://")
    yield opened
    await opened.close()


async def shown(served: Desk, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The preview of a call."""
    preview = await served.call(tool, arguments)
    assert preview.code == "PAYLOAD_CONFIRMATION_REQUIRED"
    return preview.structured


@each_tool
async def test_without_an_approval_nothing_is_sent_and_everything_is_shown(sandbox: Sandbox, tool: str) -> None:
    arguments = example(sandbox, tool)

    async with desk(sandbox, approves=False) as served:
        preview = await shown(served, tool, arguments)

    assert re.fullmatch(r"[a-f0-9]{64}", preview["payload_hash"])
    assert preview["preview"]["target"]["channel_id"] == demo.GENERAL
    assert preview["preview"]["payload"] == arguments
    assert preview["approval_id"] == preview["preview"]["approval_id"]
    assert served.writes == []


@each_tool
async def test_what_was_shown_is_sent_once(sandbox: Sandbox, tool: str) -> None:
    arguments = example(sandbox, tool)

    async with desk(sandbox, approves=False) as served:
        approved = arguments | approval_of(await shown(served, tool, arguments))
        first = await served.call(tool, approved)
        second = await served.call(tool, approved)

    assert (first.failed, second.code) == (False, "PAYLOAD_CONFIRMATION_APPROVAL_REPLAYED")
    assert len(served.writes) == 1


@each_tool
async def test_a_dry_run_sends_nothing_whatever_approves_it(sandbox: Sandbox, tool: str) -> None:
    arguments = example(sandbox, tool)

    async with desk(sandbox, approves=False, MCP_DRY_RUN="true") as served:
        approved = arguments | approval_of(await shown(served, tool, arguments))
        again = await served.call(tool, approved)

    assert again.code == "PAYLOAD_CONFIRMATION_REQUIRED"
    assert served.writes == []


@pytest.mark.parametrize("left_out", ["__confirm", "__confirm_hash", "__confirm_id"])
async def test_half_an_approval_is_none(sandbox: Sandbox, left_out: str) -> None:
    arguments = example(sandbox, SEND)

    async with desk(sandbox, approves=False) as served:
        approved = arguments | approval_of(await shown(served, SEND, arguments))
        del approved[left_out]
        refused = await served.call(SEND, approved)

    assert refused.code == "PAYLOAD_CONFIRMATION_REQUIRED"
    assert served.writes == []


@pytest.mark.parametrize(
    "change",
    [
        {"components": [OTHER]},
        {"channel_id": demo.WELCOME},
        {"allowed_mentions": {"parse": ["everyone"]}},
        {"flags": 4096},
    ],
    ids=lambda change: next(iter(change)),
)
async def test_another_payload_than_the_one_that_was_shown_is_shown_anew(
    sandbox: Sandbox, change: dict[str, Any]
) -> None:
    arguments = {"channel_id": demo.GENERAL, "components": [TEXT]}

    async with desk(sandbox, approves=False) as served:
        preview = await shown(served, SEND, arguments)
        refused = await served.call(SEND, arguments | change | approval_of(preview))

    told = refused.structured
    assert refused.code == "PAYLOAD_CONFIRMATION_MISMATCH"
    assert told["received_hash"] == preview["payload_hash"] != told["payload_hash"]
    assert told["approval_id"] != preview["approval_id"]
    assert served.writes == []


async def test_a_hash_that_is_none_is_not_repeated(sandbox: Sandbox) -> None:
    wrong = {"__confirm": True, "__confirm_hash": "<not a hash>", "__confirm_id": "x"}

    async with desk(sandbox, approves=False) as served:
        refused = await served.call(SEND, example(sandbox, SEND) | wrong)

    assert (refused.code, refused.structured["received_hash"]) == ("PAYLOAD_CONFIRMATION_MISMATCH", "[invalid]")


async def test_an_approval_that_nobody_issued_is_missing(sandbox: Sandbox) -> None:
    arguments = example(sandbox, SEND)

    async with desk(sandbox, approves=False) as served:
        approved = arguments | approval_of(await shown(served, SEND, arguments))
        refused = await served.call(SEND, approved | {"__confirm_id": "8c0a5c5e-2f0b-4a68-9d3e-2f1f6f1c9f10"})

    assert refused.code == "PAYLOAD_CONFIRMATION_APPROVAL_MISSING"
    assert served.writes == []


async def test_an_approval_of_another_message_does_not_fit(sandbox: Sandbox) -> None:
    one = {"channel_id": demo.GENERAL, "components": [TEXT]}
    other = {"channel_id": demo.GENERAL, "components": [OTHER]}

    async with desk(sandbox, approves=False) as served:
        first, second = await shown(served, SEND, one), await shown(served, SEND, other)
        mixed = other | approval_of(second) | {"__confirm_id": first["approval_id"]}
        refused = await served.call(SEND, mixed)

    assert refused.code == "PAYLOAD_CONFIRMATION_APPROVAL_MISMATCH"
    assert served.writes == []


async def test_an_approval_runs_out(sandbox: Sandbox) -> None:
    clock = Clock()
    arguments = example(sandbox, SEND)

    async with desk(sandbox, approves=False, clock=clock) as served:
        approved = arguments | approval_of(await shown(served, SEND, arguments))
        clock.now += 301
        refused = await served.call(SEND, approved)

    assert refused.code == "PAYLOAD_CONFIRMATION_APPROVAL_EXPIRED"
    assert served.writes == []


async def test_of_two_at_once_one_is_sent(sandbox: Sandbox) -> None:
    arguments = example(sandbox, SEND)

    async with desk(sandbox, approves=False) as served:
        approved = arguments | approval_of(await shown(served, SEND, arguments))
        both: list[Called] = await asyncio.gather(*(served.call(SEND, approved) for _ in range(2)))

    assert sorted(str(one.code) for one in both) == ["None", "PAYLOAD_CONFIRMATION_APPROVAL_REPLAYED"]
    assert len(served.writes) == 1


@each_tool
async def test_what_another_gate_refuses_issues_no_approval(sandbox: Sandbox, state: State, tool: str) -> None:
    async with desk(sandbox, state=state, approves=False, MCP_WRITE_MODE="preview") as served:
        refused = await served.call(tool, example(sandbox, tool))

    assert refused.code == "WRITE_PREVIEW"
    assert await state.keys("approval:") == []


async def test_a_file_is_bound_by_what_is_in_it(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text("all is well")
    arguments = {
        "channel_id": demo.GENERAL,
        "components": [{"type": 13, "file": {"url": "attachment://log.txt"}}],
        "files": [{"file": "log.txt"}],
    }

    async with desk(sandbox, approves=False, MCP_UPLOAD_DIR=str(tmp_path)) as served:
        preview = await shown(served, SEND, arguments)
        (tmp_path / "log.txt").write_text("the token is hunter2")
        refused = await served.call(SEND, arguments | approval_of(preview))

    assert refused.code == "PAYLOAD_CONFIRMATION_MISMATCH"
    assert served.writes == []


WITH_A_FILE: dict[str, Any] = {
    "channel_id": demo.GENERAL,
    "components": [{"type": 13, "file": {"url": "attachment://log.txt"}}],
    "files": [{"file": "log.txt"}],
}


async def test_a_file_that_changes_once_its_approval_is_used_is_not_sent(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "log.txt").write_text("all is well")
    consume = Ledger.consume

    async def swapping(self: Ledger, approval_id: str, binding: Binding) -> Verdict:
        (tmp_path / "log.txt").write_text("the token is hunter2")
        return await consume(self, approval_id, binding)

    monkeypatch.setattr(Ledger, "consume", swapping)
    async with desk(sandbox, approves=False, MCP_UPLOAD_DIR=str(tmp_path)) as served:
        preview = await shown(served, SEND, WITH_A_FILE)
        refused = await served.call(SEND, WITH_A_FILE | approval_of(preview))
        refused_writes = list(served.writes)
        done = await served.call(SEND, WITH_A_FILE | approval_of(refused.structured))

    assert refused.code == "PAYLOAD_CONFIRMATION_MISMATCH"
    assert refused.structured["received_hash"] == preview["payload_hash"] != refused.structured["payload_hash"]
    assert (refused_writes, done.failed) == ([], False)


async def test_a_file_that_changes_while_a_person_thinks_is_not_sent(
    sandbox: Sandbox, state: State, tmp_path: Path
) -> None:
    (tmp_path / "log.txt").write_text("all is well")

    async def swapped(_context: Any, _params: Any) -> types.ElicitResult:
        (tmp_path / "log.txt").write_text("the token is hunter2")
        return types.ElicitResult(action="accept", content={"approve": True})

    person: dict[str, Any] = {"MCP_APPROVAL_MODE": "person", "MCP_UPLOAD_DIR": str(tmp_path)}
    asking = {"elicitation_callback": swapped}
    async with desk(sandbox, "2025", state=state, options=asking, approves=False, **person) as served:
        refused = await served.call(SEND, WITH_A_FILE)

    assert (refused.code, served.writes) == ("PAYLOAD_CONFIRMATION_MISMATCH", [])


async def test_a_file_that_changes_after_a_persons_approval_is_asked_about_anew(
    sandbox: Sandbox, state: State, tmp_path: Path
) -> None:
    (tmp_path / "log.txt").write_text("all is well")
    person: dict[str, Any] = {"MCP_APPROVAL_MODE": "person", "MCP_UPLOAD_DIR": str(tmp_path)}

    async with desk(sandbox, state=state, approves=False, **person) as served:
        preview = await shown(served, SEND, WITH_A_FILE)
        await Pendings(state).decide(preview["approval_id"], "approved", by="maya")
        (tmp_path / "log.txt").write_text("the token is hunter2")
        anew = await shown(served, SEND, WITH_A_FILE)

    assert anew["approval_id"] != preview["approval_id"]
    assert served.writes == []


@pytest.mark.parametrize(
    ("arguments", "flags"),
    [
        ({}, []),
        ({"components": [{"type": 10, "content": "@everyone"}]}, []),
        ({"allowed_mentions": {"parse": []}}, []),
        ({"allowed_mentions": {"parse": ["everyone"]}}, ["allowed_mentions"]),
        ({"allowed_mentions": {"roles": [demo.MEMBER_ROLE]}}, ["allowed_mentions"]),
        ({"components": [{"type": 10, "content": "see steam://run/1"}]}, ["external_urls"]),
        (
            {"components": [{"type": 1, "components": [{"type": 2, "style": 6, "sku_id": demo.GUILD}]}]},
            ["interactive_components"],
        ),
        ({"components": [TEXT] * 32}, ["component_count_near_limit"]),
    ],
)
async def test_a_risk_is_flagged_and_what_is_none_is_not(
    sandbox: Sandbox, arguments: dict[str, Any], flags: list[str]
) -> None:
    async with desk(sandbox, approves=False) as served:
        preview = await shown(served, SEND, {"channel_id": demo.GENERAL, "components": [TEXT], **arguments})

    assert preview["risk_flags"] == flags


async def test_an_edit_is_a_risk_by_itself(sandbox: Sandbox) -> None:
    async with desk(sandbox, approves=False) as served:
        preview = await shown(served, "components_v2_edit", example(sandbox, "components_v2_edit"))

    assert preview["risk_flags"] == ["edit_existing_message"]
    assert set(preview["preview"]["target"]) == {"channel_id", "message_id"}


@each_tool
async def test_where_a_person_decides_no_hash_and_no_id_sends_it(sandbox: Sandbox, state: State, tool: str) -> None:
    arguments = example(sandbox, tool)

    async with desk(sandbox, state=state, approves=False, MCP_APPROVAL_MODE="person") as served:
        preview = await shown(served, tool, arguments)
        again = await served.call(tool, arguments | approval_of(preview))
        refused_writes = list(served.writes)
        await Pendings(state).decide(preview["approval_id"], "approved", by="maya")
        done = await served.call(tool, arguments)

    assert preview["approval"] == "person"
    assert again.code == "PAYLOAD_CONFIRMATION_REQUIRED"
    assert refused_writes == []
    assert not done.failed


def test_an_approval_is_used_up_by_the_last_gate_of_all() -> None:
    *_, last = gates_of(load_config({}), NoAudit(), open_state(None))

    assert last.__qualname__ == PayloadApprovals.use.__qualname__
