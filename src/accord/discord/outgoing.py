"""What a tool's arguments become in a request's body."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

from accord.discord.files import attachments_of
from accord.discord.models.components import Component
from accord.discord.models.layouts import IS_COMPONENTS_V2, LayoutChanges
from accord.discord.models.mentions import mentions_of
from accord.discord.models.messages import MessageBody, MessageChanges, MessageObject, PostMessage, few_enough_files
from accord.discord.rest.client import Discord, Write
from accord.engine import ValidationError

__all__ = [
    "changed",
    "changes_of",
    "given",
    "laid_out",
    "laid_out_anew",
    "message_of",
    "nonce_of",
    "rewritten",
    "sendable",
    "what_changed",
]

Json: TypeAlias = Any

OWN_WORDS = frozenset({"reply_to", "nonce", "clear", "files"})
"""Arguments that are ours and not Discord's."""

_EMPTY: dict[str, Json] = {"content": "", "embeds": [], "components": [], "attachments": []}


def nonce_of(message: Mapping[str, Json]) -> str:
    """Return the caller's nonce, or a new one: Discord takes at most 25 characters."""
    return message.get("nonce") or secrets.token_hex(12)


def laid_out(components: Sequence[Component], message: Mapping[str, Json]) -> MessageBody:
    """Return a message that is laid out from components. What else it has must fit to that."""
    flags = message.get("flags", 0) | IS_COMPONENTS_V2
    return cast("MessageBody", {**message, "components": list(components), "flags": flags})


def laid_out_anew(components: Sequence[Component], changes: LayoutChanges) -> MessageChanges:
    """Return an edit that lays a message out from components, in place of the text and the embeds that it may have."""
    anew = {**changes, "components": list(components), "flags": IS_COMPONENTS_V2, "content": "", "embeds": []}
    return cast("MessageChanges", anew)


async def sendable(
    discord: Discord, message: MessageBody | PostMessage, *, nonce: str | None = None, most_bytes: int | None = None
) -> Write:
    """Return a new message as its request takes it: the body, and the files that go along.

    Raises:
        ValidationError: A file cannot be read, or is larger than `most_bytes`.
    """
    body = message_of(message)
    if "files" not in message:
        return {"body": body, "nonce": nonce}
    rows, uploads = await attachments_of(discord, message["files"], most_bytes=most_bytes)
    return {"body": {**body, "attachments": [*body.get("attachments", ()), *rows]}, "files": uploads, "nonce": nonce}


async def rewritten(
    discord: Discord, changes: MessageChanges, before: Callable[[], Awaitable[MessageObject]] | None = None
) -> Write:
    """Return an edit as its request takes it. The files that are there stay, unless it says which of them do.

    Discord removes the files that are not listed beside new ones; `before` reads the message that lists them. Without
    it an edit with new files has to say what stays.

    Raises:
        ValidationError: A file cannot be read, or they are too many together.
    """
    body = changes_of(changes)
    if "files" not in changes:
        return {"body": body, "idempotent": True}
    rows, uploads = await attachments_of(discord, changes["files"])
    staying = body.get("attachments", ())
    if before is not None and "attachments" not in body:
        staying = [{"id": one["id"]} for one in (await before())["attachments"]]
        if issues := [*few_enough_files({"attachments": staying, "files": rows})]:
            raise ValidationError(issues=issues)
    return {"body": {**body, "attachments": [*staying, *rows]}, "files": uploads, "idempotent": True}


def message_of(message: MessageBody | PostMessage) -> dict[str, Json]:
    """Return the body of a new message. Its nonce is the client's to add."""
    body: dict[str, Json] = {name: value for name, value in message.items() if name not in OWN_WORDS}
    body["allowed_mentions"] = mentions_of(message.get("allowed_mentions"))
    if answered := cast("Mapping[str, Json]", message).get("reply_to"):
        body["message_reference"] = {"message_id": answered}
    return body


def changes_of(changes: MessageChanges) -> dict[str, Json]:
    """Return the body of an edit: what is given, and emptied what is to be cleared."""
    body: dict[str, Json] = {name: value for name, value in changes.items() if name not in OWN_WORDS}
    body["allowed_mentions"] = mentions_of(changes.get("allowed_mentions"))
    return body | {name: _EMPTY[name] for name in changes.get("clear", ())}


def what_changed(write: Write) -> set[str]:
    """Return which parts of a message such an edit changes."""
    body = cast("Mapping[str, Json]", write.get("body") or {})
    return body.keys() - {"allowed_mentions"}


def given(arguments: Mapping[str, Json]) -> tuple[dict[str, Json], str | None]:
    """Return the body of what is made: all that is given; and the reason, which goes beside it."""
    body = dict(arguments)
    return body, body.pop("audit_reason", None)


def changed(
    arguments: Mapping[str, Json], emptied: Mapping[str, Json] | None = None
) -> tuple[dict[str, Json], str | None]:
    """Return the body of a change in part: what is given, and null for what is named in `clear`; and the reason.

    `emptied` are the values that stand for nothing where Discord takes no null.
    """
    body, reason = given(arguments)
    empty = emptied or {}
    return body | {name: empty.get(name) for name in body.pop("clear", ())}, reason
