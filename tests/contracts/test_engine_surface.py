"""The engine's public surface: what products may use, and that it stays below the products."""

from __future__ import annotations

import ast
import inspect
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import accord.engine

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(accord.engine.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))
LISTED: list[str] = vars(accord.engine)["__all__"]
PRODUCTS = ("accord.discord", "accord.deside")


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(module: ast.Module) -> Iterator[str]:
    """Yield the modules that a module imports, wherever in it."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def module_name(path: Path) -> str:
    parts = ("accord", "engine", *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(part for part in parts if part != "__init__")


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_the_engine_knows_no_product(path: Path) -> None:
    assert not [name for name in imported(tree(path)) if name.startswith(PRODUCTS)]


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_a_module_says_in_one_sentence_what_it_is(path: Path) -> None:
    words = ast.get_docstring(tree(path))

    assert words is not None
    assert words.split("\n\n")[0].endswith((".", ":", "?"))


@pytest.mark.parametrize("path", [path for path in MODULES if path.name != "__init__.py"], ids=module_name)
def test_what_a_module_exports_is_there(path: Path) -> None:
    module = import_module(module_name(path))

    assert [name for name in getattr(module, "__all__", ()) if not hasattr(module, name)] == []


def public() -> list[tuple[str, Any]]:
    found = [(name, getattr(accord.engine, name)) for name in LISTED]
    return [(name, value) for name, value in found if inspect.isclass(value) or inspect.isfunction(value)]


@pytest.mark.parametrize(("name", "value"), public(), ids=lambda value: value if isinstance(value, str) else "")
def test_what_is_public_says_what_it_means(name: str, value: object) -> None:
    assert inspect.getdoc(value)


def test_the_stub_that_editors_read_lists_what_is_there() -> None:
    stub = ast.parse((ROOT / "__init__.pyi").read_text(encoding="utf-8"))
    listed = {alias.asname for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}

    assert listed == set(LISTED)
