"""How functions become tools, and what a toolset refuses."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engine.small_server import CALLER, Desk, body, calls_of, tool_of

import accord.engine
from accord.engine import NAME, Context, Effect, Toolset, catalogue


async def do_it(client: object) -> None:
    """Do it.

    Not that.
    """


async def who(desk: Desk, context: Context, name: str = "nobody") -> dict[str, Any]:
    """Tell who is served."""
    desk.done.append(name)
    return {"caller": context.call.caller.id, "tool": context.call.tool.name}


def test_a_tool_is_called_like_its_function_and_described_by_its_docstring() -> None:
    tool = tool_of(do_it)

    assert (tool.name, tool.description, tool.category) == ("do_it", "Do it.\n\nNot that.", "tests")


def test_decorating_leaves_the_function_as_it_is() -> None:
    assert Toolset("tests").tool(Effect.READ)(do_it) is do_it


def test_a_toolset_keeps_the_order_in_which_it_was_written() -> None:
    toolset = Toolset("tests")
    for function in (who, do_it):
        toolset.tool(Effect.READ)(function)

    assert [tool.name for tool in toolset] == ["who", "do_it"]


@pytest.mark.parametrize("name", ["a", "channels_get", "a1", "a" * 64])
def test_a_name_is_lower_case_letters_digits_and_underscores(name: str) -> None:
    assert NAME.fullmatch(name)


@pytest.mark.parametrize("name", ["", "A", "1a", "_a", "a-b", "a.b", "a b", "a" * 65, "ä"])
def test_a_name_that_some_host_refuses_is_refused_here(name: str) -> None:
    async def tool(client: object) -> None:
        """Be renamed."""

    tool.__name__ = name

    with pytest.raises(ValueError, match="no name for a tool"):
        tool_of(tool)


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="two tools are named 'do_it'"):
        catalogue([[tool_of(do_it)], [tool_of(do_it)]])


HINTS = {
    Effect.READ: {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": True},
    Effect.CREATE: {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False, "openWorldHint": True},
    Effect.UPDATE: {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True, "openWorldHint": True},
    Effect.DELETE: {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True, "openWorldHint": True},
}


@pytest.mark.parametrize(("effect", "hints"), HINTS.items())
def test_an_effect_says_all_four_hints(effect: Effect, hints: dict[str, bool]) -> None:
    assert tool_of(do_it, effect).hints == hints


def test_a_tool_may_say_itself_whether_a_repeat_is_harmless_and_what_it_reaches() -> None:
    tool = tool_of(do_it, Effect.CREATE, idempotent=True, open_world=False)

    assert (tool.hints["idempotentHint"], tool.hints["openWorldHint"]) == (True, False)


@pytest.mark.parametrize("effect", list(Effect))
def test_what_destroys_is_confirmed(effect: Effect) -> None:
    assert tool_of(do_it, effect).confirms is effect.destroys


def test_scope_and_facts_are_the_products_own() -> None:
    tool = tool_of(do_it, scope="dm:read", facts={"permission": "VIEW"})

    assert (tool.scopes, tool.facts) == (("dm:read",), {"permission": "VIEW"})


async def test_the_context_is_known_by_its_type_however_it_is_written() -> None:
    async def look(client: object, *, ctx: accord.engine.Context) -> dict[str, Any]:
        """Look at the context."""
        return {"context": type(ctx).__name__}

    tool = tool_of(look)
    reply = await calls_of([tool]).enter(CALLER, "look", {})

    assert body(reply) == {"context": "Context"}
    assert tool.shape.published["properties"] == {}


async def test_a_function_gets_the_client_its_context_and_its_defaults() -> None:
    desk = Desk()

    reply = await calls_of([tool_of(who)], desk=desk).enter(CALLER, "who", {})

    assert body(reply) == {"caller": "tester", "tool": "who"}
    assert desk.done == ["nobody"]
