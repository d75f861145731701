"""Requests to be let in: what waits, what accepting and declining do, and what counts as accepting."""

from __future__ import annotations

import asyncio

import pytest
from tests.deside.messaging.conftest import ANN, BOB, CARL, Place
from tests.deside.wallets import wallet

from accord.deside.errors import BlockedError, NotFoundError, PolicyBlockedError
from accord.deside.messaging import Messaging
from accord.deside.wallets import Wallet

CONV = ":".join(sorted((ANN, BOB)))
DAY_SECONDS = 86_400


@pytest.fixture
async def messaging(place: Place) -> Messaging:
    """Bob takes messages from contacts alone."""
    await place.people.set_policy(BOB, "contacts")
    return place.messaging()


async def contents(messaging: Messaging, reader: Wallet = BOB) -> list[tuple[int, str]]:
    page = await messaging.read(reader, CONV, limit=100)
    return [(message["seq"], message["content"]) for message in reversed(page["messages"])]


async def waiting(messaging: Messaging) -> list[tuple[str, list[str]]]:
    page = await messaging.requests(BOB)
    return [(each["wallet"], [message["content"] for message in each["messages"]]) for each in page["requests"]]


async def test_a_strangers_first_messages_wait_in_order_and_are_seen_as_a_request(messaging: Messaging) -> None:
    sent = [await messaging.send(ANN, BOB, text=text) for text in ("one", "two")]

    assert [each["status"] for each in sent] == ["pending_acceptance"] * 2
    assert all("seq" not in each for each in sent)
    assert await waiting(messaging) == [(ANN, ["one", "two"])]
    assert await contents(messaging) == []
    assert (await messaging.conversations(BOB))["conversations"] == []
    assert (await messaging.sync(BOB))["messages"] == []


async def test_only_so_many_messages_wait(messaging: Messaging) -> None:
    for number in range(5):
        await messaging.send(ANN, BOB, text=str(number))

    with pytest.raises(PolicyBlockedError) as refusal:
        await messaging.send(ANN, BOB, text="one too many")

    assert "Wait until your contact request is answered" in refusal.value.next_step
    assert await waiting(messaging) == [(ANN, ["0", "1", "2", "3", "4"])]


async def test_the_recipient_is_told_of_a_request(place: Place, messaging: Messaging) -> None:
    await messaging.send(ANN, BOB, text="may I?")
    await messaging.close()

    ((who, told),) = place.told
    assert who == BOB
    assert (told["convId"], told["seq"], told["isNewConversation"]) == (None, None, True)


async def test_accepting_delivers_in_order_and_makes_both_contacts(place: Place, messaging: Messaging) -> None:
    await place.people.set_policy(ANN, "contacts")
    for text in ("one", "two"):
        await messaging.send(ANN, BOB, text=text)

    answer = await messaging.answer_request(BOB, ANN, "accept")

    assert answer == {
        "wallet": ANN,
        "convId": CONV,
        "status": "accepted",
        "delivered": 2,
        "firstSeq": 1,
        "lastSeq": 2,
    }
    assert (await messaging.send(ANN, BOB, text="three"))["seq"] == 3
    assert (await messaging.send(BOB, ANN, text="four"))["seq"] == 4
    assert await contents(messaging) == [(1, "one"), (2, "two"), (3, "three"), (4, "four")]
    assert await waiting(messaging) == []
    (listed,) = (await messaging.conversations(BOB))["conversations"]
    assert listed["unread"] == 3


async def test_declining_drops_what_waits_and_holds_for_a_day(place: Place, messaging: Messaging) -> None:
    await messaging.send(ANN, BOB, text="may I?")

    answer = await messaging.answer_request(BOB, ANN, "decline")

    assert (answer["status"], answer["delivered"], answer["lastSeq"]) == ("declined", 0, None)
    assert await waiting(messaging) == []
    place.clock.now += DAY_SECONDS - 0.001
    with pytest.raises(PolicyBlockedError):
        await messaging.send(ANN, BOB, text="please?")
    place.clock.now += 0.001
    assert (await messaging.send(ANN, BOB, text="please?"))["status"] == "pending_acceptance"
    assert await waiting(messaging) == [(ANN, ["please?"])]


