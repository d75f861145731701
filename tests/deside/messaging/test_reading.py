"""Reading a conversation, marking it, listing conversations."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey
from tests.deside.messaging.conftest import ANN, BOB, CARL, Place
from tests.deside.wallets import wallet

from accord.deside.errors import InvalidMeaningError, NotFoundError
from accord.deside.messaging import Messaging
from accord.deside.messaging.cursors import sealed
from accord.deside.people import set_role
from accord.deside.wallets import Wallet

CONV = ":".join(sorted((ANN, BOB)))
OFF_CURVE = str(Pubkey.find_program_address([b"x"], Pubkey.default())[0])


@pytest.fixture
def messaging(place: Place) -> Messaging:
    return place.messaging()


async def test_a_conversation_without_messages_is_empty(messaging: Messaging) -> None:
    assert await messaging.read(ANN, CONV) == {"messages": [], "nextCursor": None, "hasMore": False}


async def test_a_conversation_is_read_backwards_page_by_page(messaging: Messaging) -> None:
    for number in range(1, 6):
        await messaging.send(ANN, BOB, text=str(number))

    first = await messaging.read(BOB, CONV, limit=2)
    assert [message["seq"] for message in first["messages"]] == [5, 4]
    assert (first["nextCursor"], first["hasMore"]) == ("4", True)
    second = await messaging.read(BOB, CONV, limit=2, before_seq=4)
    assert [message["content"] for message in second["messages"]] == ["3", "2"]
    last = await messaging.read(BOB, CONV, limit=2, before_seq=2)
    assert [message["seq"] for message in last["messages"]] == [1]
    assert (last["nextCursor"], last["hasMore"]) == ("1", False)


async def test_a_message_says_who_wrote_it_and_when(messaging: Messaging) -> None:
    await messaging.send(ANN, BOB, text="hello")

    assert (await messaging.read(BOB, CONV))["messages"] == [
        {
            "seq": 1,
            "sender": ANN,
            "content": "hello",
            "sourceType": "user",
            "createdAt": "2027-01-15T08:00:00.000Z",
        }
    ]


async def test_others_conversations_are_not_found(messaging: Messaging) -> None:
    await messaging.send(ANN, BOB, text="private")

    with pytest.raises(NotFoundError):
        await messaging.read(CARL, CONV)
    with pytest.raises(NotFoundError):
        await messaging.mark_read(CARL, CONV, 1)
    with pytest.raises(NotFoundError):
        await messaging.sync(CARL, conv_id=CONV)


NO_CONVERSATIONS = (
    ":".join(sorted((ANN, BOB), reverse=True)),
    f"{ANN}:{ANN}",
    f"{ANN}:",
    ANN,
    "",
    ":".join(sorted((ANN, OFF_CURVE))),
    f"{CONV}:{CARL}",
)


async def test_what_does_not_name_two_wallets_in_order_is_no_conversation(messaging: Messaging) -> None:
    for conv_id in NO_CONVERSATIONS:
        with pytest.raises(InvalidMeaningError) as refusal:
            await messaging.read(ANN, conv_id)
        assert refusal.value.issues[0]["path"] == "conv_id"


async def unread(messaging: Messaging, who: Wallet) -> int:
    (listed,) = (await messaging.conversations(who))["conversations"]
    return listed["unread"]


async def test_a_mark_moves_forward_only_and_never_beyond_the_newest(messaging: Messaging) -> None:
    for sender in (ANN, BOB, ANN, ANN):
        await messaging.send(sender, BOB if sender == ANN else ANN, text="x")
    assert (await unread(messaging, ANN), await unread(messaging, BOB)) == (1, 3)

    assert await messaging.mark_read(BOB, CONV, 3) == {"convId": CONV, "seq": 3, "marked": True}
    assert await unread(messaging, BOB) == 1
    assert await messaging.mark_read(BOB, CONV, 3) == {"convId": CONV, "seq": 3, "marked": True}
    assert await messaging.mark_read(BOB, CONV, 1) == {"convId": CONV, "seq": 3, "marked": False}
    assert await unread(messaging, BOB) == 1
    assert await messaging.mark_read(BOB, CONV, 99) == {"convId": CONV, "seq": 4, "marked": True}
    assert (await unread(messaging, ANN), await unread(messaging, BOB)) == (1, 0)

    await messaging.send(ANN, BOB, text="one more")
    assert await unread(messaging, BOB) == 1


async def test_where_nothing_was_written_nothing_is_marked(messaging: Messaging) -> None:
    with pytest.raises(NotFoundError):
        await messaging.mark_read(ANN, CONV, 1)


async def test_conversations_come_the_last_used_first_and_say_who_the_peer_is(
    place: Place, messaging: Messaging
) -> None:
    await place.store.write(lambda connection: set_role(connection, CARL, "agent"))
    await messaging.send(ANN, CARL, text="to Carl")
    await messaging.send(ANN, BOB, text="to Bob")
    await messaging.send(CARL, ANN, text="from Carl")

    page = await messaging.conversations(ANN)

    assert [each["peerWallet"] for each in page["conversations"]] == [CARL, BOB]
    assert page["conversations"][0] == {
        "convId": ":".join(sorted((ANN, CARL))),
        "peerWallet": CARL,
        "peerRole": "agent",
        "lastMessage": {
            "seq": 2,
            "sender": CARL,
            "content": "from Carl",
            "sourceType": "agent",
            "createdAt": "2027-01-15T08:00:00.000Z",
        },
        "unread": 1,
        "seqMax": 2,
    }
    assert (page["conversations"][1]["unread"], page["conversations"][1]["peerRole"]) == (0, "user")
    assert (page["nextCursor"], page["hasMore"]) == (None, False)


async def test_paging_neither_skips_nor_repeats_while_conversations_move(place: Place, messaging: Messaging) -> None:
    peers = [wallet(number) for number in range(10, 19)]
    await place.register(*peers)
    for peer in peers:
        await messaging.send(peer, ANN, text="hello")

    seen: list[str] = []
    cursor = None
    while True:
        page = await messaging.conversations(ANN, limit=2, cursor=cursor)
        seen += [each["peerWallet"] for each in page["conversations"]]
        cursor = page["nextCursor"]
        if not page["hasMore"]:
            break
        # One that was shown, one that was not, and a new one move to the top; each of them twice.
        for mover in (peers[-1], peers[0], BOB) * 2:
            await messaging.send(mover, ANN, text="again")

    assert seen == list(reversed(peers))
    newest = (await messaging.conversations(ANN))["conversations"][0]
    assert newest["peerWallet"] == BOB


NO_CURSORS = (
    "x",
    "é",
    "W10",
    sealed(["1:1:", -1]),
    sealed(["1:1:", 1 << 63]),
    sealed(["5", "5"]),
    sealed(["", 5]),
    sealed(["'; drop", 5]),
    sealed(["9:5:", 5]),
    sealed(["5:9:3", 5]),
    sealed(["5:9:7,7", 5]),
    sealed(["5:9:7,", 5]),
    sealed(["0:0:", 5]),
    sealed(["5:9:9", 5]),
    sealed(["9:9:9", 5]),
    sealed(["5:9:4", 5]),
    sealed(["5" * 19, 5]),
    sealed(["5" * 1200, 5]),
    sealed(["\u0665", 5]),
    sealed(["99999999999999999999:99999999999999999999:", 5]),
)


async def test_a_cursor_that_is_none_is_refused(messaging: Messaging) -> None:
    for cursor in NO_CURSORS:
        for ask in (messaging.conversations, messaging.sync, messaging.requests):
            with pytest.raises(InvalidMeaningError) as refusal:
                await ask(ANN, cursor=cursor)
            assert refusal.value.issues[0]["path"] == "cursor"


async def test_one_tools_cursor_is_not_anothers(messaging: Messaging) -> None:
    synced = await messaging.sync(ANN)

    with pytest.raises(InvalidMeaningError):
        await messaging.conversations(ANN, cursor=synced["next_cursor"])
