"""How much a wallet may send, at the edges of its limits and with many sends at once."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from tests.deside.messaging.conftest import ANN, BOB, CARL, Place

from accord.deside.errors import CooldownError, RateLimitError
from accord.deside.messaging import Messaging
from accord.deside.wallets import Wallet

HOUR_SECONDS = 3600
WINDOW_SECONDS = 10


async def outcome(messaging: Messaging, sender: Wallet, to: Wallet) -> str:
    """What one send comes to: a status or a code."""
    try:
        return (await messaging.send(sender, to, text="hello"))["status"]
    except (RateLimitError, CooldownError) as refusal:
        return refusal.code


async def test_a_send_is_refused_until_the_hour_of_the_first_counted_one_is_over(place: Place) -> None:
    messaging = place.messaging(sends_per_hour=3)
    for to in (BOB, CARL, BOB):
        await messaging.send(ANN, to, text="hello")
        place.clock.now += 10

    with pytest.raises(RateLimitError) as refusal:
        await messaging.send(ANN, CARL, text="one too many")
    assert refusal.value.retry_after_ms == (HOUR_SECONDS - 30) * 1000

    place.clock.now += HOUR_SECONDS - 30 - 0.001
    with pytest.raises(RateLimitError) as refusal:
        await messaging.send(ANN, CARL, text="a millisecond too early")
    assert refusal.value.retry_after_ms == 1

    place.clock.now += 0.001
    assert await outcome(messaging, ANN, CARL) == "delivered"
    assert await outcome(messaging, ANN, CARL) == "RATE_LIMIT"


async def test_one_wallets_limit_is_not_anothers(place: Place) -> None:
    messaging = place.messaging(sends_per_hour=1)
    await messaging.send(ANN, BOB, text="hello")

    assert await outcome(messaging, BOB, ANN) == "delivered"
    assert await outcome(messaging, ANN, CARL) == "RATE_LIMIT"


async def test_too_many_to_one_recipient_cool_down_and_others_are_not_concerned(place: Place) -> None:
    messaging = place.messaging(burst_per_recipient=2)
    await messaging.send(ANN, BOB, text="one")
    place.clock.now += 4
    await messaging.send(ANN, BOB, text="two")

    with pytest.raises(CooldownError) as refusal:
        await messaging.send(ANN, BOB, text="three")
    assert refusal.value.retry_after_ms == (WINDOW_SECONDS - 4) * 1000
    assert await outcome(messaging, ANN, CARL) == "delivered"
    assert await outcome(messaging, BOB, ANN) == "delivered"

    place.clock.now += WINDOW_SECONDS - 4
    assert await outcome(messaging, ANN, BOB) == "delivered"
    assert await outcome(messaging, ANN, BOB) == "COOLDOWN"


async def test_a_repeated_key_counts_once(place: Place) -> None:
    messaging = place.messaging(sends_per_hour=2)
    for _ in range(5):
        await messaging.send(ANN, BOB, text="once", idempotency_key="key-0001")

    assert await outcome(messaging, ANN, BOB) == "delivered"
    assert await outcome(messaging, ANN, BOB) == "RATE_LIMIT"


async def test_a_clock_that_was_set_back_makes_nobody_wait_longer_than_an_hour(place: Place) -> None:
    messaging = place.messaging(sends_per_hour=1)
    await messaging.send(ANN, BOB, text="hello")
    place.clock.now -= 86_400

    with pytest.raises(RateLimitError) as refusal:
        await messaging.send(ANN, BOB, text="hello")
    assert refusal.value.retry_after_ms == HOUR_SECONDS * 1000


@pytest.mark.parametrize("answers", [True, False])
async def test_what_was_let_in_holds_nobody_back_later(place: Place, answers: bool) -> None:
    messaging = place.messaging(burst_per_recipient=3)
    await place.people.set_policy(BOB, "contacts")
    assert [await outcome(messaging, ANN, BOB) for _ in range(5)] == ["pending_acceptance"] * 5
    if answers:
        await messaging.answer_request(BOB, ANN, "accept")
    else:
        await place.people.set_policy(BOB, "everyone")

    for _ in range(8):  # past the numbers that were given when they were let in
        place.clock.now += WINDOW_SECONDS
        assert [await outcome(messaging, ANN, BOB) for _ in range(3)] == ["delivered"] * 3
    assert await outcome(messaging, ANN, BOB) == "COOLDOWN"


async def test_of_many_sends_at_once_after_a_request_no_more_go_than_are_allowed(place: Place) -> None:
    messaging = place.messaging(burst_per_recipient=5)
    await place.people.set_policy(BOB, "contacts")
    for _ in range(5):
        await messaging.send(ANN, BOB, text="may I?")
    await messaging.answer_request(BOB, ANN, "accept")

    first = await asyncio.gather(*(outcome(messaging, ANN, BOB) for _ in range(32)))
    place.clock.now += WINDOW_SECONDS
    then = await asyncio.gather(*(outcome(messaging, ANN, BOB) for _ in range(32)))

    assert Counter(first) == Counter(then) == {"delivered": 5, "COOLDOWN": 27}


async def test_of_many_sends_at_once_exactly_as_many_as_allowed_go(place: Place) -> None:
    messaging = place.messaging(sends_per_hour=20)
    outcomes = await asyncio.gather(*(outcome(messaging, ANN, (BOB, CARL)[i % 2]) for i in range(64)))

    assert Counter(outcomes) == {"delivered": 20, "RATE_LIMIT": 44}


async def test_of_many_sends_at_once_to_one_recipient_exactly_as_many_as_allowed_go(place: Place) -> None:
    messaging = place.messaging(burst_per_recipient=5)
    outcomes = await asyncio.gather(*(outcome(messaging, ANN, BOB) for _ in range(64)))

    assert Counter(outcomes) == {"delivered": 5, "COOLDOWN": 59}
