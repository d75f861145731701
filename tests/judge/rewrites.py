"""Where Discord's OpenAPI file says something other than Discord does, and what the judge reads there instead."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any

Schema = dict[str, Any]
Change = Callable[[Schema], Schema]

SAFE_INTEGER = 2**53 - 1
"""The largest integer that every JSON reader keeps exact (RFC 8259, section 6)."""

_SNOWFLAKE: Schema = {"$ref": "#/components/schemas/SnowflakeType"}
_DIGITS: Schema = {"type": "string", "pattern": r"^-?\d+$"}
_VALUE_LISTS = frozenset({"enum", "const", "oneOf", "anyOf", "allOf"})


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One correction and its reason: of every schema, or of the one component that `component` names."""

    name: str
    why: str
    change: Change
    component: str | None = None


def rewritten(document: Schema, rewrites: Iterable[Rewrite]) -> Schema:
    """Return a copy of an OpenAPI document with the rewrites applied, those of single components last."""
    rewrites = tuple(rewrites)
    everywhere = [rewrite.change for rewrite in rewrites if rewrite.component is None]
    schemas = {name: _deep(schema, everywhere) for name, schema in document["components"]["schemas"].items()}
    for rewrite in rewrites:
        if rewrite.component in schemas:
            schemas[rewrite.component] = rewrite.change(schemas[rewrite.component])
    components = {**document["components"], "schemas": schemas}
    return {**document, "components": components, "paths": _within_paths(document["paths"], everywhere)}


def _within_paths(node: Any, changes: list[Change]) -> Any:
    if isinstance(node, list):
        return [_within_paths(item, changes) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: _deep(value, changes) if key == "schema" else _within_paths(value, changes) for key, value in node.items()
    }


def _deep(schema: Schema, changes: list[Change]) -> Schema:
    """Change the schemas inside first, so that no change meets its own result."""
    inner = {key: _keyword(key, value, changes) for key, value in schema.items()}
    return reduce(lambda changed, change: change(changed), changes, inner)


def _keyword(key: str, value: Any, changes: list[Change]) -> Any:
    if key == "properties":
        return {name: _deep(schema, changes) for name, schema in value.items()}
    if key in {"allOf", "anyOf", "oneOf"}:
        return [_deep(schema, changes) for schema in value]
    if key in {"items", "additionalProperties"} and isinstance(value, dict):
        return _deep(value, changes)
    return value


def _without_empty_enum(schema: Schema) -> Schema:
    return {key: value for key, value in schema.items() if key != "enum" or value != []}


def _any_of(schema: Schema) -> Schema:
    if "oneOf" not in schema:
        return schema
    return {("anyOf" if key == "oneOf" else key): value for key, value in schema.items()}


def _or_digits(schema: Schema) -> Schema:
    kinds = schema.get("type")
    if kinds != "integer" and not (isinstance(kinds, list) and "integer" in kinds):
        return schema
    if _VALUE_LISTS & schema.keys() or ("maximum" in schema and schema["maximum"] <= SAFE_INTEGER):
        return schema
    return {"anyOf": [schema, _DIGITS]}


def _closed(schema: Schema) -> Schema:
    if "allOf" in schema:
        return {**schema, "allOf": [_opened(member) for member in schema["allOf"]]}
    if "properties" not in schema:
        return schema
    return {"additionalProperties": False, **schema}


def _opened(schema: Schema) -> Schema:
    return {key: value for key, value in schema.items() if (key, value) != ("additionalProperties", False)}


def _optional(schema: Schema) -> Schema:
    return {key: value for key, value in schema.items() if key != "required"}


def _adding(**properties: Schema) -> Change:
    return lambda schema: {**schema, "properties": {**schema["properties"], **properties}}


READ_EVERYWHERE = (
    Rewrite(
        "an enum of nothing allows anything",
        "join requests: `enum: []` beside an allOf that has the values would refuse every value",
        _without_empty_enum,
    ),
)
"""What is wrong on both sides of an exchange."""

