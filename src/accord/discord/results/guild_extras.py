"""Integrations, widgets, welcome screens and the like as our tools show them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from accord.discord.models.guild_extras import (
    Integration,
    Integrations,
    WelcomeScreen,
    Widget,
    WidgetImage,
    WidgetStyle,
)
from accord.discord.models.ids import GuildId
from accord.discord.models.values import Wire
from accord.discord.models.voice import VoiceRegion, VoiceRegions
from accord.discord.rest.routes import path_of, query_of
from accord.discord.rest.wire import API_VERSION
from accord.discord.results.picking import WHOLE, each_picked, picked
from accord.discord.results.texts import lines_of

__all__ = ["integrations", "voice_regions", "welcome_screen", "widget", "widget_image"]

DISCORD = f"https://discord.com/api/{API_VERSION}"
"""Where everybody finds a widget's picture, whichever address the tools themselves call."""


def voice_regions(sent: Sequence[Wire] | None) -> VoiceRegions:
    """Return voice regions, in Discord's order."""
    rows = each_picked(VoiceRegion, sent or ())
    return {"regions": rows, "count": len(rows), **WHOLE}


def integrations(sent: Sequence[Wire] | None) -> Integrations:
    """Return a guild's integrations, in Discord's order."""
    rows = each_picked(Integration, sent or ())
    return {"integrations": rows, "count": len(rows), **WHOLE}


def widget(sent: Wire) -> Widget:
    """Return a guild's widget; whom it lists is counted only, since Discord anonymises them."""
    return picked(Widget, sent, members_count=len(sent["members"]))


def widget_image(guild_id: GuildId, style: WidgetStyle) -> WidgetImage:
    """Return the address of a guild's widget as a picture."""
    path = path_of("/guilds/{}/widget.png", (guild_id,)) + query_of({"style": style})
    return {"url": DISCORD + path, "style": style}


def welcome_screen(sent: Wire) -> WelcomeScreen:
    """Return a welcome screen."""
    return picked(WelcomeScreen, sent, untrusted_text=lines_of(_texts(sent)))


def _texts(sent: Wire) -> Iterator[str | None]:
    yield sent["description"]
    for channel in sent["welcome_channels"]:
        yield channel["description"]
