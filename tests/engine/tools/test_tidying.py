"""What hosts are known to send instead of what was asked for, and what becomes of it."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, NotRequired, TypedDict

import pytest
from tests.engine.small_server import tool_of

from accord.engine import Credential, Field, Shaped, ValidationError


class RoleId(Shaped):
    __slots__ = ()
    pattern: ClassVar[str] = "^[0-9]{17,20}$"
    wants: ClassVar[str] = "an id of 17 to 20 digits as a string"

    @classmethod
    def unwrap(cls, raw: str) -> str:
        return raw.removeprefix("<@&").removesuffix(">") if raw.startswith("<@&") else raw


class Token(Credential):
    __slots__ = ()
    pattern: ClassVar[str] = "^[a-z]{4}$"

    @classmethod
    def unwrap(cls, raw: str) -> str:
        return raw.removeprefix("token:")


class Embed(TypedDict):
    title: str
    inline: NotRequired[bool]
    tags: NotRequired[list[int]]


class Circle(TypedDict):
    kind: Literal[1]
    radius: NotRequired[int]


class Square(TypedDict):
    kind: Literal[2]
    side: NotRequired[int]


async def send(
    client: object,
    *,
    content: str = "",
    embeds: list[Embed] | None = None,
    embed: Embed | None = None,
    role_ids: list[RoleId] | None = None,
    role: RoleId | None = None,
    token: Token | None = None,
    limit: Annotated[int | None, Field(minimum=1, maximum=100)] = None,
    ratio: float | None = None,
    kind: Literal[1, 2] | None = None,
    silent: bool | None = None,
    free: dict[str, Any] | None = None,
    color: int | str | None = None,
    drawn: list[Circle | Square] | None = None,
) -> None:
    """Take all that hosts encode."""


ROLE = "111111111111111111"
SHAPE = tool_of(send).shape

UNDONE: list[tuple[str, Any, Any]] = [
    ("embeds", '[{"title":"x"}]', [{"title": "x"}]),
    ("embed", '{"title":"x"}', {"title": "x"}),
    ("role_ids", f'["{ROLE}"]', [ROLE]),
    (
        "embeds",
        [{"title": "x", "inline": "true", "tags": '["1", 2]'}],
        [{"title": "x", "inline": True, "tags": [1, 2]}],
    ),
    ("embeds", [{"title": "x", "inline": None}], [{"title": "x"}]),
    ("free", '{"a":null}', {"a": None}),
    ("drawn", [{"kind": 2, "side": "4"}, {"kind": 1, "radius": None}], [{"kind": 2, "side": 4}, {"kind": 1}]),
    ("limit", "25", 25),
    ("limit", 25.0, 25),
    ("limit", "25.0", 25),
    ("ratio", "0.5", 0.5),
    ("kind", "2", 2),
    ("silent", "false", False),
    ("role", f"<@&{ROLE}>", ROLE),
    ("role_ids", [f"<@&{ROLE}>"], [ROLE]),
]

KEPT: list[tuple[str, Any]] = [
    ("content", '{"a":1}'),
    ("content", "[1]"),
    ("content", "25"),
    ("content", "true"),
    ("content", "null"),
    ("content", f"<@&{ROLE}>"),
    ("content", " "),
    ("color", "25"),
    ("free", {"a": "1", "b": None}),
]

REFUSED: list[tuple[str, Any, str]] = [
    ("embeds", '[{"title":', "invalid_type"),
    ("embeds", '{"title":"x"}', "invalid_type"),
    ("embed", '"x"', "invalid_type"),
    ("limit", "many", "invalid_type"),
    ("limit", "2.5", "invalid_type"),
    ("limit", "true", "invalid_type"),
    ("limit", True, "invalid_type"),
    ("limit", "NaN", "invalid_type"),
    ("silent", "yes", "invalid_type"),
    ("silent", 1, "invalid_type"),
    ("content", 25, "invalid_type"),
    ("role", int(ROLE), "invalid_type"),
]


def checked(name: str, value: object) -> Any:
    return SHAPE.check({name: value}, {})[name]


@pytest.mark.parametrize(("name", "value", "wanted"), UNDONE)
def test_an_encoding_is_undone_once(name: str, value: object, wanted: object) -> None:
    made = checked(name, value)

    assert made == wanted
    assert type(made) is not float or isinstance(wanted, float)


@pytest.mark.parametrize(("name", "value"), KEPT)
def test_what_is_meant_as_text_stays_as_it_was_given(name: str, value: object) -> None:
    assert checked(name, value) == value


@pytest.mark.parametrize(("name", "value", "code"), REFUSED)
def test_what_is_no_encoding_is_refused_like_anything_else(name: str, value: object, code: str) -> None:
    with pytest.raises(ValidationError) as refused:
        checked(name, value)

    assert [(issue["path"], issue["code"]) for issue in refused.value.issues] == [(name, code)]


def test_a_list_that_was_encoded_twice_is_not_decoded_twice() -> None:
    with pytest.raises(ValidationError):
        checked("role_ids", '"[]"')


def test_a_whole_number_arrives_as_an_int() -> None:
    assert type(checked("limit", 25.0)) is int


def test_null_is_absent() -> None:
    assert SHAPE.check({"limit": None, "content": None}, {}) == {"content": ""}


def test_null_for_a_required_argument_is_a_missing_one() -> None:
    async def takes(client: object, name: str) -> None:
        """Take a name."""

    with pytest.raises(ValidationError) as refused:
        tool_of(takes).shape.check({"name": None}, {})

    assert refused.value.issues == [{"path": "name", "message": "is required", "code": "required"}]


def test_an_id_arrives_as_its_own_kind_and_a_credential_too() -> None:
    made = SHAPE.check({"role": ROLE, "token": "token:abcd"}, {})

    assert type(made["role"]) is RoleId
    assert type(made["token"]) is Token
    assert made["token"].reveal() == "abcd"


def test_an_id_as_a_number_is_refused_because_its_last_digits_are_lost_already() -> None:
    with pytest.raises(ValidationError) as refused:
        checked("role", int(ROLE))

    assert refused.value.issues[0]["message"] == (
        "must be an id of 17 to 20 digits as a string; "
        "send it as a string: the number you sent has already lost precision"
    )


def test_an_id_as_a_boolean_has_lost_no_precision() -> None:
    with pytest.raises(ValidationError) as refused:
        checked("role", True)

    assert "precision" not in refused.value.issues[0]["message"]
