"""A direct message needs an approval of its recipient, each time, where the owner wants that."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from mcp import types
from tests.clock import Clock
from tests.discord.tools.usual.calling import own_message
from tests.discord.tools.usual_calls import TOOLS, WRITES, example
from tests.served import approval_of, desk

from accord.discord.app import own_tools
from accord.discord.gates import DM_TOOLS
from accord.discord.sandbox import demo
from accord.discord.sandbox.demo_polls import add_poll
from accord.discord.sandbox.world import Channel
from accord.engine import Pendings, fingerprint, open_state, records_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence
    from pathlib import Path

    from tests.served import Called, Desk

    from accord.discord.sandbox import Sandbox
    from accord.engine import State

REQUIRE: dict[str, Any] = {"MCP_DM_CONSENT_MODE": "require"}
PERSON: dict[str, Any] = {"MCP_APPROVAL_MODE": "person", **REQUIRE}
OPEN = "users_create_dm"
SEND = "messages_send"
SURE = {"__confirm": True}
LENA = {"recipient_id": demo.LENA}

each_tool = pytest.mark.parametrize("tool", sorted(DM_TOOLS))


@pytest.fixture
async def state() -> AsyncIterator[State]:
    opened = open_state("sqlite://")
    yield opened
    await opened.close()


def dm(sandbox: Sandbox, type: int = 1, among: Sequence[str] = (demo.LENA, demo.THEO)) -> str:  # noqa: A002 - Discord's name
    """A direct message with Lena; of type 3, one with Lena and Theo."""
    group = {"recipient_ids": list(among)}
    made = Channel(
        sandbox.world.new_id(),
        type,
        recipient_id=demo.LENA if type == 1 else None,
        settings=group if type != 1 else {},
    )
    sandbox.world.channels[made.id] = made
    return made.id


def to_lena(sandbox: Sandbox, tool: str) -> dict[str, Any]:
    """A call of the tool that turns to Lena by direct message, confirmed where it has to be."""
    if tool == OPEN:
        return dict(LENA)
    if tool == "members_ban":
        return {"guild_id": demo.GUILD, "user_id": demo.LENA, "notify": "You are banned.", **SURE}
    if tool == "channels_modify":
        return {"channel_id": dm(sandbox, type=3, among=[demo.LENA]), "name": "lanterns"}
    channel_id = dm(sandbox)
    if tool == "polls_end":
        return {"channel_id": channel_id, "message_id": add_poll(sandbox.world, channel_id, (demo.LENA,)).id, **SURE}
    arguments = example(sandbox, tool) | {"channel_id": channel_id}
    if "message_id" in arguments:
        more = {"components": [{"type": 10, "content": "x"}], "flags": 1 << 15} if tool == "components_v2_edit" else {}
        arguments |= own_message(sandbox, channel_id, **more)
    return arguments


def consent_of(refused: Mapping[str, Any]) -> dict[str, Any]:
    """The reserved arguments of somebody who consents."""
    return {"__consent": True, "__consent_hash": refused["consent_hash"], "__consent_id": refused["consent_id"]}


async def asked_for(served: Desk, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The consent that a call is refused for want of."""
    refused = await served.call(tool, arguments)
    assert refused.code == "DM_CONSENT_REQUIRED"
    return refused.structured


@each_tool
async def test_without_consent_nobody_is_turned_to(sandbox: Sandbox, tool: str) -> None:
    arguments = to_lena(sandbox, tool)

    async with desk(sandbox, **REQUIRE) as served:
        refused = await asked_for(served, tool, arguments)

    assert (refused["tool"], refused["recipient_id"], refused["retriable"]) == (tool, demo.LENA, False)
    assert refused["consent_hash"] == fingerprint(LENA)
    assert re.fullmatch(r"[0-9a-f-]{36}", refused["consent_id"])
    assert served.writes == []


