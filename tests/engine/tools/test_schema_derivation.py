"""From types to schemas: as published, as checked, and as promised of results."""

from __future__ import annotations

from typing import Annotated, Any, Generic, Literal, NotRequired, Required, TypedDict, TypeVar, Unpack

import pytest
from tests.engine.small_server import tool_of

from accord.engine import Context, Credential, Effect, Field, Shape, Shaped, Untrusted, ValidationError

T = TypeVar("T")


class PlaceId(Shaped):
    __slots__ = ()
    pattern = "^[0-9]{3}$"
    wants = "an id of 3 digits as a string"


class Key(Credential):
    __slots__ = ()
    pattern = "^[a-z]+$"
    min_length = 4
    max_length = 9


class Footer(TypedDict):
    text: Annotated[str, Field(max_length=5)]


class Card(TypedDict, total=False):
    title: Required[str]
    footer: Footer
    size: NotRequired[Annotated[int, Field(minimum=1)]]


class Page(TypedDict, Generic[T]):
    items: list[T]
    next_cursor: str | None
    total: NotRequired[int]


class Cards(Page[Card]):
    author: Untrusted


def arguments(function: Any) -> dict[str, Any]:
    """Return the published properties of a tool's function."""
    properties: dict[str, Any] = tool_of(function).shape.published["properties"]
    return properties


def shape(function: Any) -> Shape:
    return tool_of(function).shape


async def scalars(client: object, text: str, whole: int, part: float, flag: bool) -> None:
    """Take one of each."""


async def choices(client: object, word: Literal["a", "b"], number: Literal[1, 2]) -> None:
    """Take what is on a list."""


async def defaults(
    client: object, place: PlaceId, limit: int = 50, note: str | None = None, kind: int | None = None
) -> None:
    """Take what may be left out."""


async def described(
    client: object,
    text: Annotated[str, Field(description="what to say", min_length=1, max_length=9, pattern="^[a-z]+$")],
    grade: Annotated[Literal[1, 2], Field(description="how good")] = 1,
) -> None:
    """Take values with limits."""


async def nested(client: object, cards: list[Card], context: Context, card: Card | None = None) -> None:
    """Take records."""


async def unpacked(client: object, place: PlaceId, **card: Unpack[Card]) -> None:
    """Take a record's members as arguments."""


async def either(client: object, color: int | Literal["red"] | bool) -> None:
    """Take this or that."""


async def credentials(client: object, key: Key) -> None:
    """Take a credential."""


async def paged(client: object) -> Page[Card]:
    """Return a page."""
    return {"items": [], "next_cursor": None}


async def inherited(client: object) -> Cards:
    """Return a page of a class that says of what."""
    return {"items": [], "next_cursor": None, "author": ""}


async def optional_mark(client: object, place: Annotated[PlaceId | None, Field(description="where")] = None) -> None:
    """Take a described value that may be left out."""


def test_scalars_have_one_type_each() -> None:
    assert [schema["type"] for schema in arguments(scalars).values()] == ["string", "integer", "number", "boolean"]


def test_a_tool_without_arguments_has_an_object_schema_all_the_same() -> None:
    assert shape(paged).published == {"type": "object", "properties": {}}


def test_word_choices_are_an_enum_and_number_choices_are_words() -> None:
    assert arguments(choices) == {
        "word": {"type": "string", "enum": ["a", "b"]},
        "number": {"type": "integer", "description": "one of 1, 2"},
    }


def test_number_choices_are_checked_as_an_enum() -> None:
    assert shape(choices).checked["properties"]["number"] == {"type": "integer", "enum": [1, 2]}


def test_a_description_of_number_choices_keeps_the_choices() -> None:
    assert arguments(described)["grade"]["description"] == "how good; one of 1, 2"


def test_what_may_be_left_out_is_not_required_and_has_no_null() -> None:
    published = shape(defaults).published

    assert published["required"] == ["place"]
    assert published["properties"]["limit"] == {"type": "integer", "default": 50}
    assert published["properties"]["note"] == {"type": "string"}


def test_limits_and_descriptions_are_published_and_limits_are_checked() -> None:
    limits = {"type": "string", "minLength": 1, "maxLength": 9, "pattern": "^[a-z]+$"}

    assert arguments(described)["text"] == {**limits, "description": "what to say"}
    assert shape(described).checked["properties"]["text"] == limits


