"""Webhooks: managing them, and posting with their token."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from accord.discord.sandbox import access, codes, payloads, permissions
from accord.discord.sandbox.audit import Deed, changes_between
from accord.discord.sandbox.channel_settings import CATEGORY, FORUM, MEDIA, PUBLIC_THREAD
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.content import polls
from accord.discord.sandbox.content.composing import composed, edited
from accord.discord.sandbox.forms import Check, Complaints, form, listed, read, snowflake, text, truth, web_address
from accord.discord.sandbox.pictures import picture
from accord.discord.sandbox.posters import EPHEMERAL, LOADING, poster, seen_by_one
from accord.discord.sandbox.routes.threads import USUAL_ARCHIVE_MINUTES, check_tags, opening_metadata
from accord.discord.sandbox.wire import Call, Route
from accord.discord.sandbox.world import Channel, Thread

if TYPE_CHECKING:
    from accord.discord.sandbox.posters import Poster
    from accord.discord.sandbox.world import Guild, JsonObject, Message

INCOMING = 1
MOST_WEBHOOKS = 15
MOST_CHARACTERS = 80
TOKEN_BYTES = 51
WITH_THREADS_ONLY = (FORUM, MEDIA)
SECRETS = ("token", "url")


def _name(value: Any, complaints: Complaints) -> str:
    """A name of 1 to 80 characters that is not Discord's own."""
    name: str = text(MOST_CHARACTERS, least=1)(value, complaints)
    for word in ("clyde", "discord"):
        if word in name.lower():
            complaints.say("USERNAME_INVALID_CONTAINS", f'Username cannot contain "{word}"')
    return name


NAME: Check = _name
_create = form({"name": NAME, "avatar": picture}, required=("name",))
_change = form({"name": NAME, "avatar": picture, "channel_id": snowflake})
_change_by_token = form({"name": NAME, "avatar": picture})
_posting = form(
    {
        "username": NAME,
        "avatar_url": web_address("http", "https"),
        "thread_name": text(100, least=1),
        "applied_tags": listed(snowflake, most=5),
    }
)


# --- Managing them --------------------------------------------------------------------------------------------------


def list_of_channel(call: Call, channel_id: str) -> list[JsonObject]:
    """A channel's webhooks."""
    access.guild_channel(call.world, channel_id, permissions.MANAGE_WEBHOOKS)
    return [each for each in call.world.webhooks.values() if each["channel_id"] == channel_id]


def list_of_guild(call: Call, guild_id: str) -> list[JsonObject]:
    """All webhooks of a guild."""
    guild = access.guild(call.world, guild_id, permissions.MANAGE_WEBHOOKS)
    return [each for each in call.world.webhooks.values() if each.get("guild_id") == guild.id]


def create_webhook(call: Call, channel_id: str) -> JsonObject:
    """A new webhook with a token of its own."""
    guild, channel = _channel_for(call, channel_id)
    fields = read(_create, call.body)
    if len(list_of_channel(call, channel_id)) >= MOST_WEBHOOKS:
        raise Refused(codes.MAXIMUM_WEBHOOKS)
    webhook_id, token = call.world.new_id(), secrets.token_urlsafe(TOKEN_BYTES)
    call.world.webhooks[webhook_id] = webhook = incoming(
        webhook_id, token, fields["name"], channel, call.world.application_id
    ) | {"avatar": fields.get("avatar"), "user": payloads.user(call.world.me)}
    call.record(guild, Deed.WEBHOOK_CREATE, webhook_id, changes=_changes({}, webhook))
    return webhook


def incoming(webhook_id: str, token: str, name: str, channel: Channel, application_id: str | None) -> JsonObject:
    """A webhook that posts; its creator is added by whoever knows it."""
    return {
        "id": webhook_id,
        "type": INCOMING,
        "guild_id": channel.guild_id,
        "channel_id": channel.id,
        "name": name,
        "avatar": None,
        "application_id": application_id,
        "token": token,
        "url": f"https://discord.com/api/webhooks/{webhook_id}/{token}",
    }


def _channel_for(call: Call, channel_id: str) -> tuple[Guild, Channel]:
    guild, channel = access.guild_channel(call.world, channel_id, permissions.MANAGE_WEBHOOKS)
    if channel.type == CATEGORY or channel.thread is not None:
        raise Refused(codes.WRONG_CHANNEL_TYPE)
    return guild, channel


