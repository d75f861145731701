"""Secrets are known by their type, however deep they lie, and a preview shows none."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, NotRequired, TypedDict

import pytest
from tests.engine.small_server import tool_of

from accord.engine import Credential, Field
from accord.engine.tools.secrecy import secrets_in, veiled


class Key(Credential):
    __slots__ = ()
    pattern: ClassVar[str] = "^k[0-9]+$"


class Door(TypedDict):
    name: str
    key: Key
    pin: NotRequired[Annotated[int, Field(secret=True)]]


class House(TypedDict):
    doors: list[Door]


SECRETS: list[tuple[Any, Any, Any, list[str]]] = [
    (Key, "k1", "[SECRET]", ["k1"]),
    (Key, Key("k1"), "[SECRET]", ["k1"]),
    (Key | None, "k1", "[SECRET]", ["k1"]),
    (Annotated[str, Field(secret=True)], "x", "[SECRET]", ["x"]),
    (list[Key], ["k1", "k2"], ["[SECRET]", "[SECRET]"], ["k1", "k2"]),
    (dict[str, Key], {"a": "k1"}, {"a": "[SECRET]"}, ["k1"]),
    (Door, {"name": "n", "key": "k1", "pin": 7}, {"name": "n", "key": "[SECRET]", "pin": "[SECRET]"}, ["k1"]),
    (House, {"doors": [{"name": "n", "key": "k1"}]}, {"doors": [{"name": "n", "key": "[SECRET]"}]}, ["k1"]),
    (list[Door] | str, [{"name": "n", "key": "k1"}], [{"name": "n", "key": "[SECRET]"}], ["k1"]),
    (str, "k1", "k1", []),
    (Any, {"key": "k1"}, {"key": "k1"}, []),
    (Door, "no door", "no door", []),
    (Door, {"other": "k1"}, {"other": "k1"}, []),
]


@pytest.mark.parametrize(("hint", "value", "veil", "secrets"), SECRETS)
def test_a_secret_is_found_and_veiled_wherever_its_type_puts_it(
    hint: Any, value: Any, veil: Any, secrets: list[str]
) -> None:
    assert veiled(hint, value) == veil
    assert list(secrets_in(hint, value)) == secrets


def test_a_preview_shows_no_secret_within_a_list_or_a_record() -> None:
    async def move(client: object, house: House, keys: list[Key], note: str) -> None:
        """Move."""

    given = {"house": {"doors": [{"name": "n", "key": "k1"}]}, "keys": ["k2"], "note": "as it was"}

    assert tool_of(move).shape.preview(given) == {
        "house": {"doors": [{"name": "n", "key": "[SECRET]"}]},
        "keys": ["[SECRET]"],
        "note": "as it was",
    }
