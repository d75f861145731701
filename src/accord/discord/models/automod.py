"""Auto moderation: rules that look at messages and profiles, and act before anybody has to.

https://discord.com/developers/docs/resources/auto-moderation
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from accord.discord.models.ids import ChannelId, RoleId
from accord.discord.models.values import AuditReason, Page
from accord.engine import Field, Issue, Untrusted

__all__ = [
    "METADATA",
    "AutoModRule",
    "AutoModRuleDeleted",
    "AutoModRules",
    "AutoModSummary",
    "NewRule",
    "RuleChanges",
    "actions_are_whole",
    "metadata_issues",
    "metadata_of_changed",
    "metadata_of_new",
]

KEYWORD, SPAM, PRESETS, MENTIONS, PROFILE = 1, 3, 4, 5, 6
TIMEOUT = 3

WORDS = frozenset({"keyword_filter", "regex_patterns", "allow_list"})
METADATA: Mapping[int, frozenset[str]] = {
    KEYWORD: WORDS,
    SPAM: frozenset(),
    PRESETS: frozenset({"presets", "allow_list"}),
    MENTIONS: frozenset({"mention_total_limit", "mention_raid_protection_enabled"}),
    PROFILE: WORDS,
}
"""What of trigger_metadata each trigger_type takes."""

NEEDS_METADATA = frozenset({PRESETS, PROFILE})
MOST_ALLOWED = 100
"""Phrases in an allow_list, where the trigger is no preset."""

ACTION_METADATA: Mapping[int, str | None] = {1: "custom_message", 2: "channel_id", TIMEOUT: "duration_seconds", 4: None}
NEEDED = frozenset({"channel_id", "duration_seconds"})

Phrase = Annotated[str, Field(min_length=1, max_length=60)]
Name = Annotated[str, Field(min_length=1, max_length=100)]
EventType = Annotated[Literal[1, 2], Field(description="1 message sent, 2 profile changed")]
TriggerType = Annotated[
    Literal[1, 3, 4, 5, 6], Field(description="1 keywords, 3 spam, 4 preset words, 5 mentions, 6 words in profiles")
]


class Trigger(TypedDict, total=False):
    """What triggers a rule."""

    keyword_filter: Annotated[list[Phrase], Field(max_items=1000)]
    regex_patterns: Annotated[list[Annotated[str, Field(min_length=1, max_length=260)]], Field(max_items=10)]
    allow_list: Annotated[list[Phrase], Field(max_items=1000)]
    presets: list[Literal[1, 2, 3]]
    mention_total_limit: Annotated[int, Field(minimum=0, maximum=50)]
    mention_raid_protection_enabled: bool


class ActionMetadata(TypedDict, total=False):
    """What an action needs to know."""

    custom_message: Annotated[str, Field(max_length=150)]
    channel_id: ChannelId
    duration_seconds: Annotated[int, Field(minimum=0, maximum=2_419_200)]


class Action(TypedDict):
    """What a rule does."""

    type: Literal[1, 2, 3, 4]
    metadata: NotRequired[ActionMetadata]


Actions = Annotated[
    list[Action],
    Field(
        min_items=1,
        max_items=5,
        description="1 block {custom_message}, 2 alert {channel_id}, 3 time out {duration_seconds}, 4 block the member",
    ),
]


class RuleFields(TypedDict, total=False):
    """What new and changed rules have in common."""

    enabled: Annotated[bool, Field(description="off by default")]
    exempt_roles: Annotated[list[RoleId], Field(max_items=20)]
    exempt_channels: Annotated[list[ChannelId], Field(max_items=50)]
    audit_reason: AuditReason


class NewRule(RuleFields):
    """What a new rule has."""

    name: Name
    event_type: EventType
    trigger_type: TriggerType
    actions: Actions
    trigger_metadata: NotRequired[
        Annotated[Trigger, Field(description="1, 6: words, * as wildcard; 4: presets 1 profanity, 2 sexual, 3 slurs")]
    ]


class RuleChanges(RuleFields, total=False):
    """What of a rule changes."""

    name: Name
    event_type: EventType
    trigger_type: TriggerType
    actions: Actions
    trigger_metadata: Annotated[Trigger, Field(description="what is left out stays, [] empties a list")]
    clear: Annotated[list[Literal["exempt_roles", "exempt_channels"]], Field(min_items=1)]


Shown = Annotated[dict[str, Any], Field(untrusted=True)]
"""An object of Discord's with words that people chose in it."""