def _changes(before: JsonObject, after: JsonObject) -> tuple[JsonObject, ...]:
    """What the audit log says: no secret, and no creator."""
    shown = [{k: v for k, v in each.items() if k not in (*SECRETS, "user")} for each in (before, after)]
    return changes_between(*shown)


def _found(call: Call, webhook_id: str) -> JsonObject:
    if webhook_id not in call.world.webhooks:
        raise Refused(codes.UNKNOWN_WEBHOOK)
    return call.world.webhooks[webhook_id]


def _managed(call: Call, webhook_id: str) -> tuple[Guild, JsonObject]:
    webhook = _found(call, webhook_id)
    guild, _channel = access.guild_channel(call.world, webhook["channel_id"], permissions.MANAGE_WEBHOOKS)
    return guild, webhook


def get_webhook(call: Call, webhook_id: str) -> JsonObject:
    """One webhook; the application's own without any permission."""
    webhook = _found(call, webhook_id)
    return webhook if webhook["application_id"] == call.world.application_id else _managed(call, webhook_id)[1]


def update_webhook(call: Call, webhook_id: str) -> JsonObject:
    """Change a webhook, or move it to another channel of its guild."""
    guild, webhook = _managed(call, webhook_id)
    fields = read(_change, call.body)
    if fields.get("channel_id") and _channel_for(call, fields["channel_id"])[0] is not guild:
        raise Refused(codes.UNKNOWN_CHANNEL)
    changed = _changed(call, webhook, fields)
    call.record(guild, Deed.WEBHOOK_UPDATE, webhook_id, changes=_changes(webhook, changed))
    return changed


def _changed(call: Call, webhook: JsonObject, fields: JsonObject) -> JsonObject:
    changes = {name: value for name, value in fields.items() if value is not None}
    if "avatar" in fields:
        changes["avatar"] = fields["avatar"]
    call.world.webhooks[webhook["id"]] = changed = webhook | changes
    return changed


def delete_webhook(call: Call, webhook_id: str) -> None:
    """Delete a webhook."""
    guild, webhook = _managed(call, webhook_id)
    del call.world.webhooks[webhook_id]
    call.record(guild, Deed.WEBHOOK_DELETE, webhook_id, changes=_changes(webhook, {}))


def _of_token(call: Call, webhook_id: str, webhook_token: str) -> JsonObject:
    poster(call.world, webhook_id, webhook_token)
    return _found(call, webhook_id)


def get_by_token(call: Call, webhook_id: str, webhook_token: str) -> JsonObject:
    """One webhook as its token's bearer sees it: without its creator."""
    return _without_creator(_of_token(call, webhook_id, webhook_token))


def _without_creator(webhook: JsonObject) -> JsonObject:
    return {name: value for name, value in webhook.items() if name != "user"}


def update_by_token(call: Call, webhook_id: str, webhook_token: str) -> JsonObject:
    """Change a webhook's name or avatar."""
    webhook = _of_token(call, webhook_id, webhook_token)
    return _without_creator(_changed(call, webhook, read(_change_by_token, call.body)))


def delete_by_token(call: Call, webhook_id: str, webhook_token: str) -> None:
    """Delete a webhook."""
    _of_token(call, webhook_id, webhook_token)
    del call.world.webhooks[webhook_id]


# --- Posting --------------------------------------------------------------------------------------------------------


def execute(call: Call, webhook_id: str, webhook_token: str) -> JsonObject | None:
    """Post a message as a webhook, into a thread of its channel where asked for; or follow an interaction up."""
    asked = call.asked(wait=truth, thread_id=snowflake, with_components=truth)
    fields = {name: value for name, value in read(_posting, call.body).items() if value is not None}
    by = poster(call.world, webhook_id, webhook_token, fields.get("username"))
    body = _with_allowed_components(call.body, by, asked)
    channel, message = _composed(call, by, body, fields, asked)
    if by.interaction is not None:
        message = seen_by_one(message, body)
    put(by, channel, message)
    shown = payloads.message(call.world, channel, message)
    return shown if asked.get("wait") or by.interaction is not None else None


