"""What the service acknowledged, and whether it holds; no I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

__all__ = ["Heard", "Letter", "Place", "Promises"]

Json: TypeAlias = Any


class Place(NamedTuple):
    """Where a message is."""

    conv_id: str
    seq: int


class Heard(NamedTuple):
    """A message as sync_messages brought it."""

    id: str
    place: Place
    sender: str
    content: str

    @classmethod
    def of(cls, message: Json) -> Heard:
        return cls(message["id"], Place(message["convId"], message["seq"]), message["sender"], message["content"])


class Letter(NamedTuple):
    """What is sent; no two have the same text. Without a key it is sent once at most."""

    sender: str
    recipient: str
    text: str
    key: str | None

    @property
    def conv_id(self) -> str:
        return ":".join(sorted((self.sender, self.recipient)))


@dataclass
class Promises:
    """What was tried, and what was acknowledged of it.

    `delivered` and `waiting` go by texts: where a message is, and who may let it through. `results` are first results
    by letters with a key, None while no answer came. `read` is how far a wallet has read a conversation.
    """

    tried: dict[str, Letter] = field(default_factory=dict)
    delivered: dict[str, Place] = field(default_factory=dict)
    waiting: dict[str, Letter] = field(default_factory=dict)
    results: dict[Letter, Json | None] = field(default_factory=dict)
    read: dict[tuple[str, str], int] = field(default_factory=dict)

    def attempt(self, letter: Letter) -> None:
        """Note what is about to be sent."""
        self.tried[letter.text] = letter
        if letter.key is not None:
            self.results.setdefault(letter, None)

    def answered(self, letter: Letter, result: Json) -> Iterator[str]:
        """Note what a letter was answered with; yield what is wrong with that."""
        if letter.key is not None:
            first = self.results[letter]
            if first is not None:
                if first != result:
                    yield f"the key {letter.key} had {first}, and now {result}"
                return
            self.results[letter] = result
        if result["status"] == "delivered":
            self.delivered[letter.text] = Place(result["convId"], result["seq"])
        elif result["status"] == "pending_acceptance":
            self.waiting[letter.text] = letter
        else:
            yield f"{letter} was answered {result}"

    def unanswered(self) -> list[Letter]:
        """Return the letters with a key of which nobody knows what became."""
        return [letter for letter, result in self.results.items() if result is None]

    def faults_of(self, wallet: str, log: Sequence[Heard]) -> Iterator[str]:
        """Yield what is wrong with everything that a wallet ever heard, in order."""
        newest: Counter[str] = Counter()
        for message in log:
            conv_id, seq = message.place
            if seq != newest[conv_id] + 1:
                yield f"{wallet}: in {conv_id} {seq} follows {newest[conv_id]}"
            newest[conv_id] = seq
        yield from (f"{wallet}: {what} came twice" for what in _doubled(log))
        yield from (f"{wallet}: {message} was never sent" for message in log if not self._is_known(message))
        places = {message.content: message.place for message in log}
        for text, place in self.delivered.items():
            if wallet in place.conv_id.split(":") and places.get(text) != place:
                yield f"{wallet}: {text!r} was acknowledged at {place} and is at {places.get(text)}"

    def faults_of_waiting(self, wallet: str, log: Sequence[Heard], requests: Mapping[str, list[str]]) -> Iterator[str]:
        """Yield what is wrong with the texts that wait for a wallet's consent, by who sent them."""
        delivered = {message.content for message in log}
        for text, letter in self.waiting.items():
            if letter.recipient == wallet:
                found = requests.get(letter.sender, []).count(text) + (text in delivered)
                if found != 1:
                    yield f"{wallet}: {text!r} was to wait for its consent, and is there {found} times"

    def faults_of_unread(
        self, wallet: str, log: Sequence[Heard], read: Mapping[str, int], unread: Mapping[str, int]
    ) -> Iterator[str]:
        """Yield what is wrong with how far a wallet has read, and with how much it is told that it has not."""
        for conv_id, seq in read.items():
            if seq < self.read.get((wallet, conv_id), 0):
                yield f"{wallet}: {conv_id} was read up to {self.read[wallet, conv_id]}, and now up to {seq}"
            left = sum(
                message.place.conv_id == conv_id and message.place.seq > seq and message.sender != wallet
                for message in log
            )
            if unread[conv_id] != left:
                yield f"{wallet}: {unread[conv_id]} are said to be unread in {conv_id}, and {left} are"

    def _is_known(self, message: Heard) -> bool:
        letter = self.tried.get(message.content)
        return letter is not None and (letter.sender, letter.conv_id) == (message.sender, message.place.conv_id)


def _doubled(log: Sequence[Heard]) -> Iterator[str]:
    for values in ([message.id for message in log], [message.content for message in log]):
        yield from (repr(value) for value, count in Counter(values).items() if count > 1)
