"""Who is about to be a member of the demo's guild, and who is not any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox.snowflakes import created_at, iso
from accord.discord.sandbox.world import User

if TYPE_CHECKING:
    from accord.discord.sandbox.world import Guild, JsonObject, World

NOOR = "1099341276518006784"
BANNED = "1180442917060378624"
JOIN_REQUEST = "1201948573726494720"


def add_people(world: World, guild: Guild) -> None:
    """Add somebody who asked to join, and somebody who is banned."""
    for person in (User(NOOR, "noor.haddad", "Noor"), User(BANNED, "free_nitro_4u", "Free Nitro")):
        world.users[person.id] = person
    guild.bans[BANNED] = "Scam links in #general"
    guild.join_requests[JOIN_REQUEST] = _request(guild.id)


def _request(guild_id: str) -> JsonObject:
    words: JsonObject = {
        "field_type": "PARAGRAPH", "label": "What do you want to build?", "required": True,
        "response": "A heron, with wings that open when somebody walks by.",
    }  # fmt: skip
    choice: JsonObject = {
        "field_type": "MULTIPLE_CHOICE", "label": "Have you soldered before?", "required": True,
        "choices": ["Never", "A little", "A lot"], "response": 1,
    }  # fmt: skip
    rules: JsonObject = {"field_type": "TERMS", "required": True, "values": ["Be kind."], "response": True}
    return {
        "id": JOIN_REQUEST, "guild_id": guild_id, "user_id": NOOR, "created_at": iso(created_at(JOIN_REQUEST)),
        "reviewed_at": None, "application_status": "SUBMITTED", "rejection_reason": None,
        "form_responses": [words, choice, rules], "actioned_by_user": None,
    }  # fmt: skip
