"""What stands in a call's way: permissions, privileged intents, rank, and what may be handed on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from accord.discord.access import CIRCUMSTANCES
from accord.discord.evidence import Unproven, Withheld, as_documented
from accord.discord.gates.circumstances import COUNTED_ELSEWHERE, TELLERS
from accord.discord.gates.scene import DIRECT_MESSAGES, Place, Scene, Standing
from accord.discord.permissions.effective import lacking
from accord.discord.permissions.facts import THREADS, OverwriteFacts, RoleFacts
from accord.discord.permissions.handing import beyond_own, manages_overwrites, newly_set
from accord.discord.permissions.hierarchy import may_act_on, may_grant, may_manage
from accord.discord.permissions.verdicts import Verdict, lacking_any, missing_intents, together

__all__ = ["judged"]

Part: TypeAlias = Callable[[Scene], Awaitable[Verdict]]

MEMBERS_AT_ONCE: Final = 10
"""How many members are asked for at the same time: bans can name 200."""


async def judged(scene: Scene) -> Verdict:
    """Return all that stands in the way of the call, and the first thing that could not be found out."""
    return together(*[await _proven(part, scene) for part in (_permissions, _intents, _rank, _handed)])


async def _proven(part: Part, scene: Scene) -> Verdict:
    try:
        with as_documented():
            return await part(scene)
    except Unproven as gap:
        return _gap(gap)


def _gap(gap: Unproven) -> Verdict:
    """Return what a gap means: what Discord withholds it has proven to be missing."""
    if isinstance(gap, Withheld):
        return Verdict(missing_permissions=(gap.permission,))
    return Verdict(unproven=str(gap))


# --- Permissions ------------------------------------------------------------------------------------------------------


async def _permissions(scene: Scene) -> Verdict:
    access = scene.access
    cases = sorted(CIRCUMSTANCES & access.when.keys(), key=lambda case: (case not in COUNTED_ELSEWHERE, case))
    needed = [*access.permissions, *_for_arguments(scene)]
    if not (needed or access.any_of or cases):
        return Verdict()
    place = await scene.place()
    granted = await scene.granted(place)
    told = []
    for case in cases:
        verdict, there = await _case(scene, case, place, granted)
        told.append(verdict)
        if place.channel_id is None:  # what a channel grants counts for what is done in it, as for its events
            granted |= there
    if place.channel_id is not None and (await scene.channel(place.channel_id))["type"] in THREADS:
        needed = ["SEND_MESSAGES_IN_THREADS" if name == "SEND_MESSAGES" else name for name in needed]
    return together(_lack(granted, needed, access.any_of), *told)


def _for_arguments(scene: Scene) -> Iterator[str]:
    for name, permissions in scene.access.when.items():
        if name not in CIRCUMSTANCES and scene.touches(name):
            yield from permissions


def _lack(granted: int, needed: Sequence[str], any_of: Sequence[str]) -> Verdict:
    missing = lacking(granted, needed)
    if not set(missing) & set(any_of):
        missing += lacking_any(granted, any_of)
    return Verdict(missing_permissions=tuple(missing))


async def _case(scene: Scene, case: str, place: Place, granted: int) -> tuple[Verdict, int]:
    """Judge a circumstance; also return what is granted in a channel of its own.

    It is not looked into where its permissions are there anyway; what cannot be told counts only where they are not.
    """
    needed = scene.access.when[case]
    is_granted = not lacking(granted, needed)
    if is_granted and case not in COUNTED_ELSEWHERE:
        return Verdict(), 0
    try:
        with as_documented():
            holds = await TELLERS[case](scene)  # type: ignore[index]  # checked: one of CIRCUMSTANCES
        there = 0 if holds is None else granted
        if holds is not None and holds.channel_id is not None:
            there = await _granted_elsewhere(scene, place, holds.channel_id)
    except Unproven as gap:
        is_settled = is_granted and not isinstance(gap, Withheld)
        return Verdict() if is_settled else _gap(gap), 0
    return Verdict(missing_permissions=tuple(lacking(there, needed)) if holds else ()), there


async def _granted_elsewhere(scene: Scene, place: Place, channel_id: str) -> int:
    other = await scene.place_of(channel_id)
    if other.guild_id != place.guild_id:
        raise Unproven("the channel is in another guild")
    return await scene.granted(other)


# --- Intents ----------------------------------------------------------------------------------------------------------


async def _intents(scene: Scene) -> Verdict:
    """Hold the intents against the application's flags; what is said in direct messages needs none."""
    if not scene.access.intents:
        return Verdict()
    missing = missing_intents((await scene.application())["flags"], scene.access.intents)
    if missing and (await scene.own_channel()).get("type") in DIRECT_MESSAGES:
        return Verdict()
    return Verdict(missing_intents=tuple(missing))


