"""What the demo world has planned, filtered and drawn: events, auto moderation rules, the bot's own emoji."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from accord.discord.sandbox.routes.events import BLANKS, RECURRENCE_BLANKS, key_of
from accord.discord.sandbox.snowflakes import iso, snowflake_at
from accord.discord.sandbox.world import Emoji

if TYPE_CHECKING:
    from accord.discord.sandbox.world import Guild, JsonObject, World

GLOW = "1196727031233671168"
SCAM_RULE = "1196727282892341248"
NIGHT_MARKET = "1196727534551011328"
SOLDERING = "1196727786209681408"

HOUR, WEEK = 60 * 60, 7 * 24 * 60 * 60


def add_plans(world: World, guild: Guild, *, voice_id: str, alerts_id: str, people: tuple[str, ...]) -> None:
    """Put them into a world that has its guilds, channels and people; `people` are interested in the events."""
    world.app_emojis[GLOW] = Emoji(GLOW, "glow", world.me.id)
    _filter_scams(guild, alerts_id)
    _plan_night_market(world, guild, people)
    _plan_soldering(world, guild, voice_id, people)


def _plan_night_market(world: World, guild: Guild, people: tuple[str, ...]) -> None:
    _plan(
        world, guild, NIGHT_MARKET, 3 * 24 * HOUR, name="Night market", entity_type=3,
        entity_metadata={"location": "By the old bridge"}, description="Our stall has two sockets. Bring bulbs.",
    )  # fmt: skip
    guild.event_users[NIGHT_MARKET] = list(people)


def _plan_soldering(world: World, guild: Guild, voice_id: str, people: tuple[str, ...]) -> None:
    """A weekly event whose second occurrence is off."""
    event = _plan(world, guild, SOLDERING, 24 * HOUR, name="Soldering circle", entity_type=2, channel_id=voice_id)
    start = event["scheduled_start_time"]
    day = datetime.fromisoformat(start).weekday()
    event["recurrence_rule"] = RECURRENCE_BLANKS | {"start": start, "frequency": 2, "by_weekday": [day]}
    second = snowflake_at(datetime.fromisoformat(start).timestamp() + WEEK)
    event["guild_scheduled_event_exceptions"] = [
        {
            "event_id": SOLDERING, "event_exception_id": second, "scheduled_start_time": None,
            "scheduled_end_time": None, "is_canceled": True,
        }
    ]  # fmt: skip
    guild.event_users[SOLDERING] = list(people)
    guild.event_users[key_of(SOLDERING, second)] = list(people[:1])


def _plan(world: World, guild: Guild, event_id: str, seconds: float, **fields: object) -> JsonObject:
    """Plan an event of two hours that begins in so many seconds."""
    start = world.clock() + seconds
    times = {"scheduled_start_time": iso(start), "scheduled_end_time": iso(start + 2 * HOUR)}
    guild.events[event_id] = {
        **BLANKS, "id": event_id, "guild_id": guild.id, "creator_id": guild.owner_id,
        "guild_scheduled_event_exceptions": [], **times, **fields,
    }  # fmt: skip
    return guild.events[event_id]


def _filter_scams(guild: Guild, alerts_id: str) -> None:
    guild.automod_rules[SCAM_RULE] = {
        "id": SCAM_RULE,
        "guild_id": guild.id,
        "creator_id": guild.owner_id,
        "name": "Scams",
        "event_type": 1,
        "trigger_type": 1,
        "trigger_metadata": {"keyword_filter": ["free nitro*"], "regex_patterns": [], "allow_list": ["no free nitro"]},
        "actions": [
            {"type": 1, "metadata": {"custom_message": "That looked like a scam."}},
            {"type": 2, "metadata": {"channel_id": alerts_id}},
        ],
        "enabled": True,
        "exempt_roles": [],
        "exempt_channels": [],
    }
