"""`deside-mcp login`, `logout`, `send`, `read`, `watch`, `call`: what a wallet's owner does."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from shutil import get_terminal_size
from typing import Any, Final, TypeAlias

from rich.text import Text

from accord.deside.cli.acting import Actor
from accord.deside.client import Arrived, Client, GrantFile, Progress, ToolFailedError, Watch, conversation_of
from accord.terminal.exits import Exit
from accord.terminal.printing import print_json, put
from accord.terminal.stopping import until_stopped

__all__ = ["call", "login", "logout", "read", "read_one", "send", "table_of", "watch"]

Json: TypeAlias = Any

OBEYED: Final = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What a terminal does not print but does, and what turns the direction of a line. Line feeds are dealt with apart."""

ADDRESS_CHARACTERS: Final = 44
"""The longest address: 32 bytes in base58."""

LEAST_SAID: Final = 8
"""How much of a message is shown in a terminal that is too narrow for it."""

FATES = {
    "delivered": ("delivered to {to}", Exit.DONE),
    "pending_acceptance": ("waits until {to} accepts you as a contact", Exit.DONE),
    "user_not_registered": ("not sent: {to} has never signed in here, and nothing is kept for it", Exit.FAILED),
}
"""What became of a message, in words, and whether somebody can get it."""


async def login(actor: Actor, client: Client) -> Exit:
    """Sign in, and take this service from now on."""
    await client.sign_in()
    actor.home.remember(actor.url)
    if actor.as_json:
        print_json({"wallet": client.wallet, "url": actor.url, "identity": await _identity(client)})
    else:
        _say(f"{client.wallet} is signed in at {actor.url}")
    return Exit.DONE


async def _identity(client: Client) -> Json:
    """Return who the wallet is; nothing where it did not ask to read that."""
    try:
        return await client.call("get_my_identity")
    except ToolFailedError as error:
        if error.code != "insufficient_scope":
            raise
    return None


async def logout(actor: Actor, client: Client) -> Exit:
    """Take back what was granted."""
    await client.session.close()
    await client.access.sign_out()
    if actor.as_json:
        print_json({"wallet": client.wallet, "url": actor.url, "signedIn": False})
    else:
        _say(f"{client.wallet} is signed out at {actor.url}")
    return Exit.DONE


async def send(actor: Actor, client: Client, to_wallet: str, text: str) -> Exit:
    """Send a message and say what became of it."""
    sent = await client.send(to_wallet, text)
    words, code = FATES.get(sent["status"], ("{status}", Exit.DONE))
    if actor.as_json:
        print_json(sent)
    else:
        _say(words.format(to=to_wallet, status=sent["status"]))
    return code


async def read(actor: Actor, client: Client, limit: int) -> Exit:
    """List the conversations, the latest first."""
    found = await client.call("list_conversations", limit=limit)
    if actor.as_json:
        print_json(found)
    elif found["conversations"]:
        width = get_terminal_size().columns if sys.stdout.isatty() else None
        _say("\n".join(table_of(found["conversations"], client.wallet, width)))
    else:
        sys.stderr.write("there are no conversations yet; `deside-mcp send WALLET TEXT` begins one\n")
    return Exit.DONE


async def read_one(actor: Actor, client: Client, who: str, limit: int, before: int | None, *, peek: bool) -> Exit:
    """Print the newest messages of a conversation, the oldest of them first; they count as read then."""
    conv_id = who if ":" in who else conversation_of(client.wallet, who)
    older = {} if before is None else {"before_seq": before}
    found = await client.call("read_dms", conv_id=conv_id, limit=limit, **older)
    if actor.as_json:
        print_json({"convId": conv_id, **found})
    else:
        _print_messages(found, client.wallet)
    if found["messages"] and not peek:
        await client.call("mark_dm_read", conv_id=conv_id, seq=found["messages"][0]["seq"])
    return Exit.DONE


