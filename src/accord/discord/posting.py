"""Posting by a token that stands in the route: what goes into the query, what into the body, and whose token it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias, cast

from accord.discord.files import attachments_of
from accord.discord.models.ids import WebhookId, WebhookToken
from accord.discord.models.messages import MessageBody, MessageChanges
from accord.discord.models.values import Wire
from accord.discord.outgoing import changes_of, sendable
from accord.discord.rest.client import Discord, Write
from accord.engine import ValidationError

__all__ = ["posting_of", "rewriting_of", "token_of", "what_changed"]

Json: TypeAlias = Any

IN_QUERY = frozenset({"wait", "thread_id", "with_components"})
"""Arguments that Discord takes in the query."""


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


async def posting_of(discord: Discord, message: Mapping[str, Json]) -> Write:
    """Return a message to post as its request takes it; Discord is asked to answer with the message.

    Raises:
        ValidationError: A file cannot be read.
    """
    write = await sendable(discord, cast("MessageBody", _of_body(message)))
    return {**write, "query": {"wait": True, **_query_of(message)}}


async def rewriting_of(discord: Discord, changes: Mapping[str, Json]) -> Write:
    """Return an edit of such a message as its request takes it. New files come beside the attachments that are kept.

    Raises:
        ValidationError: A file cannot be read.
    """
    body = changes_of(cast("MessageChanges", _of_body(changes)))
    write: Write = {"body": body, "query": _query_of(changes), "idempotent": True}
    if "files" in changes:
        rows, write["files"] = await attachments_of(discord, changes["files"])
        body["attachments"] = [*body.get("attachments", ()), *rows]
    return write


def what_changed(write: Write) -> set[str]:
    """Return which parts of a message such an edit changes."""
    body = cast("Mapping[str, Json]", write.get("body") or {})
    return body.keys() - {"allowed_mentions"}


def _of_body(arguments: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in arguments.items() if name not in IN_QUERY}


def _query_of(arguments: Mapping[str, Json]) -> dict[str, Json]:
    """Return the query. Without `with_components` Discord would drop those of a webhook that is not the bot's own."""
    said = {name: value for name, value in arguments.items() if name in IN_QUERY}
    return {"with_components": True, **said} if arguments.get("components") else said
