"""Nothing that a published schema promises is refused, but for the reasons that are listed."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, NotRequired, TypedDict, Unpack

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.engine.small_server import Function, tool_of
from tests.engine.tools.promises import broken_promises, promised

from accord.engine import Credential, Effect, Field, Shaped, ValidationError


class PlaceId(Shaped):
    __slots__ = ()
    pattern: ClassVar[str] = "^[0-9]{17,20}$"


class Token(Credential):
    __slots__ = ()
    pattern: ClassVar[str] = "^[A-Za-z0-9_-]+$"
    min_length: ClassVar[int | None] = 6
    max_length: ClassVar[int | None] = 10


class Footer(TypedDict):
    text: Annotated[str, Field(max_length=5)]


class Embed(TypedDict, total=False):
    title: Annotated[str, Field(min_length=1, max_length=9)]
    kind: Literal[1, 2]
    footer: Footer
    fields: Annotated[list[Footer], Field(max_items=2)]


class Message(TypedDict):
    content: NotRequired[Annotated[str, Field(max_length=20)]]
    embeds: NotRequired[Annotated[list[Embed], Field(max_items=3)]]
    embed: NotRequired[Embed]


async def scalars(
    client: object,
    *,
    place: PlaceId,
    token: Token,
    limit: Annotated[int, Field(minimum=1, maximum=100)] = 50,
    ratio: Annotated[float | None, Field(minimum=0, maximum=1)] = None,
    flag: bool = False,
    text: str | None = None,
    whole: int | None = None,
) -> None:
    """Take single values."""


async def choices(client: object, word: Literal["a", "b"], number: Literal[1, 2], color: int | Literal["red"]) -> None:
    """Take what is on a list."""


async def lists(
    client: object,
    places: Annotated[list[PlaceId], Field(min_items=1, max_items=3)],
    rows: list[dict[str, Any]],
    free: dict[str, Any],
    texts: list[str] | None = None,
) -> None:
    """Take many values."""


async def message(client: object, place: PlaceId, **message: Unpack[Message]) -> None:
    """Take a record."""


@pytest.mark.parametrize("function", [scalars, choices, lists, message])
@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much], deadline=None)
def test_what_is_promised_is_taken(function: Function, data: st.DataObject) -> None:
    shape = tool_of(function, Effect.DELETE).shape

    arguments = data.draw(promised(shape.published))

    assert broken_promises(shape, arguments) == []


def test_a_promise_that_is_broken_is_found() -> None:
    shape = tool_of(scalars).shape

    (issue,) = broken_promises(shape, {"place": "12345678901234567", "token": "short"})

    assert issue["path"] == "token"


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (choices, {"word": "a", "number": 3, "color": 1}),
        (message, {"place": "12345678901234567", "embed": {"footer": {"text": "too long"}}}),
    ],
)
def test_every_excuse_is_one_that_is_needed(function: Function, arguments: dict[str, Any]) -> None:
    shape = tool_of(function).shape

    assert broken_promises(shape, arguments) == []
    with pytest.raises(ValidationError):
        shape.check(arguments, {})