async def test_a_repeated_key_joins_no_request_twice_and_keeps_its_first_result(messaging: Messaging) -> None:
    first = await messaging.send(ANN, BOB, text="one", idempotency_key="key-0001")
    assert await messaging.send(ANN, BOB, text="one", idempotency_key="key-0001") == first
    assert await waiting(messaging) == [(ANN, ["one"])]

    await messaging.answer_request(BOB, ANN, "accept")
    assert await messaging.send(ANN, BOB, text="one", idempotency_key="key-0001") == first
    assert await contents(messaging) == [(1, "one")]


async def test_a_reply_counts_as_accepting(messaging: Messaging) -> None:
    await messaging.send(ANN, BOB, text="may I?")

    assert (await messaging.send(BOB, ANN, text="yes"))["seq"] == 2
    assert (await messaging.send(ANN, BOB, text="thanks"))["seq"] == 3
    assert await contents(messaging) == [(1, "may I?"), (2, "yes"), (3, "thanks")]


async def test_who_was_written_to_may_answer(messaging: Messaging) -> None:
    await messaging.send(BOB, ANN, text="hello Ann")

    assert (await messaging.send(ANN, BOB, text="hello Bob"))["seq"] == 2


async def test_what_waits_goes_first_when_the_recipient_lets_everyone_write(place: Place, messaging: Messaging) -> None:
    await messaging.send(ANN, BOB, text="one")
    await place.people.set_policy(BOB, "everyone")

    assert (await messaging.send(ANN, BOB, text="two"))["seq"] == 2
    assert await contents(messaging) == [(1, "one"), (2, "two")]

    await place.people.set_policy(BOB, "contacts")
    assert (await messaging.send(ANN, BOB, text="three"))["status"] == "pending_acceptance"


async def test_crossing_requests_let_both_write(place: Place, messaging: Messaging) -> None:
    await place.people.set_policy(ANN, "contacts")

    await asyncio.gather(messaging.send(ANN, BOB, text="a"), messaging.send(BOB, ANN, text="b"))

    assert sorted(text for _, text in await contents(messaging)) == ["a", "b"]
    assert (await messaging.send(ANN, BOB, text="c"))["seq"] == 3
    assert (await messaging.send(BOB, ANN, text="d"))["seq"] == 4


async def test_blocking_declines_what_waits(place: Place, messaging: Messaging) -> None:
    await messaging.send(ANN, BOB, text="may I?")
    await place.people.block(BOB, ANN)

    assert await waiting(messaging) == []
    with pytest.raises(BlockedError):
        await messaging.send(ANN, BOB, text="please?")
    with pytest.raises(NotFoundError):
        await messaging.answer_request(BOB, ANN, "accept")


async def test_only_the_asked_one_answers_and_only_once(messaging: Messaging) -> None:
    await messaging.send(ANN, BOB, text="may I?")

    for answerer, requester in ((ANN, BOB), (CARL, ANN), (BOB, CARL)):
        with pytest.raises(NotFoundError):
            await messaging.answer_request(answerer, requester, "accept")
    await messaging.answer_request(BOB, ANN, "accept")
    for answer in ("accept", "decline"):
        with pytest.raises(NotFoundError):
            await messaging.answer_request(BOB, ANN, answer)


async def test_requests_are_listed_page_by_page_the_newest_first(place: Place, messaging: Messaging) -> None:
    strangers = [wallet(number) for number in range(10, 17)]
    await place.register(*strangers)
    for number, stranger in enumerate(strangers):
        place.clock.now += number % 2  # some ask in the same moment
        await messaging.send(stranger, BOB, text="may I?")

    seen: list[str] = []
    cursor = None
    while True:
        page = await messaging.requests(BOB, limit=2, cursor=cursor)
        seen += [each["wallet"] for each in page["requests"]]
        cursor = page["nextCursor"]
        if not page["hasMore"]:
            break

    assert sorted(seen) == sorted(strangers)
    assert seen[:2] == [strangers[6], strangers[5]] or seen[:2] == [strangers[5], strangers[6]]


async def test_accepting_while_more_comes_in_loses_nothing_and_keeps_the_order(messaging: Messaging) -> None:
    await messaging.send(ANN, BOB, text="0")

    async def write() -> None:
        for number in range(1, 5):
            await messaging.send(ANN, BOB, text=str(number))

    await asyncio.gather(write(), messaging.answer_request(BOB, ANN, "accept"))
    await messaging.send(ANN, BOB, text="5")

    assert await contents(messaging) == [(number + 1, str(number)) for number in range(6)]
