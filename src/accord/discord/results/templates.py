"""Guild templates as our tools show them."""

from __future__ import annotations

from collections.abc import Sequence

from accord.discord.models.templates import (
    Drift,
    Template,
    TemplateDeleted,
    TemplateDiff,
    TemplateInspected,
    Templates,
    TemplateShown,
    TemplateWhole,
)
from accord.discord.models.values import Wire
from accord.discord.results.picking import WHOLE, each_picked, picked
from accord.discord.results.texts import lines_of
from accord.discord.templates.inspecting import inspected

__all__ = [
    "template_deleted",
    "template_diff",
    "template_inspected",
    "template_shown",
    "template_whole",
    "templates",
]


def template_shown(sent: Wire) -> TemplateShown:
    """Return a template without what it holds."""
    return {"template": picked(Template, sent), "untrusted_text": _text(sent)}


def template_whole(sent: Wire) -> TemplateWhole:
    """Return a template with all that it holds."""
    whole = {"template": sent, "source_guild": sent["serialized_source_guild"]}
    return picked(TemplateWhole, whole, untrusted_text=_text(sent))


def template_inspected(sent: Wire) -> TemplateInspected:
    """Return a template in numbers."""
    return {**template_shown(sent), "blueprint": inspected(sent["serialized_source_guild"])}


def template_diff(sent: Wire, drift: Drift | None) -> TemplateDiff:
    """Return a template and how its guild has moved away from it; None for another guild than its own."""
    return {**template_shown(sent), "source_guild_matches": drift is not None, "drift": drift}


def template_deleted(sent: Wire) -> TemplateDeleted:
    """Return a template that is gone."""
    return {**template_shown(sent), "deleted": True}


def templates(sent: Sequence[Wire] | None) -> Templates:
    """Return a guild's templates."""
    rows = each_picked(Template, sent or ())
    text = lines_of(_text(one) for one in rows)
    return {"templates": rows, "count": len(rows), "untrusted_text": text, **WHOLE}


def _text(sent: Wire | Template) -> str:
    return lines_of((sent["name"], sent["description"]))
