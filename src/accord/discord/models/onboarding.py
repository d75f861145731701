"""Onboarding: what new members are asked and shown."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from accord.discord.models.ids import ChannelId, EmojiId, PromptId, RoleId, Snowflake
from accord.discord.models.values import AuditReason
from accord.engine import Field, Untrusted

__all__ = ["NewMemberWelcome", "NewOption", "NewPrompt", "Onboarding", "OnboardingChanges", "Prompt", "PromptOption"]


class PromptOptionId(Snowflake):
    """The id of an answer to a prompt."""

    __slots__ = ()


class PromptOption(TypedDict):
    """An answer that a new member can choose, as `onboarding_modify` takes it too."""

    id: str
    title: Untrusted
    description: Untrusted | None
    emoji_id: str | None
    emoji_name: Untrusted | None
    emoji_animated: bool
    role_ids: list[str]
    channel_ids: list[str]


class Prompt(TypedDict):
    """A question to new members; type 0 shows its options side by side, 1 as a drop-down list."""

    id: str
    type: int
    title: Untrusted
    single_select: bool
    required: bool
    in_onboarding: bool
    options: list[PromptOption]


class Summary(TypedDict):
    """How much there is."""

    prompts: int
    required_prompts: int
    options: int
    default_channels: int


class Onboarding(TypedDict):
    """A guild's onboarding; mode 1 counts the prompts' channels too. `untrusted_text` is all questions and answers."""

    guild_id: str
    enabled: bool
    mode: int
    default_channel_ids: list[str]
    prompts: list[Prompt]
    summary: Summary
    untrusted_text: Untrusted


class NewOption(TypedDict):
    """An answer; without an id it is new. Of one with an id, what is left out stays."""

    id: NotRequired[PromptOptionId]
    title: Annotated[str, Field(min_length=1, max_length=50)]
    description: NotRequired[Annotated[str, Field(max_length=100)]]
    emoji_id: NotRequired[EmojiId]
    emoji_name: NotRequired[Annotated[str, Field(max_length=100)]]
    emoji_animated: NotRequired[bool]
    role_ids: NotRequired[Annotated[list[RoleId], Field(max_items=50)]]
    channel_ids: NotRequired[Annotated[list[ChannelId], Field(max_items=50)]]


class NewPrompt(TypedDict):
    """A question; without an id it is new. Of one with an id, what is left out stays."""

    id: NotRequired[PromptId]
    title: Annotated[str, Field(min_length=1, max_length=100)]
    options: Annotated[list[NewOption], Field(min_items=1, max_items=50)]
    type: NotRequired[Literal[0, 1]]
    single_select: NotRequired[bool]
    required: NotRequired[bool]
    in_onboarding: NotRequired[bool]


class OnboardingChanges(TypedDict, total=False):
    """What of the onboarding changes. Limits are those of Discord's OpenAPI file."""

    prompts: Annotated[
        list[NewPrompt],
        Field(
            max_items=15,
            description="all of them, as onboarding_get shows them; new ones without id: {title, options:[{title}]}",
        ),
    ]
    default_channel_ids: Annotated[list[ChannelId], Field(max_items=500, description="all of them")]
    enabled: Annotated[bool, Field(description="needs 7 default channels, 5 open to @everyone")]
    mode: Annotated[Literal[0, 1], Field(description="1 counts the prompts' channels too")]
    audit_reason: AuditReason


class WelcomeMessage(TypedDict):
    """What the server guide greets with, in whose name."""

    author_ids: list[str]
    message: Untrusted


class GuideEmoji(TypedDict):
    """An emoji beside an entry of the guide."""

    id: str | None
    name: Untrusted | None


class NewMemberAction(TypedDict):
    """A task for new members: 0 to look at a channel, 1 to write there."""

    channel_id: str
    action_type: int
    title: Untrusted
    description: Untrusted
    emoji: NotRequired[GuideEmoji]


class ResourceChannel(TypedDict):
    """A channel to read up in."""

    channel_id: str
    title: Untrusted
    description: Untrusted
    emoji: NotRequired[GuideEmoji]


class NewMemberWelcome(TypedDict):
    """The server guide that new members see; it is off and empty where none was made."""

    guild_id: str
    enabled: bool
    welcome_message: NotRequired[WelcomeMessage | None]
    new_member_actions: list[NewMemberAction]
    resource_channels: list[ResourceChannel]
