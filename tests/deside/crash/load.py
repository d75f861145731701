"""A mixed load of several wallets on a server that is killed again and again, and what must hold after each time.

Wallets write to each other with keys and without, read, mark, refresh their tokens and link their agents. In each
round a stranger signs in and asks one of them for consent, who lets in contacts only, and gives it. What was under way
when the server died is tried again, as a client would.
"""

from __future__ import annotations

import asyncio
import itertools
import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from tests.deside.crash.mortal import Mortal, mortal
from tests.deside.crash.people import Links, Person
from tests.deside.crash.promises import Heard, Letter, Place, Promises

from accord.deside.client.errors import UnreachableError
from accord.deside.client.http import opened
from accord.deside.client.wallet import LocalWallet

__all__ = ["Crashes", "crashes"]

Json: TypeAlias = Any

WALLETS: Final = 5
AT_ONCE: Final = 2
"""What each of them does at a time."""

ANSWERS: Final = (3, 90)
"""After how many answers the server is killed, at least and at most."""

LATEST_SECONDS: Final = 0.01
"""How long after them at most: about as long as a call takes."""

REPEATED: Final = 8
"""How many keys that were answered are tried again after each kill."""

ROUND_SECONDS: Final = 40


@dataclass
class Crashes:
    """One database's story. `faults` is everything that did not hold, `done` counts what was answered."""

    server: Mortal
    chance: random.Random
    promises: Promises = field(default_factory=Promises)
    people: list[Person] = field(default_factory=list)
    strangers: list[Person] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)
    _numbers: Iterator[int] = field(default_factory=itertools.count)
    _connections: AsyncExitStack = field(default_factory=AsyncExitStack)
    _answers_left: int = 0
    _enough: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def reserved(self) -> Person:
        """The one who lets in contacts only."""
        return self.people[0]

    async def begin(self) -> None:
        """Start the first server, and sign everybody in."""
        await self._start()
        self.people = [await self._somebody() for _ in range(WALLETS)]
        for person in self.people:
            await person.enter()
        for person in self.people[1:3]:
            agents = [await person.call("publish_agent", name=name) for name in ("One", "Two")]
            person.links = Links([agent["catalogId"] for agent in agents])
        await self.reserved.call("set_dm_policy", policy="contacts")
        for person in self.people[1:]:  # who was written to may answer
            await self._send(self.reserved, person.address, with_key=True)

    async def round(self) -> None:
        """Let everybody act until the server is killed at some moment; start it again, and see what holds."""
        self._answers_left = self.chance.randint(*ANSWERS)
        self._enough.clear()
        self.strangers.append(await self._somebody())
        async with asyncio.timeout(ROUND_SECONDS):
            async with asyncio.TaskGroup() as tasks:
                for person in self.people * AT_ONCE:
                    tasks.create_task(self._busy(person))
                tasks.create_task(_until_it_dies(self._ask_for_consent(self.strangers[-1])))
                await self._enough.wait()
                await asyncio.sleep(self.chance.uniform(0, LATEST_SECONDS))  # what is waited for is chance
                await self.server.kill()
            await self._start()
            await self._recover()
            await self._check()

    async def end(self) -> None:
        """See that everything holds for everybody, from the beginning on."""
        self.people += self.strangers
        for person in self.people:
            told, person.log, person.cursor = person.log, [], None
            await person.catch_up()
            if told and told != person.log:
                self.faults.append(f"{person.address}: what it was told piece by piece is not all that was written")
        await self._check()
        logs = {message.place.conv_id: person for person in self.people for message in person.log}
        for conv_id, person in logs.items():
            kept = [(one.place.seq, one.sender, one.content) for one in _within(person.log, conv_id)]
            if await person.history(conv_id) != kept:
                self.faults.append(f"{conv_id}: reading it shows something else than syncing")

    async def close(self) -> None:
        """Close the connections."""
        await self._connections.aclose()

    # --- What everybody does ------------------------------------------------------------------------------------------

    async def _busy(self, person: Person) -> None:
        """Do one thing after another, no two of a kind of which only one may be under way."""

        async def act() -> None:
            while True:
                name = self.chance.choices(list(ACTS), [weight for weight, _ in ACTS.values()])[0]
                if name in person.under_way:
                    continue
                person.under_way |= {name} & ONE_AT_A_TIME
                try:
                    await ACTS[name][1](self, person)
                finally:
                    person.under_way.discard(name)
                self._answer(name)

        await _until_it_dies(act())

    def _answer(self, name: str) -> None:
        self.done[name] += 1
        self._answers_left -= 1
        if self._answers_left <= 0:
            self._enough.set()

    async def _write(self, person: Person, *, with_key: bool) -> None:
        peers = [other.address for other in self.people if other is not person]
        await self._send(person, self.chance.choice(peers), with_key=with_key)

    async def _send(self, person: Person, recipient: str, *, with_key: bool) -> None:
        number = next(self._numbers)
        key = f"key-{number:08}" if with_key else None
        letter = Letter(person.address, recipient, f"message {number}", key)
        self.promises.attempt(letter)
        await self._bring(person, letter)

    async def _bring(self, person: Person, letter: Letter) -> None:
        """Send a letter, for the first time or again."""
        key = {} if letter.key is None else {"idempotency_key": letter.key}
        result = await person.call("send_dm", to_wallet=letter.recipient, text=letter.text, **key)
        self.faults += self.promises.answered(letter, result)

    async def _repeat(self, person: Person) -> None:
        """Send again what was sent with a key, whatever became of it."""
        own = [letter for letter, first in self.promises.results.items() if first and letter.sender == person.address]
        if own:
            await self._bring(person, self.chance.choice(own[-REPEATED:]))

    async def _mark(self, person: Person) -> None:
        if person.log:
            place = self.chance.choice(person.log).place
            marked = await person.call("mark_dm_read", conv_id=place.conv_id, seq=place.seq)
            known = self.promises.read.get((person.address, place.conv_id), 0)
            self.promises.read[person.address, place.conv_id] = max(known, marked["seq"])

    async def _link(self, person: Person) -> None:
        await (person.link() if person.links else self._write(person, with_key=True))

    async def _consent(self, person: Person) -> None:
        """Let somebody through who waits for it."""
        for requester, texts in (await person.requests() if person is self.reserved else {}).items():
            accepted = await person.call("respond_contact_request", wallet=requester, action="accept")
            for seq, text in enumerate(texts, accepted["firstSeq"]):
                self.promises.delivered[text] = Place(accepted["convId"], seq)

    async def _ask_for_consent(self, stranger: Person) -> None:
        if stranger.grant is None or not stranger.session:
            await stranger.enter()
        for _ in range(self.chance.randint(1, 3)):
            await self._send(stranger, self.reserved.address, with_key=True)
            self._answer("stranger")

    # --- After a kill -------------------------------------------------------------------------------------------------

    async def _start(self) -> None:
        await self.server.start()
        await self._connections.aclose()
        http = await self._connections.enter_async_context(opened())
        for person in (*self.people, *self.strangers):
            person.http = http

    async def _somebody(self) -> Person:
        http = self.people[0].http if self.people else await self._connections.enter_async_context(opened())
        return Person(LocalWallet.new(), http, f"http://127.0.0.1:{self.server.port}/mcp")

    async def _recover(self) -> None:
        """Do what clients do with what was not answered."""
        for person in self.people:
            if person.doubtful:
                await self._settle_token(person)
            if person.links is not None:
                await self._settle_links(person, person.links)
        if not self.strangers[-1].session:
            await self._ask_for_consent(self.strangers[-1])
        for letter in self.promises.unanswered():
            await self._bring(self._person(letter.sender), letter)

    async def _settle_token(self, person: Person) -> None:
        """Try a refresh token that may have been used: if it is good, then once."""
        token = person.grant
        assert token is not None
        if not await person.is_refused(token) and not await person.is_refused(token):
            self.faults.append(f"{person.address}: a refresh token was good twice")
        await person.enter()

    async def _settle_links(self, person: Person, links: Links) -> None:
        listed = await person.call("list_my_agent_identities")
        found = [link["linkId"] for link in listed["links"]]
        if len(found) > 1 or (links.sure and found != ([links.active] if links.active else [])):
            self.faults.append(f"{person.address}: the link {links.active} was acknowledged, and {found} are there")
        links.active, links.sure = (found[0] if found else None), True

    async def _check(self) -> None:
        """See what does not hold."""
        self.faults += [fault async for fault in self._spent()]
        answered = [letter for letter, result in self.promises.results.items() if result]
        for letter in self.chance.sample(answered, min(REPEATED, len(answered))):
            await self._bring(self._person(letter.sender), letter)
        for person in self.people:  # who may be more by now than a server answers at once
            await person.catch_up()
        logs = {person.address: person.log for person in self.people}
        for wallet, log in logs.items():
            self.faults += self.promises.faults_of(wallet, log)
        self.faults += _differences(logs)
        waiting = await self.reserved.requests()
        self.faults += self.promises.faults_of_waiting(self.reserved.address, self.reserved.log, waiting)
        for person in self.people:
            await self._check_marks(person)

    async def _spent(self) -> AsyncIterator[str]:
        """Present one token that was replaced: it is refused, and with it everything that came of it."""
        spent = [person for person in self.people if person.spent]
        if not spent:
            return
        person = self.chance.choice(spent)
        assert person.spent is not None
        if not await person.is_refused(person.spent):
            yield f"{person.address}: a refresh token whose successor was acknowledged is good"
        if (await person.ask("get_my_identity")).status != 401:
            yield f"{person.address}: its access token outlived the reuse of a refresh token"
        await person.enter()

    async def _check_marks(self, person: Person) -> None:
        marked = [conv_id for wallet, conv_id in self.promises.read if wallet == person.address]
        read = {
            conv_id: (await person.call("mark_dm_read", conv_id=conv_id, seq=1))["seq"]  # it never moves back
            for conv_id in marked
        }
        rows = await person.pages("list_conversations", "conversations")
        unread = {row["convId"]: row["unread"] for row in rows}
        self.faults += self.promises.faults_of_unread(person.address, person.log, read, unread)

    def _person(self, address: str) -> Person:
        return next(person for person in (*self.people, *self.strangers) if person.address == address)


