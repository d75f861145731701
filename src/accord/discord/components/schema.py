"""The JSON Schema of a whole layout, as the types say it."""

from __future__ import annotations

from functools import cache
from typing import Any

from accord.discord.models.components import Layout
from accord.engine import Shape, Slot

__all__ = ["layout_schema"]


@cache
def layout_schema() -> dict[str, Any]:
    """Return the schema of the array that `components` is. What no schema says, `components_v2_validate` tells."""
    checked = Shape(lambda: {"components": Slot(Layout, required=True)}, lambda: None).checked
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Components V2",
        "description": "At most 40 components, nested ones counted, and 4000 characters of text in all.",
        **checked["properties"]["components"],
    }
