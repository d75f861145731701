"""A message comes to its recipient's open streams, whichever replica they are at; sending waits for nobody."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from tests.deside.served import Service, body_of, served
from tests.deside.wallets import wallet
from tests.loopback import event_of

ALICE, BOB = wallet(1), wallet(2)
CONVERSATION = ":".join(sorted([ALICE, BOB]))


async def sent(client: Service, session: str, text: str) -> dict[str, object]:
    """Write to Bob."""
    answer = await client.call("send_dm", {"to_wallet": BOB, "text": text}, mcp_session_id=session)
    body: dict[str, object] = body_of(answer)
    return body


@pytest.mark.parametrize("mode", ["lazy", "strict"])
async def test_a_push_says_who_wrote_what_and_where(database_url: str, mode: str) -> None:
    async with served(database_url, DESIDE_SESSION_MODE=mode) as service:
        alice, bob = await service.signed_in(ALICE), await service.signed_in(BOB)
        session = await alice.greet()
        async with bob.stream(await bob.greet()) as stream:
            first = await sent(alice, session, "x" * 150)
            told = [await event_of(stream)]
            await sent(alice, session, "again")
            told.append(await event_of(stream))

    assert first["status"] == "delivered"
    assert [message["method"] for message in told] == ["notifications/dm_received"] * 2
    params = [dict(message["params"]) for message in told]
    assert all(isinstance(each.pop("timestamp"), str) for each in params)
    assert params == [
        {"convId": CONVERSATION, "sender": ALICE, "preview": "x" * 100, "seq": 1, "isNewConversation": True},
        {"convId": CONVERSATION, "sender": ALICE, "preview": "again", "seq": 2, "isNewConversation": False},
    ]


async def test_a_contact_request_is_pushed_without_a_conversation(database_url: str) -> None:
    async with served(database_url) as service:
        alice, bob = await service.signed_in(ALICE), await service.signed_in(BOB)
        his = await bob.greet()
        await bob.call("set_dm_policy", {"policy": "contacts"}, mcp_session_id=his)
        async with bob.stream(his) as stream:
            pending = await sent(alice, await alice.greet(), "may I?")
            told = await event_of(stream)

    assert (pending["status"], "seq" in pending) == ("pending_acceptance", False)
    assert (told["params"]["convId"], told["params"]["seq"], told["params"]["preview"]) == (None, None, "may I?")


async def test_two_replicas_lose_no_push_and_double_none(postgres: Iterator[str]) -> None:
    database, settings = next(postgres), {"DESIDE_BURST_PER_RECIPIENT": "0"}
    async with served(database, env=settings) as left, served(database, env=settings) as right:
        alice, bob = await left.token(ALICE), await left.token(BOB)
        session = await left.bearing(alice).greet()
        senders = [left.bearing(alice), right.bearing(alice)]
        async with asyncio.timeout(30), right.bearing(bob).stream(await left.bearing(bob).greet()) as stream:
            answers = await asyncio.gather(
                *(
                    senders[number % 2].call(
                        "send_dm", {"to_wallet": BOB, "text": f"{number}"}, id=number, mcp_session_id=session
                    )
                    for number in range(30)
                )
            )
            heard = [(await event_of(stream))["params"] for _ in answers]

    seqs = [body_of(answer)["seq"] for answer in answers]
    assert sorted(seqs) == list(range(1, 31))
    assert sorted((each["seq"], each["preview"]) for each in heard) == sorted(
        (seq, f"{number}") for number, seq in enumerate(seqs)
    )