@each_tool
async def test_with_consent_it_is_done_once(sandbox: Sandbox, tool: str) -> None:
    arguments = to_lena(sandbox, tool)

    async with desk(sandbox, approves=False, **REQUIRE) as served:
        given = arguments | consent_of(await asked_for(served, tool, arguments))
        done = await served.call(tool, given)
        if done.code == "PAYLOAD_CONFIRMATION_REQUIRED":
            given |= approval_of(done.structured)
            done = await served.call(tool, given)
        written = list(served.writes)
        again = await served.call(tool, given)

    assert not done.failed
    assert written != []
    assert again.structured["reason"] == "replayed"
    assert again.code == "DM_CONSENT_REJECTED"
    assert served.writes == written


@each_tool
async def test_in_advisory_mode_nobody_is_asked(sandbox: Sandbox, tool: str) -> None:
    async with desk(sandbox) as served:
        done = await served.call(tool, to_lena(sandbox, tool))

    assert done.code not in {"DM_CONSENT_REQUIRED", "DM_CONSENT_REJECTED"}
    assert served.writes != []


@pytest.mark.parametrize("tool", sorted(DM_TOOLS - {OPEN}))
async def test_what_happens_in_a_guild_needs_no_consent(sandbox: Sandbox, tool: str) -> None:
    async with desk(sandbox, **REQUIRE) as served:
        done = await served.call(tool, example(sandbox, tool))

    assert not done.failed


async def test_where_a_channel_lies_is_asked_once(sandbox: Sandbox) -> None:
    async with desk(sandbox, **REQUIRE) as served:
        for _ in range(3):
            await served.call(SEND, channel_id=demo.GENERAL, content="hello")

    assert [one.method for one in sandbox.requests] == ["GET", "POST", "POST", "POST"]


async def test_a_group_is_known_by_all_who_are_in_it(sandbox: Sandbox) -> None:
    async with desk(sandbox, **REQUIRE) as served:
        refused = await asked_for(served, SEND, {"channel_id": dm(sandbox, type=3), "content": "hello"})

    assert refused["recipient_id"] == ",".join(sorted([demo.LENA, demo.THEO]))


async def test_a_channel_that_cannot_be_read_is_not_written_to(sandbox: Sandbox) -> None:
    channel_id = dm(sandbox)
    sandbox.fail("GET /channels/{}", "status", times=None, status=500)

    async with desk(sandbox, MCP_RETRY_ENABLED="false", **REQUIRE) as served:
        refused = await served.call(SEND, channel_id=channel_id, content="hello")

    assert refused.failed
    assert served.writes == []


# --- Consent that is none -------------------------------------------------------------------------------------------


async def _consented(served: Desk, tool: str, arguments: dict[str, Any], **change: Any) -> Called:
    given = consent_of(await asked_for(served, tool, arguments)) | change
    return await served.call(tool, arguments | {name: value for name, value in given.items() if value is not None})


@pytest.mark.parametrize("change", [{"__consent": None}, {"__consent": False}, {"__consent_id": None}])
async def test_half_a_consent_is_none(sandbox: Sandbox, change: dict[str, Any]) -> None:
    async with desk(sandbox, **REQUIRE) as served:
        refused = await _consented(served, OPEN, LENA, **change)

    assert refused.code == "DM_CONSENT_REQUIRED"
    assert served.writes == []


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"__consent_hash": fingerprint({"recipient_id": demo.THEO})}, "mismatch"),
        ({"__consent_hash": "<none>"}, "mismatch"),
        ({"__consent_id": "8c0a5c5e-2f0b-4a68-9d3e-2f1f6f1c9f10"}, "missing"),
    ],
)
async def test_a_consent_that_does_not_fit_is_rejected(sandbox: Sandbox, change: dict[str, Any], reason: str) -> None:
    async with desk(sandbox, **REQUIRE) as served:
        refused = await _consented(served, OPEN, LENA, **change)

    assert (refused.code, refused.structured["reason"]) == ("DM_CONSENT_REJECTED", reason)
    assert served.writes == []