class ShownAction(TypedDict):
    """What a rule does."""

    type: int
    metadata: NotRequired[Shown]


class AutoModSummary(TypedDict):
    """One rule without the words that it looks for."""

    id: str
    name: Untrusted
    enabled: bool
    event_type: int
    trigger_type: int
    actions: list[ShownAction]


class AutoModRule(AutoModSummary):
    """One rule; `untrusted_text` is its name."""

    creator_id: str
    trigger_metadata: NotRequired[Shown]
    exempt_roles: list[str]
    exempt_channels: list[str]
    untrusted_text: Untrusted


class AutoModRules(Page):
    """A guild's rules; `untrusted_names` is a line a rule."""

    rules: list[AutoModSummary]
    count: int
    untrusted_names: Untrusted


class AutoModRuleDeleted(TypedDict):
    """A rule that is gone."""

    deleted: bool
    rule_id: str
    guild_id: str


def metadata_issues(trigger_type: int, metadata: Mapping[str, Any]) -> Iterator[Issue]:
    """Say what of a trigger_metadata does not belong to a trigger_type, or is too much for it."""
    for name in sorted(metadata.keys() - METADATA[trigger_type]):
        message = f"does not belong to trigger_type {trigger_type}"
        yield Issue(path=f"trigger_metadata.{name}", message=message, code="conflict")
    if trigger_type != PRESETS and len(metadata.get("allow_list", ())) > MOST_ALLOWED:
        message = f"must have at most {MOST_ALLOWED} items with trigger_type {trigger_type}"
        yield Issue(path="trigger_metadata.allow_list", message=message, code="too_big")


def metadata_of_new(arguments: Mapping[str, Any]) -> Iterator[Issue]:
    """Refuse what a new rule's trigger cannot have, and a rule whose trigger lacks what it needs."""
    trigger_type, metadata = arguments["trigger_type"], arguments.get("trigger_metadata")
    if metadata is None and trigger_type in NEEDS_METADATA:
        yield Issue(path="trigger_metadata", message=f"is required by trigger_type {trigger_type}", code="required")
    yield from metadata_issues(trigger_type, metadata or {})
    yield from _presets_once(metadata or {})


def metadata_of_changed(arguments: Mapping[str, Any]) -> Iterator[Issue]:
    """Refuse metadata that fits no trigger, or not the one that is given; whether it fits the rule shows later."""
    metadata = arguments.get("trigger_metadata", {})
    possible = [arguments["trigger_type"]] if "trigger_type" in arguments else METADATA
    wrong = [list(metadata_issues(each, metadata)) for each in possible]
    yield from min(wrong, key=len)
    yield from _presets_once(metadata)


def _presets_once(metadata: Mapping[str, Any]) -> Iterator[Issue]:
    presets = metadata.get("presets", ())
    if len({*presets}) < len(presets):
        yield Issue(path="trigger_metadata.presets", message="says something twice", code="duplicate")


def actions_are_whole(arguments: Mapping[str, Any]) -> Iterator[Issue]:
    """Refuse an action without what it needs or with what belongs to another, and a time-out where there is none.

    Only rules for keywords and mentions can time out.
    """
    for number, action in enumerate(arguments.get("actions", ())):
        yield from _action_issues(f"actions[{number}]", action)
        if action["type"] == TIMEOUT and arguments.get("trigger_type", KEYWORD) not in {KEYWORD, MENTIONS}:
            message = f"3, a time-out, goes with trigger_type {KEYWORD} or {MENTIONS}"
            yield Issue(path=f"actions[{number}].type", message=message, code="conflict")


def _action_issues(path: str, action: Mapping[str, Any]) -> Iterator[Issue]:
    own, metadata = ACTION_METADATA[action["type"]], action.get("metadata", {})
    if own in NEEDED and own not in metadata:
        yield Issue(path=f"{path}.metadata.{own}", message=f"is required by type {action['type']}", code="required")
    for name in sorted(metadata.keys() - {own}):
        message = f"does not belong to type {action['type']}"
        yield Issue(path=f"{path}.metadata.{name}", message=message, code="conflict")