async def watch(actor: Actor, client: Client) -> Exit:
    """Print what arrives until the process is asked to stop: first what came since the last watch of this wallet."""
    await until_stopped(_watch(actor, client))
    return Exit.DONE


async def _watch(actor: Actor, client: Client) -> None:
    kept = _cursor_file(actor, client)
    watching = Watch(
        client,
        _text_of(kept),
        Progress(
            opened=lambda: _tell(f"watching what arrives for {client.wallet}; Ctrl-C ends it"),
            lost=lambda error: _tell(f"{error}; trying again"),
            forgotten=lambda: _tell("the service was restored, or begins anew: `deside-mcp read` has what came since"),
            moved=lambda cursor: _write(kept, cursor),
        ),
    )
    async with aclosing(watching.arrivals()) as arrivals:
        async for arrived in arrivals:
            _print_arrived(arrived, as_json=actor.as_json)


async def call(client: Client, tool: str, arguments: Mapping[str, Json]) -> Exit:
    """Call any tool and print its result."""
    print_json(await client.session.call(tool, arguments))
    return Exit.DONE


def _cursor_file(actor: Actor, client: Client) -> Path:
    grant = client.access.kept
    assert isinstance(grant, GrantFile)  # noqa: S101 - that is how a command's client is made
    return actor.home.cursor(grant.path)


def _text_of(file: Path) -> str | None:
    return file.read_text() if file.exists() else None


def _write(file: Path, text: str) -> None:
    draft = file.with_suffix(f".{os.getpid()}")
    draft.write_text(text)
    draft.replace(file)


def _print_arrived(arrived: Arrived, *, as_json: bool) -> None:
    facts = arrived.facts
    if as_json:
        kind = "contact_request" if arrived.is_contact_request else "message"
        print_json({"kind": kind, **facts}, indented=False)
    elif arrived.is_contact_request:
        _say(_line(facts, f"{facts['sender']} asks to write to you"))
        _tell(
            f"`deside-mcp call respond_contact_request wallet={facts['sender']} action=accept` lets them, decline not"
        )
    else:
        _say(_line(facts, facts["sender"]))


def _print_messages(found: Json, own: str) -> None:
    if not found["messages"]:
        sys.stderr.write("there is nothing in this conversation\n")
        return
    for message in reversed(found["messages"]):
        _say(_line(message, "you" if message["sender"] == own else message["sender"]))
    if found["hasMore"]:
        sys.stderr.write(f"older ones: --before {found['nextCursor']}\n")


def _line(message: Mapping[str, Json], sender: str) -> str:
    return f"{_minute(message['createdAt'])}  {sender}: {_harmless(message['content'])}"


def _harmless(text: str) -> str:
    """Return what others wrote so that a terminal obeys none of it, and no line of it looks like one of ours."""
    shown = OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return shown.replace("\n", "\n    ")


def table_of(found: Sequence[Json], own: str, width: int | None) -> Iterator[str]:
    """Yield a line for each conversation below one of headings. Only what was said is cut, to a terminal's width."""
    yield f"{'with':{ADDRESS_CHARACTERS}}  unread  last"
    for one in found:
        last = one["lastMessage"]
        sender = "you: " if last["sender"] == own else ""
        said = Text(sender + _harmless(" ".join(last["content"].split("\n"))))
        start = f"{one['peerWallet']:{ADDRESS_CHARACTERS}}  {one['unread'] or '':>6}  {_minute(last['createdAt'])}  "
        if width is not None:
            said.truncate(max(width - len(start), LEAST_SAID), overflow="ellipsis")
        yield start + said.plain


def _minute(instant: str) -> str:
    """Shorten an instant to its minute: 2027-01-15T08:00:00.000Z to 2027-01-15 08:00."""
    return instant[:16].replace("T", " ")


def _tell(line: str) -> None:
    """Say on stderr what is no result."""
    sys.stderr.write(f"{line}\n")


def _say(line: str) -> None:
    put(f"{line}\n".encode(sys.stdout.encoding, errors="replace"))
