"""Posting by a token that stands in the route: what goes into the query, what into the body, and whose token it is."""

from __future__ import annotations

from collections.abc import Awaitable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias, cast

from accord.discord.components.either import components_are_whole
from accord.discord.models.embeds import embeds_fit
from accord.discord.models.files import files_are_one
from accord.discord.models.ids import ApplicationId, InteractionToken, MessageId, WebhookId, WebhookToken
from accord.discord.models.interactions import LATER, MESSAGE, UPDATE, data_fits_type
from accord.discord.models.layouts import IS_COMPONENTS_V2
from accord.discord.models.mentions import mentions_are_one
from accord.discord.models.messages import (
    SUPPRESS_EMBEDS,
    SUPPRESS_NOTIFICATIONS,
    MessageBody,
    MessageChanges,
    MessageObject,
    few_enough_files,
    something_to_send,
)
from accord.discord.models.posting import EPHEMERAL, files_say_what_stays, flags_within
from accord.discord.models.values import Wire
from accord.discord.outgoing import rewritten, sendable
from accord.discord.overflow import sent_in_order
from accord.discord.rest.client import Discord, Write
from accord.discord.rules import changes
from accord.discord.sending import writes_of
from accord.engine import Check, Issue, ValidationError

__all__ = [
    "BODY_RULES",
    "CHANGE_RULES",
    "answer_is_whole",
    "answering_of",
    "followup_of",
    "parted",
    "posted_in_order",
    "posting_of",
    "rewriting_of",
    "token_of",
]

Json: TypeAlias = Any

IN_QUERY = frozenset({"wait", "thread_id", "with_components"})
"""Arguments that Discord takes in the query."""

BODY_RULES: Final = (embeds_fit, components_are_whole, mentions_are_one, files_are_one)
"""What holds of every message's body."""

CHANGE_RULES: Final = (flags_within(SUPPRESS_EMBEDS, IS_COMPONENTS_V2), few_enough_files, *BODY_RULES)
"""What holds of every edit besides."""

ANSWERS: Final[Mapping[int, tuple[Check, ...]]] = {
    MESSAGE: (
        something_to_send,
        flags_within(SUPPRESS_EMBEDS, EPHEMERAL, SUPPRESS_NOTIFICATIONS, IS_COMPONENTS_V2),
        *BODY_RULES,
    ),
    LATER: (flags_within(EPHEMERAL),),
    UPDATE: (
        changes("allowed_mentions"),
        files_say_what_stays,
        *CHANGE_RULES,
    ),
}
"""What holds of the message in an answer to an interaction, by the answer's type."""


async def token_of(discord: Discord, webhook_id: WebhookId, token: WebhookToken | None) -> WebhookToken:
    """Return the webhook's token: the one that was given, or the one that Discord shows the bot.

    Raises:
        ValidationError: Discord shows the bot none: another application's webhook, or one that cannot post.
        ToolError: The webhook cannot be read.
    """
    if token is not None:
        return token
    shown = await discord.get("/webhooks/{}", webhook_id, into=Wire)
    if not shown.get("token"):
        issue = "is required: Discord does not tell the bot this webhook's token"
        raise ValidationError(issues=[{"path": "token", "message": issue, "code": "required"}])
    return WebhookToken(shown["token"])


async def posting_of(discord: Discord, message: Mapping[str, Json]) -> list[Write]:
    """Return a message to post as its requests take it, one for each of its parts.

    Discord is asked to answer with the message; for each of several parts it is, whatever the caller says of waiting.

    Raises:
        ValidationError: A file cannot be read.
    """
    writes = await writes_of(discord, message)
    return [_posted(write, is_part=len(writes) > 1) for write in writes]


def _posted(write: Write, *, is_part: bool) -> Write:
    query, body = parted(cast("Mapping[str, Json]", write["body"]))
    waits = is_part or query.get("wait", True)
    return {**write, "body": body, "query": {"wait": True, **_with_components(query, body)} | {"wait": waits}}


