"""A day's budgets, on both databases: what fits is counted once whatever races, and midnight (UTC) is the boundary."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest
import sqlalchemy as sa
from tests.clock import Clock
from tests.deside.wallets import wallet

from accord.deside.completions import Budgets, PaidBudget
from accord.deside.errors import BudgetExceededError
from accord.deside.store.tables.completions import BUDGETS
from accord.deside.times import ms_of
from accord.engine import Database

ANN, BOB = wallet(1), wallet(2)

MIDNIGHT = 1_800_057_600.0
"""2027-01-16T00:00:00Z."""


@pytest.fixture
def budgets(store: Database, clock: Clock) -> Budgets:
    return Budgets(store, clock=clock)


async def spend(store: Database, clock: Clock, amount: int) -> None:
    await store.write(partial(PaidBudget().count, wallet=ANN, amount=amount, at_ms=ms_of(clock)))


async def give_back(store: Database, amount: int, counted_ms: int) -> None:
    await store.write(partial(PaidBudget().give_back, wallet=ANN, amount=amount, counted_ms=counted_ms))


async def test_a_hundred_free_calls_a_day_and_no_more(budgets: Budgets) -> None:
    outcomes = await asyncio.gather(*(budgets.count_free(ANN) for _ in range(104)), return_exceptions=True)

    refused = [outcome for outcome in outcomes if isinstance(outcome, BudgetExceededError)]
    assert len(refused) == 4
    assert refused[0].resets_at == "2027-01-16T00:00:00.000Z"


async def test_each_wallet_has_its_own_budget(budgets: Budgets) -> None:
    for _ in range(100):
        await budgets.count_free(ANN)

    await budgets.count_free(BOB)


async def test_a_free_call_that_reached_no_provider_is_given_back(budgets: Budgets) -> None:
    counted = [await budgets.count_free(ANN) for _ in range(100)]

    await budgets.give_back_free(ANN, counted[0])

    await budgets.count_free(ANN)
    with pytest.raises(BudgetExceededError):
        await budgets.count_free(ANN)


async def test_a_day_ends_at_midnight_utc(budgets: Budgets, clock: Clock) -> None:
    clock.now = MIDNIGHT - 0.001
    for _ in range(100):
        await budgets.count_free(ANN)
    with pytest.raises(BudgetExceededError) as refused:
        await budgets.count_free(ANN)
    assert refused.value.resets_at == "2027-01-16T00:00:00.000Z"

    clock.now = MIDNIGHT

    await budgets.count_free(ANN)


async def test_five_usdc_a_day_to_the_last_atom(store: Database, budgets: Budgets, clock: Clock) -> None:
    await spend(store, clock, 4_990_000)

    await budgets.check_paid(ANN, 10_000)
    with pytest.raises(BudgetExceededError):
        await budgets.check_paid(ANN, 10_001)
    await spend(store, clock, 10_000)
    with pytest.raises(BudgetExceededError):
        await spend(store, clock, 1)


async def test_racing_reservations_never_spend_more_than_the_day_has(store: Database, clock: Clock) -> None:
    outcomes = await asyncio.gather(*(spend(store, clock, 700_000) for _ in range(12)), return_exceptions=True)

    assert sum(outcome is None for outcome in outcomes) == 7
    assert await store.read(lambda connection: connection.scalar(sa.select(BUDGETS.c.used))) == 4_900_000


async def test_a_price_beyond_a_whole_day_is_never_counted(store: Database, clock: Clock) -> None:
    with pytest.raises(BudgetExceededError):
        await spend(store, clock, 5_000_001)


async def test_what_is_given_back_after_midnight_is_the_day_befores(
    store: Database, budgets: Budgets, clock: Clock
) -> None:
    clock.now = MIDNIGHT - 1
    reserved_ms = ms_of(clock)
    await spend(store, clock, 5_000_000)
    clock.now = MIDNIGHT + 1
    await spend(store, clock, 5_000_000)

    await give_back(store, 5_000_000, reserved_ms)

    with pytest.raises(BudgetExceededError):
        await budgets.check_paid(ANN, 1)
    clock.now = MIDNIGHT - 1
    await budgets.check_paid(ANN, 5_000_000)


async def test_days_that_nobody_asks_about_are_forgotten(store: Database, clock: Clock) -> None:
    for _ in range(5):
        await spend(store, clock, 1)
        clock.now += 86_400

    assert await store.read(lambda connection: connection.scalar(sa.select(sa.func.count()).select_from(BUDGETS))) == 2
