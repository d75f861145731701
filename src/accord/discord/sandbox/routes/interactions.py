"""Interactions: the first answer. Messages after it are those of the application's webhook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from accord.discord.sandbox import codes, payloads
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.content.composing import composed, edited
from accord.discord.sandbox.forms import Check, anything, form, integer, listed, one_of, read, text, truth
from accord.discord.sandbox.posters import EPHEMERAL, LOADING, answering, seen_by_one
from accord.discord.sandbox.routes.webhooks import put
from accord.discord.sandbox.wire import Call, Route
from accord.discord.sandbox.world import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from accord.discord.sandbox.posters import Poster
    from accord.discord.sandbox.world import JsonObject

PONG, MESSAGE, LATER, UPDATE_LATER, UPDATE, CHOICES, MODAL, ACTIVITY, ELIGIBILITY = 1, 4, 5, 6, 7, 8, 9, 12, 13
PING, COMMAND, COMPONENT, TYPING, SUBMITTED, PURCHASE = 1, 2, 3, 4, 5, 6
# Which first answers each kind of interaction takes.
ANSWERS_TO: Mapping[int, tuple[int, ...]] = {
    PING: (PONG,),
    COMMAND: (MESSAGE, LATER, MODAL, ACTIVITY),
    COMPONENT: (MESSAGE, LATER, UPDATE_LATER, UPDATE, MODAL, ACTIVITY),
    TYPING: (CHOICES,),
    SUBMITTED: (MESSAGE, LATER, UPDATE_LATER, UPDATE, ACTIVITY),
    PURCHASE: (ELIGIBILITY,),
}
# What the data of some answers must hold; that of messages is looked at where they are made.
DATA: Mapping[int, Check] = {
    LATER: form({"flags": integer(0, 2**31 - 1)}),
    CHOICES: form({"choices": listed(form({"name": text(100, least=1), "value": anything}), most=25)}),
    MODAL: form(
        {
            "custom_id": text(100, least=1),
            "title": text(45, least=1),
            "components": listed(form({"type": one_of(1, 10, 18)}, required=("type",)), most=5, least=1),
        },
        required=("custom_id", "title", "components"),
    ),
    ELIGIBILITY: form({"eligible": truth}, required=("eligible",)),
}

WITH_DATA = (CHOICES, MODAL, ELIGIBILITY)


def answer(call: Call, interaction_id: str, interaction_token: str) -> JsonObject | None:
    """Give an interaction its first answer; there is no second."""
    interaction = call.world.interactions.get(interaction_token)
    if interaction is None or interaction["id"] != interaction_id:
        raise Refused(codes.UNKNOWN_INTERACTION)
    if interaction.get("answered"):
        raise Refused(codes.ALREADY_ACKNOWLEDGED)
    kinds = ANSWERS_TO[interaction["type"]]
    fields = read(form({"type": one_of(*kinds), "data": anything}, required=("type",)), call.body)
    kind = fields["type"]
    checked = form({"data": DATA.get(kind, anything)}, required=("data",) if kind in WITH_DATA else ())
    data = read(checked, call.body).get("data") or {}
    message = DONE[kind](call, answering(call.world, interaction), data) if kind in DONE else None
    interaction["answered"] = True
    if message is not None:
        interaction["original"] = message.id
    return _told(call, interaction, kind, message) if call.asked(with_response=truth).get("with_response") else None


def _say(call: Call, by: Poster, data: JsonObject) -> Message:
    message = seen_by_one(composed(call, by.channel, data, by.sender), data)
    put(by, by.channel, message)
    return message


def _put_off(call: Call, by: Poster, data: JsonObject) -> Message:
    flags = LOADING | (data.get("flags") or 0) & EPHEMERAL
    sender = by.sender
    message = Message(call.world.new_id(), by.channel.id, sender.user_id, flags=flags, webhook_id=sender.webhook_id)
    put(by, by.channel, message)
    return message


def _component_message(by: Poster) -> Message:
    """The message whose component was used; raises Refused 10008 where there was none."""
    origin = ((by.interaction or {}).get("message") or {}).get("id")
    if origin not in by.channel.messages:
        raise Refused(codes.UNKNOWN_MESSAGE)
    return by.channel.messages[origin]


def _update(call: Call, by: Poster, data: JsonObject) -> Message:
    changed = edited(call, by.channel, _component_message(by), data, by.sender)
    by.channel.messages[changed.id] = changed
    return changed


def _update_later(_call: Call, by: Poster, _data: JsonObject) -> Message:
    return _component_message(by)


DONE: Mapping[int, Callable[[Call, Poster, Any], Message]] = {
    MESSAGE: _say,
    LATER: _put_off,
    UPDATE_LATER: _update_later,
    UPDATE: _update,
}


def _told(call: Call, interaction: JsonObject, kind: int, message: Message | None) -> JsonObject:
    told: JsonObject = {"id": interaction["id"], "type": interaction["type"]}
    if kind == ACTIVITY:
        instance = f"i-{interaction['id']}-gc"
        resource = {"type": kind, "activity_instance": {"id": instance}}
        return {"interaction": told | {"activity_instance_id": instance}, "resource": resource}
    if message is None:
        return {"interaction": told}
    told |= {
        "response_message_id": message.id,
        "response_message_loading": bool(message.flags & LOADING),
        "response_message_ephemeral": bool(message.flags & EPHEMERAL),
    }
    if kind not in (MESSAGE, UPDATE):
        return {"interaction": told}
    channel = call.world.channels[message.channel_id]
    return {
        "interaction": told,
        "resource": {"type": kind, "message": payloads.message(call.world, channel, message)},
    }


ROUTES = (Route("POST", "/interactions/{interaction_id}/{interaction_token}/callback", answer, auth="anybody"),)
