"""`discord-mcp sandbox`: the embedded Discord by itself, for any Discord library."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping

from accord.discord.sandbox import Sandbox, demo
from accord.discord.sandbox.control import PREFIX
from accord.terminal.exits import Exit
from accord.terminal.printing import page, print_json
from accord.terminal.stopping import until_stopped

__all__ = ["run"]

INTRODUCTION = """\
[bold]An embedded Discord, for trying things.[/bold] Nothing leaves this machine.
Ctrl-C ends it.
"""

WAYS_IN = """
[bold]discord-mcp on it[/bold], in another terminal:

  export DISCORD_API_BASE_URL={base_url}
  export DISCORD_TOKEN={token}
  export DISCORD_EXPECTED_BOT_ID={bot_id}
  discord-mcp call messages_read channel_id={channel_id} limit=3

[bold]Any Discord library[/bold]: its API is at {base_url}/v10
[bold]Faults[/bold]: POST to {control_url}/faults
[bold]What was requested[/bold]: GET {control_url}/requests"""


async def run(port: int, *, as_json: bool) -> Exit:
    """Run until interrupted; tell first where it is and how to get in."""
    try:
        async with Sandbox.start(port=port) as sandbox:
            facts = _facts(sandbox)
            if as_json:
                print_json(facts, indented=False)
            else:
                _tell(facts)
            await until_stopped(asyncio.Event().wait())
    except OSError as error:
        sys.stderr.write(f"cannot listen on 127.0.0.1:{port}: {error.strerror}\n")
        return Exit.REFUSED
    return Exit.DONE


def _facts(sandbox: Sandbox) -> dict[str, str]:
    return {
        "base_url": sandbox.base_url,
        "control_url": sandbox.world.origin + PREFIX,
        "token": sandbox.token,
        "application_id": demo.APPLICATION,
        "bot_id": demo.BOT,
        "guild_id": demo.GUILD,
        "channel_id": demo.GENERAL,
        "user_id": demo.LENA,
    }


def _tell(facts: Mapping[str, str]) -> None:
    with page() as console:
        console.print(INTRODUCTION)
        for name, value in facts.items():
            console.print(f"  {name:<15} {value}", markup=False, soft_wrap=True)
        console.print(WAYS_IN.format(**facts), soft_wrap=True)
