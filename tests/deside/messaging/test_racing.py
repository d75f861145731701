"""Many at once: no gaps, no doubles, no waiting for each other without end."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import pytest
import sqlalchemy as sa
from tests.deside.messaging.conftest import ANN, BOB, Place
from tests.deside.wallets import wallet

from accord.deside.errors import BlockedError, NotFoundError
from accord.deside.messaging import Limits, drop
from accord.deside.messaging.letters import Letter
from accord.deside.messaging.pairs import Pair
from accord.deside.messaging.sending import send
from accord.deside.people.registry import block
from accord.deside.store.tables.messaging import CONVERSATIONS, MESSAGES, SENDERS, SENDS
from accord.deside.wallets import Wallet
from accord.engine import PostgresDatabase

AT_ONCE = 64


async def numbers(place: Place) -> dict[str, list[int]]:
    """The numbers of every conversation's messages, checked against its row and what its senders sent."""

    def work(connection: sa.Connection) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for row in connection.execute(sa.select(MESSAGES.c.conv_id, MESSAGES.c.seq).order_by(MESSAGES.c.seq)):
            found.setdefault(row.conv_id, []).append(row.seq)
        kept = {row.conv_id: row.seq_max for row in connection.execute(sa.select(CONVERSATIONS))}
        assert kept == {conv_id: len(seqs) for conv_id, seqs in found.items()}
        for row in connection.execute(sa.select(SENDERS)).all():
            of_sender = sa.select(SENDS.c.n).where(SENDS.c.sender == row.sender).order_by(SENDS.c.n)
            assert list(connection.scalars(of_sender)) == list(range(1, row.sent + 1))
        return found

    return await place.store.read(work)


async def send_all(place: Place, sends: Iterable[tuple[Wallet, Wallet]]) -> list[int]:
    messaging = place.messaging()
    return [
        sent["seq"] for sent in await asyncio.gather(*(messaging.send(sender, to, text="x") for sender, to in sends))
    ]


async def test_in_one_hot_conversation_every_number_is_given_once(place: Place) -> None:
    crossing = [(ANN, BOB), (BOB, ANN)]
    given = await send_all(place, (crossing[number % 2] for number in range(2 * AT_ONCE)))

    assert sorted(given) == list(range(1, 2 * AT_ONCE + 1))
    ((_, kept),) = (await numbers(place)).items()
    assert kept == sorted(given)


async def test_in_many_conversations_at_once_each_has_its_own_numbers(place: Place) -> None:
    people = [wallet(number) for number in range(10, 19)]
    await place.register(*people)
    pairs = [(a, b) for a in people for b in people if a != b]
    await send_all(place, pairs * 3)

    found = await numbers(place)
    assert len(found) == len(pairs) // 2
    assert set(map(tuple, found.values())) == {tuple(range(1, 7))}


async def test_one_key_at_the_same_time_sends_once(place: Place) -> None:
    messaging = place.messaging()
    sent = await asyncio.gather(
        *(messaging.send(ANN, BOB, text="once", idempotency_key="key-0001") for _ in range(AT_ONCE))
    )

    assert all(each == sent[0] for each in sent)
    assert list((await numbers(place)).values()) == [[1]]
    await messaging.close()
    assert len(place.told) == 1


async def test_marking_while_messages_come_in_leaves_the_right_count(place: Place) -> None:
    messaging = place.messaging()
    await messaging.send(ANN, BOB, text="x")
    conv_id = ":".join(sorted((ANN, BOB)))

    async def mark() -> None:
        for seq in range(1, 30):
            await messaging.mark_read(BOB, conv_id, seq)

    await asyncio.gather(mark(), *(messaging.send(ANN, BOB, text="x") for _ in range(AT_ONCE)))

    (listed,) = (await messaging.conversations(BOB))["conversations"]
    read = (await messaging.mark_read(BOB, conv_id, 1))["seq"]
    assert listed["unread"] == listed["seqMax"] - read == AT_ONCE + 1 - read


