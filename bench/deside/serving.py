"""What servers take over HTTP: `python -m bench.deside.serving [seconds]`.

64 wallets, each with its token and session, send as fast as they are answered. Then 200 wallets listen, each on a
stream of its own, while 50 messages a second are sent to them: from the beginning of a send to its push. First one
server on a SQLite file, then two on one PostgreSQL, where each wallet sends through one and listens at the other.
Every message must be numbered once and pushed once. Ends with 1 where something does not hold.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.deside.process import served
from tests.postgres import databases

from accord.deside.client import Client, LocalWallet

SENDERS, LISTENERS = 64, 200
PUSHES_A_SECOND = 50
SETTLE_SECONDS = 10.0
SENDS_A_SECOND_LEAST = 350
PUSH_P99_MS_MOST = 50.0
OPEN_LIMITS = {"DESIDE_SENDS_PER_HOUR": "1000000", "DESIDE_BURST_PER_RECIPIENT": "0"}


@dataclass
class Listener:
    """A wallet that listens: when each text came, and how often."""

    client: Client
    heard: list[tuple[str, float]] = field(default_factory=list)

    async def listen(self, is_open: asyncio.Event) -> None:
        """Note what comes, until nobody wants to know any more."""
        async with self.client.stream() as pushed:
            is_open.set()
            async for message in pushed:
                self.heard.append((message["params"]["preview"], time.perf_counter()))


@dataclass
class Story:
    """Who takes part, and which numbers each conversation gave out."""

    senders: list[Client]
    listeners: list[Listener]
    numbers: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    async def send(self, sender: Client, recipient: str, text: str) -> None:
        """Send a message that must be delivered."""
        answer = await sender.send(recipient, text)
        self.numbers[answer["convId"]].append(answer["seq"])

    async def rate(self, seconds: float) -> float:
        """Send as fast as each is answered, to the next wallet in the round; return how many a second."""
        stop = time.perf_counter() + seconds
        begun, sent = time.perf_counter(), Counter[str]()

        async def keep_sending(sender: Client, recipient: str) -> None:
            while time.perf_counter() < stop:
                await self.send(sender, recipient, "a message of some forty characters, no more")
                sent[recipient] += 1

        following = self.senders[1:] + self.senders[:1]
        pairs = zip(self.senders, following, strict=True)
        await asyncio.gather(*(keep_sending(sender, recipient.wallet) for sender, recipient in pairs))
        return sent.total() / (time.perf_counter() - begun)

    async def pushes(self, seconds: float) -> list[float]:
        """Send at an even pace to everybody in turn; return how many milliseconds each push took, in order."""
        count = int(seconds * PUSHES_A_SECOND)
        begun_at: dict[str, float] = {}
        first = time.perf_counter()
        async with asyncio.TaskGroup() as sends:
            turns = zip(range(count), cycle(self.senders), cycle(self.listeners), strict=False)
            for number, sender, listener in turns:
                await asyncio.sleep(max(0.0, first + number / PUSHES_A_SECOND - time.perf_counter()))
                begun_at[str(number)] = time.perf_counter()
                sends.create_task(self.send(sender, listener.client.wallet, str(number)))
        async with asyncio.timeout(SETTLE_SECONDS):
            while sum(len(listener.heard) for listener in self.listeners) < count:  # noqa: ASYNC110 - it is the load
                await asyncio.sleep(0.05)
        await asyncio.sleep(1)  # one that comes twice would come now
        heard = [told for listener in self.listeners for told in listener.heard]
        if Counter(text for text, _ in heard) != Counter(begun_at.keys()):
            raise AssertionError(f"of {count} messages {len(heard)} were pushed, {len(dict(heard))} of them different")
        return sorted((at - begun_at[text]) * 1000 for text, at in heard)

    def check(self) -> None:
        """Hold each conversation's numbers against what they must be."""
        for conversation, numbers in self.numbers.items():
            if sorted(numbers) != list(range(1, len(numbers) + 1)):
                raise AssertionError(f"{conversation} gave out {sorted(numbers)}")


@asynccontextmanager
async def telling(urls: list[str]) -> AsyncIterator[Story]:
    """Sign everybody in; at each of two servers half of them send and the others' streams are open."""
    async with AsyncExitStack() as stack:
        here, there = urls[0], urls[-1]

        async def signed_in(url: str) -> Client:
            client = await stack.enter_async_context(Client.connect(url, LocalWallet.new()))
            await client.sign_in()
            await client.call("get_my_identity")  # opens its session
            return client

        senders = [await signed_in(url) for url, _ in zip(cycle([here, there]), range(SENDERS), strict=False)]
        listeners = [
            Listener(await signed_in(url)) for url, _ in zip(cycle([there, here]), range(LISTENERS), strict=False)
        ]
        opened = [asyncio.Event() for _ in listeners]
        listening = [
            asyncio.create_task(listener.listen(event)) for listener, event in zip(listeners, opened, strict=True)
        ]
        await asyncio.gather(*(event.wait() for event in opened))
        try:
            yield Story(senders, listeners)
        finally:
            for task in listening:
                task.cancel()
            await asyncio.gather(*listening, return_exceptions=True)


async def measured(name: str, urls: list[str], seconds: float) -> bool:
    """Run both loads; print, and return whether what must hold does."""
    async with telling(urls) as story:
        rate = await story.rate(seconds)
        taken_ms = await story.pushes(seconds)
        story.check()
    p50, p99 = (taken_ms[int(len(taken_ms) * share)] for share in (0.5, 0.99))
    print(
        f"{name:26} {rate:5.0f} sends/s at {SENDERS}   push p50 {p50:4.1f} ms   p99 {p99:4.1f} ms"
        f"   at {LISTENERS} streams, {PUSHES_A_SECOND} a second",
        flush=True,
    )
    return rate >= SENDS_A_SECOND_LEAST and p99 <= PUSH_P99_MS_MOST


async def run(folder: Path, seconds: float, database_url: str | None = None) -> bool:
    """Start one server on SQLite, or two on this database."""
    if database_url is None:
        async with served(folder, port=0, **OPEN_LIMITS) as server:
            return await measured("1 server, SQLite", [server.url], seconds)
    shared = {**OPEN_LIMITS, "DESIDE_DATABASE_URL": database_url}
    async with served(folder, port=0, **shared) as left, served(folder, port=0, **shared) as right:
        return await measured("2 replicas, PostgreSQL", [left.url, right.url], seconds)


@contextmanager
def _folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="serving-") as folder:
        yield Path(folder)


def main(seconds: float = 5.0) -> bool:
    with _folder() as folder:
        held = asyncio.run(run(folder, seconds))
    with _folder() as folder, databases(folder) as urls:
        return held & asyncio.run(run(folder, seconds, next(urls)))


if __name__ == "__main__":
    sys.exit(not main(*map(float, sys.argv[1:])))