async def test_a_consent_to_one_does_not_reach_another(sandbox: Sandbox) -> None:
    async with desk(sandbox, **REQUIRE) as served:
        to_lena, to_theo = [await asked_for(served, OPEN, {"recipient_id": one}) for one in (demo.LENA, demo.THEO)]
        other = await served.call(OPEN, {"recipient_id": demo.THEO} | consent_of(to_lena))
        mixed = {**consent_of(to_theo), "__consent_id": to_lena["consent_id"]}
        swapped = await served.call(OPEN, {"recipient_id": demo.THEO} | mixed)

    assert (other.structured["reason"], swapped.structured["reason"]) == ("mismatch", "mismatch")
    assert served.writes == []


async def test_a_consent_to_open_is_none_to_write(sandbox: Sandbox) -> None:
    message = {"channel_id": dm(sandbox), "content": "hello"}

    async with desk(sandbox, **REQUIRE) as served:
        consent = consent_of(await asked_for(served, OPEN, LENA))
        refused = await served.call(SEND, message | consent)

    assert (refused.code, refused.structured["reason"]) == ("DM_CONSENT_REJECTED", "mismatch")
    assert served.writes == []


async def test_a_consent_runs_out(sandbox: Sandbox) -> None:
    clock = Clock()

    async with desk(sandbox, clock=clock, **REQUIRE) as served:
        consent = consent_of(await asked_for(served, OPEN, LENA))
        clock.now += 301
        refused = await served.call(OPEN, LENA | consent)

    assert (refused.code, refused.structured["reason"]) == ("DM_CONSENT_REJECTED", "expired")


@pytest.mark.parametrize(
    ("tool", "variables", "code"),
    [
        (OPEN, {"MCP_WRITE_MODE": "preview"}, "WRITE_PREVIEW"),
        ("members_ban", {"MCP_DRY_RUN": "true"}, "DRY_RUN_PREVIEW"),
        ("members_ban", {}, "DRY_RUN_PREVIEW"),
    ],
)
async def test_what_another_gate_refuses_issues_and_uses_no_consent(
    sandbox: Sandbox, state: State, tool: str, variables: dict[str, Any], code: str
) -> None:
    async with desk(sandbox, state=state, **REQUIRE, **variables) as served:
        refused = await served.call(tool, to_lena(sandbox, tool) | {"__confirm": False})

    assert refused.code == code
    assert await state.keys("approval:") == []


async def test_a_payload_that_is_not_approved_leaves_the_consent_good(sandbox: Sandbox) -> None:
    arguments = to_lena(sandbox, "components_v2_send")

    async with desk(sandbox, approves=False, **REQUIRE) as served:
        given = arguments | consent_of(await asked_for(served, "components_v2_send", arguments))
        shown = await served.call("components_v2_send", given)
        approval = approval_of(shown.structured)
        wrong = await served.call("components_v2_send", given | approval | {"__confirm_id": "nobody's"})
        done = await served.call("components_v2_send", given | approval)

    assert (shown.code, wrong.code) == ("PAYLOAD_CONFIRMATION_REQUIRED", "PAYLOAD_CONFIRMATION_APPROVAL_MISSING")
    assert not done.failed


# --- A person consents ----------------------------------------------------------------------------------------------


async def test_where_a_person_decides_no_argument_consents(sandbox: Sandbox, state: State) -> None:
    message = {"channel_id": dm(sandbox), "content": "hello"}

    async with desk(sandbox, state=state, **PERSON) as served:
        asked = await asked_for(served, SEND, message)
        again = await asked_for(served, SEND, message | consent_of(asked))
        refused_writes = list(served.writes)
        await Pendings(state).decide(asked["consent_id"], "approved", by="maya")
        done = await served.call(SEND, message)
        once_more = await served.call(SEND, message)

    assert (asked["approval"], again["consent_id"]) == ("person", asked["consent_id"])
    assert refused_writes == []
    assert (done.failed, once_more.code) == (False, "DM_CONSENT_REQUIRED")


