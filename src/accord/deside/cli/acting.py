"""Acting as the wallet of this machine: a client for the length of a command, and its failures in words."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from accord.deside.cli.home import Home
from accord.deside.client import (
    Client,
    DesideError,
    GrantFile,
    LocalWallet,
    NotSignedInError,
    RefusedError,
    ToolFailedError,
    WalletFileError,
)
from accord.deside.client.discovery import endpoint_of
from accord.deside.client.sign_in import DEFAULT_SCOPES
from accord.terminal.exits import Exit
from accord.terminal.printing import print_json

__all__ = ["Actor", "act", "told"]

Work: TypeAlias = Callable[[Client], Awaitable[Exit]]

ADVICE: dict[type[DesideError], str] = {
    NotSignedInError: "`deside-mcp login` signs in",
    WalletFileError: "`deside-mcp wallet new` makes a wallet; --wallet names another file",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who acts, where, and how it is told."""

    url: str
    wallet_file: Path
    home: Home
    as_json: bool
    scopes: tuple[str, ...] = DEFAULT_SCOPES

    @classmethod
    def of(cls, home: Home, *, url: str | None, wallet: Path | None, as_json: bool) -> Actor:
        """Fill in what was not named.

        Raises:
            UntrustworthyError: The URL is none that tokens may be sent to.
        """
        where = endpoint_of(url or home.url)
        return cls(url=where, wallet_file=(wallet or home.wallet).expanduser(), home=home, as_json=as_json)

    def grant_of(self, wallet: LocalWallet) -> GrantFile:
        """Return the file of what this wallet was granted here."""
        return GrantFile.of(self.home.grants, self.url, wallet.address)


async def act(actor: Actor, work: Work) -> Exit:
    """Lend the work a client; what goes wrong is told, and makes the command fail."""
    try:
        wallet = LocalWallet.load(actor.wallet_file)
        async with Client.connect(actor.url, wallet, actor.grant_of(wallet), actor.scopes) as client:
            return await work(client)
    except DesideError as error:
        return told(error, as_json=actor.as_json)


def told(error: DesideError, *, as_json: bool) -> Exit:
    """Tell of a failure: on stderr for a person, or on stdout as JSON."""
    advice = ADVICE.get(type(error))
    if as_json:
        print_json(_facts(error) | ({"advice": advice} if advice else {}))
    else:
        sys.stderr.writelines(f"{line}\n" for line in (str(error), *_issues(error), advice) if line)
    return Exit.FAILED


def _issues(error: DesideError) -> list[str]:
    """Return what is wrong with each argument, where the failure names them."""
    issues = error.body.get("issues", ()) if isinstance(error, ToolFailedError) else ()
    return [f"  {issue.get('path') or 'arguments'}: {issue.get('message')}" for issue in issues]


def _facts(error: DesideError) -> dict[str, object]:
    if isinstance(error, ToolFailedError):
        return error.body
    if isinstance(error, RefusedError):
        return {"error": error.error, "status": error.status, "message": str(error)}
    return {"error": type(error).__name__.removesuffix("Error"), "message": str(error)}