Act: TypeAlias = Callable[[Crashes, Person], Awaitable[Any]]

ACTS: Final[Mapping[str, tuple[int, Act]]] = {
    "send with a key": (6, lambda crashes, person: crashes._write(person, with_key=True)),
    "send without a key": (3, lambda crashes, person: crashes._write(person, with_key=False)),
    "repeat": (2, lambda crashes, person: crashes._repeat(person)),
    "sync": (4, lambda _, person: person.sync()),
    "mark": (2, lambda crashes, person: crashes._mark(person)),
    "refresh": (2, lambda _, person: person.refresh()),
    "link": (1, lambda crashes, person: crashes._link(person)),
    "consent": (1, lambda crashes, person: crashes._consent(person)),
}
"""What people do, by how often."""

ONE_AT_A_TIME: Final = frozenset({"sync", "refresh", "link", "consent"})


async def _until_it_dies(doing: Awaitable[None]) -> None:
    try:
        await doing
    except UnreachableError:
        return


def _within(log: list[Heard], conv_id: str) -> list[Heard]:
    return [message for message in log if message.place.conv_id == conv_id]


def _differences(logs: Mapping[str, list[Heard]]) -> Iterator[str]:
    """Yield the conversations that are not the same for both sides."""
    for one, other in itertools.combinations(logs, 2):
        conv_id = ":".join(sorted((one, other)))
        if _within(logs[one], conv_id) != _within(logs[other], conv_id):
            yield f"{conv_id}: its two sides heard different things"


@asynccontextmanager
async def crashes(database_url: str, seed: int) -> AsyncIterator[Crashes]:
    """Begin a story; whatever runs is ended with the block."""
    async with mortal(database_url) as server:
        story = Crashes(server, random.Random(seed))  # noqa: S311 - chance, not a secret
        try:
            await story.begin()
            yield story
        finally:
            await story.close()
