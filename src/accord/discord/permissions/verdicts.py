"""Whether a call may be made, from what was found out about it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from accord.discord.permissions.effective import lacking

__all__ = ["Outcome", "Rank", "Verdict", "lacking_any", "missing_intents", "together"]

Outcome: TypeAlias = Literal["allowed", "denied", "unknown"]
Rank: TypeAlias = Literal["satisfied", "not_satisfied", "unknown"]

INTENT_FLAGS: Mapping[str, int] = {
    "GUILD_PRESENCES": 1 << 12 | 1 << 13,
    "GUILD_MEMBERS": 1 << 14 | 1 << 15,
    "MESSAGE_CONTENT": 1 << 18 | 1 << 19,
}
"""The application's flags of which one says that an intent is on: the second of each in under 100 guilds.

https://discord.com/developers/docs/resources/application#application-object-application-flags
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What stands in a call's way; `unproven` says what could not be found out.

    `foreign` means that the token is another bot's than the one that is expected.
    """

    missing_permissions: tuple[str, ...] = ()
    missing_intents: tuple[str, ...] = ()
    hierarchy: Rank = "satisfied"
    unproven: str | None = None
    foreign: bool = False

    @property
    def outcome(self) -> Outcome:
        """What follows: one thing that is missing denies, whatever else is not known."""
        if self.foreign or self.missing_permissions or self.missing_intents or self.hierarchy == "not_satisfied":
            return "denied"
        return "allowed" if self.unproven is None and self.hierarchy == "satisfied" else "unknown"


RANKS: Sequence[Rank] = ("satisfied", "unknown", "not_satisfied")
"""From best to worst."""


def together(*verdicts: Verdict) -> Verdict:
    """Return all that stands in the way by any of the verdicts, each thing once."""
    return Verdict(
        missing_permissions=tuple(dict.fromkeys(name for one in verdicts for name in one.missing_permissions)),
        missing_intents=tuple(dict.fromkeys(name for one in verdicts for name in one.missing_intents)),
        hierarchy=max((one.hierarchy for one in verdicts), key=RANKS.index, default="satisfied"),
        unproven=next((one.unproven for one in verdicts if one.unproven is not None), None),
        foreign=any(one.foreign for one in verdicts),
    )


def missing_intents(flags: int, needed: Collection[str]) -> list[str]:
    """Return the privileged intents that an application with these flags has not been given."""
    return [name for name in needed if not flags & INTENT_FLAGS[name]]


def lacking_any(granted: int, choices: Sequence[str]) -> list[str]:
    """Return the permissions of which one is needed, none if one is granted."""
    return list(choices) if len(lacking(granted, choices)) == len(choices) else []