# --- Rank -------------------------------------------------------------------------------------------------------------


async def _rank(scene: Scene) -> Verdict:
    access = scene.access
    is_asked = not access.above_for or any(scene.touches(name) for name in access.above_for)
    if access.above is None or not is_asked:
        return Verdict()
    standing = await _standing(scene)
    holds = await (_above_members if access.above == "member" else _above_roles)(scene, standing)
    return _ranked(holds=holds)


def _ranked(*, holds: bool) -> Verdict:
    return Verdict(hierarchy="satisfied" if holds else "not_satisfied")


async def _standing(scene: Scene) -> Standing:
    guild_id = (await scene.place()).guild_id
    if guild_id is None:
        raise Unproven("there is no guild")
    return await scene.standing(guild_id)


async def _above_members(scene: Scene, standing: Standing) -> bool:
    """Whether the bot stands above each of them; nobody stands in the way who is not in the guild."""
    ids = list(dict.fromkeys(scene.arguments.get("user_ids") or [scene.arguments["user_id"]]))
    for first in range(0, len(ids), MEMBERS_AT_ONCE):
        some = ids[first : first + MEMBERS_AT_ONCE]
        found = await asyncio.gather(*(scene.member(standing.guild.id, user_id) for user_id in some))
        if not all(may_act_on(standing.guild, standing.member, other) for other in found if other is not None):
            return False
    return True


async def _above_roles(scene: Scene, standing: Standing) -> bool:
    places = scene.arguments.get("positions") or [{"id": scene.arguments["role_id"]}]
    roles = _roles(standing, [one["id"] for one in places])
    return all(may_manage(standing.guild, standing.member, role) for role in roles)


def _roles(standing: Standing, ids: Sequence[str]) -> list[RoleFacts]:
    if not standing.guild.roles.keys() >= set(ids):
        raise Unproven("the guild has no such role")
    return [standing.guild.roles[role_id] for role_id in ids]


# --- What is handed on ------------------------------------------------------------------------------------------------


async def _handed(scene: Scene) -> Verdict:
    judge = _HANDED.get(scene.access.hands_on or "")
    return Verdict() if judge is None else await judge(scene)


async def _permissions_handed(scene: Scene) -> Verdict:
    """Judge the permissions that a role is to have, those that it has already apart."""
    if scene.arguments.get("permissions") is None:
        return Verdict()
    standing = await _standing(scene)
    role_id = scene.arguments.get("role_id")
    before = _roles(standing, [role_id])[0].permissions if role_id else 0
    own = await scene.granted(Place(standing.guild.id))
    asked = int(scene.arguments["permissions"]) & ~before
    return Verdict(missing_permissions=tuple(beyond_own(standing.guild, standing.member, own, asked)))


async def _roles_handed(scene: Scene) -> Verdict:
    """Judge the roles that a member is to get or to lose."""
    ids = await _roles_moved(scene)
    if not ids:
        return Verdict()
    standing = await _standing(scene)
    return _ranked(holds=all(may_grant(standing.guild, standing.member, one) for one in _roles(standing, ids)))


async def _roles_moved(scene: Scene) -> list[str]:
    given = scene.arguments
    if given.get("roles") is None:
        return [given["role_id"]] if "role_id" in given else list(given.get("role_ids") or ())
    member = await scene.member(given["guild_id"], given["user_id"])
    return sorted(set(given["roles"]) ^ (member.roles if member else frozenset()))


async def _overwrites_handed(scene: Scene) -> Verdict:
    """Judge the overwrites that a channel is to have, those that it has already apart."""
    after = _overwrites(scene.arguments)
    if not after:
        return Verdict()
    standing, channel = await _standing(scene), await scene.own_channel()
    facts = await scene.channel_facts(channel["id"]) if channel else None
    if facts is not None and manages_overwrites(facts, standing.guild, standing.member):
        return Verdict()
    own = await scene.granted(Place(standing.guild.id))
    if parent_id := scene.arguments.get("parent_id") or channel.get("parent_id"):
        own |= await scene.granted(await scene.place_of(parent_id))
    asked = newly_set(facts.overwrites if facts else {}, after)
    return Verdict(missing_permissions=tuple(beyond_own(standing.guild, standing.member, own, asked)))


def _overwrites(given: Mapping[str, Any]) -> dict[str, OverwriteFacts]:
    listed = given.get("permission_overwrites") or ()
    if "overwrite_id" in given:
        listed = [{"id": given["overwrite_id"], "allow": given.get("allow"), "deny": given.get("deny")}]
    return {one["id"]: OverwriteFacts(int(one.get("allow") or 0), int(one.get("deny") or 0)) for one in listed}


_HANDED: Mapping[str, Part] = {
    "permissions": _permissions_handed,
    "roles": _roles_handed,
    "overwrites": _overwrites_handed,
}
