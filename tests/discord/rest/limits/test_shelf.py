"""The bounded memory of turnstiles."""

from __future__ import annotations

import pytest
from tests.discord.rest.timeline import Timeline

from accord.discord.rest.limits.cooldown import Cooldown
from accord.discord.rest.limits.shelf import Shelf
from accord.discord.rest.limits.turnstile import Turnstile

NOW = 1000.0


@pytest.fixture
def shelf() -> Shelf[str, Cooldown]:
    return Shelf(3)


def put(shelf: Shelf[str, Cooldown], *keys: str, until: float = 0.0) -> None:
    timeline = Timeline()
    for key in keys:
        turnstile = Turnstile(Cooldown(), lambda: timeline, set())
        turnstile.rule.close(until, "user")
        shelf.put(key, turnstile, NOW)


def kept(shelf: Shelf[str, Cooldown], keys: str) -> str:
    return "".join(key for key in keys if shelf.get(key))


def test_the_longest_unused_is_forgotten(shelf: Shelf[str, Cooldown]) -> None:
    put(shelf, "a", "b", "c")
    shelf.get("a")

    put(shelf, "d")

    assert kept(shelf, "abcd") == "acd"


def test_what_is_in_use_is_kept_beyond_the_limit(shelf: Shelf[str, Cooldown]) -> None:
    put(shelf, *"abcd", until=NOW + 5)

    assert kept(shelf, "abcd") == "abcd"


def test_the_number_falls_again_after_a_rush(shelf: Shelf[str, Cooldown]) -> None:
    put(shelf, *"abcdefgh", until=NOW + 5)
    for key in "abcdefgh":
        found = shelf.get(key)
        assert found is not None
        found.rule.until = 0

    put(shelf, *"ijklmnop")

    assert len(shelf) == 3
