"""The prepared list: the same entries as bytes and as values, derived or shipped."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from tests.engine.small_server import tool_of

from accord.engine import Effect, Tool, entry, listing, load, prepared


async def read(client: object, guild_id: str, place: str) -> None:
    """Read "something"."""


async def ask(client: object, place: str) -> dict[str, Any]:
    """Ask."""
    return {}


async def remove(client: object, guild_id: str) -> None:
    """Remove."""


def reads(tool: Tool) -> frozenset[str]:
    """Name what a server adds to the tools that only read."""
    return frozenset() if tool.effect.writes else frozenset({"guild_id"})


TOOLS = [tool_of(read), tool_of(ask), tool_of(remove, Effect.DELETE)]


def test_the_bytes_are_the_entries() -> None:
    made = listing(TOOLS, {})

    assert orjson.loads(made.wire) == list(made) == [entry(tool) for tool in TOOLS]


def test_an_empty_list_is_a_list() -> None:
    assert listing([], {}).wire == b"[]"


def test_what_is_prepared_is_what_would_be_derived() -> None:
    assert listing(TOOLS, load(prepared(TOOLS))).wire == listing(TOOLS, {}).wire


def test_a_shipped_entry_is_served_as_it_is() -> None:
    shipped = {"read": b'{"name":"read","shipped":true}'}

    made = listing(TOOLS, shipped)

    assert made[0] == {"name": "read", "shipped": True}
    assert shipped["read"] in made.wire
    assert made[1] == entry(TOOLS[1])


def test_prepared_entries_are_found_by_name_an_entry_a_line() -> None:
    lines = prepared(TOOLS)

    assert len(lines.splitlines()) == len(TOOLS)
    assert list(load(lines)) == ["read", "ask", "remove"]


@pytest.mark.parametrize("shipped", [{}, load(prepared(TOOLS))], ids=["derived", "shipped"])
def test_an_argument_that_the_server_fills_in_is_not_required(shipped: dict[str, bytes]) -> None:
    read_entry, ask_entry, _ = listing(TOOLS, shipped, reads)

    assert read_entry["inputSchema"]["required"] == ["place"]
    assert ask_entry["inputSchema"]["required"] == ["place"]
    assert "guild_id" in read_entry["inputSchema"]["properties"]


def test_what_the_server_does_not_fill_in_keeps_its_requirement() -> None:
    *_, remove_entry = listing(TOOLS, {}, reads)

    assert remove_entry["inputSchema"]["required"] == ["guild_id"]


def test_a_tool_that_promises_nothing_lists_no_output_schema() -> None:
    assert "outputSchema" not in entry(TOOLS[0])
