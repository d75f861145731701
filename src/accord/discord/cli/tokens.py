"""`discord-mcp tokens`: named access tokens are made, listed and taken back."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias

from rich.table import Table

from accord.discord.app import own_tools
from accord.discord.cli.serving import configured, refused
from accord.discord.config import ConfigError
from accord.discord.grants import EVERYTHING, Scopes
from accord.discord.models.ids import ChannelId
from accord.discord.state_folder import kept_state
from accord.discord.tokens import AccessToken, NameTakenError, Tokens
from accord.engine import UNIT_SECONDS, Quota, nearest, quota_of
from accord.terminal.exits import Exit
from accord.terminal.printing import page, print_json

__all__ = ["Wish", "add", "revoke", "show_all", "wish_of"]

Json: TypeAlias = Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a new token may do, how much and for how long."""

    scopes: Scopes
    quotas: tuple[Quota, ...]
    lifetime_seconds: float | None


def wish_of(*, read_only: bool, writes: Sequence[str], quotas: Sequence[str], expires: str | None) -> Wish:
    """Read the options, each of which only narrows: without any of them all is allowed that the server allows.

    Raises:
        ValueError: One has another form, names what does not exist, or they contradict each other.
    """
    if read_only and writes:
        raise ValueError("--read-only and --write contradict each other")
    narrowed = frozenset({"read", *(_write_scope(write) for write in writes)})
    return Wish(
        scopes=narrowed if read_only or writes else EVERYTHING,
        quotas=tuple(_quota(text) for text in quotas),
        lifetime_seconds=None if expires is None else _seconds(expires),
    )


def _write_scope(text: str) -> str:
    category, separator, channel = text.partition(":")
    _check_known(category, _categories())
    return f"write:{category}:{ChannelId.parse(ChannelId.unwrap(channel))}" if separator else f"write:{category}"


def _quota(text: str) -> Quota:
    quota = quota_of(text)
    if quota.of is not None:
        _check_known(quota.of, {*_categories(), *own_tools()})
    return quota


def _categories() -> set[str]:
    return {tool.category for tool in own_tools().values()}


def _check_known(name: str, known: Iterable[str]) -> None:
    """Refuse a name that nothing has: what it is meant to narrow would stay open."""
    names = sorted(known)
    if name not in names:
        near = nearest(name, names)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}"
        raise ValueError(f"there is no {name!r}; {hint}")


def _seconds(text: str) -> float:
    found = re.fullmatch(r"([1-9][0-9]{0,3})([mhd])", text)
    if found is None:
        raise ValueError("a time is a number of minutes, hours or days, such as 90m, 12h or 30d")
    return float(int(found[1]) * UNIT_SECONDS[found[2]])


async def add(name: str, wish: Wish) -> Exit:
    """Make the token and print it, alone, on stdout; what it may do goes to stderr.

    Raises:
        ValueError: The name is none, or two quotas are for the same thing.
    """
    try:
        async with _tokens() as tokens:
            token, secret = await tokens.add(
                name, scopes=wish.scopes, quotas=wish.quotas, lifetime_seconds=wish.lifetime_seconds
            )
    except ConfigError as error:
        return refused(error)
    except NameTakenError as error:
        sys.stderr.write(f"{error}\n")
        return Exit.FAILED
    sys.stdout.write(secret.reveal() + "\n")
    sys.stderr.write(f"{name} may {', '.join(_terms(token))}. The token is shown this once.\n")
    return Exit.DONE


async def revoke(name: str) -> Exit:
    """Take the token back."""
    try:
        async with _tokens() as tokens:
            gone = await tokens.revoke(name)
    except ConfigError as error:
        return refused(error)
    sys.stderr.write(f"{name} is revoked\n" if gone else f"there is no token {name!r}\n")
    return Exit.DONE if gone else Exit.FAILED


async def show_all(*, as_json: bool) -> Exit:
    """Print a line for every living token."""
    try:
        async with _tokens() as tokens:
            found = await tokens.living()
    except ConfigError as error:
        return refused(error)
    if as_json:
        print_json([_facts(token) for token in found])
    elif found:
        _print(found)
    else:
        sys.stderr.write("there are no tokens; `discord-mcp tokens add NAME` makes one\n")
    return Exit.DONE


@asynccontextmanager
async def _tokens() -> AsyncIterator[Tokens]:
    async with configured(sandbox=False) as config, kept_state(config, os.environ) as state:
        yield Tokens(state)


def _facts(token: AccessToken) -> dict[str, Json]:
    return {
        "name": token.name,
        "scopes": sorted(token.scopes),
        "quotas": [str(quota) for quota in token.quotas],
        "created_at": _instant(token.created_at),
        "expires_at": _instant(token.expires_at),
        "used_at": _instant(token.used_at),
    }


def _instant(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _terms(token: AccessToken) -> list[str]:
    """Say what a token may do, how much and until when."""
    until = [] if token.expires_at is None else [f"until {_instant(token.expires_at)}"]
    return [*sorted(token.scopes), *(f"at most {quota}" for quota in token.quotas), *until]


def _print(tokens: Sequence[AccessToken]) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("name", "may", "made", "last used"):
        table.add_column(heading)
    for token in tokens:
        table.add_row(token.name, ", ".join(_terms(token)), _day(token.created_at), _day(token.used_at))
    with page() as console:
        console.print(table)


def _day(seconds: float | None) -> str:
    return "never" if seconds is None else datetime.fromtimestamp(seconds, UTC).date().isoformat()