async def test_a_mark_that_waits_for_a_message_counts_it(place: Place) -> None:
    if not isinstance(place.store, PostgresDatabase):
        pytest.skip("in SQLite a mark begins after the message is kept")
    messaging = place.messaging()
    await messaging.send(ANN, BOB, text="one")
    conv_id = ":".join(sorted((ANN, BOB)))
    two = Letter(pair=Pair(ANN, BOB), client_msg_id="key-0002", content="two", blocks=None, at_ms=1)

    async with place.store.engine.connect() as slow:
        await slow.run_sync(send, two, Limits())
        marking = asyncio.create_task(messaging.mark_read(BOB, conv_id, 1))
        await waits_for_a_lock(place.store)
        await slow.commit()
        await marking

    (listed,) = (await messaging.conversations(BOB))["conversations"]
    assert (listed["unread"], listed["seqMax"]) == (1, 2)


@pytest.mark.parametrize("asked_before", [0, 1])
async def test_a_request_that_is_being_made_does_not_outlive_a_block(place: Place, asked_before: int) -> None:
    if not isinstance(place.store, PostgresDatabase):
        pytest.skip("SQLite has one writer: nothing is being made")
    messaging, people = place.messaging(), place.people
    await people.set_policy(BOB, "contacts")
    for _ in range(asked_before):
        await messaging.send(ANN, BOB, text="may I?")
    letter = Letter(pair=Pair(ANN, BOB), client_msg_id="key-0003", content="still here", blocks=None, at_ms=1)

    async with place.store.engine.connect() as slow:
        assert (await slow.run_sync(send, letter, Limits())).status == "pending_acceptance"
        blocking = asyncio.create_task(people.block(BOB, ANN))
        await waits_for_a_lock(place.store)
        await slow.commit()
        await blocking

    assert (await messaging.requests(BOB))["requests"] == []
    with pytest.raises(NotFoundError):
        await messaging.answer_request(BOB, ANN, "accept")


@pytest.mark.parametrize("asked_before", [0, 1])
async def test_a_request_that_waits_for_a_block_is_refused(place: Place, asked_before: int) -> None:
    if not isinstance(place.store, PostgresDatabase):
        pytest.skip("SQLite has one writer: a send begins after the block")
    messaging = place.messaging()
    await place.people.set_policy(BOB, "contacts")
    for _ in range(asked_before):
        await messaging.send(ANN, BOB, text="may I?")

    async with place.store.engine.connect() as slow:
        await slow.run_sync(block, BOB, ANN, 1)
        await slow.run_sync(drop, BOB, ANN, 1)
        sending = asyncio.create_task(messaging.send(ANN, BOB, text="and now?"))
        await waits_for_a_lock(place.store)
        await slow.commit()
        with pytest.raises(BlockedError):
            await sending

    assert (await messaging.requests(BOB))["requests"] == []


async def test_a_block_of_who_never_asked_leaves_no_trace_of_a_request(place: Place) -> None:
    await place.people.set_policy(ANN, "contacts")
    await place.people.block(BOB, ANN)

    assert (await place.messaging().send(BOB, ANN, text="may I?"))["status"] == "pending_acceptance"


async def waits_for_a_lock(store: PostgresDatabase) -> None:
    """Return once somebody waits."""
    activity = sa.table("pg_stat_activity", sa.column("wait_event_type"), sa.column("datname"))
    waiting = sa.select(sa.func.count()).select_from(activity)
    waiting = waiting.where(activity.c.wait_event_type == "Lock", activity.c.datname == sa.func.current_database())
    while not await store.read(lambda connection: connection.scalar(waiting)):
        pass  # asking lets the others go on


async def test_policies_blocks_answers_and_sends_at_once_wait_for_nobody_without_end(place: Place) -> None:
    messaging, people = place.messaging(), place.people
    await people.set_policy(BOB, "contacts")

    async def attempt(number: int) -> None:
        sender, to = ((ANN, BOB), (BOB, ANN))[number % 2]
        try:
            await messaging.send(sender, to, text=str(number))
            if number % 7 == 0:
                await messaging.answer_request(BOB, ANN, "accept" if number % 2 else "decline")
            if number % 5 == 0:
                await people.set_policy(BOB, "contacts" if number % 2 else "everyone")
            if number % 11 == 0:
                await people.block(BOB, ANN)
                await people.unblock(BOB, ANN)
        except Exception as error:
            if getattr(error, "category", None) != "client":
                raise

    await asyncio.gather(*(attempt(number) for number in range(120)))

    found = await numbers(place)
    assert all(kept == list(range(1, len(kept) + 1)) for kept in found.values())
