"""Guilds as our tools show them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeAlias, cast

from accord.discord.models.guilds import Guild, GuildModified, GuildObject, GuildPreview, Membership, Memberships
from accord.discord.models.values import Page
from accord.discord.results.picking import picked
from accord.discord.results.texts import lines_of

__all__ = ["guild", "guild_modified", "guild_preview", "memberships"]

Json: TypeAlias = Any


def guild(sent_guild: Mapping[str, Json]) -> Guild:
    """Return one guild; its counts come as estimates, and only when they were asked for."""
    return picked(Guild, sent_guild, **_counts(sent_guild), **_boosts(sent_guild))


def guild_modified(sent_guild: Mapping[str, Json]) -> GuildModified:
    """Return a guild as it is after a change."""
    text = lines_of((sent_guild["name"], sent_guild.get("description")))
    return picked(GuildModified, sent_guild, **_boosts(sent_guild), untrusted_text=text)


def guild_preview(sent_preview: Mapping[str, Json]) -> GuildPreview:
    """Return what a guild shows to those who are not in it."""
    return picked(GuildPreview, sent_preview, **_counts(sent_preview))


_COUNTS = {"member_count": "approximate_member_count", "online_count": "approximate_presence_count"}


def _counts(sent_guild: Mapping[str, Json]) -> dict[str, Json]:
    return {ours: sent_guild[theirs] for ours, theirs in _COUNTS.items() if theirs in sent_guild}


def _boosts(sent_guild: Mapping[str, Json]) -> dict[str, Json]:
    return {"boosts": sent_guild["premium_subscription_count"]} if "premium_subscription_count" in sent_guild else {}


def memberships(sent_guilds: Sequence[GuildObject], allowed: Collection[str] | None, onward: Page) -> Memberships:
    """Return a page of the bot's guilds, of which only the allowed ones are shown."""
    shown = [one for one in sent_guilds if allowed is None or one["id"] in allowed]
    return {
        "guilds": [_membership(one) for one in shown],
        "count": len(shown),
        "left_out": len(sent_guilds) - len(shown),
        "untrusted_names": "\n".join(one["name"] for one in shown),
        **onward,
    }


def _membership(sent_guild: GuildObject) -> Membership:
    shown = {
        "id": sent_guild["id"],
        "name": sent_guild["name"],
        "icon": sent_guild["icon"],
        "owner": sent_guild.get("owner", False),
        "permissions": sent_guild.get("permissions", "0"),
        "features": sent_guild["features"],
        **_counts(cast("Mapping[str, Json]", sent_guild)),
    }
    return cast("Membership", shown)
