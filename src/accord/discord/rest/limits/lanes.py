"""Which lane a request takes: its route, the resource that Discord counts it for, and what else splits its limits."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from accord.engine import Secret

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from accord.discord.rest.exchange import HttpRequest

__all__ = ["LaneKey", "Resource", "is_one_shot", "lane_of"]

Resource: TypeAlias = "tuple[Hashable, ...]"
LaneKey: TypeAlias = tuple[str, str, Resource]
"""A route, the part of it that is limited by itself, and the resource, for others than the bot also who they are."""

TOP_LEVEL = re.compile(r"/(channels|guilds|webhooks|interactions)/({}(?:/{})?)")
"""What limits are counted apart for, webhooks with their token (docs, topics/rate-limits)."""

WITH_TOKEN = frozenset({"webhooks", "interactions"})

DISCORD_EPOCH_MS = 1_420_070_400_000
YOUNG_SECONDS = 10
OLD_SECONDS = 14 * 24 * 60 * 60


def lane_of(request: HttpRequest, wall_time: float) -> LaneKey:
    """Return the lane of a request; `wall_time` is the Unix time in seconds, for the age of messages.

    Where that time is wrong, a lane turns out to belong to another bucket than before, which is learnt.
    """
    kind, size = _top_level(request.template)
    resource = (kind, *(value if isinstance(value, Secret) else str(value) for value in request.values[:size]))
    if request.identity is not None:
        resource = (*resource, request.identity)
    part = PARTS.get(request.route)
    return request.route, "" if part is None else part(request, wall_time), resource


def is_one_shot(key: LaneKey) -> bool:
    """Whether the lane is used only once, as that of an interaction's first answer is."""
    return key[2][0] == "interactions"


@lru_cache(maxsize=1024)
def _top_level(template: str) -> tuple[str, int]:
    """Return the kind of the template's resource, and how many of its values name it."""
    found = TOP_LEVEL.match(template)
    if found is None:
        return "", 0
    kind, values = found.groups()
    return kind, values.count("{}") if kind in WITH_TOKEN else 1


def age_of(request: HttpRequest, wall_time: float) -> str:
    """Return how old the message is that is to be deleted, as Discord tells apart."""
    message_id = str(request.values[1])
    created_ms = (int(message_id) >> 22) + DISCORD_EPOCH_MS if message_id.isdecimal() else 0
    age_seconds = wall_time - created_ms / 1000
    if age_seconds < YOUNG_SECONDS:
        return "young"
    return "old" if age_seconds > OLD_SECONDS else "between"


def renaming(request: HttpRequest, _wall_time: float) -> str:
    """Return whether a channel may get another name or topic, which has a limit that no header tells of."""
    body = request.body or b""
    return "renaming" if b'"name"' in body or b'"topic"' in body else ""


PARTS: Mapping[str, Callable[[HttpRequest, float], str]] = {
    "DELETE /channels/{}/messages/{}": age_of,  # discord-api-docs 1092, 1295, 8330
    "PATCH /channels/{}": renaming,  # discord-api-docs 1900, 2190: 2 in 10 minutes
}
"""Routes whose requests are limited apart by what they are about, by what clients report to see."""