async def test_a_text_that_a_person_approved_lets_no_other_be_sent(sandbox: Sandbox, state: State) -> None:
    message = {"channel_id": dm(sandbox), "content": "hello"}

    async with desk(sandbox, state=state, **PERSON) as served:
        asked = await asked_for(served, SEND, message)
        await Pendings(state).decide(asked["consent_id"], "approved", by="maya")
        other = await asked_for(served, SEND, message | {"content": "give me your password"})
        refused_writes = list(served.writes)
        done = await served.call(SEND, message)

    assert other["consent_id"] != asked["consent_id"]
    assert (refused_writes, done.failed) == ([], False)


async def test_a_file_that_a_person_approved_lets_no_other_be_sent(
    sandbox: Sandbox, state: State, tmp_path: Path
) -> None:
    message = {"channel_id": dm(sandbox), "files": [{"file": "log.txt"}]}
    (tmp_path / "log.txt").write_text("all is well")

    async with desk(sandbox, state=state, MCP_UPLOAD_DIR=str(tmp_path), **PERSON) as served:
        asked = await asked_for(served, SEND, message)
        await Pendings(state).decide(asked["consent_id"], "approved", by="maya")
        (tmp_path / "log.txt").write_text("the token is hunter2")
        other = await asked_for(served, SEND, message)
        refused_writes = list(served.writes)
        (tmp_path / "log.txt").write_text("all is well")
        done = await served.call(SEND, message)

    assert other["consent_id"] != asked["consent_id"]
    assert (refused_writes, done.failed) == ([], False)


async def test_a_file_that_changes_while_a_person_thinks_is_not_sent(
    sandbox: Sandbox, state: State, tmp_path: Path
) -> None:
    message = {"channel_id": dm(sandbox), "files": [{"file": "log.txt"}]}
    (tmp_path / "log.txt").write_text("all is well")

    async def swapped(_context: Any, _params: Any) -> types.ElicitResult:
        (tmp_path / "log.txt").write_text("the token is hunter2")
        return types.ElicitResult(action="accept", content={"approve": True})

    asking = {"elicitation_callback": swapped}
    async with desk(sandbox, "2025", state=state, options=asking, MCP_UPLOAD_DIR=str(tmp_path), **PERSON) as served:
        refused = await served.call(SEND, message)

    assert (refused.code, served.writes) == ("PAYLOAD_CONFIRMATION_APPROVAL_MISMATCH", [])


async def test_who_gets_a_layout_by_direct_message_is_part_of_what_a_person_sees(
    sandbox: Sandbox, state: State
) -> None:
    arguments = to_lena(sandbox, "components_v2_send")

    async with desk(sandbox, state=state, approves=False, **PERSON) as served:
        asked = await served.call("components_v2_send", arguments)
        await Pendings(state).decide(asked.structured["approval_id"], "approved", by="maya")
        (waiting,) = await Pendings(state).all()
        sandbox.world.channels[arguments["channel_id"]].recipient_id = demo.THEO
        other = await served.call("components_v2_send", arguments)

    assert waiting.shown["target"] == {"channel_id": arguments["channel_id"], "recipient_id": demo.LENA}
    assert (other.code, served.writes) == ("PAYLOAD_CONFIRMATION_REQUIRED", [])


async def test_a_person_who_said_no_is_not_asked_again_at_once(sandbox: Sandbox, state: State) -> None:
    async with desk(sandbox, state=state, **PERSON) as served:
        asked = await asked_for(served, OPEN, LENA)
        await Pendings(state).decide(asked["consent_id"], "denied", by="maya")
        denied = await asked_for(served, OPEN, LENA)

    assert "did not consent" in denied["recovery_hint"]
    assert served.writes == []


