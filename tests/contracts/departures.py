"""Where what a tool takes is not what Discord's file says, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["FREE_FORM", "LEFT_OUT_FIELDS", "OTHER_LIMITS", "OTHER_NAMES", "UNCLEARED", "UNRECORDED"]

LAID_OUT: Final = "components of the second version stand alone: Discord refuses it beside them"
CHECKED: Final = "accord.discord.components checks it to the last field, with codes and fixes of its own"

NO_FOLLOWUP: Final = "documented as not supported for an interaction's followups"

OTHER_NAMES: Final[Mapping[str, str]] = {
    "stickers_create_guild_sticker.file": "file_data",
    "events_count_users.guild_scheduled_event_exception_ids": "exception_ids",
    "*.attachments": "files",
    "messages_bulk_delete.messages": "message_ids",
    "messages_search.author_id": "author_ids",
    "messages_search.channel_id": "channel_ids",
    "messages_search.mentions_role_id": "mentions_role_ids",
    "messages_search.replied_to_message_id": "replied_to_message_ids",
    "messages_search.replied_to_user_id": "replied_to_user_ids",
    "components_v2_send.message_reference": "reply_to",
    "components_v2_send_from_template.message_reference": "reply_to",
    "invites_create_channel.target_users_file": "target_user_ids",
    "invites_update_target_users.target_users_file": "user_ids",
}
"""Fields that have another name here, by `tool.field`; `*` for all tools."""

LEFT_OUT_FIELDS: Final[Mapping[str, str]] = {
    **{
        f"webhooks_execute_github.{name}": "a field of `payload`"
        for name in (
            "action",
            "answer",
            "check_run",
            "check_suite",
            "comment",
            "commits",
            "compare",
            "discussion",
            "forced",
            "forkee",
            "head_commit",
            "issue",
            "member",
            "pull_request",
            "ref",
            "ref_type",
            "release",
            "repository",
            "review",
            "sender",
        )
    },
    "interactions_create_followup.applied_tags": NO_FOLLOWUP,
    "interactions_create_followup.avatar_url": NO_FOLLOWUP,
    "interactions_create_followup.thread_id": NO_FOLLOWUP,
    "interactions_create_followup.thread_name": NO_FOLLOWUP,
    "interactions_create_followup.username": NO_FOLLOWUP,
    "interactions_create_followup.wait": "always on: the result names the message",
    **{
        f"{tool}.{field}": LAID_OUT
        for tool in ("components_v2_send", "components_v2_send_from_template")
        for field in ("content", "embeds", "poll", "sticker_ids", "tts", "shared_client_theme")
    },
    "components_v2_send_from_template.attachments": "the templates show no files",
    "components_v2_send_from_template.components": "the template has them",
    **{f"components_v2_edit.{field}": LAID_OUT for field in ("content", "embeds", "sticker_ids")},
    "components_v2_edit.flags": "always the one that lays a message out; Discord changes no other beside it",
    "ban_user_from_guild.delete_message_days": "deprecated; seconds say the same more exactly",
    "create_dm.access_tokens": "a group DM takes its members' own OAuth2 tokens, and no bot can be in one",
    "create_dm.nicks": "names in a group DM, which only members' own OAuth2 tokens can open",
    "messages_search_recent.around": "a search goes one way from where it begins",
    "update_message.sticker_ids": "the documentation lists none here: stickers of a sent message stay",
    "get_guild.with_counts": "always asked for by guild_get; who reads a setting only has no use for it",
    "update_guild.region": "deprecated: each channel has its own rtc_region",
    **{
        f"channels_forum_create_thread.{field}": "a field of `message`, or nothing that a post's message has"
        for field in (
            "allowed_mentions",
            "attachments",
            "components",
            "content",
            "embeds",
            "flags",
            "message_reference",
            "nonce",
            "poll",
            "shared_client_theme",
            "sticker_ids",
            "tts",
        )
    },
    "channels_forum_create_thread.type": "the posts of a forum are public threads, all of them",
    "channels_forum_create_thread.invitable": "anybody can come into a post: it is a public thread",
    "threads_create.message": "a forum's post has a tool of its own, channels_forum_create_thread",
    "threads_create.applied_tags": "tags are for posts of a forum: channels_forum_create_thread",
    "create_message.enforce_nonce": "always on: every message has a nonce",
}
"""Fields that no argument sets, by `tool.field` or `operation.field`."""

OTHER_LIMITS: Final[Mapping[str, str]] = {
    "webhooks_execute_slack.attachments.maxItems": "they become embeds, of which a message has 10",
    "webhooks_execute_slack.username.maxLength": "80 is the documented limit of a webhook's name",
    "*.components.maxItems": "5 action rows are the documented limit; 40 components are those of version 2",
    "channels_modify.user_limit.maximum": "99 is for voice channels, as a rule of the tool says; stages take 10000",
    "*.content.maxLength": "2000 is the documented limit for bots; the file has that of people with Nitro",
}
"""Limits that are not those of the file, by `tool.argument.keyword`."""

UNCLEARED: Final[Mapping[str, str]] = {
    "lobbies_modify.idle_timeout_seconds": "nothing says what null would leave",
    "lobbies_modify.members": "an empty list says it",
    "members_modify.roles": "a list without roles takes them all away",
    "members_modify.mute": "false says the same",
    "members_modify.deaf": "false says the same",
    "*.allowed_mentions": "it is sent with every edit, closed unless opened, and Discord keeps none of it",
    "*.flags": "0 says the same as null",
    "*.poll": "an edit can only bring one; a poll that is there stays",
    "webhooks_modify.channel_id": "a webhook that posts always has a channel",
    "guild_modify.afk_timeout": "the documentation lets it be one of five numbers only",
    "guild_modify.system_channel_flags": "0 says the same as null",
    "guild_modify.features": "an empty list says the same as null",
    "guild_modify.premium_progress_bar_enabled": "false says the same as null",
    "guild_modify_widget.enabled": "false says the same as null",
    "guild_modify_user_voice_state.channel_id": "the documentation lets it be the stage that the user is in only",
    "guild_modify_user_voice_state.suppress": "true and false are all that the documentation knows",
    "guild_modify_current_voice_state.channel_id": "the documentation lets it be the stage that the bot is in only",
    "guild_modify_current_voice_state.suppress": "true and false are all that the documentation knows",
    "events_modify.channel_id": "entity_type 3 empties it; the other types need it",
    "events_modify.entity_metadata": "Discord passes it over with any entity_type but 3, which needs it",
    "events_modify.entity_type": "an event always has a type",
    "events_modify.status": "an event always has a status",
    "events_modify_exception.is_canceled": "false says it",
    "automod_modify_rule.actions": "a rule has at least one action; nothing says what null would leave",
    "automod_modify_rule.enabled": "false says it",
    "components_v2_edit.allowed_mentions": "left out it pings nobody",
    "components_v2_edit.attachments": "an empty list keeps none",
    "components_v2_edit.components": "a message that is laid out has a layout",
    "*.explicit_content_filter": "0 says the same as null",
    "*.event_webhooks_status": "1 says the same as null",
    "*.team_id": "nothing says that an application leaves its team so",
    "commands_modify_global.description": "a slash command needs one, and no other kind of command has one",
    "commands_modify_guild.description": "a slash command needs one, and no other kind of command has one",
    "channels_modify.name": "every channel has a name",
    "channels_modify.type": "every channel has a type",
    "channels_modify.position": "every channel has its place",
    "channels_modify.archived": "false says the same as null",
    "channels_modify.locked": "false says the same as null",
    "channels_modify.invitable": "false says the same as null",
    "channels_modify.auto_archive_duration": "every thread has one",
    "guild_resolve_join_request.rejection_reason": "an application is decided once: there is no reason yet to clear",
}
"""Arguments that the file lets be null and nobody can clear, by `tool.argument`."""

UNRECORDED: Final[Mapping[str, str]] = {
    "events_delete": "Discord's text on exceptions to events lists the header for deleting events as well",
}
"""Tools whose taking of a reason is not what Discord's documentation says of the header."""

FREE_FORM: Final[Mapping[str, str]] = {
    "webhooks_execute_github.payload.issue.pull_request": "Discord only looks whether it is there",
    "webhooks_execute_github.payload.pull_request.pull_request": "Discord only looks whether it is there",
    **{
        f"lobbies_{place}metadata": "texts under names that the game chooses"
        for place in (
            "create.",
            "create.members[].",
            "modify.",
            "modify.members[].",
            "add_member.",
            "update_members.members[].",
            "moderate_message.",
        )
    },
    **{
        f"components_v2_{tool}.components[]": CHECKED
        for tool in ("build_container", "validate", "preview", "send", "edit")
    },
    "components_v2_build_section.accessory": CHECKED,
    "components_v2_send_from_template.vars": "each template has its own variables, and all of them are needed",
}
"""Objects of which nothing is said, by `tool.path`, such as metadata that belongs to whoever writes it."""
