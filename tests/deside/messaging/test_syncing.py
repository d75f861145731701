"""What was written since a cursor: nothing skipped, nothing repeated, whoever writes meanwhile."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
import sqlalchemy as sa
from tests.deside.messaging.conftest import ANN, BOB, CARL, Place
from tests.deside.wallets import wallet

from accord.deside.errors import InvalidMeaningError
from accord.deside.messaging import Limits, Messaging
from accord.deside.messaging.letters import Letter
from accord.deside.messaging.pairs import Pair
from accord.deside.messaging.sending import send
from accord.deside.store import open_store
from accord.deside.store.tables.messaging import CONVERSATIONS, MESSAGES
from accord.engine import PostgresDatabase


async def synced(messaging: Messaging, limit: int = 3, conv_id: str | None = None) -> list[str]:
    """All that Ann gets, page by page."""
    got: list[str] = []
    cursor = None
    while True:
        page = await messaging.sync(ANN, cursor=cursor, limit=limit, conv_id=conv_id)
        got += [message["content"] for message in page["messages"]]
        cursor = page["next_cursor"]
        if not page["has_more"]:
            return got


async def test_a_wallet_gets_what_it_wrote_and_received_and_nothing_of_others(place: Place) -> None:
    messaging = place.messaging()
    for number, (sender, to) in enumerate([(ANN, BOB), (BOB, ANN), (BOB, CARL), (CARL, ANN), (ANN, CARL)]):
        await messaging.send(sender, to, text=str(number))

    assert await synced(messaging) == ["0", "1", "3", "4"]
    assert await synced(messaging, limit=1, conv_id=":".join(sorted((ANN, CARL)))) == ["3", "4"]


async def test_a_cursor_stays_good_where_nothing_was_new(place: Place) -> None:
    messaging = place.messaging()
    empty = await messaging.sync(ANN)
    assert (empty["messages"], empty["has_more"]) == ([], False)
    await messaging.send(BOB, ANN, text="one")

    page = await messaging.sync(ANN, cursor=empty["next_cursor"])
    assert [message["content"] for message in page["messages"]] == ["one"]
    again = await messaging.sync(ANN, cursor=page["next_cursor"])
    assert (again["messages"], again["next_cursor"]) == ([], page["next_cursor"])
    await messaging.send(BOB, ANN, text="two")
    assert [m["content"] for m in (await messaging.sync(ANN, cursor=again["next_cursor"]))["messages"]] == ["two"]


@pytest.mark.parametrize("taken", [False, True])
async def test_a_cursor_of_what_a_restore_lost_is_refused_also_where_its_place_is_taken(
    place: Place, taken: bool
) -> None:
    messaging = place.messaging()
    await messaging.send(BOB, ANN, text="kept")
    kept = (await messaging.sync(ANN))["next_cursor"]
    place.clock.now += 1
    await messaging.send(BOB, ANN, text="lost")
    lost = (await messaging.sync(ANN))["next_cursor"]
    of_lost = MESSAGES.c.content == "lost"
    values = {"content": "another", "created_at_ms": MESSAGES.c.created_at_ms + 1}
    change = sa.update(MESSAGES).values(values) if taken else sa.delete(MESSAGES)
    await place.store.write(lambda connection: connection.execute(change.where(of_lost)))

    after = await messaging.sync(ANN, cursor=kept)

    assert [message["content"] for message in after["messages"]] == (["another"] if taken else [])
    with pytest.raises(InvalidMeaningError) as refusal:
        await messaging.sync(ANN, cursor=lost)
    assert refusal.value.issues[0]["path"] == "cursor"


async def test_a_cursor_is_good_for_its_own_wallet(place: Place) -> None:
    messaging = place.messaging()
    await messaging.send(BOB, ANN, text="hello")
    cursor = (await messaging.sync(ANN))["next_cursor"]

    assert (await messaging.sync(BOB, cursor=cursor))["messages"] == []
    with pytest.raises(InvalidMeaningError):
        await messaging.sync(CARL, cursor=cursor)


async def test_a_message_that_is_committed_late_is_not_skipped(place: Place) -> None:
    if not isinstance(place.store, PostgresDatabase):
        pytest.skip("SQLite has one writer: nothing is committed late")
    messaging = place.messaging()

    def letter(number: int) -> Letter:
        pair = Pair(wallet(10 + number), ANN)
        return Letter(pair=pair, client_msg_id=f"late-{number}", content=str(number), blocks=None, at_ms=1)

    async with place.store.engine.connect() as slow:
        await slow.run_sync(send, letter(0), Limits())  # has the smaller id
        await messaging.send(BOB, ANN, text="fast")

        before = await messaging.sync(ANN)
        await slow.commit()
        after = await messaging.sync(ANN, cursor=before["next_cursor"])

    got = [message["content"] for page in (before, after) for message in page["messages"]]
    assert sorted(got) == ["0", "fast"]


async def test_a_reader_that_syncs_while_many_write_gets_each_message_once_and_in_order(place: Place) -> None:
    messaging = place.messaging()
    writers = [wallet(number) for number in range(10, 22)]
    await place.register(*writers)
    rounds = 8
    writing = asyncio.gather(
        *(
            messaging.send(sender, to, text="x")
            for _ in range(rounds)
            for writer in writers
            for sender, to in ((writer, ANN), (ANN, writer))
        )
    )
    got: list[tuple[str, int]] = []
    cursor = None
    while True:
        done = writing.done()
        page = await messaging.sync(ANN, cursor=cursor, limit=7)
        got += [(message["convId"], message["seq"]) for message in page["messages"]]
        cursor = page["next_cursor"]
        if done and not page["has_more"]:
            break
    await writing

    assert max(Counter(got).values()) == 1
    assert len(got) == 2 * rounds * len(writers)
    for writer in writers:
        conv_id = ":".join(sorted((ANN, writer)))
        assert [seq for conv, seq in got if conv == conv_id] == list(range(1, 2 * rounds + 1))


async def test_conversations_listed_while_a_late_message_is_committed_are_neither_skipped_nor_repeated(
    place: Place,
) -> None:
    if not isinstance(place.store, PostgresDatabase):
        pytest.skip("SQLite has one writer: nothing is committed late")
    messaging = place.messaging()
    peers = [wallet(number) for number in range(10, 16)]
    await place.register(*peers)
    for peer in peers:
        await messaging.send(peer, ANN, text="hello")

    async with place.store.engine.connect() as slow:
        # The oldest conversation gets a message whose transaction and id are older than those of the next one.
        late = Letter(pair=Pair(peers[0], ANN), client_msg_id="late-1", content="late", blocks=None, at_ms=1)
        await slow.run_sync(send, late, Limits())
        await messaging.send(peers[3], ANN, text="moves up")
        first = await messaging.conversations(ANN, limit=2)
        await slow.commit()
        rest = await messaging.conversations(ANN, limit=100, cursor=first["nextCursor"])

    shown = [each["peerWallet"] for page in (first, rest) for each in page["conversations"]]
    assert shown == [peers[number] for number in (3, 5, 4, 2, 1, 0)]


async def test_a_cursor_stays_good_where_a_dump_was_restored_into_a_cluster_that_counts_anew(
    place: Place, database_url: str
) -> None:
    if not isinstance(place.store, PostgresDatabase):
        pytest.skip("SQLite does not count transactions")
    messaging = place.messaging()
    await messaging.send(BOB, ANN, text="before")
    ahead = 1_000_000  # of the new cluster

    def moved(connection: sa.Connection) -> None:
        for table, columns in ((MESSAGES, ("tx", "place")), (CONVERSATIONS, ("place",))):
            connection.execute(sa.update(table).values({name: table.c[name] + ahead for name in columns}))

    await place.store.write(moved)
    for _ in range(2):  # a second start changes nothing
        await open_store(database_url).close()

    first = await messaging.sync(ANN)
    assert [message["content"] for message in first["messages"]] == ["before"]
    await messaging.send(BOB, ANN, text="after")
    await messaging.send(CARL, ANN, text="another")
    then = await messaging.sync(ANN, cursor=first["next_cursor"])
    assert [message["content"] for message in then["messages"]] == ["after", "another"]
    top = await messaging.conversations(ANN, limit=1)
    rest = await messaging.conversations(ANN, limit=1, cursor=top["nextCursor"])
    assert [page["conversations"][0]["peerWallet"] for page in (top, rest)] == [CARL, BOB]