async def posted_in_order(
    discord: Discord, webhook_id: WebhookId, token: WebhookToken, writes: Sequence[Write]
) -> list[MessageObject]:
    """Post one part after the other, all into the thread that the first one opens if it does, and return the messages.

    Raises:
        ToolError: What a part failed with; after the first one, with the ids of the messages that are there.
    """
    opens = "thread_name" in cast("Mapping[str, Json]", writes[0]["body"])

    def send(write: Write, made: Sequence[MessageObject]) -> Awaitable[MessageObject]:
        thread = {"thread_id": made[0]["channel_id"]} if opens and made else {}
        own: Write = {**write, "query": {**(write.get("query") or {}), **thread}}
        return discord.post("/webhooks/{}/{}", webhook_id, token, into=MessageObject, **own)

    return await sent_in_order(writes, send)


async def rewriting_of(
    discord: Discord,
    poster_id: WebhookId | ApplicationId,
    token: WebhookToken | InteractionToken,
    message_id: MessageId | None,
    new: Mapping[str, Json],
) -> Write:
    """Return an edit of such a message as its request takes it. The files that are there stay, unless it says which do.

    Without a `message_id` it is the first answer's message.

    Raises:
        ValidationError: A file cannot be read, or they are too many together.
    """
    query, given = parted(new)

    def before() -> Awaitable[MessageObject]:
        place = {"thread_id": query.get("thread_id")}
        if message_id is None:
            return discord.get("/webhooks/{}/{}/messages/@original", poster_id, token, into=MessageObject, query=place)
        return discord.get("/webhooks/{}/{}/messages/{}", poster_id, token, message_id, into=MessageObject, query=place)

    write = await rewritten(discord, cast("MessageChanges", given), before)
    return {**write, "query": _with_components(query, given)}


def followup_of(message: Mapping[str, Json]) -> dict[str, Json]:
    """Return a message after the first answer; `ephemeral` is a word of ours for a flag."""
    followup = dict(message)
    if followup.pop("ephemeral", False):
        followup["flags"] = followup.get("flags", 0) | EPHEMERAL
    return followup


def answer_is_whole(arguments: Mapping[str, Json]) -> Iterator[Issue]:
    """Refuse an answer to an interaction with a message that Discord would refuse, or with none of its type."""
    yield from (misfits := list(data_fits_type(arguments)))
    if misfits:
        return
    data = arguments.get("data", {})
    for rule in ANSWERS.get(arguments["type"], ()):
        for issue in rule(data):
            yield {**issue, "path": f"data.{issue['path']}".rstrip(".")}


async def answering_of(discord: Discord, answer: Mapping[str, Json]) -> Write:
    """Return the first answer to an interaction as its request takes it.

    Raises:
        ValidationError: A file cannot be read.
    """
    kind, data = answer["type"], answer.get("data")
    write: Write = {"body": data}
    if kind == MESSAGE:
        write = await sendable(discord, cast("MessageBody", data))
    elif kind == UPDATE:
        write = await rewritten(discord, cast("MessageChanges", data or {}))
    said = {} if write.get("body") is None else {"data": write["body"]}
    query = {"with_response": answer.get("with_response", True)}
    return {"body": {"type": kind, **said}, "files": write.get("files", ()), "query": query}


def parted(arguments: Mapping[str, Json]) -> tuple[dict[str, Json], dict[str, Json]]:
    """Return what goes into the query, and what into the body."""
    query = {name: value for name, value in arguments.items() if name in IN_QUERY}
    return query, {name: value for name, value in arguments.items() if name not in IN_QUERY}


def _with_components(query: Mapping[str, Json], body: Mapping[str, Json]) -> dict[str, Json]:
    """Return the query. Without `with_components` Discord would drop those of a webhook that is not the bot's own."""
    return {"with_components": True, **query} if body.get("components") else dict(query)
