"""Each way in which the judge reads the file otherwise than it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest
from tests.judge.rewrites import DOCUMENTED_ROUTES, READ_EVERYWHERE, READ_IN_BODIES, Rewrite, Schema, rewritten
from tests.judge.schemas import Schemas
from tests.judge_tests.wire import MESSAGES, asked

if TYPE_CHECKING:
    from tests.judge import Judge

REWRITES = (*READ_EVERYWHERE, *READ_IN_BODIES)
APPLICATOR_KEYWORDS = {"not", "if", "prefixItems", "contains", "patternProperties", "propertyNames", "dependentSchemas"}


def fits(schema: Schema, value: Any) -> bool:
    """Whether a value fits a schema that has had every rewrite."""
    document = {"paths": {}, "components": {"schemas": {"It": schema}}}
    schemas = Schemas(rewritten(document, REWRITES))
    return not schemas.flaws(("components", "schemas", "It"), value)


@pytest.mark.parametrize("rewrite", REWRITES, ids=lambda rewrite: rewrite.name)
def test_every_rewrite_still_finds_something_to_change_in_the_file(document: Schema, rewrite: Rewrite) -> None:
    assert rewritten(document, [rewrite]) != document


def test_the_file_itself_stays_as_it_is(document: Schema) -> None:
    before = orjson.dumps(document)

    rewritten(document, REWRITES)

    assert orjson.dumps(document) == before


def test_the_rewrites_know_every_keyword_of_the_file_that_has_schemas_inside(document: Schema) -> None:
    assert not APPLICATOR_KEYWORDS & set(keywords(document["components"]["schemas"].values()))


@pytest.mark.parametrize(("path", "item"), DOCUMENTED_ROUTES.items())
def test_a_route_added_to_the_file_is_still_missing_in_it(document: Schema, path: str, item: Schema) -> None:
    methods = item.keys() - {"parameters"}

    assert not methods & document["paths"].get(path, {}).keys()


def test_what_the_file_says_of_an_added_routes_path_stands(judge: Judge) -> None:
    found = judge.operation_of("GET", "/applications/1/guilds/2/commands/permissions")

    assert found is not None
    assert found.id in judge.operations


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/applications/1/skus", None),
        ("PATCH", "/guilds/1/members/@me/nick", {"nick": "blob"}),
        ("PUT", "/applications/1/guilds/2/commands/permissions", [{"id": "3", "permissions": []}]),
    ],
)
def test_a_documented_route_that_the_file_lacks_is_allowed(judge: Judge, method: str, path: str, body: Any) -> None:
    assert asked(judge, method, path, body) == []


def test_an_enum_of_nothing_allows_what_stands_beside_it(judge: Judge) -> None:
    assert asked(judge, "GET", "/guilds/1/requests", query="status=SUBMITTED") == []
    assert asked(judge, "GET", "/guilds/1/requests", query="status=LOST") != []


@pytest.mark.parametrize("permissions", [8, "8", "18014398509481983", None])
def test_permissions_may_be_an_integer_or_its_digits(judge: Judge, permissions: object) -> None:
    assert asked(judge, "POST", "/guilds/1/roles", {"permissions": permissions}) == []


@pytest.mark.parametrize("permissions", ["", "eight", "8.5", "0x8"])
def test_permissions_are_no_other_text(judge: Judge, permissions: str) -> None:
    assert asked(judge, "POST", "/guilds/1/roles", {"permissions": permissions}) != []


def test_a_commands_permissions_may_be_digits_although_they_have_a_maximum(judge: Judge) -> None:
    command = {"name": "blob", "description": "A blob.", "default_member_permissions": "2147483648"}

    assert asked(judge, "POST", "/applications/1/commands", command) == []


def test_an_integer_with_a_small_maximum_stays_an_integer() -> None:
    slowmode = {"type": "integer", "minimum": 0, "maximum": 21600}

    assert fits(slowmode, 60)
    assert not fits(slowmode, "60")


def test_an_integer_with_listed_values_stays_an_integer() -> None:
    kind = {"type": "integer", "oneOf": [{"title": "ROLE", "const": 0}, {"title": "MEMBER", "const": 1}]}

    assert fits(kind, 1)
    assert not fits(kind, "1")
    assert not fits(kind, 2)


@pytest.mark.parametrize("nonce", [12, "12", "blob", None])
def test_a_nonce_is_one_of_its_kinds_even_where_two_of_them_fit(judge: Judge, nonce: object) -> None:
    assert asked(judge, "POST", MESSAGES, {"content": "x", "nonce": nonce}) == []


def test_a_nonce_of_no_kind_is_refused(judge: Judge) -> None:
    assert asked(judge, "POST", MESSAGES, {"content": "x", "nonce": []}) != []


@pytest.mark.parametrize("sticker", [5, "5", 1234567890123456789])
def test_a_snowflake_may_be_an_integer(judge: Judge, sticker: object) -> None:
    assert asked(judge, "POST", MESSAGES, {"sticker_ids": [sticker]}) == []


@pytest.mark.parametrize("sticker", [-5, "-5", "05", "blob", 1.5])
def test_a_snowflake_is_nothing_else(judge: Judge, sticker: object) -> None:
    assert asked(judge, "POST", MESSAGES, {"sticker_ids": [sticker]}) != []


def test_an_object_takes_only_what_it_names() -> None:
    assert fits({"type": "object", "properties": {"name": {"type": "string"}}}, {"name": "x"})
    assert not fits({"type": "object", "properties": {"name": {"type": "string"}}}, {"nmae": "x"})


def test_an_object_that_names_nothing_takes_nothing() -> None:
    assert fits({"type": "object", "properties": {}}, {})
    assert not fits({"type": "object", "properties": {}}, {"name": "x"})


def test_a_property_called_properties_is_no_list_of_properties() -> None:
    schema = {"type": "object", "properties": {"properties": {"type": "string"}, "type": {"type": "integer"}}}

    assert fits(schema, {"properties": "x", "type": 5})


def test_an_object_with_free_keys_stays_open() -> None:
    schema = {
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "additionalProperties": {"type": "integer"},
    }

    assert fits(schema, {"name": "x", "anything": 5})


def test_the_members_of_an_all_of_stay_open_to_each_other() -> None:
    schema = {
        "allOf": [
            {"type": "object", "properties": {"name": {"type": "string"}}},
            {"type": "object", "properties": {"size": {"type": "integer"}}},
        ]
    }

    assert fits(schema, {"name": "x", "size": 5})


@pytest.mark.parametrize("path", ["/applications/@me", "/applications/1"])
def test_an_applications_description_is_text(judge: Judge, path: str) -> None:
    assert asked(judge, "PATCH", path, {"description": "A bot."}) == []
    assert asked(judge, "PATCH", path, {"description": {"default": "A bot."}}) != []


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/guilds/1/channels", {"name": "x", "flags": 16}),
        ("PATCH", "/channels/1", {"flags": 16}),
        ("POST", "/guilds/1/prune", {"days": 7, "reason": "asleep"}),
        ("POST", "/applications/1/commands", {"name": "x", "nsfw": True, "default_permission": False}),
        ("PATCH", "/applications/1/commands/2", {"nsfw": True, "default_permission": False}),
        ("PUT", "/applications/1/commands", [{"name": "x", "nsfw": True, "default_permission": False}]),
    ],
)
def test_a_documented_field_that_the_file_lacks_is_allowed(judge: Judge, method: str, path: str, body: Any) -> None:
    assert asked(judge, method, path, body) == []


def test_formats_and_encodings_are_remarks(judge: Judge) -> None:
    emoji = {"name": "blob", "image": "data:image/png;base64,iVBORw0KGgo="}

    assert asked(judge, "POST", "/guilds/1/emojis", emoji) == []


def keywords(schemas: Any) -> set[str]:
    """Every keyword of some schemas and of the schemas inside them; names of properties are no keywords."""
    found = set()
    for schema in schemas:
        inner = [value for key in ("allOf", "anyOf", "oneOf") for value in schema.get(key, ())]
        inner += schema.get("properties", {}).values()
        inner += [schema[key] for key in ("items", "additionalProperties") if isinstance(schema.get(key), dict)]
        found |= schema.keys() | keywords(inner)
    return found
