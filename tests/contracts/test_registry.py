"""What is true of every registered tool."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import orjson
import pytest
from tests.discord.tools.usual_calls import example
from tests.lint import portability_faults
from tests.served import desk

import accord.discord.tools
from accord.discord import TOOLSETS
from accord.discord.access import CIRCUMSTANCES, Access, GuildSource, access_of, guild_source, secrets_of
from accord.discord.app import own_tools
from accord.discord.gates import PAYLOAD_TOOLS
from accord.discord.models.permissions import BITS
from accord.engine import prepared, slots_of
from accord.engine.tools.schema import is_record, is_untrusted, origin_of, unwrapped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from accord.discord.sandbox import Sandbox
    from accord.engine import Tool

KNOWN = orjson.loads((Path(__file__).parent / "contract.json").read_bytes())
MOST_KNOWN_CHARACTERS, MOST_NEW_CHARACTERS = 64, 40
LEAST_TOOLS = 236
MOST_READ_TOKENS, MOST_LISTED_TOKENS = 45_000, 85_000
BYTES_A_TOKEN = 4
MOST_DESCRIPTION_CHARACTERS = 400
MOST_BODY_LINES = 10
ERROR_ENVELOPE = {"code": "X", "retriable": False, "category": "client", "recovery_hint": "x", "issues": [{"path": ""}]}
NO_SNOWFLAKES = {"answer_id", "instance_id"}  # a number within a message, and an activity's words
SHORT = {"sound_id": "^[1-9][0-9]{0,19}$"}  # Discord's default sounds have short ids
OF_THE_CONTRACT = {
    "components_v2_validate.issues",
    "guild_get_vanity_url.code",
    "invites_create_channel.code",
    "invites_delete.code",
    "invites_get.code",
}
"""Fields that bear an error's name: they are documented so, and look as they do in an error."""

TYPES_OF_JSON: dict[str, type] = {"string": str, "integer": int, "number": float, "boolean": bool}

each_tool = pytest.mark.parametrize("tool", own_tools().values(), ids=lambda tool: tool.name)


# --- Names and descriptions ------------------------------------------------------------------------------------------


def test_names_are_unique() -> None:
    names = [tool.name for toolset in TOOLSETS for tool in toolset]

    assert sorted(set(names)) == sorted(names)


def test_every_toolset_of_the_package_is_listed() -> None:
    modules = [module.name for module in pkgutil.iter_modules(accord.discord.tools.__path__)]
    toolsets = [importlib.import_module(f"accord.discord.tools.{name}").tools for name in modules]

    assert {id(toolset) for toolset in toolsets} == {id(toolset) for toolset in TOOLSETS}


@each_tool
def test_a_name_fits_every_host_beside_a_servers_name(tool: Tool) -> None:
    most = MOST_KNOWN_CHARACTERS if tool.name in KNOWN else MOST_NEW_CHARACTERS

    assert re.fullmatch(r"[a-z][a-z0-9_]+", tool.name)
    assert len(tool.name) <= most


@each_tool
def test_the_names_of_arguments_are_short_too(tool: Tool) -> None:
    names = tool.shape.published["properties"]

    assert [name for name in names if not re.fullmatch(r"(__)?[a-z][a-z0-9_]{0,37}", name)] == []


@each_tool
def test_a_description_is_a_few_plain_sentences(tool: Tool) -> None:
    assert 20 < len(tool.description) < MOST_DESCRIPTION_CHARACTERS
    assert not re.search(r"^\s*(#|[-*] )", tool.description, re.MULTILINE)
    assert tool.description.rstrip().endswith(".")


@each_tool
def test_an_opaque_argument_names_the_members_that_it_does_not_show(tool: Tool) -> None:
    marked = {name: unwrapped(slot.hint) for name, slot in tool.shape.slots.items()}

    for name, (bare, mark) in marked.items():
        record = unwrapped(get_args(bare)[0])[0] if origin_of(bare) is list else bare
        members = slots_of(record) if mark.opaque and is_record(record) else {}
        required = [one for one, slot in members.items() if slot.required] or list(members)
        assert [one for one in required if not re.search(rf"\b{one}\b", mark.description or "")] == [], name


# --- Effects ---------------------------------------------------------------------------------------------------------


@each_tool
def test_what_destroys_is_confirmed_and_says_so_in_its_schema(tool: Tool) -> None:
    published = tool.shape.published["properties"]

    gated = tool.confirms or tool.condition is not None or tool.name in PAYLOAD_TOOLS
    assert tool.effect.destroys == tool.confirms == tool.hints["destructiveHint"]
    assert gated == ("__confirm" in published)
    assert published.get("__confirm", {"type": "boolean"})["type"] == "boolean"
    assert "__confirm" not in tool.shape.published.get("required", ())


@each_tool
def test_the_four_hints_agree_with_the_effect(tool: Tool) -> None:
    assert tool.hints == {
        "readOnlyHint": not tool.effect.writes,
        "destructiveHint": tool.effect.destroys,
        "idempotentHint": tool.idempotent,
        "openWorldHint": tool.open_world,
    }


