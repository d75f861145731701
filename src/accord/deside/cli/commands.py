"""The commands, on typer and rich."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from accord.terminal.version import VersionFlag

if TYPE_CHECKING:
    from accord.deside.cli.acting import Actor
    from accord.deside.client import Client
    from accord.terminal.exits import Exit

__all__ = ["app"]

app = typer.Typer(
    name="deside-mcp",
    help="Direct messages between Solana wallets, for agents and people, over MCP. Without a command it serves.",
    add_completion=True,
    no_args_is_help=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class Tier(Enum):
    """The models, by price."""

    FREE = "free"
    CHEAP = "cheap"
    BALANCED = "balanced"
    STRONG = "strong"


JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON.")]
WalletFile = Annotated[
    Path | None,
    typer.Option("--wallet", help="The wallet's key pair file, as solana-keygen writes it.", show_default=False),
]
Url = Annotated[
    str | None,
    typer.Option(help="The service; by default the one of the last login, else this machine's.", show_default=False),
]


@app.callback()
def _root(version: VersionFlag = False) -> None:
    """Direct messages between Solana wallets, for agents and people, over MCP. Without a command it serves."""


# --- The server ----------------------------------------------------------------------------------------------------


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0 takes a free one.", min=0, max=65535)] = 3100,
    allowed_host: Annotated[list[str] | None, typer.Option(help="Name it is called under; may be repeated.")] = None,
    allowed_origin: Annotated[
        list[str] | None, typer.Option(help="Web page that may call it, as https://app.example.test; may be repeated.")
    ] = None,
    sandbox: Annotated[
        bool,
        typer.Option(
            "--sandbox",
            help="Sell completions of a model that only echoes, for money that is none, on a chain in this process; "
            "nothing is kept.",
        ),
    ] = False,
) -> None:
    """Serve MCP over HTTP at /mcp, and the sign-in with a wallet."""
    from accord.deside.cli.serving import serve as run  # noqa: PLC0415 - only what this command needs
    from accord.terminal.listening import Address  # noqa: PLC0415 - the same

    address = Address(host=host, port=port, allowed_hosts=allowed_host or (), allowed_origins=allowed_origin or ())
    raise typer.Exit(run(address, sandbox=sandbox))


@app.command()
def migrate(as_json: JsonFlag = False) -> None:
    """Bring the database's tables up to this version; `serve` does the same when it starts."""
    from accord.deside.cli.serving import migrate as run  # noqa: PLC0415 - only what this command needs

    raise typer.Exit(run(as_json=as_json))


@app.command()
def owed(as_json: JsonFlag = False) -> None:
    """List the payments that arrived and whose answer did not go out; their payers can still fetch it."""
    from accord.deside.cli.owing import show_owed  # noqa: PLC0415 - only what this command needs

    raise typer.Exit(asyncio.run(show_owed(as_json=as_json)))


# --- A wallet of this machine --------------------------------------------------------------------------------------


wallets = typer.Typer(help="Make a wallet on this machine, and show it.", no_args_is_help=True)
app.add_typer(wallets, name="wallet")


@wallets.command("new")
def new_wallet(wallet: WalletFile = None, as_json: JsonFlag = False) -> None:
    """Make a wallet in a new file that only you can read, and print its address."""
    from accord.deside.cli.wallets import make  # noqa: PLC0415 - only what this command needs

    raise typer.Exit(make(_wallet_file(wallet), as_json=as_json))


