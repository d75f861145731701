"""`deside-mcp owed`: what the owner of a server owes to whom."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any, TypeAlias

from rich.table import Table

from accord.deside.config import Config, ConfigError, load_config
from accord.deside.payments import ledger
from accord.deside.payments.ledger import Sale
from accord.deside.store import open_store
from accord.deside.times import iso
from accord.deside.usdc import DECIMALS
from accord.terminal.exits import Exit
from accord.terminal.printing import page, print_json

__all__ = ["show_owed"]

Json: TypeAlias = Any

MOST_SHOWN = 1000

COLUMNS = ("since", "wallet", "tier", "usdc", "transaction")


async def show_owed(*, as_json: bool) -> Exit:
    """Print the payments whose answer is owed, the oldest first."""
    try:
        found = [_facts(sale) for sale in await _owed(load_config())]
    except ConfigError as error:
        sys.stderr.write(f"{error}\n")
        return Exit.REFUSED
    if as_json:
        print_json({"owed": found})
    elif found:
        _print(found)
    else:
        sys.stderr.write("no answer is owed to anybody\n")
    return Exit.DONE


async def _owed(config: Config) -> list[Sale]:
    try:
        store = open_store(config.database_url)
    except ValueError as error:
        raise ConfigError({"DESIDE_DATABASE_URL": str(error)}) from None
    try:
        return await store.read(partial(ledger.owed, limit=MOST_SHOWN))
    finally:
        await store.close()


def _facts(sale: Sale) -> dict[str, Json]:
    return {
        "since": iso(sale.state_ms),
        "wallet": sale.wallet,
        "tier": sale.tier,
        "usdc": sale.amount / 10**DECIMALS,
        "transaction": sale.signature,
        "payer": sale.payer,
        "nonce": sale.nonce,
    }


def _print(found: list[dict[str, Json]]) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in COLUMNS:
        table.add_column(heading, overflow="fold")
    for one in found:
        table.add_row(*(str(one[heading]) for heading in COLUMNS))
    with page() as console:
        console.print(table)
