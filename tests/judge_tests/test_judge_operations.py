"""From a method and a path to one of Discord's operations."""

from __future__ import annotations

import pytest
from tests.judge import Judge
from tests.judge.operations import JSON, operations_of
from tests.judge.rewrites import READ_EVERYWHERE, READ_IN_BODIES, Schema, rewritten
from tests.judge.schemas import Schemas
from tests.judge_tests.wire import asked


def test_the_file_has_242_operations(judge: Judge) -> None:
    assert len(judge.operations) == 242


def test_every_schema_of_a_body_compiles(document: Schema) -> None:
    schemas = Schemas(rewritten(document, (*READ_EVERYWHERE, *READ_IN_BODIES)))
    places = [operation.body_schema(kind) for operation in operations_of(document) for kind in operation.bodies]

    assert len({schemas.compiled(place) for place in places}) == 112


def test_every_schema_of_an_answer_and_of_a_parameter_compiles(document: Schema) -> None:
    schemas = Schemas(rewritten(document, READ_EVERYWHERE))

    for operation in operations_of(document):
        for parameter in (*operation.path_parameters, *operation.query_parameters.values()):
            schemas.compiled(parameter.schema)
        for status, content_type in operation.answers.items():
            if content_type == JSON:
                schemas.compiled(operation.answer_schema(status, JSON))


@pytest.mark.parametrize(
    ("method", "path", "operation"),
    [
        ("GET", "/users/@me", "get_my_user"),
        ("GET", "/users/1", "get_user"),
        ("get", "/users/1", "get_user"),
        ("GET", "/guilds/1/members/search", "search_guild_members"),
        ("GET", "/guilds/1/members/2", "get_guild_member"),
        ("PATCH", "/guilds/1/members/@me", "update_my_guild_member"),
        ("PATCH", "/guilds/1/members/2", "update_guild_member"),
        ("POST", "/channels/1/messages", "create_message"),
        ("POST", "/channels/1/messages/bulk-delete", "bulk_delete_messages"),
        ("GET", "/channels/1/messages/pins", "list_pins"),
        ("PUT", "/channels/1/messages/2/reactions/%F0%9F%91%8D/@me", "add_my_message_reaction"),
        ("PUT", "/channels/1/messages/2/reactions/blob%3A5/%40me", "add_my_message_reaction"),
        ("PATCH", "/webhooks/1/token/messages/@original", "update_original_webhook_message"),
        ("PATCH", "/webhooks/1/token/messages/2", "update_webhook_message"),
    ],
)
def test_the_most_literal_path_wins(judge: Judge, method: str, path: str, operation: str) -> None:
    found = judge.operation_of(method, path)

    assert found is not None
    assert found.id == operation


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/guilds/1/members-search"),
        ("GET", "/api/v10/users/@me"),
        ("BREW", "/users/@me"),
        ("GET", "/channels//messages"),
        ("GET", "/users/@me/"),
    ],
)
def test_an_operation_that_discord_has_not_is_a_violation(judge: Judge, method: str, path: str) -> None:
    assert judge.operation_of(method, path) is None
    assert asked(judge, method, path) == [f"{method} {path}: Discord has no such operation"]


def test_an_operation_that_was_asked_for_is_seen() -> None:
    described = {"operationId": "get_thing", "responses": {}}
    judge = Judge({"paths": {"/thing": {"get": described}}, "components": {"schemas": {}}})

    asked(judge, "GET", "/thing")
    asked(judge, "GET", "/other")

    assert judge.operations == judge.seen == {"get_thing"}


def test_the_documented_routes_do_not_count_as_operations_of_the_file(judge: Judge) -> None:
    assert judge.operation_of("GET", "/applications/1/skus") is not None
    assert "list_skus" not in judge.operations
