"""What clients can read of discord-mcp: how a message is laid out from components, and the templates for it."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import orjson

from accord.discord.components.schema import layout_schema
from accord.discord.components.templates import TEMPLATES, TemplateName
from accord.engine import Resource

__all__ = ["RESOURCES"]

ROOT: Final = "discord://components-v2"


async def _schema() -> str:
    return _shown(layout_schema())


async def _template(name: TemplateName) -> str:
    template = TEMPLATES[name]
    return _shown(
        {
            "name": name,
            "description": template.description,
            "variables": template.variables,
            "components": template.components,
        }
    )


def _shown(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


RESOURCES: Final = (
    Resource(
        uri=f"{ROOT}/schema",
        name="components-v2-schema",
        title="Components V2: schema",
        description="JSON Schema of `components` as components_v2_send takes it.",
        read=_schema,
    ),
    *(
        Resource(
            uri=f"{ROOT}/templates/{name}",
            name=f"components-v2-template-{name}",
            title=f"Components V2: {name.replace('_', ' ')}",
            description=f"{template.description} Its variables and layout, for components_v2_send_from_template.",
            read=partial(_template, name),
        )
        for name, template in TEMPLATES.items()
    ),
)
"""All of them, in the order in which they are listed."""
