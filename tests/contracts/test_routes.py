"""Every route that a tool asks for exists in Discord's own file."""

from __future__ import annotations

import ast
import re
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.judge import NO_FILE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.judge import Judge

SOURCE = Path(str(files("accord.discord")))
VERBS = {"get": "GET", "text": "GET", "post": "POST", "put": "PUT", "patch": "PATCH"}
OTHERS = ("rest", "sandbox", "cli")


def routes() -> Iterator[tuple[str, str, str]]:
    """The file, method and template of every request that is written down outside of the client itself."""
    for file in sorted(SOURCE.rglob("*.py")):
        name = file.relative_to(SOURCE)
        if name.parts[0] not in OTHERS:
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Call) and (found := _route(node)):
                    yield str(name), *found


def _route(call: ast.Call) -> tuple[str, str] | None:
    """The method and template of `discord.get("/…")` and the like; None for any other call."""
    function = call.func
    if not (isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)):
        return None
    if function.value.id != "discord" or function.attr not in {*VERBS, "do"}:
        return None
    words = [str(argument.value) for argument in call.args if isinstance(argument, ast.Constant)]
    return (VERBS[function.attr], words[0]) if function.attr in VERBS else (words[0], words[1])


ROUTES = tuple(routes())


def test_the_tools_own_requests_are_found() -> None:
    found = {(method, template) for _file, method, template in ROUTES}

    assert ("POST", "/channels/{}/messages") in found
    assert ("PUT", "/channels/{}/messages/{}/reactions/{}/@me") in found
    assert len(found) >= 11


@pytest.mark.parametrize(("file", "method", "template"), ROUTES)
def test_a_route_is_a_literal_that_discord_has(
    discords_file: Judge | None, file: str, method: str, template: str
) -> None:
    if discords_file is None:
        pytest.skip(NO_FILE)

    path = re.sub("{}", "1196396359190498827", template)

    assert template.startswith("/")
    assert discords_file.operation_of(method, path) is not None, f"{file}: {method} {template}"
