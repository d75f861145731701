"""When a circumstance of `access.py` holds for a call, and in which channel its permissions then count."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from accord.discord.access import Circumstance
from accord.discord.gates.scene import DIRECT_MESSAGES, Scene
from accord.discord.models.emojis import emoji_of
from accord.discord.models.permissions import BITS
from accord.discord.permissions.effective import lacking
from accord.discord.permissions.facts import PRIVATE_THREAD, SPOKEN_IN, THREADS

__all__ = ["COUNTED_ELSEWHERE", "HERE", "TELLERS", "Holds"]

Json: TypeAlias = Any

STAGE_EVENT, VOICE_EVENT = 1, 2
TIME_OUT_ACTION = 3
PUBLIC_KINDS = frozenset({10, 11})
PINGS = ("@everyone", "@here")
FEATURES_OF_ADMINISTRATORS = frozenset({"COMMUNITY", "DISCOVERABLE"})
CREATORS_FIELDS = frozenset({"name", "archived", "auto_archive_duration"})
"""https://discord.com/developers/docs/topics/threads#editing-deleting-threads."""

NO_FIELDS = frozenset({"channel_id", "audit_reason"})


class Holds(NamedTuple):
    """That it holds; the permissions count in this channel, or where all of the call's do."""

    channel_id: str | None = None


HERE: Final = Holds()

Teller: TypeAlias = Callable[[Scene], Awaitable[Holds | None]]
"""Returns None where the circumstance does not hold; raises Unproven where that cannot be told."""


def _if(condition: object) -> Holds | None:
    return HERE if condition else None


# --- Told by the arguments alone --------------------------------------------------------------------------------------


async def _times_out(scene: Scene) -> Holds | None:
    return _if(any(one["type"] == TIME_OUT_ACTION for one in scene.arguments.get("actions") or ()))


async def _sets_manage_roles(scene: Scene) -> Holds | None:
    bits = 0
    for one in scene.arguments.get("permission_overwrites") or ():
        bits |= int(one.get("allow", 0)) | int(one.get("deny", 0))
    return _if(bits & BITS["MANAGE_ROLES"])


async def _sets_flags_without_other_rights(scene: Scene) -> Holds | None:
    if not scene.touches("flags"):
        return None
    granted = await scene.granted(await scene.place())
    moderates = not lacking(granted, ("MODERATE_MEMBERS", "KICK_MEMBERS", "BAN_MEMBERS"))
    return _if(not moderates and lacking(granted, ("MANAGE_ROLES",)))


async def _lets_speak(scene: Scene) -> Holds | None:
    return _if(scene.arguments.get("suppress") is False)


async def _is_on(name: str, scene: Scene) -> Holds | None:
    return _if(scene.arguments.get(name))


async def _asks_to_speak(scene: Scene) -> Holds | None:
    return _if(scene.arguments.get("request_to_speak_timestamp") is not None)


async def _pings_everyone(scene: Scene) -> Holds | None:
    opened = (scene.arguments.get("allowed_mentions") or {}).get("parse") or ()
    said = (text for name, value in scene.arguments.items() if name != "allowed_mentions" for text in _texts(value))
    return _if("everyone" in opened and any(ping in text for text in said for ping in PINGS))


