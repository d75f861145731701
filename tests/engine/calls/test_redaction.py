"""What a record of a call may hold: ids, numbers, booleans and words of a list; never text, secrets or strangers."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, TypedDict

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.small_server import CALLER, calls_of, tool_of

from accord.engine import Call, Credential, Field, Shaped, ValidationError, redacted
from accord.engine.calls.redaction import hush, without_secrets
from accord.engine.errors import Issue

CANARY = "canary-c4ca4238a0b9"


class PlaceId(Shaped):
    __slots__ = ()
    pattern: ClassVar[str] = "^[0-9]{3}$"


class Token(Credential):
    __slots__ = ()
    pattern: ClassVar[str] = "^[a-z]+$"


class Record(TypedDict):
    text: str


async def act(
    client: object,
    *,
    place: PlaceId,
    places: list[PlaceId],
    token: Token,
    text: str,
    texts: list[str],
    count: int,
    ratio: float,
    flag: bool,
    word: Literal["on", "off"],
    number: Literal[1, 2],
    pin: Annotated[int, Field(secret=True)],
    pins: list[Annotated[int, Field(secret=True)]],
    phrase: Annotated[Literal["sesame"], Field(secret=True)],
    record: Record,
    records: list[Record],
    free: dict[str, Any],
    color: int | str,
    maybe: Annotated[PlaceId | None, Field(description="where")] = None,
) -> None:
    """Take one of everything."""


TOOL = tool_of(act)
NAMES = list(TOOL.shape.slots)

SHOWN: list[tuple[str, Any]] = [
    ("place", "123"),
    ("place", PlaceId("123")),
    ("maybe", "123"),
    ("places", ["123", "456"]),
    ("count", 5),
    ("ratio", 0.5),
    ("flag", True),
    ("word", "on"),
    ("number", 2),
]

HIDDEN: list[tuple[str, Any, str]] = [
    ("text", "twelve chars", "[REDACTED:12ch]"),
    ("token", "geheim", "[REDACTED:6ch]"),
    ("token", Token("geheim"), "[REDACTED:value]"),
    ("pin", 1234, "[REDACTED:value]"),
    ("pins", [1234], "[REDACTED:value]"),
    ("phrase", "sesame", "[REDACTED:6ch]"),
    ("texts", ["a"], "[REDACTED:value]"),
    ("record", {"text": "a"}, "[REDACTED:value]"),
    ("records", [{"text": "a"}], "[REDACTED:value]"),
    ("free", {"a": 1}, "[REDACTED:value]"),
    ("color", "red", "[REDACTED:3ch]"),
    ("count", 10**30, "[REDACTED:value]"),
]


@pytest.mark.parametrize(("name", "value"), SHOWN)
def test_what_tells_nothing_private_is_shown(name: str, value: object) -> None:
    assert redacted(TOOL, {name: value}) == {name: value}


@pytest.mark.parametrize(("name", "value", "shown"), HIDDEN)
def test_everything_else_is_hidden(name: str, value: object, shown: str) -> None:
    assert redacted(TOOL, {name: value}) == {name: shown}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [CANARY, [CANARY], {"text": CANARY}, {CANARY: 1}, [[CANARY]], [{CANARY: CANARY}]])
def test_an_invalid_value_is_hidden_wherever_it_stands(name: str, value: object) -> None:
    assert CANARY not in str(redacted(TOOL, {name: value}))


def test_what_is_no_argument_loses_its_name_too() -> None:
    assert redacted(TOOL, {CANARY: 1, f"{CANARY}2": CANARY, "count": 1}) == {"count": 1, "[UNKNOWN]": 2}


@given(st.dictionaries(st.sampled_from(NAMES), st.integers() | st.floats() | st.booleans() | st.text() | st.none()))
def test_whatever_was_sent_a_record_can_be_written(arguments: dict[str, Any]) -> None:
    assert orjson.loads(orjson.dumps(redacted(TOOL, arguments))).keys() == arguments.keys()


class Bearer(Credential):
    __slots__ = ()
    pattern: ClassVar[str] = ".*"


async def open_door(client: object, *, key: Bearer, keys: list[Bearer], place: PlaceId) -> None:
    """Open a door."""


KEY = "canary/with+signs="
ASKED = Call(
    tool=tool_of(open_door),
    arguments={"key": Bearer(KEY), "keys": ["canary of a list"], "place": "123"},
    reserved={"__confirm": True, "__confirm_id": "canary of an approval"},
    caller=CALLER,
    client=None,
    door=calls_of([]),
    id="0",
    deadline=0.0,
)


@pytest.mark.parametrize("told", [KEY, "canary%2Fwith%2Bsigns%3D", "canary/with%2Bsigns%3D", "canary of a list"])
def test_a_secret_is_taken_out_of_what_is_told_in_whatever_form_it_has_there(told: str) -> None:
    assert without_secrets(f"GET /doors/{told}/123", ASKED) == "GET /doors/[SECRET]/123"


def test_what_releases_a_call_is_taken_out_of_what_is_logged() -> None:
    assert without_secrets("no canary of an approval", ASKED) == "no [SECRET]"


def test_a_secret_is_taken_out_of_an_error_at_every_depth() -> None:
    issue = Issue(path="key", message=f"{KEY} is wrong", code="wrong")
    error = ValidationError(issues=[issue], recovery_hint=f"Do not send {KEY}.")

    hush(error, ASKED)

    assert error.issues == [{"path": "key", "message": "[SECRET] is wrong", "code": "wrong"}]
    assert error.next_step == "Do not send [SECRET]."
