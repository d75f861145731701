"""Onboarding as our tools show it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from accord.discord.models.ids import GuildId
from accord.discord.models.onboarding import (
    NewMemberWelcome,
    Onboarding,
    Prompt,
    PromptOption,
    Summary,
)
from accord.discord.models.values import Wire
from accord.discord.results.picking import picked
from accord.discord.results.texts import lines_of

__all__ = ["new_member_welcome", "onboarding"]


def onboarding(sent: Wire) -> Onboarding:
    """Return a guild's onboarding, in the form in which it can be sent back."""
    prompts = [_prompt(one) for one in sent["prompts"]]
    text = lines_of(_texts(prompts))
    return picked(Onboarding, sent | {"prompts": prompts}, summary=_summary(sent, prompts), untrusted_text=text)


def _prompt(sent: Wire) -> Prompt:
    return picked(Prompt, sent, options=[_option(one) for one in sent["options"]])


def _option(sent: Wire) -> PromptOption:
    emoji = {"id": None, "name": None, "animated": False} | (sent.get("emoji") or {})
    return picked(PromptOption, sent, **{f"emoji_{name}": emoji[name] for name in ("id", "name", "animated")})


def _texts(prompts: Sequence[Prompt]) -> Iterator[str | None]:
    for prompt in prompts:
        yield prompt["title"]
        yield from (f"- {option['title']}" for option in prompt["options"])


def _summary(sent: Wire, prompts: Sequence[Prompt]) -> Summary:
    return {
        "prompts": len(prompts),
        "required_prompts": sum(prompt["required"] for prompt in prompts),
        "options": sum(len(prompt["options"]) for prompt in prompts),
        "default_channels": len(sent["default_channel_ids"]),
    }


def new_member_welcome(guild_id: GuildId, sent: Wire | None) -> NewMemberWelcome:
    """Return the server guide's welcome; Discord answers with nothing where none was made."""
    blank: Wire = {"guild_id": guild_id, "enabled": False, "new_member_actions": [], "resource_channels": []}
    return picked(NewMemberWelcome, sent or blank)
