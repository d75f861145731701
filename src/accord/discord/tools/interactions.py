"""interactions: answering what a person did with the bot's commands, buttons and forms."""

from __future__ import annotations

from typing import Unpack

from accord.discord.access import needs
from accord.discord.models.ids import ApplicationId, InteractionId, InteractionToken, MessageId
from accord.discord.models.interactions import (
    Followup,
    InteractionMessage,
    NewAnswer,
    NewFollowup,
    OriginalDeleted,
    Responded,
)
from accord.discord.models.layouts import IS_COMPONENTS_V2
from accord.discord.models.messages import (
    SUPPRESS_EMBEDS,
    SUPPRESS_NOTIFICATIONS,
    Edited,
    MessageObject,
    something_to_send,
)
from accord.discord.models.posting import (
    EPHEMERAL,
    PostChanges,
    PostDeleted,
    ThreadId,
    flags_within,
)
from accord.discord.models.values import Wire
from accord.discord.outgoing import what_changed
from accord.discord.overflow import content_fits, sent_in_order
from accord.discord.posting import (
    BODY_RULES,
    CHANGE_RULES,
    answer_is_whole,
    answering_of,
    followup_of,
    posting_of,
    rewriting_of,
)
from accord.discord.rest.client import Discord
from accord.discord.results.interactions import followup, interaction_message, responded
from accord.discord.results.messages import edited
from accord.discord.rules import changes
from accord.engine import Effect, Toolset

tools = Toolset("interactions", fence="untrusted_discord")

EDIT_RULES = (
    changes("application_id", "interaction_token", "message_id", "thread_id", "with_components", "allowed_mentions"),
    *CHANGE_RULES,
)
FLAGS_OF_NEW = flags_within(SUPPRESS_EMBEDS, EPHEMERAL, SUPPRESS_NOTIFICATIONS, IS_COMPONENTS_V2)

BY_TOKEN = needs(auth="opaque")


@tools.tool(
    Effect.CREATE,
    say="Answered interaction {interaction_id}.",
    checks=(answer_is_whole,),
    facts=BY_TOKEN,
)
async def interactions_create_response(
    discord: Discord,
    interaction_id: InteractionId,
    interaction_token: InteractionToken,
    **answer: Unpack[NewAnswer],
) -> Responded:
    """Give an interaction its first answer, within 3 seconds.

    Nobody is pinged unless allowed_mentions says so.
    """
    write = await answering_of(discord, answer)
    if not answer.get("with_response", True):
        await discord.do("POST", "/interactions/{}/{}/callback", interaction_id, interaction_token, **write)
        return {"acknowledged": True, "interaction_id": interaction_id}
    sent = await discord.post("/interactions/{}/{}/callback", interaction_id, interaction_token, into=Wire, **write)
    return responded(sent)


@tools.tool(Effect.READ, say="Message {message_id} in <#{channel_id}>.", facts=BY_TOKEN)
async def interactions_get_original_response(
    discord: Discord,
    application_id: ApplicationId,
    interaction_token: InteractionToken,
    thread_id: ThreadId | None = None,
) -> InteractionMessage:
    """Fetch the message that the first answer made."""
    query = {"thread_id": thread_id}
    sent = await discord.get(
        "/webhooks/{}/{}/messages/@original", application_id, interaction_token, into=MessageObject, query=query
    )
    return interaction_message(sent)


@tools.tool(Effect.UPDATE, say="Edited message {message_id} in <#{channel_id}>.", checks=EDIT_RULES, facts=BY_TOKEN)
async def interactions_edit_original_response(
    discord: Discord,
    application_id: ApplicationId,
    interaction_token: InteractionToken,
    **new: Unpack[PostChanges],
) -> Edited:
    """Edit the first answer's message, or fill in one that was put off (type 5). What is left out stays."""
    write = await rewriting_of(discord, application_id, interaction_token, None, new)
    made = await discord.patch(
        "/webhooks/{}/{}/messages/@original", application_id, interaction_token, into=MessageObject, **write
    )
    return edited(made, what_changed(write))


@tools.tool(Effect.DELETE, say="Deleted the first answer.", facts=BY_TOKEN)
async def interactions_delete_original_response(
    discord: Discord,
    application_id: ApplicationId,
    interaction_token: InteractionToken,
    thread_id: ThreadId | None = None,
) -> OriginalDeleted:
    """Delete the first answer's message for good."""
    query = {"thread_id": thread_id}
    await discord.do("DELETE", "/webhooks/{}/{}/messages/@original", application_id, interaction_token, query=query)
    return {"deleted": True}


@tools.tool(
    Effect.CREATE,
    say="Sent message {message_id} to <#{channel_id}>.",
    checks=(something_to_send, content_fits, FLAGS_OF_NEW, *BODY_RULES),
    facts=BY_TOKEN,
)
async def interactions_create_followup(
    discord: Discord,
    application_id: ApplicationId,
    interaction_token: InteractionToken,
    **message: Unpack[NewFollowup],
) -> Followup:
    """Send a further message, within 15 minutes of the interaction.

    Nobody is pinged unless allowed_mentions says so.
    """
    made = await sent_in_order(
        await posting_of(discord, followup_of(message)),
        lambda one, _: discord.post("/webhooks/{}/{}", application_id, interaction_token, into=MessageObject, **one),
    )
    return followup(made)


@tools.tool(Effect.READ, say="Message {message_id} in <#{channel_id}>.", facts=BY_TOKEN)
async def interactions_get_followup(
    discord: Discord,
    application_id: ApplicationId,
    interaction_token: InteractionToken,
    message_id: MessageId,
    thread_id: ThreadId | None = None,
) -> InteractionMessage:
    """Fetch a further message by its id."""
    query = {"thread_id": thread_id}
    sent = await discord.get(
        "/webhooks/{}/{}/messages/{}", application_id, interaction_token, message_id, into=MessageObject, query=query
    )
    return interaction_message(sent)


@tools.tool(Effect.UPDATE, say="Edited message {message_id} in <#{channel_id}>.", checks=EDIT_RULES, facts=BY_TOKEN)
async def interactions_edit_followup(
    discord: Discord,
    application_id: ApplicationId,
    interaction_token: InteractionToken,
    message_id: MessageId,
    **new: Unpack[PostChanges],
) -> Edited:
    """Edit a further message by its id. What is left out stays."""
    write = await rewriting_of(discord, application_id, interaction_token, message_id, new)
    made = await discord.patch(
        "/webhooks/{}/{}/messages/{}", application_id, interaction_token, message_id, into=MessageObject, **write
    )
    return edited(made, what_changed(write))


@tools.tool(Effect.DELETE, say="Deleted message {message_id}.", facts=BY_TOKEN)
async def interactions_delete_followup(
    discord: Discord,
    application_id: ApplicationId,
    interaction_token: InteractionToken,
    message_id: MessageId,
    thread_id: ThreadId | None = None,
) -> PostDeleted:
    """Delete a further message for good."""
    query = {"thread_id": thread_id}
    await discord.do(
        "DELETE", "/webhooks/{}/{}/messages/{}", application_id, interaction_token, message_id, query=query
    )
    return {"deleted": True, "message_id": message_id}
