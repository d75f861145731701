"""`deside-mcp doctor`: what reading and writing needs is checked, one thing a line."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Final, Literal, TypeAlias
from urllib.parse import urlsplit

from rich.table import Table
from rich.text import Text

from accord.deside.cli.acting import ADVICE, Actor
from accord.deside.client import Client, DesideError, LocalWallet, NotSignedInError
from accord.deside.client.discovery import discover, origin_of
from accord.deside.client.http import Http, is_loopback, opened
from accord.terminal.exits import Exit
from accord.terminal.printing import page, print_json

__all__ = ["examine"]

SKEW_SECONDS = 30
"""How far clocks may be apart: a challenge is good for 60 seconds, and HTTP tells whole seconds only."""

PRIVATE = 0o077
"""The rights of everybody but a file's owner."""


class _WrongError(Exception):
    """A check came out wrong.

    Args:
        found: What is the case.
        advice: What to do about it.
    """

    def __init__(self, found: str, advice: str) -> None:
        super().__init__(found)
        self.advice = advice


class _SkippedError(Exception):
    """There is nothing to check, or something else has to be right first; the message says what."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found."""

    check: str
    outcome: Literal["ok", "wrong", "skipped"]
    found: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class _Patient:
    """What is examined."""

    actor: Actor
    http: Http

    @property
    def origin(self) -> str:
        return origin_of(self.actor.url)

    def wallet(self) -> LocalWallet:
        try:
            return LocalWallet.load(self.actor.wallet_file)
        except DesideError:
            raise _SkippedError("there is no wallet") from None


Check: TypeAlias = Callable[[_Patient], Awaitable[str]]


async def examine(actor: Actor) -> Exit:
    """Make every check and print what it found; FAILED where one is wrong."""
    async with opened() as http:
        patient = _Patient(actor, http)
        findings = [await _finding(name, check, patient) for name, check in CHECKS.items()]
    if actor.as_json:
        print_json([asdict(finding) for finding in findings])
    else:
        _print(findings)
    return Exit.FAILED if any(finding.outcome == "wrong" for finding in findings) else Exit.DONE


async def _finding(name: str, check: Check, patient: _Patient) -> Finding:
    try:
        return Finding(name, "ok", await check(patient))
    except _WrongError as wrong:
        return Finding(name, "wrong", str(wrong), wrong.advice)
    except _SkippedError as skipped:
        return Finding(name, "skipped", str(skipped))
    except DesideError as error:
        return Finding(name, "wrong", str(error), ADVICE.get(type(error), f"is {patient.origin} the right --url?"))


async def _wallet(patient: _Patient) -> str:
    return LocalWallet.load(patient.actor.wallet_file).address


async def _wallet_file(patient: _Patient) -> str:
    file = patient.actor.wallet_file
    patient.wallet()
    mode = stat.S_IMODE(file.stat().st_mode)
    if sys.platform != "win32" and mode & PRIVATE:
        raise _WrongError(f"{file} can be read by others (mode {mode:04o})", f"chmod 600 {file}")
    return f"{file} is yours alone"


async def _url(patient: _Patient) -> str:
    answer = await patient.http.get(f"{patient.origin}/readyz")
    if answer.status != 200:  # noqa: PLR2004 - HTTP's own number
        raise _WrongError(f"{patient.origin}/readyz answers {answer.status}", "see the server's log")
    return f"{patient.origin} is ready"


async def _sign_in(patient: _Patient) -> str:
    endpoints = await discover(patient.http, patient.actor.url)
    return f"at {endpoints.issuer}"


async def _clock(patient: _Patient) -> str:
    sent = time.time()
    answer = await patient.http.get(f"{patient.origin}/healthz")
    received = time.time()
    with suppress(KeyError, ValueError):
        skew = parsedate_to_datetime(answer.headers["date"]).timestamp() - (sent + received) / 2
        if abs(skew) > SKEW_SECONDS:
            raise _WrongError(f"{skew:+.0f} s between the server's clock and this one", "set the clock that is wrong")
        return f"within {SKEW_SECONDS} s of the server's"
    raise _SkippedError("the server does not tell its time")


async def _database(patient: _Patient) -> str:
    """Look at the database of this machine's own configuration, without changing it."""
    from accord.deside.config import ConfigError, load_config  # noqa: PLC0415 - only where the server is this machine's
    from accord.deside.store.schema import SCHEMA_VERSION, version_of  # noqa: PLC0415 - the same
    from accord.engine import open_database  # noqa: PLC0415 - the same

    if not is_loopback(str(urlsplit(patient.origin).hostname)):
        raise _SkippedError("it is the server's own affair")
    try:
        url = load_config(os.environ).database_url
    except ConfigError as error:
        raise _WrongError(str(error).replace("\n", "; "), "correct the environment of `deside-mcp serve`") from None
    if _is_not_made(url):
        raise _SkippedError("there is none of this user's; `deside-mcp serve` makes it")
    found: list[int | None] = []
    try:
        await open_database(url, lambda connection: found.append(version_of(connection))).close()
    except ValueError as error:
        raise _WrongError(str(error), "see DESIDE_DATABASE_URL") from None
    if found != [SCHEMA_VERSION]:
        raise _WrongError(f"its tables have version {found[0]}, not {SCHEMA_VERSION}", "`deside-mcp migrate`")
    return f"its tables have version {SCHEMA_VERSION}"


def _is_not_made(url: str) -> bool:
    return url.startswith("sqlite:///") and not Path(url.removeprefix("sqlite:///")).exists()


async def _token(patient: _Patient) -> str:
    wallet = patient.wallet()
    kept = patient.actor.grant_of(wallet)
    async with Client.connect(patient.actor.url, wallet, kept) as client:
        await client.access.token()
    grant = kept.read()
    if grant is None:
        raise NotSignedInError("the token is gone")
    return f"good for {max(0, grant.expires_at - time.time()) / 60:.0f} min, for {grant.scope}"


async def _session(patient: _Patient) -> str:
    wallet = patient.wallet()
    kept = patient.actor.grant_of(wallet)
    if kept.read() is None:
        raise _SkippedError("there is no token")
    async with Client.connect(patient.actor.url, wallet, kept) as client:
        identity = await client.call("get_my_identity")
    if identity["wallet"] != wallet.address:
        raise _WrongError(f"the server takes this wallet for {identity['wallet']}", "`deside-mcp login` signs in anew")
    return "opened, used and ended"


CHECKS: Final[dict[str, Check]] = {
    "wallet": _wallet,
    "wallet file": _wallet_file,
    "server": _url,
    "clock": _clock,
    "database": _database,
    "sign-in": _sign_in,
    "token": _token,
    "session": _session,
}
"""Each thing that has to be right, in the order in which one needs the other."""


def _print(findings: Sequence[Finding]) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    for _ in range(3):
        table.add_column(overflow="fold")
    for finding in findings:
        table.add_row(*map(Text, (finding.outcome, finding.check, finding.found)))
        if finding.advice:
            table.add_row("", "", Text(f"→ {finding.advice}"))
    with page() as console:
        console.print(table)
