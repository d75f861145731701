"""Lobbies of the Social SDK, as their application's bot manages them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from accord.discord.sandbox import access, codes, payloads
from accord.discord.sandbox.codes import Refused
from accord.discord.sandbox.forms import (
    Check,
    Complaints,
    form,
    integer,
    listed,
    one_of,
    read,
    snowflake,
    text,
    truth,
    web_address,
)
from accord.discord.sandbox.wire import Call, Route

if TYPE_CHECKING:
    from accord.discord.sandbox.world import JsonObject

MOST_MEMBERS = 25
MOST_CHARACTERS = 1000
IDLE_SECONDS = (5, 7 * 24 * 60 * 60)
NO_FLAGS = 0
OWN = ("idle_timeout_seconds", "moderated", "linked_channel")  # what is not shown as it is kept


def _texts(most_names: int, most_characters: int, in_all: int) -> Check:
    """Texts by names, so many and so long."""
    words = text(most_characters)

    def check(value: Any, complaints: Complaints) -> dict[str, str]:
        if not isinstance(value, dict):
            complaints.say("DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
            return {}
        if len(value) > most_names or sum(len(name) + len(str(each)) for name, each in value.items()) > in_all:
            complaints.say("BASE_TYPE_MAX_LENGTH", f"Must be {most_names} or fewer in length.")
        return {name: words(each, complaints.at(name)) for name, each in value.items()}

    return check


_metadata = _texts(25, 1024, MOST_CHARACTERS)
_member = {"metadata": _metadata, "flags": one_of(1)}
_named = {**_member, "additional_name": text(80, least=1)}
_lobby = form(
    {
        "metadata": _metadata,
        "flags": one_of(1),
        "idle_timeout_seconds": integer(*IDLE_SECONDS),
        "override_event_webhooks_url": web_address("http", "https", most=512),
        "members": listed(form({"id": snowflake, **_member}, required=("id",)), most=MOST_MEMBERS),
    }
)
_update = listed(
    form({"id": snowflake, **_named, "remove_member": truth}, required=("id",)), most=MOST_MEMBERS, least=1
)
_moderation = _texts(5, 2000, 5 * (1024 + 2000))


def _found(call: Call, lobby_id: str) -> JsonObject:
    if lobby_id not in call.world.lobbies:
        raise Refused(codes.UNKNOWN_LOBBY)
    return call.world.lobbies[lobby_id]


def lobby(lobby_id: str, application_id: str) -> JsonObject:
    """A lobby with nobody in it; `members` go by id here, in a list on the wire."""
    return {"id": lobby_id, "application_id": application_id, "metadata": None, "members": {}, "flags": NO_FLAGS}


def _shown(call: Call, one: JsonObject) -> JsonObject:
    shown = {name: value for name, value in one.items() if name not in OWN}
    shown["members"] = list(one["members"].values())
    channel = call.world.channels.get(one.get("linked_channel", ""))
    return shown | {"linked_channel": payloads.channel(call.world, channel)} if channel else shown


def create_lobby(call: Call) -> JsonObject:
    """A new lobby with its first members."""
    fresh = lobby(call.world.new_id(), call.world.application_id)
    _change(call, fresh, read(_lobby, call.body))
    call.world.lobbies[fresh["id"]] = fresh
    return _shown(call, fresh)


def get_lobby(call: Call, lobby_id: str) -> JsonObject:
    """One lobby."""
    return _shown(call, _found(call, lobby_id))


def update_lobby(call: Call, lobby_id: str) -> JsonObject:
    """Change a lobby; members and metadata are replaced as a whole."""
    one = _found(call, lobby_id)
    _change(call, one, read(_lobby, call.body))
    return _shown(call, one)


def _change(call: Call, one: JsonObject, fields: JsonObject) -> None:
    members = fields.pop("members", None)
    if "flags" in fields:
        fields["flags"] = fields["flags"] or NO_FLAGS
    one |= fields
    if members is not None:
        one["members"] = {each["id"]: _member_of(call, each, {}) for each in members}


def _member_of(call: Call, fields: JsonObject, before: JsonObject) -> JsonObject:
    """A member as it is after a change; raises Refused 10013 for nobody."""
    user = access.user(call.world, fields["id"])
    given = {name: value for name, value in fields.items() if name in _named and value is not None}
    return {"id": user.id, "metadata": None, "flags": NO_FLAGS, **before, **given}


def delete_lobby(call: Call, lobby_id: str) -> None:
    """Close a lobby; one that is gone is no mistake."""
    call.world.lobbies.pop(lobby_id, None)


def add_member(call: Call, lobby_id: str, user_id: str) -> JsonObject:
    """Put a user into a lobby, or change what it knows of one who is there."""
    members = _found(call, lobby_id)["members"]
    fields = {"id": user_id, **read(form(_named), call.body)}
    members[user_id] = _member_of(call, fields, members.get(user_id, {}))
    return dict(members[user_id])


def update_members(call: Call, lobby_id: str) -> list[JsonObject]:
    """The same for several users at once, of whom some may be taken out; those are not shown."""
    members = _found(call, lobby_id)["members"]
    rows = read(_update, call.body)
    staying = [each for each in rows if not each.get("remove_member")]
    for each in staying:
        members[each["id"]] = _member_of(call, each, members.get(each["id"], {}))
    for each in rows:
        if each.get("remove_member"):
            members.pop(each["id"], None)
    return [members[each["id"]] for each in staying if each["id"] in members]


def remove_member(call: Call, lobby_id: str, user_id: str) -> None:
    """Take a user out of a lobby; one who is not there is no mistake."""
    _found(call, lobby_id)["members"].pop(user_id, None)


def invite_member(call: Call, lobby_id: str, user_id: str) -> JsonObject:
    """An invite to the linked channel's guild, for one member."""
    one = _found(call, lobby_id)
    if user_id not in one["members"]:
        raise Refused(codes.UNKNOWN_MEMBER)
    if one.get("linked_channel") not in call.world.channels:
        raise Refused(codes.UNKNOWN_CHANNEL)
    return {"code": f"lobby{call.world.new_id()}"}


def moderate_message(call: Call, lobby_id: str, message_id: str) -> None:
    """Say of a lobby's message how it was moderated."""
    messages = _found(call, lobby_id).setdefault("moderated", {})
    messages[message_id] = read(_moderation, call.body)


_MEMBER = "/lobbies/{lobby_id}/members/{user_id}"

ROUTES = (
    Route("POST", "/lobbies", create_lobby, status=201),
    Route("GET", "/lobbies/{lobby_id}", get_lobby),
    Route("PATCH", "/lobbies/{lobby_id}", update_lobby),
    Route("DELETE", "/lobbies/{lobby_id}", delete_lobby),
    Route("POST", "/lobbies/{lobby_id}/members/bulk", update_members),
    Route("PUT", _MEMBER, add_member),
    Route("DELETE", _MEMBER, remove_member),
    Route("POST", _MEMBER + "/invites", invite_member),
    Route("PUT", "/lobbies/{lobby_id}/messages/{message_id}/moderation-metadata", moderate_message),
)
