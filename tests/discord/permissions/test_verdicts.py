"""What follows from what was found out about a call."""

from __future__ import annotations

import pytest

from accord.discord.models.permissions import bits_of
from accord.discord.permissions.verdicts import Outcome, Verdict, lacking_any, missing_intents, together

KICK = Verdict(missing_permissions=("KICK_MEMBERS",))
GAP = Verdict(unproven="the guild is not known")
TOO_LOW = Verdict(hierarchy="not_satisfied")
DARK = Verdict(hierarchy="unknown")


@pytest.mark.parametrize(
    ("verdict", "outcome"),
    [
        (Verdict(), "allowed"),
        (KICK, "denied"),
        (Verdict(missing_intents=("MESSAGE_CONTENT",)), "denied"),
        (TOO_LOW, "denied"),
        (Verdict(foreign=True), "denied"),
        (GAP, "unknown"),
        (DARK, "unknown"),
        (together(GAP, KICK), "denied"),
        (together(DARK, KICK), "denied"),
        (together(GAP, TOO_LOW), "denied"),
        (together(DARK, GAP), "unknown"),
    ],
)
def test_one_thing_that_is_missing_denies_whatever_is_not_known(verdict: Verdict, outcome: Outcome) -> None:
    assert verdict.outcome == outcome


def test_everything_that_stands_in_the_way_is_told_once() -> None:
    more = Verdict(missing_permissions=("BAN_MEMBERS", "KICK_MEMBERS"), missing_intents=("GUILD_MEMBERS",))

    whole = together(KICK, TOO_LOW, DARK, GAP, Verdict(unproven="later"), more)

    assert whole == Verdict(
        missing_permissions=("KICK_MEMBERS", "BAN_MEMBERS"),
        missing_intents=("GUILD_MEMBERS",),
        hierarchy="not_satisfied",
        unproven="the guild is not known",
    )
    assert together() == Verdict()


@pytest.mark.parametrize(
    ("bit", "on"),
    [
        (12, "GUILD_PRESENCES"),
        (13, "GUILD_PRESENCES"),
        (14, "GUILD_MEMBERS"),
        (15, "GUILD_MEMBERS"),
        (18, "MESSAGE_CONTENT"),
        (19, "MESSAGE_CONTENT"),
        (6, None),
        (17, None),
    ],
)
def test_an_intent_is_on_by_either_of_its_flags(bit: int, on: str | None) -> None:
    needed = ["GUILD_PRESENCES", "GUILD_MEMBERS", "MESSAGE_CONTENT"]

    assert missing_intents(1 << bit, needed) == [name for name in needed if name != on]


@pytest.mark.parametrize(
    ("granted", "lacking"),
    [
        ([], ["CREATE_EVENTS", "MANAGE_EVENTS"]),
        (["KICK_MEMBERS"], ["CREATE_EVENTS", "MANAGE_EVENTS"]),
        (["MANAGE_EVENTS"], []),
        (["CREATE_EVENTS", "MANAGE_EVENTS"], []),
    ],
)
def test_one_of_several_is_enough(granted: list[str], lacking: list[str]) -> None:
    assert lacking_any(bits_of(granted), ["CREATE_EVENTS", "MANAGE_EVENTS"]) == lacking
    assert lacking_any(bits_of(granted), []) == []