READ_IN_BODIES = (
    Rewrite(
        "oneOf is read as anyOf",
        "the file's README: a union means one of, and the digits below make some unions (nonce) ambiguous",
        _any_of,
    ),
    Rewrite(
        "a wide integer may be digits",
        "the file's README: integer fields take what parses as one, and permissions are sent so; an integer that fits "
        "every JSON reader has no need of it, and as a string would escape its limits",
        _or_digits,
    ),
    Rewrite(
        "an object takes only what it names",
        "only one schema of the file is closed, so that a misspelt key, which Discord drops without a word, would pass",
        _closed,
    ),
    Rewrite(
        "a snowflake may be an integer",
        "the documentation's own examples number attachments 0, 1, 2",
        lambda schema: {"anyOf": [schema, {"type": "integer", "minimum": 0}]},
        component="SnowflakeType",
    ),
    Rewrite(
        "an application's description is text",
        "the file has an object of localisations, the documentation a string",
        _adding(description={"type": ["string", "null"], "maxLength": 400}),
        component="ApplicationFormPartial",
    ),
    Rewrite(
        "the bot's account changes in part",
        "the file requires a user name, the documentation says that all parameters are optional",
        _optional,
        component="BotAccountPatchRequest",
    ),
    Rewrite(
        "a channel is created with flags",
        "documented for Create Guild Channel, missing in the file",
        _adding(flags={"type": ["integer", "null"]}),
        component="CreateGuildChannelRequest",
    ),
    Rewrite(
        "a prune has a reason",
        "documented (deprecated), missing in the file",
        _adding(reason={"type": ["string", "null"]}),
        component="PruneGuildRequest",
    ),
    *(
        Rewrite(
            f"a command has nsfw and default_permission ({component})",
            "documented, missing in the file",
            _adding(nsfw={"type": ["boolean", "null"]}, default_permission={"type": ["boolean", "null"]}),
            component=component,
        )
        for component in (
            "ApplicationCommandCreateRequest",
            "ApplicationCommandPatchRequestPartial",
            "ApplicationCommandUpdateRequest",
        )
    ),
)
"""What is wrong about the bodies of requests."""


def _ids_in_path(*names: str) -> list[Schema]:
    return [{"name": name, "in": "path", "required": True, "schema": _SNOWFLAKE} for name in names]


def _json(schema: Schema) -> Schema:
    return {"content": {"application/json": {"schema": schema}}}


_NICK: Schema = {"type": "object", "properties": {"nick": {"type": ["string", "null"], "maxLength": 32}}}
_OBJECTS: Schema = {"type": "array", "items": {"type": "object"}}

DOCUMENTED_ROUTES: Schema = {
    "/applications/{application_id}/skus": {
        "parameters": _ids_in_path("application_id"),
        "get": {"operationId": "list_skus", "responses": {"200": _json(_OBJECTS)}},
    },
    "/guilds/{guild_id}/members/@me/nick": {
        "parameters": _ids_in_path("guild_id"),
        "patch": {
            "operationId": "modify_current_user_nick",
            "requestBody": _json(_NICK),
            "responses": {"200": _json(_NICK)},
        },
    },
    "/applications/{application_id}/guilds/{guild_id}/commands/permissions": {
        "parameters": _ids_in_path("application_id", "guild_id"),
        "put": {
            "operationId": "batch_edit_application_command_permissions",
            "requestBody": _json(_OBJECTS),
            "responses": {"200": _json(_OBJECTS)},
        },
    },
}
"""Routes that Discord documents and the file lacks: methods of paths to be read beside its own."""


def with_documented_routes(document: Schema) -> Schema:
    """Return a copy of an OpenAPI document that knows the documented routes; what it says itself stands."""
    paths = document["paths"]
    added = {path: {**item, **paths.get(path, {})} for path, item in DOCUMENTED_ROUTES.items()}
    return {**document, "paths": {**paths, **added}}
