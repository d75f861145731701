"""What users of the original know is there: the tools, their arguments, and the documented fields of their results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import orjson
import pytest
from tests.discord.tools.usual_calls import DEPARTURES, example
from tests.served import desk

from accord.discord.app import own_tools

if TYPE_CHECKING:
    from collections.abc import Iterator

    from accord.discord.sandbox import Sandbox

CONTRACT: Final[dict[str, dict[str, dict[str, str]]]] = orjson.loads(
    (Path(__file__).parent / "contract.json").read_bytes()
)
"""By tool: what it takes and what it gives, each with its type, and with a question mark where it may be missing."""

KNOWN: Final = [name for name in CONTRACT if name in own_tools()]
NUMBERS: Final = {"number": "integer"}
"""The contract calls a whole number by either name."""


def fields_of(tool: str, side: str) -> Iterator[tuple[str, set[str]]]:
    """The names that are kept, with their types; what was departed from for a reason is left out."""
    for field, kinds in CONTRACT[tool][side].items():
        if f"{tool}.{field}" not in DEPARTURES:
            yield field, {NUMBERS.get(kind, kind).split("<")[0] for kind in kinds.rstrip("?").split("|")}


def stated(member: dict[str, Any]) -> set[str]:
    """The types that a schema names; none for one that admits anything."""
    kinds: str | list[str] = member.get("type", [])
    return {NUMBERS.get(kind, kind) for kind in (kinds if isinstance(kinds, list) else [kinds])}


@pytest.mark.parametrize("tool", KNOWN)
def test_every_argument_of_the_contract_is_taken(tool: str) -> None:
    published = own_tools()[tool].shape.published
    properties = published["properties"]

    for field, kinds in fields_of(tool, "takes"):
        assert field in properties, field
        assert "any" in kinds or stated(properties[field]) <= kinds, field


@pytest.mark.parametrize("tool", KNOWN)
def test_nothing_is_required_that_the_contract_does_not_require(tool: str) -> None:
    required = set(own_tools()[tool].shape.published.get("required", ()))

    known = {field for field, kinds in CONTRACT[tool]["takes"].items() if not kinds.endswith("?")}
    assert {field for field in required - known if f"{tool}.{field}" not in DEPARTURES} == set()


@pytest.mark.parametrize("tool", KNOWN)
def test_a_documented_field_is_promised_with_its_type(tool: str) -> None:
    output = own_tools()[tool].shape.output
    assert output is not None

    for field, kinds in fields_of(tool, "gives"):
        assert field in output["properties"], field
        promised = stated(output["properties"][field])
        assert "any" in kinds or not promised or kinds <= promised, field


@pytest.mark.parametrize("tool", KNOWN)
async def test_a_documented_field_is_there(sandbox: Sandbox, tool: str) -> None:
    async with desk(sandbox) as served:
        reply = await served.call(tool, example(sandbox, tool))

    always = {field for field, kinds in CONTRACT[tool]["gives"].items() if not kinds.endswith("?")}
    assert {field for field in always if f"{tool}.{field}" not in DEPARTURES} <= reply.structured.keys()


def test_every_departure_is_of_a_known_field_and_has_its_reason() -> None:
    known = {
        f"{tool}.{field}" for tool, sides in CONTRACT.items() for side in ("takes", "gives") for field in sides[side]
    }
    added = {f"{tool}.{field}" for tool in KNOWN for field in own_tools()[tool].shape.slots}

    assert [place for place, reason in DEPARTURES.items() if place not in known | added or len(reason) < 10] == []