def test_a_record_is_published_one_level_deep() -> None:
    footer = {"type": "object"}
    card = {
        "type": "object",
        "properties": {"title": {"type": "string"}, "footer": footer, "size": {"type": "integer", "minimum": 1}},
        "required": ["title"],
    }

    assert arguments(nested) == {"cards": {"type": "array", "items": card}, "card": card}


def test_a_record_is_checked_at_every_depth_and_closed() -> None:
    card = shape(nested).checked["properties"]["card"]

    assert card["additionalProperties"] is False
    assert card["properties"]["footer"] == {
        "type": "object",
        "properties": {"text": {"type": "string", "maxLength": 5}},
        "required": ["text"],
        "additionalProperties": False,
    }


def test_the_context_is_no_argument() -> None:
    assert "context" not in arguments(nested)


def test_the_members_of_an_unpacked_record_are_arguments_with_their_own_requirement() -> None:
    published = shape(unpacked).published

    assert list(published["properties"]) == ["place", "title", "footer", "size"]
    assert published["required"] == ["place", "title"]


def test_of_several_types_the_first_is_published_and_all_are_checked() -> None:
    assert arguments(either)["color"] == {"type": "integer"}
    assert shape(either).checked["properties"]["color"] == {
        "anyOf": [{"type": "integer"}, {"type": "string", "enum": ["red"]}, {"type": "boolean"}]
    }


def test_a_kind_brings_its_form() -> None:
    assert arguments(defaults)["place"] == {"type": "string", "pattern": "^[0-9]{3}$"}
    assert arguments(credentials)["key"] == {"type": "string", "pattern": "^[a-z]+$", "minLength": 4, "maxLength": 9}


def test_a_described_value_that_may_be_left_out_is_described_and_becomes_its_kind() -> None:
    tool = tool_of(optional_mark)

    assert arguments(optional_mark)["place"] == {"type": "string", "pattern": "^[0-9]{3}$", "description": "where"}
    assert type(tool.shape.check({"place": "123"}, {})["place"]) is PlaceId


def test_a_generic_result_is_filled_in() -> None:
    output = shape(paged).output

    assert output is not None
    assert output["properties"]["items"]["items"]["properties"]["title"] == {"type": "string"}
    assert output["properties"]["total"] == {"type": "integer"}


def test_a_class_of_a_generic_result_is_filled_in_too() -> None:
    output = shape(inherited).output

    assert output is not None
    assert output["properties"]["items"]["items"]["properties"]["title"] == {"type": "string"}


def test_a_result_may_hold_null_where_its_type_says_so() -> None:
    output = shape(paged).output

    assert output is not None
    assert output["properties"]["next_cursor"] == {"type": ["string", "null"]}


def test_a_result_requires_nothing_and_is_open() -> None:
    output = shape(paged).output

    assert output is not None
    assert output.keys() == {"type", "properties"}


def test_a_tool_that_returns_nothing_promises_nothing() -> None:
    assert shape(scalars).output is None


def test_an_argument_of_a_type_without_a_schema_is_an_error_of_its_author() -> None:
    async def sets(client: object, names: set[str]) -> None:
        """Take what JSON has not."""

    with pytest.raises(TypeError, match="has no JSON Schema here"):
        arguments(sets)


def test_what_destroys_publishes_its_confirmation_and_nothing_else_does() -> None:
    destroying, writing = (tool_of(scalars, effect).shape.published for effect in (Effect.DELETE, Effect.UPDATE))

    assert destroying["properties"]["__confirm"]["type"] == "boolean"
    assert "__confirm" not in writing["properties"]


async def in_short(
    client: object,
    card: Annotated[Card, Field(opaque=True, description="{title, footer, size}")],
    cards: Annotated[list[Card], Field(opaque=True, max_items=3)],
) -> None:
    """Take what is named in a line."""


def test_an_opaque_object_is_published_without_its_members_and_checked_like_any_other() -> None:
    assert arguments(in_short) == {
        "card": {"type": "object", "description": "{title, footer, size}"},
        "cards": {"type": "array", "items": {"type": "object"}, "maxItems": 3},
    }
    with pytest.raises(ValidationError) as refused:
        shape(in_short).check({"card": {"title": "x", "size": 0}, "cards": [{"titel": "x"}]}, {})
    assert {issue["path"] for issue in refused.value.issues} == {"card.size", "cards[0].title", "cards[0].titel"}
