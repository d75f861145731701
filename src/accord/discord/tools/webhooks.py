"""webhooks: posting to a channel by a token of its own."""

from __future__ import annotations

from typing import Annotated, Unpack

from accord.discord.access import needs
from accord.discord.conditions import always
from accord.discord.files import with_images
from accord.discord.models.foreign import (
    GithubEvent,
    GithubPayload,
    Relayed,
    SlackMessage,
    nobody_is_pinged,
    something_for_slack,
)
from accord.discord.models.ids import ChannelId, GuildId, MessageId, WebhookId, WebhookToken
from accord.discord.models.layouts import IS_COMPONENTS_V2
from accord.discord.models.messages import (
    SUPPRESS_EMBEDS,
    SUPPRESS_NOTIFICATIONS,
    Edited,
    MessageObject,
    something_to_send,
)
from accord.discord.models.posting import PostChanges, PostDeleted, ThreadId, flags_within
from accord.discord.models.values import AuditReason, Wire
from accord.discord.models.webhooks import (
    Executed,
    GetWebhook,
    NewWebhook,
    NewWebhookMessage,
    TokenChanges,
    WebhookChanges,
    WebhookDeleted,
    WebhookMessage,
    Webhooks,
    name_is_free,
    post_aims_once,
)
from accord.discord.outgoing import changed, given, what_changed
from accord.discord.overflow import content_fits
from accord.discord.posting import BODY_RULES, CHANGE_RULES, parted, posted_in_order, posting_of, rewriting_of, token_of
from accord.discord.rest.client import Discord, Write
from accord.discord.results.messages import edited
from accord.discord.results.webhooks import executed, webhook, webhook_message, webhooks
from accord.discord.rules import changes
from accord.discord.upload_limits import files_fit_webhook
from accord.engine import Effect, Field, Toolset

tools = Toolset("webhooks", fence="untrusted_discord")

FLAGS_OF_NEW = flags_within(SUPPRESS_EMBEDS, SUPPRESS_NOTIFICATIONS, IS_COMPONENTS_V2)

BY_TOKEN = needs(auth="opaque")
BY_TOKEN_OR_BOT = needs(auth="opaque", when={"token left out, webhook not the bot's own": "MANAGE_WEBHOOKS"})

# --- Managing them --------------------------------------------------------------------------------------------------


@tools.tool(Effect.READ, say="Webhooks: {count}.", facts=needs("MANAGE_WEBHOOKS"))
async def webhooks_list_channel(discord: Discord, channel_id: ChannelId) -> Webhooks:
    """List a channel's webhooks: ids, names, who made them. Their tokens are never shown."""
    return webhooks(await discord.get("/channels/{}/webhooks", channel_id, into=list[Wire]))


@tools.tool(Effect.READ, say="Webhooks: {count}.", facts=needs("MANAGE_WEBHOOKS"))
async def webhooks_list_guild(discord: Discord, guild_id: GuildId) -> Webhooks:
    """List all webhooks of a guild, with their channels. Their tokens are never shown."""
    return webhooks(await discord.get("/guilds/{}/webhooks", guild_id, into=list[Wire]))


@tools.tool(Effect.CREATE, say="Created webhook {id}.", checks=(name_is_free,), facts=needs("MANAGE_WEBHOOKS"))
async def webhooks_create(discord: Discord, channel_id: ChannelId, **new: Unpack[NewWebhook]) -> GetWebhook:
    """Create a webhook. Post with webhooks_execute, which needs no token.

    A person finds its URL in the channel's settings, under Integrations.
    """
    body, reason = given(new)
    body = await with_images(discord, body, "avatar")
    return webhook(await discord.post("/channels/{}/webhooks", channel_id, into=Wire, body=body, reason=reason))


@tools.tool(
    Effect.READ,
    say="Webhook {id}, type {type}.",
    facts=needs(when={"webhook not the bot's own": "MANAGE_WEBHOOKS"}),
)
async def webhooks_get(discord: Discord, webhook_id: WebhookId) -> GetWebhook:
    """Fetch one webhook: name, channel, who made it."""
    return webhook(await discord.get("/webhooks/{}", webhook_id, into=Wire))


