"""What a tool answers fits what it promised: success and failure, in both eras, as structured data and as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsonschema_rs
import orjson
import pytest
from tests.discord.tools.usual_calls import REFUSED, TOOLS, example
from tests.served import desk

if TYPE_CHECKING:
    from mcp.types import Tool
    from tests.served import Desk, Era

    from accord.discord.sandbox import Sandbox

ERAS: list[Era] = ["2025", "2026"]


async def promised(served: Desk, name: str) -> dict[str, Any]:
    """The output schema that the server publishes for a tool."""
    listed: list[Tool] = (await served.client.list_tools()).tools
    (schema,) = [tool.output_schema for tool in listed if tool.name == name]
    assert schema is not None
    return schema


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("tool", TOOLS)
async def test_a_success_fits_the_output_schema_and_its_text_holds_the_same(
    sandbox: Sandbox, tool: str, era: Era
) -> None:
    async with desk(sandbox, era) as served:
        schema = await promised(served, tool)
        reply = await served.call(tool, example(sandbox, tool))

    assert not reply.failed
    jsonschema_rs.validate(schema, reply.structured)
    (body,) = [line for line in reply.text.splitlines() if line.startswith("{")]
    assert orjson.loads(body) == reply.structured


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("tool", REFUSED)
async def test_a_failure_fits_the_output_schema_too(sandbox: Sandbox, tool: str, era: Era) -> None:
    async with desk(sandbox, era) as served:
        schema = await promised(served, tool)
        reply = await served.call(tool, REFUSED[tool].arguments)

    assert reply.failed
    jsonschema_rs.validate(schema, reply.structured)
    assert {"code", "retriable", "category", "recovery_hint"} <= reply.structured.keys()
    assert reply.structured["code"] == REFUSED[tool].code


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_result_names_only_what_the_schema_names(sandbox: Sandbox, tool: str) -> None:
    async with desk(sandbox) as served:
        schema = await promised(served, tool)
        reply = await served.call(tool, example(sandbox, tool))

    assert reply.structured.keys() <= schema["properties"].keys()
