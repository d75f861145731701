"""What Discord's numeric codes and rarer statuses mean, and what to do about each.

Source of the codes: https://discord.com/developers/docs/topics/opcodes-and-status-codes#json
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

__all__ = [
    "ALREADY_PUBLISHED",
    "CODE_ADVICE",
    "GONE_FROM",
    "LISTED_BY",
    "NOT_INDEXED",
    "POLL_EXPIRED",
    "ROUTE_ADVICE",
    "STATUS_ADVICE",
    "UNKNOWN",
    "Advice",
]

ALREADY_PUBLISHED: Final = 40033
NOT_INDEXED: Final = 110000
POLL_EXPIRED: Final = 520001


class Advice(NamedTuple):
    """Our stable word for a failure, and what to do about it (None: the row's own hint)."""

    reason: str | None = None
    hint: str | None = None


LISTED_BY: Final[Mapping[str, str]] = {
    "auto moderation rule": "automod_list_rules",
    "ban": "members_list_bans",
    "channel": "channels_list",
    "command": "commands_list_global",
    "emoji": "emojis_list_guild",
    "entitlement": "entitlements_list",
    "guild": "users_list_current_user_guilds",
    "integration": "guild_list_integrations",
    "invite": "invites_list_channel",
    "member": "members_search",
    "message": "messages_read",
    "role": "roles_list",
    "scheduled event": "events_list",
    "sku": "skus_list",
    "sound": "soundboard_list_guild_sounds",
    "sticker": "stickers_list_guild",
    "subscription": "subscriptions_list",
    "template": "templates_list",
    "webhook": "webhooks_list_guild",
}
"""The tool that lists the resources of a type."""

UNKNOWN: Final[Mapping[int, str]] = {
    10002: "application",
    10003: "channel",
    10004: "guild",
    10005: "integration",
    10006: "invite",
    10007: "member",
    10008: "message",
    10009: "permission overwrite",
    10011: "role",
    10013: "user",
    10014: "emoji",
    10015: "webhook",
    10026: "ban",
    10027: "sku",
    10029: "entitlement",
    10057: "template",
    10060: "sticker",
    10062: "interaction",
    10063: "command",
    10065: "voice state",
    10066: "command permissions",
    10067: "stage instance",
    10070: "scheduled event",
    10097: "sound",
    10102: "subscription",
}
"""Type of resource that Discord does not know, by code."""

GONE_FROM: Final[Mapping[int, str]] = {
    10003: "channels",
    10004: "guilds",
    10005: "integrations",
    10006: "invites",
    10007: "members",
    10008: "messages",
    10009: "permissions",
    10011: "roles",
    10014: "emojis",
    10015: "webhooks",
    10026: "bans",
    10029: "entitlements",
    10057: "templates",
    10060: "stickers",
    10063: "commands",
    10067: "stage-instances",
    10070: "scheduled-events",
    10097: "soundboard-sounds",
}
"""Where in a route that stands which Discord does not know, by code."""

LIMITS: Final[Mapping[int, str]] = {
    30001: "guilds",
    30003: "pinned messages in this channel",
    30005: "roles in this guild",
    30007: "webhooks in this channel",
    30008: "emojis in this guild",
    30010: "different reactions on this message",
    30013: "channels in this guild",
    30015: "attachments in one message",
    30016: "invites in this guild",
    30018: "animated emojis in this guild",
    30032: "application commands",
    30033: "members in this thread",
    30038: "scheduled events in this guild",
    30039: "stickers in this guild",
    30045: "soundboard sounds in this guild",
    30047: "pinned threads in this forum",
    30048: "tags in this forum",
    30056: "premium emojis in this guild",
    30058: "webhooks in this guild",
    30060: "permission overwrites in this channel",
    160006: "active threads in this guild",
    160007: "active announcement threads in this guild",
}
"""What there is already as much of as Discord allows, by code."""


def _unknown(kind: str) -> Advice:
    listing = LISTED_BY.get(kind)
    seen = f"; `{listing}` shows what there is" if listing else ""
    return Advice(
        f"unknown_{kind.replace(' ', '_')}", f"Verify that this {kind} exists and that the bot can see it{seen}."
    )


def _limit(what: str) -> Advice:
    return Advice("limit_reached", f"Remove or reuse one first: there can be no more {what}.")


_DM_REFUSED = Advice(
    "cannot_dm_user",
    "Do not retry: the user closed direct messages, blocked the bot or shares no server with it. "
    "Reach them in a channel, and go on with the rest of the task.",
)
_TOO_LARGE = Advice("too_large", "Send less: smaller or fewer files, shorter text, or a link instead of a file.")
_TRY_LATER = Advice("try_again_later", "Wait some minutes, then try once; this kind of change is limited strictly.")
_NOT_READY = Advice("not_ready", "Wait some seconds, then try again: Discord is not ready yet.")

CODE_ADVICE: Final[Mapping[int, Advice]] = {
    **{number: _unknown(kind) for number, kind in UNKNOWN.items()},
    **{number: _limit(what) for number, what in LIMITS.items()},
    10008: Advice(
        "unknown_message",
        "Verify both IDs: the message was deleted or lies in another channel; `messages_read` shows what there is.",
    ),
    10015: Advice(
        "unknown_webhook", "Stop using this webhook: it was deleted. `webhooks_list_guild` shows what there is."
    ),
    10062: Advice("unknown_interaction", "Wait for a new interaction: this one was not answered within 3 seconds."),
    10066: Advice(
        "unknown_command_permissions",
        "Do nothing: nobody has set permissions for this command in this guild, so that its defaults hold.",
    ),
    20001: Advice("not_for_bots", "Leave this to a person: Discord keeps it from bots."),
    20009: Advice("explicit_content", "Send something else: Discord's filter takes this for explicit content."),
    20016: Advice(
        "slow_mode",
        "Wait until the channel's slow mode lets the bot write again, or have it granted Bypass Slowmode.",
    ),
    20018: Advice("owner_only", "Leave this to the owner: Discord lets nobody else do it."),
    20022: _TRY_LATER,
    20028: Advice("channel_write_rate", "Wait, then write less often to this channel."),
    20029: Advice("guild_write_rate", "Wait, then write less often in this guild."),
    30031: Advice("template_exists", "Use the guild's template (`templates_list`), or delete it first."),
    30034: Advice("daily_limit", "Wait until tomorrow: no more commands can be created today."),
    30035: Advice("ban_limit", "Wait until tomorrow: no more bans of users outside the guild are possible now."),
    30037: _TRY_LATER,
    30040: _TRY_LATER,
    30042: _TRY_LATER,
    30046: Advice(
        "try_again_later", "Wait, or send a new message: messages older than an hour can be edited only rarely."
    ),
    40001: Advice("unauthorized", "Have the owner check DISCORD_TOKEN, or use a credential with the right to do this."),
    40003: Advice(
        "dm_opened_too_fast",
        "Stop opening direct messages now, report how many were done, and go on later and slowly.",
    ),
    40004: _TRY_LATER,
    40005: _TOO_LARGE,
    40006: _TRY_LATER,
    40007: Advice("user_banned", "Lift the ban first (`members_unban`): the user is banned from this guild."),
    40032: Advice("not_in_voice", "Wait until the user has joined a voice channel."),
    ALREADY_PUBLISHED: Advice("already_published", "Do nothing: the message is already published."),
    40041: Advice("name_taken", "Choose another name, or modify the command that has this one."),
    40058: Advice("forum_channel", "Create a post instead: a forum channel takes no plain messages."),
    40060: Advice("already_answered", "Send `interactions_create_followup`: the interaction is already answered."),
    40062: Advice("resource_rate_limited", "Wait some seconds, then make the call once."),
    40067: Advice("tag_required", "Give one of the `available_tags` that `channels_get` shows for this forum."),
    40333: Advice("user_agent_refused", "Have the owner look for a proxy that changes the User-Agent of requests."),
    50001: Advice(
        "missing_access",
        "Let the bot see the target: it must be in the guild and have View Channel there. Where members are listed, "
        "switch on the Server Members Intent instead (Developer Portal, Bot, Privileged Gateway Intents).",
    ),
    50003: Advice("dm_channel", "Name a channel of a guild: this cannot be done in a direct message."),
    50004: Advice("widget_disabled", "Enable the widget first (`guild_modify_widget`)."),
    50005: Advice("not_own_message", "Send a new message instead: a bot can edit only its own."),
    50006: Advice("empty_message", "Give the message content, an embed, a file, a poll, a sticker or components."),
    50007: _DM_REFUSED,
    50008: Advice("not_a_text_channel", "Name a channel that takes messages: this one does not."),
    50013: Advice(
        "missing_permissions",
        "Have an administrator grant the bot's role what this needs (in the guild, or in the channel's overwrites), or "
        "move that role above the target's.",
    ),
    50014: Advice("invalid_token", None),
    50016: Advice("bulk_delete_count", "Give 2 to 100 messages; delete a single one with `messages_delete`."),
    50019: Advice("other_channel", "Pin the message in the channel it was sent in."),
    50021: Advice("system_message", "Choose another message: this cannot be done to a system message."),
    50024: Advice("channel_type", "Name a channel of another type: this cannot be done in this one."),
    50025: Advice("invalid_oauth_token", "Get a fresh OAuth2 access token: this one is invalid."),
    50026: Advice("missing_oauth_scope", "Get an access token with the OAuth2 scope that this needs."),
    50027: Advice(
        "invalid_webhook_token", "Use the right token: this webhook or interaction token is wrong or has run out."
    ),
    50028: Advice("invalid_role", "Verify the role ID: it is not a role of this guild that can be used here."),
    50033: Advice("invalid_recipient", "Verify the user ID: a bot cannot open a direct message to itself or to a bot."),
    50034: Advice("too_old", "Leave out messages older than 14 days; delete those one by one with `messages_delete`."),
    50035: Advice("invalid_form", "Correct the fields named in `issues`, then call again."),
    50045: _TOO_LARGE,
    50055: Advice("invalid_guild", "Verify the guild ID (`users_list_current_user_guilds`)."),
    50074: Advice(
        "community_channel", "Choose another channel in the guild's Community settings first, then delete this one."
    ),
    50081: Advice("invalid_sticker", "Use a sticker of this guild (`stickers_list_guild`)."),
    50083: Advice("thread_archived", "Open the thread first: an archived one takes nothing."),
    50101: Advice("needs_boosts", "Do without this feature: the guild has too few boosts for it."),
    50278: _DM_REFUSED,
    60003: Advice(
        "two_factor_required", "Have the bot's owner switch on two-factor authentication: this guild asks for it."
    ),
    90001: Advice("reaction_blocked", "Do not retry: the message's author has blocked the bot."),
    NOT_INDEXED: _NOT_READY,
    110001: _NOT_READY,
    130000: Advice("overloaded", "Wait some seconds, then try again with growing pauses: Discord is overloaded."),
    150006: Advice(
        "stage_is_live", "Use what is live (`stage_instances_modify`), or end it (`stage_instances_delete`) first."
    ),
    160002: Advice("reply_needs_history", "Have an administrator grant Read Message History, or send without a reply."),
    160004: Advice("thread_exists", "Use the thread that was already created for this message."),
    160005: Advice("thread_locked", "Have somebody with Manage Threads unlock the thread first."),
    180000: Advice("event_over", "Create a new event: one that has ended or was cancelled stays as it is."),
    180005: Advice("empty_exception", "Give what is different about this occurrence: its time, or that it is off."),
    POLL_EXPIRED: Advice("poll_expired", "Do nothing: the poll has ended."),
    520006: Advice("no_poll", "Choose another message: this one is no poll."),
    500000: Advice(
        "nobody_banned",
        "Read who is banned already (`members_list_bans`); the others stand above the bot, or are no users.",
    ),
}
"""What Discord's code means and what to do about it."""

ROUTE_ADVICE: Final[Mapping[tuple[str, int], Advice]] = {
    ("/guilds/{}/members", 50001): Advice(
        "members_intent_required",
        "Have the owner switch on the Server Members Intent (Developer Portal, Bot, Privileged Gateway Intents), or "
        "use `members_get`, which does without.",
    ),
}
"""Codes that mean something else on one route."""

STATUS_ADVICE: Final[Mapping[int, Advice]] = {
    408: Advice("request_timeout"),
    409: Advice("conflict", "Read the target again: it changed meanwhile. Then decide whether to call again."),
    410: Advice("gone"),
    413: _TOO_LARGE,
}
"""What is said where Discord's code says nothing."""
