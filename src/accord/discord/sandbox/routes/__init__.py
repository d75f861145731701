"""The API's table of contents: every route that the sandbox serves, a file a resource."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox.routes import (
    applications,
    audit_logs,
    channels,
    emojis,
    gateway,
    guilds,
    members,
    messages,
    overwrites,
    pins,
    reactions,
    roles,
    search,
    threads,
    users,
)

if TYPE_CHECKING:
    from accord.discord.sandbox.wire import Route

ROUTES: tuple[Route, ...] = (
    *gateway.ROUTES,
    *applications.ROUTES,
    *users.ROUTES,
    *guilds.ROUTES,
    *channels.ROUTES,
    *overwrites.ROUTES,
    *messages.ROUTES,
    *reactions.ROUTES,
    *pins.ROUTES,
    *threads.ROUTES,
    *search.ROUTES,
    *members.ROUTES,
    *roles.ROUTES,
    *emojis.ROUTES,
    *audit_logs.ROUTES,
)
