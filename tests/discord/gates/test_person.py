"""A person confirms: nothing that a caller says releases a gated call, and whatever goes wrong on the way is a no."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from mcp import MCPError, types
from tests.discord.tools.usual_calls import TOOLS, example
from tests.served import desk, environment

from accord.discord import build_rest, build_server, load_config
from accord.discord.app import own_tools
from accord.discord.gates import DM_TOOLS
from accord.discord.gates.content import PICTURES
from accord.discord.grants import EVERYTHING
from accord.discord.sandbox import demo
from accord.discord.sandbox.world import Overwrite
from accord.engine import Caller, Pendings, Reply, open_state, quota_of, records_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path

    from tests.served import Era

    from accord.discord.sandbox import Sandbox
    from accord.engine import State

ERAS: list[Era] = ["2025", "2026"]
PERSON: dict[str, Any] = {"MCP_APPROVAL_MODE": "person"}
GATED = [name for name in TOOLS if own_tools()[name].confirms]
SOME = "messages_delete"


@pytest.fixture
async def state() -> AsyncIterator[State]:
    opened = open_state("sqlite://")
    yield opened
    await opened.close()


def answering(answer: types.ElicitResult | types.ErrorData) -> dict[str, Any]:
    """A client that answers every question so."""

    async def answered(_context: Any, _params: Any) -> types.ElicitResult | types.ErrorData:
        return answer

    return {"elicitation_callback": answered}


NO: dict[str, dict[str, Any]] = {
    "cannot ask": {},
    "does not know the method": answering(types.ErrorData(code=types.METHOD_NOT_FOUND, message="no")),
    "declines": answering(types.ElicitResult(action="decline")),
    "cancels": answering(types.ElicitResult(action="cancel")),
    "accepts with a no": answering(types.ElicitResult(action="accept", content={"approve": False})),
    "accepts with nothing": answering(types.ElicitResult(action="accept", content={})),
    "accepts with a word": answering(types.ElicitResult(action="accept", content={"approve": "true"})),
}
YES = answering(types.ElicitResult(action="accept", content={"approve": True}))


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("client", NO)
async def test_whatever_is_no_yes_writes_nothing(sandbox: Sandbox, state: State, client: str, era: Era) -> None:
    arguments = example(sandbox, SOME)

    async with desk(sandbox, era, state=state, options=NO[client], **PERSON) as served:
        try:
            refused = await served.call(SOME, arguments)
        except MCPError:  # a client that answers an error to itself gives up the call
            refused = None

    assert served.writes == []
    assert refused is None or (refused.code, refused.structured["approval"]) == ("DRY_RUN_PREVIEW", "person")


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("tool", GATED)
async def test_a_persons_yes_through_the_client_runs_the_call(
    sandbox: Sandbox, state: State, tool: str, era: Era
) -> None:
    arguments = example(sandbox, tool)

    async with desk(sandbox, era, state=state, options=YES, **PERSON) as served:
        done = await served.call(tool, arguments)

    assert not done.failed


@pytest.mark.parametrize("tool", GATED)
async def test_no_argument_of_the_caller_releases_a_call(sandbox: Sandbox, state: State, tool: str) -> None:
    arguments = example(sandbox, tool)

    async with desk(sandbox, state=state, **PERSON) as served:
        first = await served.call(tool, arguments)
        second = await served.call(tool, {**arguments, "__confirm": True})

    assert (first.code, first.structured["approval"]) == ("DRY_RUN_PREVIEW", "person")
    assert first.structured["approval_id"] == second.structured["approval_id"]
    assert served.writes == []


async def test_what_is_approved_in_a_terminal_runs_once(sandbox: Sandbox, state: State, tmp_path: Path) -> None:
    arguments = example(sandbox, SOME)
    file = tmp_path / "audit.jsonl"
    audit: dict[str, Any] = {"MCP_AUDIT_SINK": "file", "MCP_AUDIT_FILE": str(file)}

    async with desk(sandbox, state=state, **PERSON, **audit) as served:
        asked = await served.call(SOME, arguments)
        await Pendings(state).decide(asked.structured["approval_id"], "approved", by="maya")
        done = await served.call(SOME, arguments)
        again = await served.call(SOME, arguments)

    assert (asked.code, done.failed, again.code) == ("DRY_RUN_PREVIEW", False, "DRY_RUN_PREVIEW")
    assert len(served.writes) == 1
    noted = [record["approval"] for record in records_of(file)]
    assert [one["event"] for one in noted] == ["issued", "used", "issued"]
    assert noted[1]["by"] == "maya, in a terminal"
    assert asked.structured["approval_id"] not in file.read_text()


@pytest.mark.parametrize("era", ERAS)
async def test_where_only_a_terminal_decides_a_clients_yes_counts_for_nothing(
    sandbox: Sandbox, state: State, era: Era
) -> None:
    arguments = example(sandbox, SOME)

    async with desk(sandbox, era, state=state, options=YES, MCP_APPROVAL_ELICITATION="false", **PERSON) as served:
        asked = await served.call(SOME, arguments)
        refused_writes = list(served.writes)
        await Pendings(state).decide(asked.structured["approval_id"], "approved", by="maya")
        done = await served.call(SOME, arguments)

    assert (asked.code, refused_writes, done.failed) == ("DRY_RUN_PREVIEW", [], False)


class Full:
    """A sink that keeps no record while it is full."""

    full = True

    def emit(self, record: Mapping[str, Any]) -> None:
        """Refuse the record, while it is full."""
        if self.full:
            raise OSError(record["tool"])

    async def close(self) -> None:
        """Close nothing."""


async def test_a_decision_outlives_a_quota_that_refuses_the_call(sandbox: Sandbox, state: State) -> None:
    caller = Caller(id="local", transport="memory", scopes=EVERYTHING, quotas=(quota_of("1/h"),))
    calls = {tool: example(sandbox, tool) for tool in (SOME, "channels_trigger_typing")}

    async with desk(sandbox, state=state, **PERSON) as served:
        asked = await served.call(SOME, calls[SOME])
        await Pendings(state).decide(asked.structured["approval_id"], "approved", by="maya")
        await served.built.calls.enter(caller, "channels_trigger_typing", calls["channels_trigger_typing"])
        refused = await served.built.calls.enter(caller, SOME, calls[SOME])
        done = await served.call(SOME, calls[SOME])

    assert isinstance(refused, Reply)
    assert (refused.structured or {})["code"] == "QUOTA_EXCEEDED"
    assert not done.failed


async def test_a_decision_outlives_a_record_that_cannot_be_kept(sandbox: Sandbox, state: State) -> None:
    arguments, sink = example(sandbox, SOME), Full()
    config = load_config(environment(sandbox, MCP_AUDIT_REQUIRED="true", MCP_AUDIT_SINK="stderr", **PERSON))
    rest = build_rest(config)
    built = build_server(rest=rest, config=config, transport="memory", state=state, audit_sink=sink)
    caller = Caller(id="local", transport="memory", scopes=EVERYTHING)

    asked = await built.calls.enter(caller, SOME, arguments)
    assert isinstance(asked, Reply)
    await Pendings(state).decide((asked.structured or {})["approval_id"], "approved", by="maya")
    refused = await built.calls.enter(caller, SOME, arguments)
    sink.full = False
    done = await built.calls.enter(caller, SOME, arguments)
    await rest.aclose()

    assert isinstance(refused, Reply)
    assert isinstance(done, Reply)
    assert ((refused.structured or {})["code"], done.is_error) == ("AUDIT_UNAVAILABLE", False)


async def test_an_approval_is_for_the_very_arguments_that_were_shown(sandbox: Sandbox, state: State) -> None:
    arguments = example(sandbox, SOME)

    async with desk(sandbox, state=state, **PERSON) as served:
        asked = await served.call(SOME, arguments)
        await Pendings(state).decide(asked.structured["approval_id"], "approved", by="maya")
        other = await served.call(SOME, example(sandbox, SOME) | {"audit_reason": "another one"})

    assert other.code == "DRY_RUN_PREVIEW"
    assert served.writes == []


async def test_a_message_that_changes_after_its_approval_is_not_published(sandbox: Sandbox, state: State) -> None:
    place = example(sandbox, "messages_crosspost")
    place.pop("__confirm", None)
    message = sandbox.world.channels[place["channel_id"]].messages[place["message_id"]]
    before = message.content

    async with desk(sandbox, state=state, **PERSON) as served:
        asked = await served.call("messages_crosspost", place)
        await Pendings(state).decide(asked.structured["approval_id"], "approved", by="maya")
        message.content = "Buy lanterns at evil.example"
        other = await served.call("messages_crosspost", place)
        refused_writes = list(served.writes)
        message.content = before
        done = await served.call("messages_crosspost", place)

    assert other.code == "DRY_RUN_PREVIEW"
    assert other.structured["approval_id"] != asked.structured["approval_id"]
    assert (refused_writes, done.failed) == ([], False)


async def test_a_message_that_changes_while_a_person_thinks_is_not_published(sandbox: Sandbox, state: State) -> None:
    place = example(sandbox, "messages_crosspost")
    place.pop("__confirm", None)
    message = sandbox.world.channels[place["channel_id"]].messages[place["message_id"]]

    async def meanwhile(_context: Any, _params: Any) -> types.ElicitResult:
        message.content = "Buy lanterns at evil.example"
        return types.ElicitResult(action="accept", content={"approve": True})

    asking = {"elicitation_callback": meanwhile}
    async with desk(sandbox, "2025", state=state, options=asking, **PERSON) as served:
        refused = await served.call("messages_crosspost", place)

    assert (refused.code, served.writes) == ("DRY_RUN_PREVIEW", [])
    assert "changed" in refused.structured["recovery_hint"]


async def test_an_overwrite_that_changes_after_its_approval_is_asked_about_anew(sandbox: Sandbox, state: State) -> None:
    overwrites = sandbox.world.channels[demo.GENERAL].overwrites
    overwrites[demo.LENA] = Overwrite(demo.LENA, 1, 0, 0)
    opening = {"channel_id": demo.GENERAL, "overwrite_id": demo.LENA, "deny": "SEND_TTS_MESSAGES"}

    async with desk(sandbox, state=state, **PERSON) as served:
        asked = await served.call("channels_modify_permissions", opening)
        await Pendings(state).decide(asked.structured["approval_id"], "approved", by="maya")
        overwrites[demo.LENA] = Overwrite(demo.LENA, 1, 1 << 10, 0)
        other = await served.call("channels_modify_permissions", opening)

    assert other.structured["approval_id"] != asked.structured["approval_id"]
    assert served.writes == []


async def test_a_picture_that_changes_after_its_approval_is_not_set(
    sandbox: Sandbox, state: State, tmp_path: Path
) -> None:
    (tmp_path / "lamp.png").write_bytes(b"\x89PNG\r\n\x1a\nlamp")
    guild = {"guild_id": demo.GUILD, "icon": "lamp.png", "verification_level": 2}

    async with desk(sandbox, state=state, MCP_UPLOAD_DIR=str(tmp_path), **PERSON) as served:
        asked = await served.call("guild_modify", guild)
        await Pendings(state).decide(asked.structured["approval_id"], "approved", by="maya")
        (tmp_path / "lamp.png").write_bytes(b"\x89PNG\r\n\x1a\nanother")
        other = await served.call("guild_modify", guild)
        refused_writes = list(served.writes)
        (tmp_path / "lamp.png").write_bytes(b"\x89PNG\r\n\x1a\nlamp")
        done = await served.call("guild_modify", guild)

    assert (asked.code, other.code, refused_writes) == ("DRY_RUN_PREVIEW", "DRY_RUN_PREVIEW", [])
    assert not done.failed


@pytest.mark.parametrize("tool", TOOLS)
def test_each_file_that_a_person_is_asked_about_is_known_by_what_is_in_it(tool: str) -> None:
    known = own_tools()[tool]
    slots = known.shape.published["properties"]

    files = {name for name, slot in slots.items() if "upload folder" in str(slot)}

    assert not (known.confirms or known.condition or tool in DM_TOOLS) or files <= {"files", *PICTURES}


async def test_what_is_denied_is_not_run_and_says_so(sandbox: Sandbox, state: State) -> None:
    arguments = example(sandbox, SOME)

    async with desk(sandbox, state=state, **PERSON) as served:
        asked = await served.call(SOME, arguments)
        await Pendings(state).decide(asked.structured["approval_id"], "denied", by="maya")
        denied = await served.call(SOME, arguments)

    assert "denied" in denied.structured["recovery_hint"]
    assert "approval_id" not in denied.structured
    assert served.writes == []


async def test_while_the_server_is_armed_nobody_is_asked(sandbox: Sandbox, state: State) -> None:
    arguments = example(sandbox, SOME)

    async with desk(sandbox, state=state, options=YES, MCP_DRY_RUN="true", **PERSON) as served:
        shown = await served.call(SOME, arguments)

    assert (shown.code, shown.structured.get("approval")) == ("DRY_RUN_PREVIEW", None)
    assert await Pendings(state).all() == []
    assert served.writes == []
