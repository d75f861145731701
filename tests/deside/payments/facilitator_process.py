"""Serves our facilitator in a process of its own: argv has the node's URL, stdin the key; prints its URL."""

from __future__ import annotations

import asyncio
import sys

from tests.deside.payments.serving import on_port

from accord.deside.payments.embedded import EmbeddedFacilitator
from accord.deside.payments.facilitator_app import facilitator_app
from accord.deside.payments.keys import key_of
from accord.deside.payments.rpc import HttpNode, Rpc
from accord.deside.payments.solana import Solana
from accord.deside.usdc import NETWORKS
from accord.engine import Secret


async def main(rpc: str, key: str) -> None:
    solana = Solana(Rpc(HttpNode(rpc)))
    app = facilitator_app(EmbeddedFacilitator(key_of(Secret(key)), solana), solana, NETWORKS["mainnet"])
    async with on_port(app) as url:
        print(url, flush=True)  # noqa: T201 - how the test hears of it
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.stdin.readline().strip()))
