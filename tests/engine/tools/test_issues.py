"""How a refused argument is told: where, why, and never with its value."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, NotRequired, TypedDict

import pytest
from tests.engine.small_server import tool_of

from accord.engine import Credential, Field, Issue, Shaped, ValidationError, dotted, nearest

CANARY = "canary-5d41402abc4b"


class PlaceId(Shaped):
    __slots__ = ()
    pattern: ClassVar[str] = "^[0-9]{3}$"
    wants: ClassVar[str] = "an id of 3 digits as a string"


class Token(Credential):
    __slots__ = ()
    pattern: ClassVar[str] = "^[a-z]{4}$"


class Leaf(TypedDict):
    name: Annotated[str, Field(max_length=5)]
    grade: NotRequired[Literal[1, 2]]


class Branch(TypedDict):
    leaves: list[Leaf]


class Circle(TypedDict):
    kind: Literal["circle"]
    radius: Annotated[int, Field(minimum=1)]


class Square(TypedDict):
    kind: Literal["square"]
    side: int
    edges: NotRequired[list[Leaf]]


async def tool(
    client: object,
    *,
    reply_to: str = "",
    short: Annotated[str, Field(min_length=2, max_length=5, pattern="^[a-z]*$")] = "aa",
    word: Literal["a", "b"] = "a",
    number: Annotated[int, Field(minimum=1, maximum=5)] = 1,
    few: Annotated[list[int] | None, Field(min_items=1, max_items=2)] = None,
    branch: Branch | None = None,
    color: int | Literal["red", "blue"] | None = None,
    place: PlaceId | None = None,
    token: Token | None = None,
    flag: bool = False,
    drawn: list[Circle | Square] | None = None,
    words: dict[Literal["de", "fr"], Annotated[str, Field(max_length=3)]] | None = None,
) -> None:
    """Take values with every kind of limit."""


SHAPE = tool_of(tool).shape


def issues(reserved: dict[str, Any] | None = None, **given: Any) -> list[Issue]:
    with pytest.raises(ValidationError) as refused:
        SHAPE.check(given, reserved or {})
    return refused.value.issues


def issue(**given: Any) -> tuple[str, str, str]:
    (only,) = issues(**given)
    return only["path"], only["code"], only["message"]


WORDINGS: list[tuple[dict[str, Any], tuple[str, str, str]]] = [
    ({"short": "a"}, ("short", "too_small", "must have at least 2 characters; it has 1")),
    ({"short": "aaaaaa"}, ("short", "too_big", "must have at most 5 characters; it has 6")),
    ({"short": "AAA"}, ("short", "invalid_string", "does not have the right form (^[a-z]*$)")),
    ({"word": "c"}, ("word", "invalid_enum", "must be one of a, b")),
    ({"number": 0}, ("number", "too_small", "must be at least 1")),
    ({"number": 6}, ("number", "too_big", "must be at most 5")),
    ({"few": []}, ("few", "too_small", "must have at least 1 items; it has 0")),
    ({"few": [1, 2, 3]}, ("few", "too_big", "must have at most 2 items; it has 3")),
    ({"few": [1, "b"]}, ("few[1]", "invalid_type", "must be of type integer, not a string")),
    ({"place": "12"}, ("place", "invalid_string", "must be an id of 3 digits as a string")),
    ({"flag": {}}, ("flag", "invalid_type", "must be of type boolean, not an object")),
    ({"flag": []}, ("flag", "invalid_type", "must be of type boolean, not an array")),
    ({"flag": 1.5}, ("flag", "invalid_type", "must be of type boolean, not a number")),
    ({"few": [None]}, ("few[0]", "invalid_type", "must be of type integer, not null")),
    ({"reply_to": True}, ("reply_to", "invalid_type", "must be of type string, not a boolean")),
    ({"branch": {}}, ("branch.leaves", "required", "is required")),
    (
        {"branch": {"leaves": [{"name": "x", "grade": 3}]}},
        ("branch.leaves[0].grade", "invalid_enum", "must be one of 1, 2"),
    ),
    (
        {"color": []},
        ("color", "invalid_union", "has none of the forms that are possible here: integer, one of red, blue"),
    ),
    ({"drawn": [{"kind": "circle", "radius": 0}]}, ("drawn[0].radius", "too_small", "must be at least 1")),
    (
        {"drawn": [{"kind": "square", "side": 1, "edges": [{"name": "x", "grade": 3}]}]},
        ("drawn[0].edges[0].grade", "invalid_enum", "must be one of 1, 2"),
    ),
    (
        {"drawn": [{"kind": "line", "side": 1}]},
        ("drawn[0]", "invalid_union", "has none of the forms that are possible here: object, object"),
    ),
    ({"words": {"de": "long"}}, ("words.de", "too_big", "must have at most 3 characters; it has 4")),
    ({"words": {"xx": "abc"}}, ("words.xx", "invalid_key", "must be one of de, fr")),
    (
        {"relpy_to": "x"},
        ("relpy_to", "unrecognized_key", "is not an argument of this tool; did you mean `reply_to`?"),
    ),
    (
        {"branch": {"leaves": [{"nmae": "x", "name": "x"}]}},
        ("branch.leaves[0].nmae", "unrecognized_key", "is not an argument of this tool; did you mean `name`?"),
    ),
    ({"zzzzzz": 1}, ("zzzzzz", "unrecognized_key", "is not an argument of this tool")),
]


@pytest.mark.parametrize(("given", "wanted"), WORDINGS)
def test_an_issue_says_where_and_why(given: dict[str, Any], wanted: tuple[str, str, str]) -> None:
    assert issue(**given) == wanted


def test_every_issue_is_told_at_once() -> None:
    found = issues(short="a", number=9, unknown_one=1, unknown_two=2)

    assert {one["path"] for one in found} == {"short", "number", "unknown_one", "unknown_two"}


def test_a_misspelt_reserved_key_is_told_its_right_name() -> None:
    assert issues({"__confrim": True}) == [
        {
            "path": "__confrim",
            "message": "is not a reserved argument; did you mean `__confirm`?",
            "code": "unrecognized_key",
        }
    ]


@pytest.mark.parametrize("value", ["true", 1, {}])
def test_a_confirmation_that_is_no_boolean_is_refused(value: object) -> None:
    (found,) = issues({"__confirm": value})

    assert (found["path"], found["code"]) == ("__confirm", "invalid_type")


@pytest.mark.parametrize("value", [True, False, None])
def test_a_confirmation_where_none_is_needed_is_ignored(value: object) -> None:
    assert SHAPE.check({}, {"__confirm": value})["flag"] is False


SECRET_PLACES: list[dict[str, Any]] = [
    {name: value}
    for name in ("short", "word", "number", "few", "branch", "color", "place", "token", "flag")
    for value in (CANARY, [CANARY], {"leaves": [{"name": CANARY}]}, {CANARY[:3]: CANARY})
]


@pytest.mark.parametrize("given", SECRET_PLACES)
def test_an_issue_never_repeats_a_value(given: dict[str, Any]) -> None:
    assert CANARY not in str(issues(**given))


def test_a_rule_between_arguments_runs_once_all_of_them_are_valid() -> None:
    def apart(arguments: Any) -> list[Issue]:
        same = arguments["one"] == arguments["two"]
        return [Issue(path="two", message="must differ from one", code="custom")] if same else []

    async def pair(client: object, one: int, two: int) -> None:
        """Take two."""

    shape = tool_of(pair, checks=(apart,)).shape

    assert shape.check({"one": 1, "two": 2}, {}) == {"one": 1, "two": 2}
    with pytest.raises(ValidationError) as same:
        shape.check({"one": 1, "two": 1}, {})
    assert same.value.issues[0]["code"] == "custom"
    with pytest.raises(ValidationError) as missing:
        shape.check({"one": 1}, {})
    assert missing.value.issues[0]["code"] == "required"


def test_a_path_is_written_as_people_write_it() -> None:
    assert dotted(["embeds", 0, "title"]) == "embeds[0].title"
    assert dotted([]) == ""


def test_nearest_names_come_nearest_first_and_strangers_not_at_all() -> None:
    known = ["messages_send", "messages_read", "guilds_get"]

    assert nearest("message_send", known, most=3)[0] == "messages_send"
    assert nearest("zzz", known) == []


def test_a_name_of_a_megabyte_has_no_near_names_and_costs_nothing() -> None:
    assert nearest("m" * 1_000_000, ["messages_send"] * 300) == []
