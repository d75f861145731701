"""What a person decides about beyond a call's arguments: what is in its files, and what stands at Discord."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, TypeAlias

import orjson

from accord.discord.models.values import Wire
from accord.discord.overwrites import sides_of
from accord.discord.rest.client import Discord
from accord.engine import Call, Next, PayloadApprovalMismatchError, Reply, fingerprint

__all__ = ["PICTURES", "content_of", "files_of", "holding", "send_as_decided"]

Json: TypeAlias = Any
Arguments: TypeAlias = Mapping[str, Json]

PICTURES: Final = ("avatar", "banner", "cover_image", "discovery_splash", "home_header", "icon", "splash")
"""Arguments of tools that are asked about which name a file, where they are no data URI."""

AS_WRITTEN: Final = ("content", "components", "sticker_items", "poll", "message_snapshots", "edited_timestamp")
"""What of a message its author decides."""


async def content_of(call: Call) -> str:
    """Return what else than its arguments decides what the call does, as it is now; empty where nothing else does.

    The files are kept among the call's facts, for `send_as_decided`.

    Raises:
        ToolError: A file, or what stands at Discord, cannot be read.
    """
    if not isinstance(call.client, Discord):
        return ""
    files = call.facts["files"] = await files_of(call.client, call.arguments)
    read = ACTED_ON.get(call.tool.name)
    content = {"content": fingerprint(await read(call.client, call.arguments))} if read else {}
    found = ({"files": files} if files else {}) | content
    return orjson.dumps(found, option=orjson.OPT_SORT_KEYS).decode() if found else ""


async def files_of(discord: Discord, arguments: Arguments) -> dict[str, str]:
    """Return the SHA-256 of each file that the arguments name, by its name.

    Raises:
        ValidationError: One cannot be read.
    """
    return {name: _digest(await discord.uploads.read(name, path=path)) for path, name in _named(arguments)}


def holding(call: Call, files: Mapping[str, str]) -> Call:
    """Return the call with a client that raises PayloadApprovalMismatchError for any file but these."""
    changed = PayloadApprovalMismatchError(tool=call.tool.name, approval_id="a person's")
    return replace(call, client=call.client.sending_only(files, otherwise=changed))


async def send_as_decided(call: Call, following: Next) -> Reply:
    """Refuse files that are not what they were when a person was asked about the call.

    Raises:
        PayloadApprovalMismatchError: One changed since.
    """
    files = call.facts.get("files")
    return await following(call if files is None else holding(call, files))


def _named(arguments: Arguments) -> Iterator[tuple[str, str]]:
    """Yield each file's name after the path of the argument that names it."""
    for number, file in enumerate(arguments.get("files", ())):
        if "file" in file:
            yield f"files[{number}].file", file["file"]
    for path in PICTURES:
        if (name := arguments.get(path)) and not name.startswith("data:"):
            yield path, name


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


async def _message(discord: Discord, arguments: Arguments) -> dict[str, Json]:
    """Return what its author wrote; links that Discord signs anew, and previews that it adds, are no change."""
    found = await discord.get("/channels/{}/messages/{}", arguments["channel_id"], arguments["message_id"], into=Wire)
    embeds = [one for one in found.get("embeds", ()) if one.get("type") == "rich"]
    attachments = [one["id"] for one in found.get("attachments", ())]
    return {**{name: found.get(name) for name in AS_WRITTEN}, "embeds": embeds, "attachments": attachments}


async def _overwrite(discord: Discord, arguments: Arguments) -> dict[str, Json]:
    """Return what the side that a call leaves out would keep."""
    found = await discord.get("/channels/{}", arguments["channel_id"], into=Wire)
    return dict(sides_of(found, arguments["overwrite_id"]))


ACTED_ON: Final[Mapping[str, Callable[[Discord, Arguments], Awaitable[dict[str, Json]]]]] = {
    "channels_modify_permissions": _overwrite,
    "messages_crosspost": _message,
}
"""What a call publishes or builds upon that others, its caller among them, can change after it was shown."""
