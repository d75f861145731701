"""Defects that servers of this kind are known for, each held against every tool that could have it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import orjson
import pytest
from tests.contracts.departures import FREE_FORM, UNRECORDED
from tests.discord.tools.asked import asked
from tests.discord.tools.usual_calls import TOOLS, WRITES, example
from tests.served import desk

from accord.discord.app import own_tools

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

CONTRACT: Final = orjson.loads((Path(__file__).parent / "contract.json").read_bytes())
ELSEWHERE: Final = "../../../users/@me"
"""What a path that is pasted together would follow to another route."""

each_tool = pytest.mark.parametrize("tool", TOOLS)


# --- What Discord sends -----------------------------------------------------------------------------------------------


@each_tool
@pytest.mark.usefixtures("answers_of_the_future")
async def test_fields_that_are_newer_than_a_tool_do_it_no_harm(sandbox: Sandbox, tool: str) -> None:
    arguments = example(sandbox, tool)
    sandbox.fail("*", "newer")

    async with desk(sandbox) as served:
        reply = await served.call(tool, arguments)

    assert not reply.failed, reply.text


# --- What a tool asks for ---------------------------------------------------------------------------------------------


def texts(tool: str) -> list[str]:
    return [name for name, member in own_tools()[tool].shape.published["properties"].items() if _is_text(member)]


def _is_text(member: Mapping[str, Any]) -> bool:
    return member["type"] == "string" and "enum" not in member


@each_tool
async def test_no_argument_leads_to_another_route(sandbox: Sandbox, tool: str) -> None:
    arguments = example(sandbox, tool)

    async with desk(sandbox) as served:
        usual = len(await _paths(sandbox, served.call(tool, arguments)))
        for name in texts(tool):
            await served.call(tool, arguments | {name: ELSEWHERE})

    strayed = [path for path in asked(sandbox)[usual:] if "/users/@me" in path and ".." in path.replace("%2F", "/")]
    assert strayed == []


async def _paths(sandbox: Sandbox, call: Any) -> list[str]:
    await call
    return asked(sandbox)


@each_tool
async def test_a_change_of_nothing_is_refused(sandbox: Sandbox, tool: str) -> None:
    shape = own_tools()[tool].shape
    if "clear" not in shape.slots:
        pytest.skip("it changes nothing in part")
    needed = {name for name, slot in shape.slots.items() if slot.required} | {"__confirm"}
    place = {name: value for name, value in example(sandbox, tool).items() if name in needed}

    async with desk(sandbox) as served:
        refused = await served.call(tool, place)

    assert refused.code == "VALIDATION_FAILED"
    assert served.writes == []


@pytest.mark.parametrize("tool", [name for name in CONTRACT if name in own_tools()])
def test_a_reason_is_taken_where_discord_records_one(tool: str) -> None:
    takes_one = "audit_reason" in own_tools()[tool].shape.slots

    assert takes_one == CONTRACT[tool]["reason"] or tool in UNRECORDED


def free_forms(schema: Any, path: str = "") -> Iterator[str]:
    """The paths of objects in a checked schema of which anything goes."""
    named_freely = schema.get("additionalProperties") or {}
    if schema.get("type") == "object" and "properties" not in schema and not named_freely:
        yield path
    yield from free_forms(named_freely, f"{path}.*") if named_freely else ()
    for name, member in schema.get("properties", {}).items():
        yield from free_forms(member, f"{path}.{name}" if path else name)
    if "items" in schema:
        yield from free_forms(schema["items"], f"{path}[]")
    for arm in schema.get("anyOf", ()):
        yield from free_forms(arm, path)


@each_tool
def test_the_form_of_every_object_is_known(tool: str) -> None:
    found = {f"{tool}.{path}" for path in free_forms(own_tools()[tool].shape.checked)}

    assert found <= FREE_FORM.keys(), "give it a TypedDict, or say why not in tests/contracts/departures.py"


# --- What is said of it afterwards ------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", WRITES)
async def test_every_write_leaves_a_record(sandbox: Sandbox, tool: str, capfd: pytest.CaptureFixture[str]) -> None:
    async with desk(sandbox, MCP_AUDIT_SINK="stderr") as served:
        await served.call(tool, example(sandbox, tool))

    told = [line for line in capfd.readouterr().err.splitlines() if f'"{tool}"' in line]
    assert [line for line in told if '"outcome":"success"' in line] == told[-1:]


def secrets_of(sandbox: Sandbox) -> Iterator[str]:
    """Every token that the sandbox knows."""
    yield sandbox.token
    yield from (str(hook["token"]) for hook in sandbox.world.webhooks.values() if hook.get("token"))
    yield from sandbox.world.interactions
    yield from sandbox.world.bearers


@each_tool
async def test_no_result_holds_a_token(sandbox: Sandbox, tool: str) -> None:
    async with desk(sandbox) as served:
        reply = await served.call(tool, example(sandbox, tool))

    shown = f"{reply.text} {reply.structured}"
    assert [secret for secret in secrets_of(sandbox) if secret in shown] == []


def test_a_departure_is_of_something_that_there_is() -> None:
    assert [tool for tool in UNRECORDED if tool not in own_tools()] == []
    assert [place for place in FREE_FORM if place.partition(".")[0] not in own_tools()] == []
