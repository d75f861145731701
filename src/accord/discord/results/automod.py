"""Auto moderation rules as our tools show them, and what a change of one sends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from accord.discord.models.automod import METADATA, AutoModRule, AutoModRules, AutoModSummary, metadata_issues
from accord.discord.models.values import Wire
from accord.discord.results.picking import WHOLE, each_picked, picked, present
from accord.engine import ValidationError

__all__ = ["rule", "rules", "trigger_after"]


def rule(sent: Wire) -> AutoModRule:
    """Return one rule."""
    return picked(AutoModRule, sent, untrusted_text=sent["name"])


def rules(sent: Sequence[Wire | None] | None) -> AutoModRules:
    """Return a guild's rules; there are nulls where Discord has one that it cannot show."""
    shown = each_picked(AutoModSummary, [one for one in sent or () if one])
    return {
        "rules": shown,
        "count": len(shown),
        "untrusted_names": "\n".join(one["name"] for one in shown),
        **WHOLE,
    }


def trigger_after(sent: Wire, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the whole trigger_metadata of a rule after a change in part: Discord replaces it as one.

    Raises:
        ValidationError: Something given does not belong to the rule's trigger.
    """
    trigger_type, given = body.get("trigger_type", sent["trigger_type"]), body["trigger_metadata"]
    if trigger_type not in METADATA:
        return dict(given)
    if issues := list(metadata_issues(trigger_type, given)):
        raise ValidationError(issues=issues)
    return {**present(sent.get("trigger_metadata") or {}, METADATA[trigger_type]), **given}
