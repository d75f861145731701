"""What is found out about routes: the names of their buckets, and which are being found out right now."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from accord.discord.rest.limits.lanes import LaneKey, Resource

__all__ = ["Discoveries"]

Part: TypeAlias = tuple[str, str]


class Discoveries:
    """A route's bucket has one name for all resources, so that what was learnt in one channel tells of the others."""

    def __init__(self) -> None:
        self._names: dict[Part, str] = {}
        self._probes: dict[Resource, set[Part]] = {}

    def name_of(self, key: LaneKey) -> str | None:
        """Return the name under which the lane's bucket is known, if it is."""
        return self._names.get(key[:2])

    def begin(self, key: LaneKey) -> None:
        """Note that a probe goes out."""
        self._probes.setdefault(key[2], set()).add(key[:2])

    def end(self, key: LaneKey, name: str | None) -> None:
        """Note that a request came back, probe or not, and which name it brought."""
        if name is not None:
            self._names[key[:2]] = name
        probes = self._probes.get(key[2])
        if probes is not None:
            probes.discard(key[:2])
            if not probes:
                del self._probes[key[2]]

    def strangers(self, key: LaneKey, name: str) -> int:
        """Count the probes on the lane's resource that may turn out to belong to the bucket of that name."""
        probes = self._probes.get(key[2])
        return sum(self._names.get(part, name) == name for part in probes) if probes else 0