@wallets.command("show")
def show_wallet(
    wallet: WalletFile = None,
    secret: Annotated[bool, typer.Option("--secret", help="Print the secret key as well, in base58.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Print the wallet's address."""
    from accord.deside.cli.wallets import show  # noqa: PLC0415 - only what this command needs

    raise typer.Exit(show(_wallet_file(wallet), secret=secret, as_json=as_json))


def _wallet_file(named: Path | None) -> Path:
    from accord.deside.cli.home import Home  # noqa: PLC0415 - only what this command needs

    return (named or Home.of(os.environ).wallet).expanduser()


# --- Agents of other registries ------------------------------------------------------------------------------------


agents = typer.Typer(help="The agents that this server's directory shows.", no_args_is_help=True)
app.add_typer(agents, name="agents")


@agents.command("import")
def import_agents(
    file: Annotated[Path, typer.Argument(help="A JSON list of agents; docs/deside.md has its fields.")],
    as_json: JsonFlag = False,
) -> None:
    """Take agents of other registries into this server's database: all of a file, or nothing."""
    from accord.deside.cli.agents import import_file  # noqa: PLC0415 - only what this command needs

    raise typer.Exit(asyncio.run(import_file(file, as_json=as_json)))


# --- What a wallet's owner does ------------------------------------------------------------------------------------


@app.command()
def login(
    url: Url = None,
    wallet: WalletFile = None,
    scope: Annotated[
        list[str] | None, typer.Option(help="What it asks for, instead of dm:read and dm:write; may be repeated.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Sign in with the wallet; the tokens are kept in a file that only you can read."""
    from accord.deside.cli import messages  # noqa: PLC0415 - only what this command needs
    from accord.deside.cli.acting import act  # noqa: PLC0415 - the same

    actor = _actor(url, wallet, as_json)
    actor = replace(actor, scopes=tuple(scope)) if scope else actor
    raise typer.Exit(asyncio.run(act(actor, lambda client: messages.login(actor, client))))


@app.command()
def logout(url: Url = None, wallet: WalletFile = None, as_json: JsonFlag = False) -> None:
    """Take the tokens back, and forget them."""
    from accord.deside.cli import messages  # noqa: PLC0415 - only what this command needs

    _act(url, wallet, as_json, messages.logout)


@app.command()
def send(
    to_wallet: Annotated[str, typer.Argument(metavar="WALLET", help="Who gets it.", show_default=False)],
    text: Annotated[str, typer.Argument(help="The message; - takes it from stdin.", show_default=False)],
    url: Url = None,
    wallet: WalletFile = None,
    as_json: JsonFlag = False,
) -> None:
    """Send a message."""
    from accord.deside.cli import messages  # noqa: PLC0415 - only what this command needs

    words = sys.stdin.read().rstrip("\n") if text == "-" else text
    _act(url, wallet, as_json, lambda actor, client: messages.send(actor, client, to_wallet, words))


@app.command()
def read(  # noqa: PLR0917 - typer's way to declare options
    who: Annotated[
        str | None,
        typer.Argument(
            metavar="[WALLET|CONVID]", help="Whose messages; without it, all conversations.", show_default=False
        ),
    ] = None,
    limit: Annotated[int, typer.Option(help="How many at most.", min=1, max=100)] = 20,
    before: Annotated[int | None, typer.Option(help="Only messages before this number.", min=1)] = None,
    peek: Annotated[bool, typer.Option("--peek", help="Leave them unread.")] = False,
    url: Url = None,
    wallet: WalletFile = None,
    as_json: JsonFlag = False,
) -> None:
    """List the conversations, or read one, which then counts as read."""
    from accord.deside.cli import messages  # noqa: PLC0415 - only what this command needs

    if who is None:
        _act(url, wallet, as_json, lambda actor, client: messages.read(actor, client, limit))
    _act(
        url,
        wallet,
        as_json,
        lambda actor, client: messages.read_one(actor, client, str(who), limit, before, peek=peek),
    )


@app.command()
def watch(url: Url = None, wallet: WalletFile = None, as_json: JsonFlag = False) -> None:
    """Print messages as they come, each once, beginning with those since the last watch."""
    from accord.deside.cli import messages  # noqa: PLC0415 - only what this command needs

    _act(url, wallet, as_json, messages.watch)


@app.command()
def complete(  # noqa: PLR0917 - typer's way to declare options
    text: Annotated[str, typer.Argument(help="What the model is asked; - takes it from stdin.", show_default=False)],
    tier: Annotated[Tier, typer.Option(help="Which model, and at which price.")] = Tier.CHEAP,
    max_spend: Annotated[float, typer.Option(help="The most that is paid, in USDC.", min=0, max=5)] = 0.05,
    max_tokens: Annotated[int | None, typer.Option(help="The longest answer.", min=1, show_default=False)] = None,
    rpc: Annotated[
        str | None,
        typer.Option(help="The node of Solana that is asked what to sign with.", show_default=False),
    ] = None,
    payment: Annotated[
        Path | None,
        typer.Option(help="Present the payment in this file again; nothing new is signed.", show_default=False),
    ] = None,
    url: Url = None,
    wallet: WalletFile = None,
    as_json: JsonFlag = False,
) -> None:
    """Ask a model once, and pay for it from the wallet; at a sandbox, from the sandbox's own."""
    from accord.deside.cli.completing import Wanted  # noqa: PLC0415 - only what this command needs
    from accord.deside.cli.completing import complete as run  # noqa: PLC0415 - the same

    words = sys.stdin.read().rstrip("\n") if text == "-" else text
    wanted = Wanted(
        text=words,
        tier=tier.value,
        max_tokens=max_tokens,
        max_usdc=Decimal(str(max_spend)),
        rpc=rpc,
        payment_file=payment,
    )
    raise typer.Exit(asyncio.run(run(_actor(url, wallet, as_json), wanted, names_wallet=wallet is not None)))


@app.command()
def call(
    tool: Annotated[str, typer.Argument(help="The tool's name.", show_default=False)],
    arguments: Annotated[
        list[str] | None, typer.Argument(help="key=value each; lists and objects as JSON text.", show_default=False)
    ] = None,
    url: Url = None,
    wallet: WalletFile = None,
) -> None:
    """Call any tool, and print its result as JSON."""
    from accord.deside.cli import messages  # noqa: PLC0415 - only what this command needs
    from accord.terminal.arguments import arguments_of  # noqa: PLC0415 - the same

    try:
        given = arguments_of(arguments or ())
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    _act(url, wallet, True, lambda _, client: messages.call(client, tool, given))


@app.command()
def doctor(url: Url = None, wallet: WalletFile = None, as_json: JsonFlag = False) -> None:
    """Check what is needed to read and write, and say what to do about what is missing."""
    from accord.deside.cli.checking import examine  # noqa: PLC0415 - only what this command needs

    raise typer.Exit(asyncio.run(examine(_actor(url, wallet, as_json))))


def _act(url: str | None, wallet: Path | None, as_json: bool, work: Callable[[Actor, Client], Awaitable[Exit]]) -> None:
    from accord.deside.cli.acting import act  # noqa: PLC0415 - only what these commands need

    actor = _actor(url, wallet, as_json)
    raise typer.Exit(asyncio.run(act(actor, lambda client: work(actor, client))))


def _actor(url: str | None, wallet: Path | None, as_json: bool) -> Actor:
    from accord.deside.cli.acting import Actor  # noqa: PLC0415 - only what these commands need
    from accord.deside.cli.home import Home  # noqa: PLC0415 - the same
    from accord.deside.client import UntrustworthyError  # noqa: PLC0415 - the same

    try:
        return Actor.of(Home.of(os.environ), url=url, wallet=wallet, as_json=as_json)
    except UntrustworthyError as error:
        raise typer.BadParameter(str(error), param_hint="--url") from None
