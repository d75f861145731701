"""What is put whole in the place of what is there: whatever a call does not speak of is kept as it is."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from accord.discord.models.guild_extras import IncidentActions
from accord.discord.models.onboarding import (
    NewOption,
    NewPrompt,
    Onboarding,
    OnboardingChanges,
    Prompt,
    PromptOption,
)
from accord.discord.models.values import Json
from accord.discord.outgoing import changed

__all__ = ["whole_incident_actions", "whole_onboarding"]

_PAUSED = ("invites_disabled_until", "dms_disabled_until")


def whole_incident_actions(present: Mapping[str, Json] | None, actions: IncidentActions) -> dict[str, Json]:
    """Return all incident actions after these: what is not spoken of stays paused for as long as it is."""
    now = datetime.now(UTC)
    moments = {name: (present or {}).get(name) for name in _PAUSED}
    paused = {name: moment for name, moment in moments.items() if moment and datetime.fromisoformat(moment) > now}
    return paused | changed(actions)[0]


_EMOJI = frozenset({"emoji_id", "emoji_name", "emoji_animated"})


def whole_onboarding(present: Onboarding, changes: OnboardingChanges) -> tuple[dict[str, Json], str | None]:
    """Return the whole onboarding after these changes, and their reason: Discord puts it in place of the present one.

    A prompt and an option that are named by their id keep what is not said of them. A new prompt gets a number in
    place of the id that Discord wants of every prompt; it then makes one itself.
    """
    before = {name: present[name] for name in ("prompts", "default_channel_ids", "enabled", "mode")}
    body: dict[str, Json] = {**before, **changes}
    known = {prompt["id"]: prompt for prompt in present["prompts"]}
    body["prompts"] = [_whole_prompt(n, one, known) for n, one in enumerate(body["prompts"], start=1)]
    return body, body.pop("audit_reason", None)


def _whole_prompt(number: int, prompt: NewPrompt, known: Mapping[str, Prompt]) -> dict[str, Json]:
    old: Mapping[str, Json] = known.get(prompt.get("id", ""), {})
    options = {option["id"]: option for option in old.get("options", ())}
    whole = [_whole_option(option, options) for option in prompt["options"]]
    return {"id": str(number), **old, **prompt, "options": whole}


def _whole_option(option: NewOption, known: Mapping[str, PromptOption]) -> dict[str, Json]:
    old: Mapping[str, Json] = known.get(option.get("id", ""), {})
    whole = {**_without_emoji(old), **option} if _EMOJI & option.keys() else {**old, **option}
    named = {name: value for name, value in whole.items() if value is not None}
    return named | {"emoji_name": None} if whole.get("emoji_name") == "" else named


def _without_emoji(option: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in option.items() if name not in _EMOJI}