def _composed(
    call: Call, by: Poster, body: JsonObject, fields: JsonObject, asked: JsonObject
) -> tuple[Channel, Message]:
    """The message, and the channel or thread that it is for."""
    forum = by.channel.type in WITH_THREADS_ONLY
    if forum and "thread_name" not in fields and "thread_id" not in asked:
        raise Refused(codes.POST_NEEDS_THREAD)
    if "thread_name" not in fields:
        channel = _place(call, by, asked.get("thread_id"))
        return channel, composed(call, channel, body, by.sender)
    if "thread_id" in asked:
        raise Refused(codes.POST_HAS_TWO_THREADS)
    if not forum:
        raise Refused(codes.POST_OUTSIDE_OF_FORUM)
    check_tags(by.channel, fields.get("applied_tags", []))
    message = composed(call, by.channel, body, by.sender)
    thread = _opened(call, by, message, fields)
    return thread, replace(message, channel_id=thread.id)


def _place(call: Call, by: Poster, thread_id: str | None) -> Channel:
    """The poster's channel, or this thread of it, woken up; raises Refused 10003 for any other."""
    if thread_id is None or thread_id == by.channel.id:
        return by.channel
    thread = call.world.channels.get(thread_id)
    if thread is None or thread.thread is None or thread.parent_id != by.channel.id:
        raise Refused(codes.UNKNOWN_CHANNEL)
    thread.thread.metadata["archived"] = False
    return thread


def _opened(call: Call, by: Poster, message: Message, fields: JsonObject) -> Channel:
    """A new post of a forum, with the id of its first message."""
    own = Thread(by.sender.user_id, opening_metadata(call.world.now(), USUAL_ARCHIVE_MINUTES))
    own.applied_tags = fields.get("applied_tags", [])
    call.world.channels[message.id] = thread = Channel(
        message.id, PUBLIC_THREAD, fields["thread_name"], by.channel.guild_id, by.channel.id,
        settings={"rate_limit_per_user": 0}, thread=own,
    )  # fmt: skip
    return thread


def put(by: Poster, channel: Channel, message: Message) -> None:
    """Put a message into its channel, or aside if only one person sees it."""
    shelf = by.shelf(channel, message.flags)
    if shelf is channel.messages:
        channel.add(message)
    else:
        shelf[message.id] = message


def _with_allowed_components(body: Any, by: Poster, asked: JsonObject) -> Any:
    """The body with the components that the sender may use: what is not of the application's own has few."""
    if not isinstance(body, dict) or not body.get("components") or by.owned:
        return body
    if not asked.get("with_components"):
        return {name: value for name, value in body.items() if name != "components"}
    if "custom_id" in str(body["components"]):
        complaints = Complaints()
        complaints.at("components").say("COMPONENT_INTERACTIVE", "This webhook cannot send interactive components")
        complaints.settle()
    return body


# --- What was posted ------------------------------------------------------------------------------------------------


def _message_of(call: Call, webhook_id: str, webhook_token: str, message_id: str) -> tuple[Poster, Channel, Message]:
    asked = call.asked(thread_id=snowflake, with_components=truth)
    by = poster(call.world, webhook_id, webhook_token)
    channel = _place(call, by, asked.get("thread_id"))
    return by, channel, by.message(channel, message_id)


def _original_id(call: Call, webhook_token: str) -> str:
    """The message that an interaction's first answer made; raises Refused 10008 where it made none."""
    original = call.world.interactions.get(webhook_token, {}).get("original")
    if original is None:
        raise Refused(codes.UNKNOWN_MESSAGE)
    return str(original)


def get_message(call: Call, webhook_id: str, webhook_token: str, message_id: str) -> JsonObject:
    """One message that was posted with the token."""
    _by, channel, message = _message_of(call, webhook_id, webhook_token, message_id)
    return payloads.message(call.world, channel, message)


def edit_message(call: Call, webhook_id: str, webhook_token: str, message_id: str) -> JsonObject:
    """Edit such a message; an answer that was put off becomes what it was put off for."""
    by, channel, message = _message_of(call, webhook_id, webhook_token, message_id)
    asked = call.asked(thread_id=snowflake, with_components=truth)
    body = _with_allowed_components(call.body, by, asked)
    changed = edited(call, channel, message, body, by.sender)
    poll = read(form({"poll": polls.POLL}), body).get("poll")
    if message.flags & LOADING:
        opened = polls.opened(poll, call.world.clock()) if poll else None
        changed = replace(changed, flags=changed.flags & ~LOADING, edited_timestamp=None, poll=opened)
    by.shelf(channel, message.flags & EPHEMERAL)[message.id] = changed
    return payloads.message(call.world, channel, changed)


