"""Guilds as our tools show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

from accord.discord.models.guilds import Guild, GuildObject, Membership, Memberships
from accord.discord.models.values import Page
from accord.discord.results.picking import present

__all__ = ["guild", "memberships"]

Json: TypeAlias = Any


def guild(sent_guild: GuildObject) -> Guild:
    """Return one guild; its counts come as estimates, and only when they were asked for."""
    shown: dict[str, Json] = {
        "id": sent_guild["id"],
        "name": sent_guild["name"],
        "icon": sent_guild["icon"],
        "owner_id": sent_guild.get("owner_id", ""),
        "description": sent_guild.get("description"),
        "premium_tier": sent_guild.get("premium_tier", 0),
        "preferred_locale": sent_guild.get("preferred_locale", "en-US"),
        "features": sent_guild["features"],
        **_counts(sent_guild),
    }
    shown |= present(
        cast("Mapping[str, Json]", sent_guild),
        ("verification_level", "system_channel_id", "rules_channel_id", "vanity_url_code"),
    )
    if "premium_subscription_count" in sent_guild:
        shown["boosts"] = sent_guild["premium_subscription_count"]
    return cast("Guild", shown)


def _counts(sent_guild: GuildObject) -> dict[str, int]:
    named = {"member_count": "approximate_member_count", "online_count": "approximate_presence_count"}
    sent_counts = cast("Mapping[str, Json]", sent_guild)
    return {ours: sent_counts[theirs] for ours, theirs in named.items() if theirs in sent_counts}


def memberships(sent_guilds: Sequence[GuildObject], onward: Page) -> Memberships:
    """Return a page of the bot's guilds."""
    return {
        "guilds": [_membership(one) for one in sent_guilds],
        "count": len(sent_guilds),
        "untrusted_names": "\n".join(one["name"] for one in sent_guilds),
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
        **_counts(sent_guild),
    }
    return cast("Membership", shown)