@pytest.mark.parametrize("name", [name for name, tool in own_tools().items() if not tool.open_world])
async def test_a_tool_that_says_that_it_reaches_nobody_asks_nothing(sandbox: Sandbox, name: str) -> None:
    async with desk(sandbox) as served:
        reply = await served.call(name, example(sandbox, name))

    assert not reply.failed
    assert sandbox.requests == ()


# --- Input schemas ---------------------------------------------------------------------------------------------------


@each_tool
def test_an_input_schema_is_plain_enough_for_every_host(tool: Tool) -> None:
    assert portability_faults(tool.shape.published) == []


@each_tool
def test_a_default_is_of_its_arguments_type(tool: Tool) -> None:
    stated = [member for member in tool.shape.published["properties"].values() if "default" in member]

    assert all(isinstance(member["default"], TYPES_OF_JSON[member["type"]]) for member in stated)


@each_tool
def test_ids_are_strings_of_digits(tool: Tool) -> None:
    properties = tool.shape.published["properties"].items()
    own = {name: member for name, member in properties if not name.startswith("__")}
    ids = {name: member for name, member in own.items() if name.endswith("_id") and name not in NO_SNOWFLAKES}

    forms = {name: (member["type"], member["pattern"]) for name, member in ids.items()}
    assert forms == {name: ("string", SHORT.get(name, "^[0-9]{17,20}$")) for name in ids}


# --- Output schemas --------------------------------------------------------------------------------------------------


@each_tool
def test_an_output_schema_requires_nothing_and_is_open(tool: Tool) -> None:
    output = tool.shape.output

    assert output is not None
    assert output["type"] == "object"
    assert [part for part in _objects(output) if "required" in part or "additionalProperties" in part] == []


def _objects(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for part in schema.values():
            yield from _objects(part)


@each_tool
def test_no_field_of_a_result_can_be_mistaken_for_one_of_an_error(tool: Tool) -> None:
    output = tool.shape.output

    assert output is not None
    both = ERROR_ENVELOPE.keys() & output["properties"].keys()
    assert {f"{tool.name}.{field}" for field in both} <= OF_THE_CONTRACT


# --- The sentence of a reply -----------------------------------------------------------------------------------------


@each_tool
def test_a_sentence_names_trusted_values_only(tool: Tool) -> None:
    say = tool.run.args[2]  # type: ignore[attr-defined]  # a partial: its third argument is the tool's Say
    known = {**tool.shape.slots, **slots_of(tool.shape.result)}

    assert say.words
    assert not [name for name in say.names if is_untrusted(known[name].hint)]


# --- What a tool needs -----------------------------------------------------------------------------------------------


@each_tool
def test_every_tool_says_what_it_needs_of_discord(tool: Tool) -> None:
    access = access_of(tool)

    named = {*access.permissions, *access.any_of, *(name for names in access.when.values() for name in names)}
    assert isinstance(tool.facts.get("access"), Access), "say it with facts=needs(...)"
    assert named <= BITS.keys()
    assert guild_source(tool) in get_args(GuildSource)


@each_tool
def test_what_a_tool_needs_only_sometimes_can_be_told_from_a_call(tool: Tool) -> None:
    access = access_of(tool)
    arguments = {*access.when, *access.above_for} - CIRCUMSTANCES

    assert arguments <= tool.shape.slots.keys(), "neither an argument nor a Circumstance of access.py"
    assert access.counts_in in {None, *tool.shape.slots}


@each_tool
def test_a_token_among_the_arguments_is_a_credential(tool: Tool) -> None:
    named = {name for name in tool.shape.slots if name.endswith(("token", "secret", "password"))}

    assert named <= set(secrets_of(tool))


# --- What the list costs ---------------------------------------------------------------------------------------------


def test_there_are_tools_for_everything() -> None:
    assert len(own_tools()) >= LEAST_TOOLS


def test_the_list_fits_into_a_models_context(entries: dict[str, dict[str, Any]]) -> None:
    read = [{name: entry[name] for name in ("name", "description", "inputSchema")} for entry in entries.values()]

    assert len(orjson.dumps(read)) / BYTES_A_TOKEN <= MOST_READ_TOKENS
    assert len(orjson.dumps(list(entries.values()))) / BYTES_A_TOKEN <= MOST_LISTED_TOKENS


# --- The prepared listing --------------------------------------------------------------------------------------------


def test_the_prepared_listing_is_current() -> None:
    shipped = files("accord.discord.tools").joinpath("listing.jsonl").read_bytes()

    assert shipped == prepared(own_tools().values()), "run `make docs`"


async def test_a_server_lists_what_was_prepared(sandbox: Sandbox, entries: dict[str, dict[str, Any]]) -> None:
    async with desk(sandbox) as served:
        listed = (await served.client.list_tools()).tools

    shown = {one.name: one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in listed}
    assert list(shown) == list(entries)
    assert shown == entries


# --- Style -----------------------------------------------------------------------------------------------------------


@each_tool
def test_a_tools_body_is_short(tool: Tool) -> None:
    function = tool.run.args[0]  # type: ignore[attr-defined]  # a partial: its first argument is the function
    (tree,) = ast.parse(inspect.getsource(function)).body
    assert isinstance(tree, ast.AsyncFunctionDef)
    first, last = tree.body[1], tree.body[-1]

    assert (last.end_lineno or 0) - first.lineno + 1 <= MOST_BODY_LINES