@tools.tool(Effect.READ, say="Webhook {id}, type {type}.", facts=BY_TOKEN)
async def webhooks_get_with_token(discord: Discord, webhook_id: WebhookId, token: WebhookToken) -> GetWebhook:
    """Fetch a webhook by its token alone, where the bot has no right to see it. Its creator is not told."""
    return webhook(await discord.get("/webhooks/{}/{}", webhook_id, token, into=Wire))


@tools.tool(
    Effect.UPDATE,
    say="Changed webhook {id}.",
    checks=(changes("webhook_id"), name_is_free),
    facts=needs("MANAGE_WEBHOOKS"),
)
async def webhooks_modify(discord: Discord, webhook_id: WebhookId, **new: Unpack[WebhookChanges]) -> GetWebhook:
    """Rename a webhook, change its avatar, or move it to another channel of its guild. What is left out stays."""
    body, reason = changed(new)
    body = await with_images(discord, body, "avatar")
    sent = await discord.patch("/webhooks/{}", webhook_id, into=Wire, body=body, reason=reason, idempotent=True)
    return webhook(sent)


@tools.tool(
    Effect.UPDATE,
    say="Changed webhook {id}.",
    checks=(changes("webhook_id", "token"), name_is_free),
    facts=BY_TOKEN,
    confirm_when=always("it changes a webhook whoever made it, by its token alone"),
)
async def webhooks_modify_with_token(
    discord: Discord, webhook_id: WebhookId, token: WebhookToken, **new: Unpack[TokenChanges]
) -> GetWebhook:
    """Rename a webhook or change its avatar by its token alone. What is left out stays."""
    body, _ = changed(new)
    body = await with_images(discord, body, "avatar")
    return webhook(await discord.patch("/webhooks/{}/{}", webhook_id, token, into=Wire, body=body, idempotent=True))


@tools.tool(Effect.DELETE, say="Deleted webhook {webhook_id}.", facts=needs("MANAGE_WEBHOOKS"))
async def webhooks_delete(
    discord: Discord, webhook_id: WebhookId, audit_reason: AuditReason | None = None
) -> WebhookDeleted:
    """Delete a webhook for good; whatever posts with it stops."""
    await discord.do("DELETE", "/webhooks/{}", webhook_id, reason=audit_reason)
    return {"deleted": True, "webhook_id": webhook_id}


@tools.tool(Effect.DELETE, say="Deleted webhook {webhook_id}.", facts=BY_TOKEN)
async def webhooks_delete_with_token(discord: Discord, webhook_id: WebhookId, token: WebhookToken) -> WebhookDeleted:
    """Delete a webhook for good by its token alone; whatever posts with it stops."""
    await discord.do("DELETE", "/webhooks/{}/{}", webhook_id, token)
    return {"deleted": True, "webhook_id": webhook_id}


# --- Posting --------------------------------------------------------------------------------------------------------


@tools.tool(
    Effect.CREATE,
    say="Webhook {webhook_id} posted message {message_id}.",
    checks=(
        something_to_send,
        content_fits,
        FLAGS_OF_NEW,
        name_is_free,
        post_aims_once,
        *BODY_RULES,
    ),
    facts=BY_TOKEN_OR_BOT,
)
async def webhooks_execute(
    discord: Discord, webhook_id: WebhookId, token: WebhookToken | None = None, **message: Unpack[NewWebhookMessage]
) -> Executed:
    """Post as a webhook: to its channel, to a thread of it, or as a new forum post (thread_name).

    Leave token out: it is looked up. Nobody is pinged unless allowed_mentions says so.
    """
    writes = await posting_of(discord, message)
    secret = await token_of(discord, webhook_id, token)
    await files_fit_webhook(discord, webhook_id, secret, writes[-1])
    if not message.get("wait", True) and len(writes) == 1:
        await discord.do("POST", "/webhooks/{}/{}", webhook_id, secret, **writes[0])
        return {"webhook_id": webhook_id, "enqueued": True}
    return executed(await posted_in_order(discord, webhook_id, secret, writes), webhook_id)