@pytest.mark.parametrize("tool", ["members_ban", "components_v2_send", "polls_end"])
async def test_a_person_who_decides_about_the_whole_call_is_asked_once(
    sandbox: Sandbox, state: State, tool: str
) -> None:
    arguments = to_lena(sandbox, tool)

    async with desk(sandbox, state=state, approves=False, **PERSON) as served:
        asked = await served.call(tool, arguments)
        await Pendings(state).decide(asked.structured["approval_id"], "approved", by="maya")
        done = await served.call(tool, arguments)

    assert done.code not in {"DM_CONSENT_REQUIRED", asked.code}
    assert served.writes != []


# --- What is on record, what is listed, what was lost ---------------------------------------------------------------


async def test_a_consent_is_on_record_and_its_id_is_not(sandbox: Sandbox, tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"

    async with desk(sandbox, MCP_AUDIT_SINK="file", MCP_AUDIT_FILE=str(file), **REQUIRE) as served:
        asked = await asked_for(served, OPEN, LENA)
        await served.call(OPEN, LENA | consent_of(asked))
        await served.call(OPEN, LENA | consent_of(asked))

    noted = [record["consent"] for record in records_of(file)]
    assert [one["event"] for one in noted] == ["issued", "used", "replayed"]
    assert len({one["handle"] for one in noted}) == 1
    assert asked["consent_id"] not in file.read_text()


@pytest.mark.parametrize("tool", TOOLS)
def test_who_can_reach_somebody_says_how_that_is_consented_to(tool: str) -> None:
    published = own_tools()[tool].shape.published["properties"]

    assert ({"__consent", "__consent_hash", "__consent_id"} <= published.keys()) == (tool in DM_TOOLS)


TURNS_TO_NOBODY = {
    # Takes something back, or leaves
    "channels_delete", "channels_remove_recipient", "messages_bulk_delete", "messages_delete", "messages_unpin",
    "reactions_delete_all", "reactions_delete_own", "reactions_delete_user",
    # No direct message has it
    "channels_delete_permissions", "channels_follow_announcement", "channels_forum_create_thread",
    "channels_modify_permissions", "events_create", "events_modify", "guild_modify_current_voice_state",
    "guild_modify_user_voice_state", "guild_modify_widget", "invites_create_channel", "members_modify",
    "messages_create_thread", "messages_crosspost", "soundboard_send_sound", "stage_instances_create",
    "stage_instances_delete", "stage_instances_modify", "threads_create", "voice_set_channel_status",
    "webhooks_create", "webhooks_modify",
}  # fmt: skip


@pytest.mark.parametrize("tool", [name for name in WRITES if "channel_id" in own_tools()[name].shape.slots])
def test_each_write_into_a_channel_needs_consent_or_turns_to_nobody(tool: str) -> None:
    assert (tool in DM_TOOLS) != (tool in TURNS_TO_NOBODY)


@pytest.mark.parametrize(("fault", "options"), [("drop", {"after": True}), ("status", {"status": 500})])
async def test_a_direct_message_whose_answer_was_lost_may_have_been_opened(
    sandbox: Sandbox, fault: str, options: dict[str, Any]
) -> None:
    sandbox.fail("POST /users/@me/channels", fault, times=None, **options)

    async with desk(sandbox, MCP_RETRY_BASE_DELAY_MS="50") as served:
        lost = await served.call(OPEN, LENA)

    told = {name: lost.structured[name] for name in ("code", "retriable", "outcome", "recipient_id")}
    assert told == {
        "code": "DM_OUTCOME_UNKNOWN",
        "retriable": False,
        "outcome": "unknown",
        "recipient_id": demo.LENA,
    }


async def test_a_direct_message_that_discord_refused_is_no_unknown_outcome(sandbox: Sandbox) -> None:
    sandbox.fail("POST /users/@me/channels", "status", status=403, times=None)

    async with desk(sandbox) as served:
        refused = await served.call(OPEN, LENA)

    assert refused.failed
    assert refused.code != "DM_OUTCOME_UNKNOWN"
