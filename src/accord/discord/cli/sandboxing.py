"""`discord-mcp sandbox`: the embedded Discord by itself, for any Discord library."""

from __future__ import annotations

import asyncio
import signal
import sys
from contextlib import suppress

import orjson
from rich.console import Console

from accord.discord.cli.exits import Exit
from accord.discord.sandbox import Sandbox, demo

__all__ = ["run"]


async def run(port: int, *, as_json: bool) -> Exit:
    """Run until interrupted; tell first where it is and how to get in."""
    try:
        async with Sandbox.start(port=port) as sandbox:
            _tell(sandbox, as_json=as_json)
            await _interrupted()
    except OSError as error:
        sys.stderr.write(f"cannot listen on 127.0.0.1:{port}: {error.strerror}\n")
        return Exit.REFUSED
    return Exit.DONE


def _tell(sandbox: Sandbox, *, as_json: bool) -> None:
    facts = {
        "base_url": sandbox.base_url,
        "token": sandbox.token,
        "guild_id": demo.GUILD,
        "channel_id": demo.GENERAL,
    }
    if as_json:
        sys.stdout.buffer.write(orjson.dumps(facts, option=orjson.OPT_APPEND_NEWLINE))
        sys.stdout.flush()
        return
    console = Console(highlight=False, soft_wrap=True)
    console.print("[bold]An embedded Discord, for trying things.[/bold] Nothing leaves this machine; Ctrl-C ends it.\n")
    for name, value in facts.items():
        console.print(f"  {name:<11} {value}", markup=False)
    console.print("\n[bold]discord-mcp on it[/bold], in another terminal:\n", style=None)
    console.print(f"  export DISCORD_API_BASE_URL={sandbox.base_url}", markup=False)
    console.print(f"  export DISCORD_TOKEN={sandbox.token}", markup=False)
    console.print(f"  discord-mcp call messages_read channel_id={demo.GENERAL} limit=3", markup=False)


async def _interrupted() -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        with suppress(NotImplementedError):  # Windows' loop has no signal handlers
            loop.add_signal_handler(number, stop.set)
    await stop.wait()
