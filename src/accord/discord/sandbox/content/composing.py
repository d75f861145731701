"""Turns checked fields into a message in a channel: its references, mentions, files and permissions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from accord.discord.sandbox import access, codes, permissions
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.content import polls
from accord.discord.sandbox.content.attachments import attached
from accord.discord.sandbox.content.components import IS_COMPONENTS_V2, checked_components
from accord.discord.sandbox.content.mentions import Mentions, mentions_in
from accord.discord.sandbox.content.message_form import changed_message, new_message
from accord.discord.sandbox.forms import Complaints
from accord.discord.sandbox.payloads import REPLY
from accord.discord.sandbox.world import Message, pointing_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from accord.discord.sandbox.wire import Call
    from accord.discord.sandbox.world import Channel, JsonObject, World

ATTACHED = "attachment://"
SUPPRESS_EMBEDS = 1 << 2
VOICE_MESSAGE = 1 << 13
SUPPRESS_NOTIFICATIONS = 1 << 12
SETTABLE_FLAGS = SUPPRESS_EMBEDS | SUPPRESS_NOTIFICATIONS | VOICE_MESSAGE | IS_COMPONENTS_V2
# What of a message must be there, and which further permission each of these needs.
SOMETHING_TO_SEND = ("content", "embeds", "components", "poll", "sticker_ids")
PERMISSION_FOR = {
    "embeds": permissions.EMBED_LINKS,
    "poll": permissions.SEND_POLLS,
    "tts": permissions.SEND_TTS_MESSAGES,
}


@dataclass(frozen=True, slots=True)
class Sender:
    """Who sends a message: the bot within its permissions, or a token's bearer, who needs none.

    `name` is what a webhook signs with.
    """

    user_id: str
    webhook_id: str | None = None
    name: str | None = None

    def may(self, world: World, channel: Channel, needs: int) -> bool:
        """Whether it has every permission in `needs` in the channel."""
        return self.webhook_id is not None or access.may(world, channel, needs)


def composed(call: Call, channel: Channel, body: Any, sender: Sender | None = None) -> Message:
    """The message that a request describes, not yet in the channel; raises Refused for whatever forbids it.

    It is the bot's unless there is another sender.
    """
    fields = new_message(body)
    by = sender or Sender(call.world.me.id)
    _check_permissions(call, channel, fields, by)
    if not call.files and not any(fields.get(name) for name in SOMETHING_TO_SEND):
        raise Refused(codes.EMPTY_MESSAGE)
    draft = Message(
        call.world.new_id(), channel.id, by.user_id, fields.get("content", ""),
        webhook_id=by.webhook_id, author_name=by.name,
    )  # fmt: skip
    message = _filled(call, channel, draft, fields)
    if "message_reference" in fields:
        message = _replying(call, channel, message, fields["message_reference"])
    return _mentioning(call, channel, message, fields, by)


def _check_permissions(call: Call, channel: Channel, fields: JsonObject, by: Sender) -> None:
    needs = permissions.ATTACH_FILES if call.files else 0
    for name, permission in PERMISSION_FOR.items():
        needs |= permission if fields.get(name) else 0
    if not by.may(call.world, channel, needs):
        raise Refused(codes.MISSING_PERMISSIONS)
    known = {sticker_id for guild in call.world.guilds.values() for sticker_id in guild.stickers}
    known |= {each["id"] for pack in call.world.sticker_packs.values() for each in pack["stickers"]}
    if not known.issuperset(fields.get("sticker_ids", ())):
        raise Refused(codes.INVALID_STICKER)


def _filled(call: Call, channel: Channel, draft: Message, fields: JsonObject) -> Message:
    attachments = attached(call.world, channel.id, fields.get("attachments"), call.files, [])
    flags = fields.get("flags", 0) & SETTABLE_FLAGS
    return replace(
        draft,
        flags=flags,
        tts=fields.get("tts", False),
        nonce=fields.get("nonce"),
        attachments=attachments,
        embeds=_with_addresses(fields.get("embeds", []), attachments),
        components=_components(call, fields.get("components"), flags, attachments),
        sticker_ids=fields.get("sticker_ids", []),
        poll=polls.opened(fields["poll"], call.world.clock()) if "poll" in fields else None,
    )


def _components(call: Call, given: list[Any] | None, flags: int, attachments: list[JsonObject]) -> list[JsonObject]:
    tree = checked_components(given or [], call.world, second_version=bool(flags & IS_COMPONENTS_V2))
    shown: list[JsonObject] = _with_addresses(tree, attachments)
    _refuse_files_that_did_not_come(shown)
    return shown


def _refuse_files_that_did_not_come(components: list[JsonObject]) -> None:
    complaints = Complaints()
    if any(address.startswith(ATTACHED) for address in _addresses(components)):
        complaints.at("components").say(
            "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND",
            "The referenced attachment was not found in the attachments array.",
        )
    complaints.settle()


def _addresses(value: Any, name: str = "") -> Iterator[str]:
    """Every address of a picture or a file in it."""
    if isinstance(value, str) and name == "url":
        yield value
    for step, part in value.items() if isinstance(value, dict) else ():
        yield from _addresses(part, step)
    for part in value if isinstance(value, list) else ():
        yield from _addresses(part)


def _with_addresses(value: Any, attachments: list[JsonObject]) -> Any:
    """The value with every attachment:// in it led to the file that was sent along under that name."""
    if isinstance(value, list):
        return [_with_addresses(each, attachments) for each in value]
    if isinstance(value, dict):
        return {name: _with_addresses(each, attachments) for name, each in value.items()}
    if isinstance(value, str) and value.startswith(ATTACHED):
        name = value.removeprefix(ATTACHED)
        return next((each["url"] for each in attachments if each["filename"] == name), value)
    return value


