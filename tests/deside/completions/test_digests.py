"""What is kept of a request: the same for the same, another for anything else, and nothing to try guesses on."""

from __future__ import annotations

import asyncio
import hashlib
from typing import Any

import orjson
from tests.deside.wallets import wallet

from accord.deside.completions import Digests
from accord.deside.models.completions import Message
from accord.engine import Database

ANN, BOB = wallet(1), wallet(2)


async def digest(digests: Digests, **other: Any) -> str:
    asked = {"wallet": ANN, "tier": "cheap", "messages": [Message(role="user", content="hi")]}
    return await digests.of(**asked | {"max_tokens": 9, "temperature": 1} | other)


async def test_the_same_request_has_one_digest_in_every_process(store: Database) -> None:
    digests = await asyncio.gather(*(digest(Digests(store)) for _ in range(4)))

    assert len(set(digests)) == 1
    assert await digest(Digests(store), temperature=1.0) == digests[0]


async def test_whatever_differs_has_another_digest(store: Database) -> None:
    digests = Digests(store)
    others: list[dict[str, Any]] = [
        {},
        {"wallet": BOB},
        {"tier": "strong"},
        {"max_tokens": 8},
        {"max_tokens": None},
        {"temperature": 0.9},
        {"messages": [Message(role="system", content="hi")]},
        {"messages": [Message(role="user", content="hi ")]},
        {"messages": [Message(role="user", content="h"), Message(role="user", content="i")]},
    ]

    assert len({await digest(digests, **other) for other in others}) == len(others)


async def test_a_guess_of_the_request_cannot_be_tried_without_the_databases_secret(store: Database) -> None:
    kept = await digest(Digests(store))
    asked = {
        "wallet": str(ANN),
        "tier": "cheap",
        "messages": [["user", "hi"]],
        "max_tokens": 9,
        "temperature": 1.0,
    }

    assert kept != hashlib.sha256(orjson.dumps(asked)).hexdigest()
