"""Channels as our tools show them."""

from __future__ import annotations

from collections.abc import Sequence

from accord.discord.models.channels import Channel, Channels
from accord.discord.models.values import Wire
from accord.discord.results.picking import WHOLE, picked

__all__ = ["channel", "channels"]


def channel(sent: Wire) -> Channel:
    """Return one channel. Threads have no topic, DMs no name, and only guild channels have overwrites."""
    slow = sent.get("rate_limit_per_user") or 0
    shown = picked(Channel, sent, nsfw=sent.get("nsfw", False), rate_limit_per_user=slow)
    if not shown.get("permission_overwrites"):
        shown.pop("permission_overwrites", None)
    return shown


def channels(sent: Sequence[Wire]) -> Channels:
    """Return a guild's channels in the order in which people see them. Discord sends them all at once."""
    ordered = sorted(sent, key=lambda one: (one.get("position", 0), int(one["id"])))
    return {"channels": [channel(one) for one in ordered], "count": len(ordered), **WHOLE}