def _replying(call: Call, channel: Channel, message: Message, reference: JsonObject) -> Message:
    if not access.may(call.world, channel, permissions.READ_MESSAGE_HISTORY):
        raise Refused(codes.REPLY_NEEDS_HISTORY)
    found = reference["message_id"] in channel.messages
    if not found and reference.get("fail_if_not_exists", True) is not False:
        _refuse_unknown_reference()
    if not found:
        return message
    return replace(message, type=REPLY, reference=pointing_at(channel, reference["message_id"]))


def _refuse_unknown_reference() -> None:
    complaints = Complaints()
    complaints.at("message_reference").say("REPLIES_UNKNOWN_MESSAGE", "Unknown message")
    complaints.settle()


def _mentioning(call: Call, channel: Channel, message: Message, fields: JsonObject, by: Sender) -> Message:
    allowed = fields.get("allowed_mentions")
    found = mentions_in(
        _words(message),
        allowed,
        world=call.world,
        guild=call.world.guilds.get(channel.guild_id or ""),
        may_mention_all=by.may(call.world, channel, permissions.MENTION_EVERYONE),
        replied_user_id=_answered_user(call.world, channel, message),
    )
    return _with_mentions(message, found)


def _answered_user(world: World, channel: Channel, message: Message) -> str | None:
    """Whose message is answered; a webhook is nobody who can be told."""
    if message.type != REPLY or message.reference is None:
        return None
    origin = channel.messages.get(message.reference["message_id"])
    return origin.author_id if origin and origin.author_id in world.users else None


def _words(message: Message) -> str:
    """The text in which mentions count: the content and the text displays, but no embed."""
    return "\n".join([message.content, *_displayed(message.components)])


def _displayed(components: list[JsonObject]) -> list[str]:
    own = [component["content"] for component in components if "content" in component]
    return own + [words for component in components for words in _displayed(component.get("components", []))]


def _with_mentions(message: Message, found: Mentions) -> Message:
    return replace(
        message, mentions=list(found.users), mention_roles=list(found.roles), mention_everyone=found.everyone
    )


def edit(call: Call, channel: Channel, message: Message, body: Any) -> None:
    """Apply an edit by the bot to its own message; raises Refused for whatever forbids it."""
    channel.messages[message.id] = edited(call, channel, message, body, Sender(call.world.me.id))


def edited(call: Call, channel: Channel, message: Message, body: Any, by: Sender) -> Message:
    """The message as it is after an edit by its sender; raises Refused for whatever forbids it."""
    fields = changed_message(body, message.flags)
    if not by.may(call.world, channel, PERMISSION_FOR["embeds"] if fields.get("embeds") else 0):
        raise Refused(codes.MISSING_PERMISSIONS)
    changed = _edited(call, channel, message, fields)
    if not (changed.content or changed.embeds or changed.components or changed.attachments or changed.poll
            or changed.sticker_ids):  # fmt: skip
        raise Refused(codes.EMPTY_MESSAGE)
    return _mentioning(call, channel, changed, fields, by) if "content" in fields else changed


def _edited(call: Call, channel: Channel, message: Message, fields: JsonObject) -> Message:
    flags = (fields.get("flags") or 0) & SETTABLE_FLAGS | message.flags & ~SUPPRESS_EMBEDS
    kept = fields.get("attachments") if "attachments" in fields else None
    listing = [] if "attachments" in fields and kept is None else kept
    attachments = attached(call.world, channel.id, listing, call.files, message.attachments)
    changes: dict[str, Any] = {
        "content": lambda value: value or "",
        "embeds": lambda value: _with_addresses(value or [], attachments),
        "components": lambda value: _components(call, value, flags, attachments),
    }
    return replace(
        message,
        edited_timestamp=call.world.now(),
        flags=flags if "flags" in fields else message.flags,
        attachments=attachments,
        **{name: change(fields[name]) for name, change in changes.items() if name in fields},
    )


def post(call: Call, channel: Channel, message: Message) -> Message:
    """Put a composed message into its channel, and its author, if a user, into the thread if it is one."""
    if channel.thread is not None and message.author_name is None:
        channel.thread.members.setdefault(message.author_id, call.world.now())
    return channel.add(message)