def _texts(value: Json) -> Iterator[str]:
    """Go through every text, however deep it stands."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(inner)


async def _makes_public_thread(scene: Scene) -> Holds | None:
    return _if(scene.arguments.get("type") in PUBLIC_KINDS)


async def _makes_private_thread(scene: Scene) -> Holds | None:
    return _if(scene.arguments.get("type") == PRIVATE_THREAD)


# --- Told by the channel, or counting in another one ------------------------------------------------------------------


async def _gives_moderated_tag(scene: Scene) -> Holds | None:
    asked = {str(one) for one in scene.arguments.get("applied_tags") or ()}
    tags = (await scene.own_channel()).get("available_tags", ()) if asked else ()
    return _if(any(tag["moderated"] and asked & {tag["id"], tag["name"]} for tag in tags))


async def _not_own_private_thread(scene: Scene) -> Holds | None:
    thread = await scene.own_channel()
    return _if(thread["type"] != PRIVATE_THREAD or thread["owner_id"] != scene.me)


async def _is_channel(scene: Scene) -> Holds | None:
    return _if((await scene.own_channel())["type"] not in THREADS | DIRECT_MESSAGES)


async def _is_thread(scene: Scene) -> Holds | None:
    return _if((await scene.own_channel())["type"] in THREADS)


async def _changes_more_than_creators_may(scene: Scene) -> Holds | None:
    """Tell whether it is a thread and the change is beyond its creator, and beyond who may only wake it up."""
    thread = await scene.own_channel()
    if thread["type"] not in THREADS:
        return None
    changed = scene.arguments.keys() - NO_FIELDS
    if thread["thread_metadata"]["locked"]:
        return HERE
    wakes = changed == {"archived"} and scene.arguments["archived"] is False
    return _if(not wakes and not (changed <= CREATORS_FIELDS and thread["owner_id"] == scene.me))


async def _is_spoken_in(scene: Scene) -> Holds | None:
    return _if((await scene.own_channel()).get("type") in SPOKEN_IN)


async def _not_connected(scene: Scene) -> Holds | None:
    channel = await scene.own_channel()
    return _if(await scene.voice_channel(channel["guild_id"]) != channel["id"])


async def _in_new_channel(scene: Scene) -> Holds | None:
    channel_id = scene.arguments.get("channel_id")
    return None if channel_id is None else Holds(channel_id)


# --- Told by the message ----------------------------------------------------------------------------------------------


async def _anothers_message(scene: Scene) -> Holds | None:
    return _if((await scene.message())["author"]["id"] != scene.me)


async def _first_to_react(scene: Scene) -> Holds | None:
    asked = emoji_of(scene.arguments["emoji"])
    there = [one["emoji"] for one in (await scene.message()).get("reactions", ())]
    if asked.id is not None:
        return _if(all(one["id"] != asked.id for one in there))
    return _if(all(one["name"] != (asked.unicode or asked.name) for one in there))


# --- Told by the event ------------------------------------------------------------------------------------------------


async def _event_of_type(kind: int, scene: Scene) -> Holds | None:
    event = await scene.event() | {
        name: scene.arguments[name] for name in ("entity_type", "channel_id") if name in scene.arguments
    }
    channel_id = event.get("channel_id")
    return Holds(channel_id) if event.get("entity_type") == kind and channel_id else None


async def _event_in_channel(scene: Scene) -> Holds | None:
    channel_id = (await scene.event()).get("channel_id")
    return Holds(channel_id) if channel_id else None


# --- Told by the guild, or by who made it -----------------------------------------------------------------------------


async def _changes_features_of_administrators(scene: Scene) -> Holds | None:
    if scene.arguments.get("features") is None:
        return None
    standing = await scene.standing(scene.arguments["guild_id"])
    return _if(standing.features.symmetric_difference(scene.arguments["features"]) & FEATURES_OF_ADMINISTRATORS)


async def _welcome_screen_is_off(scene: Scene) -> Holds | None:
    standing = await scene.standing(scene.arguments["guild_id"])
    return _if("WELCOME_SCREEN_ENABLED" not in standing.features)


async def _anothers_invite(scene: Scene) -> Holds | None:
    return _if(((await scene.invite()).get("inviter") or {}).get("id") != scene.me)


async def _made_by_another(scene: Scene) -> Holds | None:
    return _if(await scene.maker() != scene.me)


async def _anothers_webhook(scene: Scene) -> Holds | None:
    return _if((await scene.webhook()).get("application_id") != (await scene.application())["id"])


async def _anothers_webhook_without_token(scene: Scene) -> Holds | None:
    return None if scene.arguments.get("token") is not None else await _anothers_webhook(scene)


TELLERS: Final[Mapping[Circumstance, Teller]] = {
    "an action of type 3, a time-out": _times_out,
    "MANAGE_ROLES in permission_overwrites": _sets_manage_roles,
    "flags, without MANAGE_ROLES or all of MODERATE_, KICK_ and BAN_MEMBERS": _sets_flags_without_other_rights,
    "send_start_notification is true": partial(_is_on, "send_start_notification"),
    "suppress is false": _lets_speak,
    "to ask to speak": _asks_to_speak,
    "to ping @everyone": _pings_everyone,
    "tts is true": partial(_is_on, "tts"),
    "type 10 or 11": _makes_public_thread,
    "type 12": _makes_private_thread,
    "a moderated tag in applied_tags": _gives_moderated_tag,
    "a thread that is not the bot's own private one": _not_own_private_thread,
    "a thread, beyond what its creator may change": _changes_more_than_creators_may,
    "channel": _is_channel,
    "in a thread, in place of SEND_MESSAGES": _is_thread,
    "in a voice channel": _is_spoken_in,
    "in the channel to move to": _in_new_channel,
    "the bot is not in the channel": _not_connected,
    "thread": _is_thread,
    "another author's message": _anothers_message,
    "first to use the emoji": _first_to_react,
    "a stage event, in its channel": partial(_event_of_type, STAGE_EVENT),
    "a voice event, in its channel": partial(_event_of_type, VOICE_EVENT),
    "stage and voice events": _event_in_channel,
    "features adds or removes COMMUNITY or DISCOVERABLE": _changes_features_of_administrators,
    "the welcome screen is off": _welcome_screen_is_off,
    "an invite of somebody else": _anothers_invite,
    "created by somebody else": _made_by_another,
    "token left out, webhook not the bot's own": _anothers_webhook_without_token,
    "webhook not the bot's own": _anothers_webhook,
}

COUNTED_ELSEWHERE: Final[frozenset[Circumstance]] = frozenset(
    {
        "in the channel to move to",
        "a stage event, in its channel",
        "a voice event, in its channel",
        "stage and voice events",
    }
)
"""Those whose permissions count in another channel than the call's, so that what is granted here says nothing."""
