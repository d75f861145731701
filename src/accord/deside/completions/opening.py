"""Completions as they are configured, with who takes the money, for as long as a server runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final

from accord.deside.completions.budgets import Budgets, PaidBudget
from accord.deside.completions.configured import SANDBOX_TIERS, configured_tiers
from accord.deside.completions.digests import Digests
from accord.deside.completions.service import Completions
from accord.deside.config import Config, ConfigError, PaymentSettings
from accord.deside.times import Clock
from accord.engine import Database, State, logger

if TYPE_CHECKING:
    from accord.deside.chain import ChainSandbox
    from accord.deside.payments.opening import Payments

__all__ = ["completions_of"]

_log = logger("accord.deside.completions")

PAYMENTS_PACKAGES: Final = frozenset({"x402", "solana"})


@asynccontextmanager
async def completions_of(
    config: Config, store: Database, state: State, clock: Clock, sandbox: ChainSandbox | None = None
) -> AsyncIterator[Completions]:
    """Lend the service. What payments leave behind is looked after meanwhile.

    Args:
        config: Its tiers, and how money is taken.
        store: Where budgets and payments are kept.
        state: Where calls are counted.
        clock: Tells the time in seconds since the epoch.
        sandbox: A chain with money on it that is none: paid for there, every tier is an echo.

    Raises:
        ConfigError: The fee payer's key cannot be used, or a package is not installed.
    """
    payments = _payments(config, store, clock, sandbox)
    completions = Completions(
        configured_tiers(config) if sandbox is None else SANDBOX_TIERS,
        state=state,
        budgets=Budgets(store, clock=clock),
        digests=Digests(store),
        seller=None if payments is None else payments.seller,
    )
    looking_after = None if payments is None else asyncio.create_task(_look_after(payments))
    try:
        yield completions
    finally:
        await completions.close()
        if payments is not None and looking_after is not None:
            looking_after.cancel()
            with suppress(asyncio.CancelledError):
                await looking_after
            await payments.close()


def _payments(config: Config, store: Database, clock: Clock, sandbox: ChainSandbox | None) -> Payments | None:
    settings = config.payments if config.has_completions else None
    if sandbox is None and settings is None:
        return None
    try:
        # Only a server that takes money loads what that needs.
        from accord.deside.payments.opening import open_payments, payments_on  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in PAYMENTS_PACKAGES:
            raise
        raise ConfigError({"DESIDE_PAY_TO": "taking money needs an extra: install accord-mcp[payments]"}) from None
    if sandbox is not None:
        return payments_on(
            sandbox.post,
            store,
            pay_to=sandbox.treasury,
            fee_payer=sandbox.fee_payer,
            budget=PaidBudget(),
            clock=clock,
        )
    assert settings is not None  # noqa: S101 - one of the two is there
    try:
        return open_payments(settings, store, budget=PaidBudget(), clock=clock)
    except ValueError as error:
        raise ConfigError({_key_setting(settings): str(error)}) from None


def _key_setting(settings: PaymentSettings) -> str:
    return "DESIDE_FEE_PAYER_KEY" if settings.fee_payer_key is not None else "DESIDE_FEE_PAYER_KEY_FILE"


async def _look_after(payments: Payments) -> None:
    for fault in await payments.faults():
        _log.error("money cannot be taken as it is set up", fault=fault)
    await payments.reconciliation.forever()
