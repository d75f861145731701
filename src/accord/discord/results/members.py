"""Members and bans as our tools show them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from accord.discord.models.members import Ban, Bans, BulkBanned, Member, Members, MembersFound, OwnProfile
from accord.discord.models.values import Page, Wire
from accord.discord.results.picking import picked
from accord.discord.results.users import names_of

__all__ = ["ban", "bans", "bulk_banned", "member", "members", "members_found", "own_profile"]


def member(sent: Wire, now: datetime) -> Member:
    """Return one member. Discord leaves the time of a past time-out standing; it is not one any more."""
    user = sent["user"]
    return picked(
        Member,
        sent,
        user_id=user["id"],
        username=user["username"],
        global_name=user.get("global_name"),
        bot=user.get("bot", False),
        timed_out_until=_still_to_come(sent.get("communication_disabled_until"), now),
        avatar=sent.get("avatar") or user.get("avatar"),
        flags=sent.get("flags", 0),
    )


def _still_to_come(moment: str | None, now: datetime) -> str | None:
    return moment if moment and datetime.fromisoformat(moment).astimezone(UTC) > now else None


def members(sent: Sequence[Wire], now: datetime, onward: Page) -> Members:
    """Return a page of members."""
    return {
        "members": [member(one, now) for one in sent],
        "count": len(sent),
        "untrusted_names": "\n".join(names_of(one["user"]) for one in sent),
        **onward,
    }


def members_found(sent: Sequence[Wire], now: datetime, *, limit: int) -> MembersFound:
    """Return the members that a search found; as many as could be may be not all."""
    found = [member(one, now) for one in sent]
    return {"matches": found, "count": len(found), "next_cursor": None, "has_more": len(found) >= limit}


def own_profile(sent: Wire, guild_id: str) -> OwnProfile:
    """Return how the bot looks in a guild."""
    return picked(OwnProfile, sent, user_id=sent["user"]["id"], guild_id=guild_id)


def ban(sent: Wire) -> Ban:
    """Return one ban."""
    return picked(Ban, sent["user"], user_id=sent["user"]["id"], reason=sent.get("reason"))


def bans(sent: Sequence[Wire], onward: Page) -> Bans:
    """Return a page of bans."""
    return {"bans": [ban(one) for one in sent], "count": len(sent), **onward}


def bulk_banned(sent: Wire) -> BulkBanned:
    """Return who was banned at once, and who was not."""
    done, failed = sent["banned_users"], sent["failed_users"]
    return {"banned_users": done, "failed_users": failed, "banned_count": len(done), "failed_count": len(failed)}
