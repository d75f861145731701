"""Channels as our tools show them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from accord.discord.models.channels import Channel, Channels, ChannelWritten
from accord.discord.models.values import Wire
from accord.discord.results.picking import WHOLE, picked, present

__all__ = ["channel", "channels", "written"]


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


def written(sent: Wire, names: Iterable[str]) -> ChannelWritten:
    """Return a channel with those of its settings that were written, whether it is a thread or not."""
    flat = {**sent, **sent.get("thread_metadata", {})}
    own = sorted(set(names) - {"name", "type", "parent_id"})
    return picked(ChannelWritten, sent, settings=present(flat, own))
