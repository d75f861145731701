"""The resources of discord-mcp: schema and templates of laid out messages, in both eras, whatever is switched off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsonschema_rs
import orjson
import pytest
from mcp.types import TextResourceContents
from tests.served import desk

from accord.discord import RESOURCES
from accord.discord.components.templates import TEMPLATES
from accord.discord.sandbox import demo

if TYPE_CHECKING:
    from mcp import Client
    from tests.served import Era

    from accord.discord.sandbox import Sandbox

SCHEMA = "discord://components-v2/schema"
URIS = {SCHEMA, *(f"discord://components-v2/templates/{name}" for name in TEMPLATES)}
both_eras = pytest.mark.parametrize("era", ["2025", "2026"])


async def read(client: Client, uri: str) -> tuple[str, Any]:
    (contents,) = (await client.read_resource(uri)).contents
    assert isinstance(contents, TextResourceContents)
    assert (contents.uri, contents.mime_type) == (uri, "application/json")
    return contents.text, orjson.loads(contents.text)


@both_eras
async def test_six_resources_are_listed_and_can_be_read(sandbox: Sandbox, era: Era) -> None:
    async with desk(sandbox, era, MCP_CATEGORIES="messages") as served:
        listed = (await served.client.list_resources()).resources
        texts = [(await read(served.client, one.uri))[0] for one in listed]

    assert {one.uri for one in listed} == URIS == {one.uri for one in RESOURCES}
    assert {one.mime_type for one in listed} == {"application/json"}
    assert all(one.name and one.title and one.description for one in listed)
    assert len({one.name for one in listed}) == 6
    assert all(text.startswith('{\n  "') for text in texts)
    assert sandbox.requests == ()


async def test_what_fits_the_schema_can_be_sent(sandbox: Sandbox) -> None:
    layout = [{"type": 17, "components": [{"type": 10, "content": "x"}]}]

    async with desk(sandbox) as served:
        _, schema = await read(served.client, SCHEMA)
        sent = await served.call("components_v2_send", channel_id=demo.GENERAL, components=layout)

    jsonschema_rs.validate(schema, layout)
    assert not jsonschema_rs.is_valid(schema, [{"type": 17, "components": layout}])
    assert not sent.failed


@pytest.mark.parametrize("name", TEMPLATES)
async def test_a_template_says_all_that_is_needed_to_send_it(sandbox: Sandbox, name: str) -> None:
    async with desk(sandbox) as served:
        _, template = await read(served.client, f"discord://components-v2/templates/{name}")
        known = {
            "avatar_url": "https://x.example/a",
            "cta_url": "https://x.example",
            "download_url": "https://x.example",
        }
        ids = {"role_id_member": demo.MEMBER_ROLE, "rules_channel_id": demo.GENERAL}
        values = {variable: variable for variable in template["variables"]}
        values |= {key: value for key, value in (known | ids).items() if key in values}
        sent = await served.call(
            "components_v2_send_from_template", channel_id=demo.GENERAL, template=name, vars=values
        )

    assert template["name"] == name
    assert "{{" in str(template["components"])
    assert not sent.failed, sent.text
