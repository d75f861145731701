"""Soundboard sounds as our tools show them."""

from __future__ import annotations

from collections.abc import Sequence

from accord.discord.models.soundboard import Sound, Sounds, SoundShown
from accord.discord.models.values import Wire
from accord.discord.results.picking import WHOLE, picked

__all__ = ["sound", "sound_shown", "sounds"]


def sounds(sent: Sequence[Wire]) -> Sounds:
    """Return all sounds."""
    names = "\n".join(one["name"] for one in sent)
    return {"sounds": [sound(one) for one in sent], "count": len(sent), "untrusted_names": names, **WHOLE}


def sound(sent: Wire) -> Sound:
    """Return one sound; Discord tells who added it only to those who may manage it."""
    return picked(Sound, {**sent, **_added_by(sent)})


def sound_shown(sent: Wire) -> SoundShown:
    """Return one sound, with its name as text to read."""
    return picked(SoundShown, {**sent, **_added_by(sent)}, untrusted_text=sent["name"])


def _added_by(sent: Wire) -> dict[str, str]:
    return {"user_id": sent["user"]["id"]} if sent.get("user") else {}
