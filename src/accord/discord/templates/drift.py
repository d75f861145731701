"""How a guild has moved away from its template: roles and channels, matched by their names."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from accord.discord.models.templates import ChangedPart, Drift, DriftPart
from accord.discord.models.values import Json
from accord.discord.templates.inspecting import MOST_NAMES

__all__ = ["drift_of"]

ROLE_SETTINGS = ("color", "hoist", "mentionable", "unicode_emoji")

CHANNEL_SETTINGS = (
    "topic",
    "nsfw",
    "bitrate",
    "user_limit",
    "rate_limit_per_user",
    "default_auto_archive_duration",
    "default_thread_rate_limit_per_user",
    "default_sort_order",
    "default_forum_layout",
    "default_tag_setting",
    "default_reaction_emoji",
    "theme_color",
)
"""Compared as they are, where both sides have them; tags, parents and overwrites hold ids and are translated first."""

NOT_IN_TEMPLATES = frozenset({5, 13})
"""Announcement and stage channels: a template holds them as text and voice channels, if at all."""


@dataclass(frozen=True, slots=True)
class Part:
    """A role or a channel, with what of it can be compared; parts of one key may be the same."""

    name: str
    key: Hashable
    settings: Mapping[str, Json]


def drift_of(
    template: Mapping[str, Json], channels: Sequence[Mapping[str, Json]], roles: Sequence[Mapping[str, Json]]
) -> Drift:
    """Compare a template with the present channels and roles of the guild that it was made from.

    Names count as people read them: in any case, in any of Unicode's forms. Managed roles are passed over, since no
    template can make them.
    """
    source = template["serialized_source_guild"]
    own_roles = [role for role in roles if not role.get("managed")]
    roles_apart = _apart([_role(one) for one in source["roles"]], [_role(one) for one in own_roles])
    shared = _names_of_one(source["roles"]) & _names_of_one(own_roles)
    before = _channels(source["channels"], source["roles"], shared)
    after = _channels(channels, own_roles, shared)
    channels_apart = _apart(_without_lookalikes(before, channels), after)
    moved = bool(template.get("is_dirty")) or roles_apart["count"] + channels_apart["count"] > 0
    return {"sync_recommended": moved, "roles": roles_apart, "channels": channels_apart}


def _folded(name: str | None) -> str:
    return unicodedata.normalize("NFKC", name or "").strip().casefold()


def _role(sent: Mapping[str, Json]) -> Part:
    settings = {name: sent.get(name) or None for name in ROLE_SETTINGS}
    return Part(sent["name"], _folded(sent["name"]), {"permissions": int(sent["permissions"]), **settings})


def _names_of_one(roles: Iterable[Mapping[str, Json]]) -> set[str]:
    """Return the names that only one role has: an overwrite can be told by them."""
    return {name for name, number in Counter(_folded(role["name"]) for role in roles).items() if number == 1}


def _channels(sent: Iterable[Mapping[str, Json]], roles: Iterable[Mapping[str, Json]], shared: set[str]) -> list[Part]:
    sent = list(sent)
    parents = {str(channel["id"]): _folded(channel["name"]) for channel in sent}
    names = {str(role["id"]): _folded(role["name"]) for role in roles}
    known = {role_id: name for role_id, name in names.items() if name in shared}
    return [_channel(one, parents, known) for one in sent if one["type"] not in NOT_IN_TEMPLATES]


def _channel(sent: Mapping[str, Json], parents: Mapping[str, str], roles: Mapping[str, str]) -> Part:
    settings = {name: sent[name] or None for name in CHANNEL_SETTINGS if name in sent}
    if "available_tags" in sent:
        settings["available_tags"] = [_tag(one) for one in sent["available_tags"] or ()]
    settings["parent"] = parents.get(str(sent.get("parent_id")))
    settings["permission_overwrites"] = dict(_overwrites(sent.get("permission_overwrites") or (), roles))
    return Part(sent["name"] or "", (_folded(sent["name"]), sent["type"]), settings)


def _tag(sent: Mapping[str, Json]) -> tuple[Json, ...]:
    return (sent["name"], sent.get("emoji_id"), sent.get("emoji_name"), bool(sent.get("moderated")))


def _overwrites(sent: Iterable[Mapping[str, Json]], roles: Mapping[str, str]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield what a channel allows and denies, by the role's name; members have no overwrites in templates."""
    for row in sent:
        allow, deny = int(row["allow"]), int(row["deny"])
        if row["type"] == 0 and str(row["id"]) in roles and (allow or deny):
            yield roles[str(row["id"])], (allow, deny)


def _without_lookalikes(parts: Iterable[Part], channels: Iterable[Mapping[str, Json]]) -> list[Part]:
    """Leave out what the template holds in place of a channel of a kind that it cannot hold."""
    present = {(_folded(one["name"]), one["type"]) for one in channels}
    stood_in = {name for name, kind in present if kind in NOT_IN_TEMPLATES}
    return [one for one in parts if one.key in present or _folded(one.name) not in stood_in]


def _apart(before: Sequence[Part], after: Sequence[Part]) -> DriftPart:
    """Match the template's parts with the guild's, and say what differs."""
    matched = _matched(before, after)
    apart = [(after[new], _differences(before[old], after[new])) for old, new in matched.items()]
    changed: list[ChangedPart] = [{"name": part.name, "fields": fields} for part, fields in apart if fields]
    only_before = [one.name for number, one in enumerate(before) if number not in matched]
    only_after = [one.name for number, one in enumerate(after) if number not in matched.values()]
    return {
        "count": len(only_after) + len(only_before) + len(changed),
        "only_in_guild": only_after[:MOST_NAMES],
        "only_in_template": only_before[:MOST_NAMES],
        "changed": changed[:MOST_NAMES],
    }


def _matched(before: Sequence[Part], after: Sequence[Part]) -> dict[int, int]:
    """Return which part became which, by their places; where several have one key the likest are matched first."""
    places: dict[Hashable, list[int]] = {}
    for new, part in enumerate(after):
        places.setdefault(part.key, []).append(new)
    pairs = [(old, new) for old, part in enumerate(before) for new in places.get(part.key, ())]
    matched: dict[int, int] = {}
    taken: set[int] = set()
    for old, new in sorted(pairs, key=lambda pair: len(_differences(before[pair[0]], after[pair[1]]))):
        if old not in matched and new not in taken:
            matched[old] = new
            taken.add(new)
    return matched


def _differences(old: Part, now: Part) -> list[str]:
    return [name for name in old.settings if name in now.settings and old.settings[name] != now.settings[name]]