def delete_message(call: Call, webhook_id: str, webhook_token: str, message_id: str) -> None:
    """Delete such a message."""
    by, channel, message = _message_of(call, webhook_id, webhook_token, message_id)
    del by.shelf(channel, message.flags)[message.id]
    channel.pins.pop(message.id, None)


def get_original(call: Call, webhook_id: str, webhook_token: str) -> JsonObject:
    """The message that an interaction's first answer made."""
    return get_message(call, webhook_id, webhook_token, _original_id(call, webhook_token))


def edit_original(call: Call, webhook_id: str, webhook_token: str) -> JsonObject:
    """Edit it."""
    return edit_message(call, webhook_id, webhook_token, _original_id(call, webhook_token))


def delete_original(call: Call, webhook_id: str, webhook_token: str) -> None:
    """Delete it."""
    delete_message(call, webhook_id, webhook_token, _original_id(call, webhook_token))


# --- Other services' forms ------------------------------------------------------------------------------------------

_slack = form(
    {
        "text": text(2000),
        "username": text(MOST_CHARACTERS),
        "attachments": listed(form({"title": text(256), "text": text(4096)}), most=10),
    }
)
_github = form(
    {
        "sender": form({"login": text(256)}, required=("login",)),
        "repository": form({"full_name": text(256)}, required=("full_name",)),
        "action": text(256),
        "ref": text(256),
    },
    required=("sender",),
)


def execute_slack(call: Call, webhook_id: str, webhook_token: str) -> str:
    """Post a message that Slack would understand."""
    fields = read(_slack, call.body)
    embeds = [
        {ours: each[theirs] for ours, theirs in (("title", "title"), ("description", "text")) if each.get(theirs)}
        for each in fields.get("attachments") or ()
    ]
    _post_foreign(call, webhook_id, webhook_token, {"content": fields.get("text"), "embeds": embeds}, fields)
    return "ok"


def execute_github(call: Call, webhook_id: str, webhook_token: str) -> None:
    """Post what happened at GitHub."""
    fields = read(_github, call.body)
    repository = (fields.get("repository") or {}).get("full_name", "GitHub")
    title = " ".join(filter(None, (f"[{repository}]", fields.get("action"), fields.get("ref"))))
    author = {"name": fields["sender"]["login"]}
    _post_foreign(call, webhook_id, webhook_token, {"embeds": [{"title": title[:256], "author": author}]}, {})


def _post_foreign(call: Call, webhook_id: str, webhook_token: str, body: JsonObject, fields: JsonObject) -> None:
    asked = call.asked(wait=truth, thread_id=snowflake)
    by = poster(call.world, webhook_id, webhook_token, fields.get("username"))
    channel = _place(call, by, asked.get("thread_id"))
    channel.add(composed(call, channel, body, by.sender))


_BEARER = "/webhooks/{webhook_id}/{webhook_token}"
_MESSAGE = _BEARER + "/messages/{message_id}"
_ORIGINAL = _BEARER + "/messages/@original"

ROUTES = (
    Route("GET", "/channels/{channel_id}/webhooks", list_of_channel),
    Route("POST", "/channels/{channel_id}/webhooks", create_webhook),
    Route("GET", "/guilds/{guild_id}/webhooks", list_of_guild),
    Route("GET", "/webhooks/{webhook_id}", get_webhook),
    Route("PATCH", "/webhooks/{webhook_id}", update_webhook),
    Route("DELETE", "/webhooks/{webhook_id}", delete_webhook),
    Route("GET", _BEARER, get_by_token, auth="anybody"),
    Route("PATCH", _BEARER, update_by_token, auth="anybody"),
    Route("DELETE", _BEARER, delete_by_token, auth="anybody"),
    Route("POST", _BEARER, execute, auth="anybody"),
    Route("POST", _BEARER + "/slack", execute_slack, auth="anybody"),
    Route("POST", _BEARER + "/github", execute_github, auth="anybody"),
    Route("GET", _MESSAGE, get_message, auth="anybody"),
    Route("PATCH", _MESSAGE, edit_message, auth="anybody"),
    Route("DELETE", _MESSAGE, delete_message, auth="anybody"),
    Route("GET", _ORIGINAL, get_original, auth="anybody"),
    Route("PATCH", _ORIGINAL, edit_original, auth="anybody"),
    Route("DELETE", _ORIGINAL, delete_original, auth="anybody"),
)
