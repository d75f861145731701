"""What is kept of a request: the same for the same, another for anything else, and nothing to try guesses on."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import replace

import orjson
from tests.deside.wallets import wallet

from accord.deside.completions import Digests, Prompt
from accord.deside.models.completions import Message, TierName
from accord.deside.wallets import Wallet
from accord.engine import Database

ANN, BOB = wallet(1), wallet(2)
PROMPT = Prompt(messages=[Message(role="user", content="hi")], max_tokens=9, temperature=1)


async def test_the_same_request_has_one_digest_in_every_process(store: Database) -> None:
    digests = await asyncio.gather(*(Digests(store).of(ANN, "cheap", PROMPT) for _ in range(4)))

    assert len(set(digests)) == 1
    assert await Digests(store).of(ANN, "cheap", replace(PROMPT, temperature=1.0)) == digests[0]


async def test_whatever_differs_has_another_digest(store: Database) -> None:
    digests = Digests(store)
    requests: list[tuple[Wallet, TierName, Prompt]] = [
        (ANN, "cheap", PROMPT),
        (BOB, "cheap", PROMPT),
        (ANN, "strong", PROMPT),
        (ANN, "cheap", replace(PROMPT, max_tokens=8)),
        (ANN, "cheap", replace(PROMPT, temperature=0.9)),
        (ANN, "cheap", replace(PROMPT, messages=[Message(role="system", content="hi")])),
        (ANN, "cheap", replace(PROMPT, messages=[Message(role="user", content="hi ")])),
        (
            ANN,
            "cheap",
            replace(PROMPT, messages=[Message(role="user", content="h"), Message(role="user", content="i")]),
        ),
    ]

    assert len({await digests.of(*request) for request in requests}) == len(requests)


async def test_a_guess_of_the_request_cannot_be_tried_without_the_databases_secret(store: Database) -> None:
    kept = await Digests(store).of(ANN, "cheap", PROMPT)
    asked = {
        "wallet": str(ANN),
        "tier": "cheap",
        "messages": [["user", "hi"]],
        "max_tokens": 9,
        "temperature": 1.0,
    }

    assert kept != hashlib.sha256(orjson.dumps(asked)).hexdigest()
