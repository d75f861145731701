"""Wallets talk through deside-mcp: they sign in, write, one is away and catches up, a stranger has to ask, one pays.

Run it with `python examples/demo_deside/conversation.py`. It starts the installed server on a free port with a database
of its own, and ends it. It needs no network. It exits with 0 only if every step came out as it should.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import sysconfig
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, TypeAlias

import orjson
from rich.console import Console
from rich.text import Text

from accord.deside.client import (
    Arrived,
    Client,
    DesideError,
    GrantInMemory,
    LocalWallet,
    Progress,
    ToolFailedError,
    Watch,
)
from accord.deside.payments.buyer import Buyer, Caps
from accord.deside.payments.keys import key_of
from accord.deside.payments.rpc import HttpNode, Rpc
from accord.deside.payments.solana import Solana
from accord.deside.usdc import NETWORKS
from accord.engine import Secret

Json: TypeAlias = Any

MOST_SECONDS = 30
"""A demo that takes longer is broken off: it usually takes three."""

OWN_VARIABLES = ("DESIDE_", "LLM_", "OAUTH_", "SESSION_")
"""What is set for a server of one's own must not change the demo's."""

CAPS = Caps(per_payment=50_000, per_run=50_000)
"""In millionths of a USDC: five cents, and no more."""

WHILE_AWAY = ("Are you there?", "We moved to seven.", "Bring the map.")


class MismatchError(Exception):
    """A step came out otherwise than it should; the message says in what."""


@dataclass
class Transcript:
    """What is shown, and the colour of each speaker."""

    console: Console
    steps: int = 0

    def begins(self, aim: str) -> None:
        """Begin a step."""
        self.steps += 1
        self.console.print(Text(f"\n{self.steps}  {aim}", style="bold"))

    def says(self, line: str, style: str = "") -> None:
        """Show a line."""
        self.console.print(Text(f"   {line}", style=style))

    def holds(self, words: str, found: Json, wanted: Json) -> None:
        """Hold what was found against what should be."""
        if found != wanted:
            raise MismatchError(f"{words}: wanted {wanted!r}, got {found!r}")
        self.says(f"✓ {words}", "green")


@dataclass
class Person:
    """Somebody with a wallet, at this service or away; what arrives while they are here is in `inbox`."""

    name: str
    url: str
    wallet: LocalWallet = field(default_factory=LocalWallet.new)
    granted: GrantInMemory = field(default_factory=GrantInMemory)
    inbox: asyncio.Queue[tuple[Arrived, float] | DesideError] = field(default_factory=asyncio.Queue)
    cursor: str | None = None

    @asynccontextmanager
    async def here(self) -> AsyncIterator[Client]:
        """Be connected, and watch what arrives; the watch goes on where the last one ended."""
        async with Client.connect(self.url, self.wallet, self.granted) as client:
            if self.granted.read() is None:
                await client.sign_in()
            ready = asyncio.Event()
            watching = Watch(client, self.cursor, Progress(opened=ready.set))
            task = asyncio.ensure_future(self._watch(watching, ready))
            try:
                await ready.wait()
                yield client
            finally:
                task.cancel()
                self.cursor = watching.cursor

    async def _watch(self, watching: Watch, ready: asyncio.Event) -> None:
        try:
            async with aclosing(watching.arrivals()) as arrivals:
                async for arrived in arrivals:
                    self.inbox.put_nowait((arrived, perf_counter()))
        except DesideError as error:
            self.inbox.put_nowait(error)
        finally:
            ready.set()

    async def gets(self) -> tuple[Arrived, float]:
        """Wait for what arrives next, and when it did.

        Raises:
            DesideError: The watch ended.
        """
        got = await self.inbox.get()
        if isinstance(got, DesideError):
            raise got
        return got


@asynccontextmanager
async def served(folder: Path) -> AsyncIterator[str]:
    """Run the installed server as a sandbox, with a database in this folder; it is ended with the context."""
    command = shutil.which("deside-mcp", path=sysconfig.get_path("scripts")) or "deside-mcp"
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OWN_VARIABLES)}
    env = {**kept, "DESIDE_DATABASE_URL": f"sqlite:///{folder / 'demo.db'}"}
    process = await asyncio.create_subprocess_exec(
        command, "serve", "--sandbox", "--port", "0", env=env, stderr=asyncio.subprocess.PIPE
    )
    try:
        yield f"http://127.0.0.1:{await _port(process)}"
    finally:
        if process.returncode is None:
            process.terminate()
        await process.communicate()


async def _port(process: asyncio.subprocess.Process) -> int:
    assert process.stderr is not None  # noqa: S101 - it is a pipe
    said = b""
    async for line in process.stderr:
        said += line
        if b'"ready"' in line:
            return int(orjson.loads(line)["port"])
    raise MismatchError(f"the server ended before it was ready:\n{said.decode()}")


# --- The conversation -----------------------------------------------------------------------------------------------


async def converse(shown: Transcript, url: str) -> None:
    """Go through all of it."""
    ada, ben, cyd = Person("Ada", url), Person("Ben", url), Person("Cyd", url)
    async with AsyncExitStack() as stack:
        shown.begins("Two wallets sign in: a challenge, a signature, a code, a token")
        with_ada = await stack.enter_async_context(ada.here())
        shown.says(f"Ada is {ada.wallet.address}")
        async with ben.here() as with_ben:
            shown.says(f"Ben is {ben.wallet.address}")
            await talk(shown, (ada, with_ada), (ben, with_ben))
        await miss(shown, with_ada, ben)
        await ask_first(shown, (ada, with_ada), cyd)
        await buy(shown, url, with_ada)


async def talk(shown: Transcript, ada: tuple[Person, Client], ben: tuple[Person, Client]) -> None:
    """Write to each other, live."""
    shown.begins("They talk; each line is pushed to the other")
    lines = [(ada, ben, "Six at the bridge?"), (ben, ada, "Six it is."), (ada, ben, "Good.")]
    for (sender, with_sender), (reader, _), text in lines:
        start = perf_counter()
        sent = await with_sender.send(reader.wallet.address, text)
        arrived, when = await reader.gets()
        shown.says(f"{sender.name} → {reader.name}: {arrived.facts['content']}", "cyan")
        shown.says(f"     seq {sent['seq']}, with {reader.name} {(when - start) * 1000:.0f} ms after it was written")
        if arrived.facts["content"] != text:
            raise MismatchError(f"{reader.name} got {arrived.facts['content']!r}, not {text!r}")


async def miss(shown: Transcript, with_ada: Client, ben: Person) -> None:
    """Write to somebody who is away, who then comes back."""
    shown.begins("Ben is away, and Ada writes on")
    for text in WHILE_AWAY:
        sent = await with_ada.send(ben.wallet.address, text)
        shown.says(f"Ada → Ben: {text}  ({sent['status']}, seq {sent['seq']})", "cyan")
    shown.begins("Ben comes back, and catches up by sync_messages")
    async with ben.here() as with_ben:
        got = [(await ben.gets())[0].facts for _ in WHILE_AWAY]
        for message in got:
            shown.says(f"seq {message['seq']}: {message['content']}", "cyan")
        shown.holds("nothing is missing", [message["content"] for message in got], list(WHILE_AWAY))
        shown.holds("nothing came twice", ben.inbox.qsize(), 0)
        shown.holds("seq has no gap", [message["seq"] for message in got], [4, 5, 6])
        (conversation,) = (await with_ben.call("list_conversations"))["conversations"]
        shown.holds("Ben's unread count is what he did not mark as read", conversation["unread"], 5)


async def ask_first(shown: Transcript, ada: tuple[Person, Client], cyd: Person) -> None:
    """Let a stranger ask before the first message is delivered."""
    person, client = ada
    shown.begins("Ada takes messages from contacts only; Cyd, a stranger, has to ask")
    await client.call("set_dm_policy", policy="contacts")
    async with cyd.here() as with_cyd:
        sent = await with_cyd.send(person.wallet.address, "Is this where the bridge people meet?")
        shown.holds("Cyd's message waits", sent["status"], "pending_acceptance")
        asked, _ = await person.gets()
        shown.says(f"Ada is told: {asked.facts['content']}", "cyan")
        shown.holds("as a contact request", (asked.is_contact_request, asked.facts["sender"]), (True, with_cyd.wallet))
        await client.call("respond_contact_request", wallet=with_cyd.wallet, action="accept")
        sent = await with_cyd.send(person.wallet.address, "Thank you!")
        shown.holds(
            "accepted, Cyd's next one is delivered after the first", (sent["status"], sent["seq"]), ("delivered", 2)
        )


async def buy(shown: Transcript, url: str, any_client: Client) -> None:
    """Pay for a completion from the sandbox's wallet, on the sandbox's chain."""
    shown.begins("A wallet with money buys a completion: it is asked to pay, signs, and is answered")
    funded = (await any_client.http.get(f"{url}/sandbox/wallet")).json
    wallet = LocalWallet(key_of(Secret(funded["secretKey"])))
    asked = {"messages": [{"role": "user", "content": "Six at the bridge, was it?"}], "model": "strong"}
    node = HttpNode(f"{url}/sandbox/rpc")
    async with Client.connect(url, wallet, scopes=("llm:invoke",)) as client:
        await client.sign_in()
        try:
            raise MismatchError(f"nobody asked for money: {await client.call('llm_complete', **asked)}")
        except ToolFailedError as error:
            shown.holds("no answer before it is paid for", error.code, "PAYMENT_REQUIRED")
            required = error.body["data"]
        payment = await Buyer(wallet, Solana(Rpc(node)), NETWORKS["mainnet"], CAPS).pay(required)
        result = await client.call("llm_complete", **asked, payment=payment)
        again = await client.call("llm_complete", **asked, payment=payment)
    await node.close()
    receipt, paid_to = result["paymentReceipt"], required["accepts"][0]["payTo"]
    shown.says(f"strong: {result['text']}  ({result['cost']} {result['currency']})", "cyan")
    shown.says(f"     receipt {receipt['transaction'][:16]}…")
    earned = (await any_client.http.get(f"{url}/sandbox/balance/{paid_to}")).json
    shown.holds("the same payment again gives its receipt", again["paymentReceipt"], receipt)
    shown.holds("it was charged once", earned["usdc"], "50000")


async def run(console: Console) -> int:
    """Run the demo; 1 where a step came out otherwise."""
    start = perf_counter()
    with TemporaryDirectory(prefix="deside-demo-") as folder:
        try:
            async with asyncio.timeout(MOST_SECONDS), served(Path(folder)) as url:
                console.print(Text("deside-mcp on a free port, as wallets use it", style="bold"))
                console.print(f"Server at {url}, a new database, {(perf_counter() - start) * 1000:.0f} ms to start.")
                await converse(Transcript(console), url)
        except (MismatchError, DesideError, TimeoutError) as error:
            console.print(Text(f"\n✗ {error or 'it took too long'}", style="red"))
            return 1
    console.print(Text(f"\nAll as it should be, in {perf_counter() - start:.1f} s; the server is ended.", style="bold"))
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(run(Console(highlight=False, markup=False))))