@tools.tool(Effect.READ, say="Message {message_id} in <#{channel_id}>.", facts=BY_TOKEN_OR_BOT)
async def webhooks_get_message(
    discord: Discord,
    webhook_id: WebhookId,
    message_id: MessageId,
    token: WebhookToken | None = None,
    thread_id: ThreadId | None = None,
) -> WebhookMessage:
    """Fetch a message that the webhook posted. Leave token out: it is looked up."""
    secret = await token_of(discord, webhook_id, token)
    sent = await discord.get(
        "/webhooks/{}/{}/messages/{}",
        webhook_id,
        secret,
        message_id,
        into=MessageObject,
        query={"thread_id": thread_id},
    )
    return webhook_message(sent)


@tools.tool(
    Effect.UPDATE,
    say="Edited message {message_id} in <#{channel_id}>.",
    checks=(
        changes("webhook_id", "token", "message_id", "thread_id", "with_components", "allowed_mentions"),
        *CHANGE_RULES,
    ),
    facts=BY_TOKEN_OR_BOT,
)
async def webhooks_edit_message(
    discord: Discord,
    webhook_id: WebhookId,
    message_id: MessageId,
    token: WebhookToken | None = None,
    **new: Unpack[PostChanges],
) -> Edited:
    """Edit a message that the webhook posted. What is left out stays; leave token out: it is looked up."""
    secret = await token_of(discord, webhook_id, token)
    write = await rewriting_of(discord, webhook_id, secret, message_id, new)
    await files_fit_webhook(discord, webhook_id, secret, write)
    made = await discord.patch(
        "/webhooks/{}/{}/messages/{}", webhook_id, secret, message_id, into=MessageObject, **write
    )
    return edited(made, what_changed(write))


@tools.tool(Effect.DELETE, say="Deleted message {message_id}.", facts=BY_TOKEN_OR_BOT)
async def webhooks_delete_message(
    discord: Discord,
    webhook_id: WebhookId,
    message_id: MessageId,
    token: WebhookToken | None = None,
    thread_id: ThreadId | None = None,
) -> PostDeleted:
    """Delete a message that the webhook posted, for good. Leave token out: it is looked up."""
    secret = await token_of(discord, webhook_id, token)
    await discord.do(
        "DELETE", "/webhooks/{}/{}/messages/{}", webhook_id, secret, message_id, query={"thread_id": thread_id}
    )
    return {"deleted": True, "message_id": message_id}


# --- In other services' forms ---------------------------------------------------------------------------------------


@tools.tool(
    Effect.CREATE,
    say="Passed a message on to webhook {webhook_id}.",
    checks=(something_for_slack, name_is_free, nobody_is_pinged),
    facts=BY_TOKEN_OR_BOT,
)
async def webhooks_execute_slack(
    discord: Discord, webhook_id: WebhookId, token: WebhookToken | None = None, **message: Unpack[SlackMessage]
) -> Relayed:
    """Post a message that was written for Slack. For any other use webhooks_execute, which can do more."""
    query, body = parted(message)
    secret = await token_of(discord, webhook_id, token)
    await discord.do("POST", "/webhooks/{}/{}/slack", webhook_id, secret, body=body, query=query)
    return {"relayed": True, "webhook_id": webhook_id}


@tools.tool(Effect.CREATE, say="Passed an event on to webhook {webhook_id}.", facts=BY_TOKEN_OR_BOT)
async def webhooks_execute_github(
    discord: Discord,
    webhook_id: WebhookId,
    event: GithubEvent,
    payload: Annotated[GithubPayload, Field(description="of the event, these fields alone")],
    token: WebhookToken | None = None,
    thread_id: ThreadId | None = None,
    wait: bool | None = None,
) -> Relayed:
    """Post an event of GitHub as Discord shows it: a push, an issue, a release. Nobody is pinged."""
    query = {"thread_id": thread_id, "wait": wait}
    write: Write = {"body": payload, "query": query, "headers": {"X-GitHub-Event": event}}
    secret = await token_of(discord, webhook_id, token)
    await discord.do("POST", "/webhooks/{}/{}/github", webhook_id, secret, **write)
    return {"relayed": True, "webhook_id": webhook_id}
