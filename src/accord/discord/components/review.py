"""What a person should know of a layout before it is sent: counts, addresses and risks, and none of its words."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

from accord.discord.components.kinds import BUTTON, NAMES, SELECTS, inside, kind_of

__all__ = ["review_of", "risks_of"]

Json: TypeAlias = Any
Node: TypeAlias = Mapping[str, Json]

MOST_HOSTS: Final = 20
MANY_COMPONENTS: Final = 32
"""From here on a layout is near Discord's limit of 40."""

ADDRESS: Final = re.compile(r"(?!attachment:)\b[a-z][a-z0-9+.-]*://[^\s<>\"']", re.IGNORECASE)
"""Any address, whatever its scheme, but for that of a file which is sent along."""

INTERACTIVE: Final = SELECTS | {BUTTON}


def review_of(tree: Sequence[Node]) -> dict[str, Json]:
    """Return counts of kinds and texts, the hosts of addresses, and custom ids as hashes."""
    nodes = list(_nodes(tree))
    texts = [node["content"] for node in nodes if isinstance(node.get("content"), str)]
    custom_ids = [node["custom_id"] for node in nodes if isinstance(node.get("custom_id"), str)]
    return {
        "totalNodes": len(nodes),
        "typeCounts": dict(Counter(NAMES.get(kind_of(node) or 0, "unknown") for node in nodes)),
        "textNodes": len(texts),
        "maxTextLength": max(map(len, texts), default=0),
        "externalUrlHosts": sorted({host for text in _texts(tree) if (host := _host(text))})[:MOST_HOSTS],
        "interactiveCount": sum(kind_of(node) in INTERACTIVE for node in nodes),
        "customIdLengths": list(map(len, custom_ids)),
        "customIdHashes": [hashlib.sha256(one.encode()).hexdigest()[:16] for one in custom_ids],
    }


def risks_of(tree: Sequence[Node], arguments: Mapping[str, Json], *, edits: bool) -> list[str]:
    """Return the flags of what a layout could do besides being read, in their fixed order.

    Mentions are a risk where they are opened: by default nobody is pinged, whatever a text says.
    """
    nodes = list(_nodes(tree))
    flags = {
        "edit_existing_message": edits,
        "allowed_mentions": _opens(arguments.get("allowed_mentions", {})),
        "external_urls": any(ADDRESS.search(text) for text in _texts(tree)),
        "interactive_components": any(kind_of(node) in INTERACTIVE or "custom_id" in node for node in nodes),
        "component_count_near_limit": len(nodes) >= MANY_COMPONENTS,
    }
    return [flag for flag, holds in flags.items() if holds]


def _opens(mentions: Mapping[str, Json]) -> bool:
    return any(mentions.get(kind) for kind in ("parse", "users", "roles", "replied_user"))


def _nodes(tree: Sequence[Node]) -> Iterator[Node]:
    for node in tree:
        yield node
        yield from _nodes([held for _path, held in inside(node)])


def _texts(value: Json) -> Iterator[str]:
    """Every text in a value, wherever in it."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for member in value.values():
            yield from _texts(member)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def _host(text: str) -> str | None:
    found = re.match(r"https?://\S+", text)
    try:
        return urlsplit(found.group()).hostname if found else None
    except ValueError:
        return None
