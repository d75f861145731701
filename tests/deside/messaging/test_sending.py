"""What becomes of a message, on both databases."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa
from tests.deside.messaging.conftest import ANN, BOB, CARL, NOBODY, Place

from accord.deside.errors import (
    BlockedError,
    CannotDmSelfError,
    ConflictError,
    InvalidMeaningError,
    PolicyBlockedError,
    RichContentInvalidError,
)
from accord.deside.messaging import Messaging
from accord.deside.people import set_role
from accord.deside.store.tables import messaging as tables
from accord.engine import ToolError

CONV = ":".join(sorted((ANN, BOB)))
TABLES = (
    tables.CONTACT_REQUESTS,
    tables.CONVERSATIONS,
    tables.SENDERS,
    tables.SENDS,
    tables.MESSAGES,
    tables.HELD_MESSAGES,
)


@pytest.fixture
def messaging(place: Place) -> Messaging:
    return place.messaging()


async def kept(place: Place) -> int:
    """How many rows there are."""

    def work(connection: sa.Connection) -> int:
        counts = [connection.scalar(sa.select(sa.func.count()).select_from(table)) for table in TABLES]
        return sum(count or 0 for count in counts)

    return await place.store.read(work)


async def contents(messaging: Messaging) -> list[tuple[int, str]]:
    """The conversation of Ann and Bob, the oldest message first."""
    page = await messaging.read(ANN, CONV, limit=100)
    return [(message["seq"], message["content"]) for message in reversed(page["messages"])]


async def test_messages_of_a_conversation_are_numbered_in_order(messaging: Messaging) -> None:
    sent = [await messaging.send(ANN, BOB, text="one"), await messaging.send(BOB, ANN, text="two")]
    sent += [await messaging.send(ANN, BOB, text="three"), await messaging.send(ANN, CARL, text="another's first")]

    assert [each["seq"] for each in sent] == [1, 2, 3, 1]
    assert {each["status"] for each in sent} == {"delivered"}
    assert {each["convId"] for each in sent[:3]} == {CONV}
    assert await contents(messaging) == [(1, "one"), (2, "two"), (3, "three")]


async def test_nobody_writes_to_itself(messaging: Messaging) -> None:
    with pytest.raises(CannotDmSelfError):
        await messaging.send(ANN, ANN, text="hm")


@pytest.mark.parametrize(
    "said", [{}, {"text": " \n"}, {"text": "a\0b"}, {"text": "a", "blocks": [{"type": "divider"}]}]
)
async def test_what_says_nothing_or_two_things_is_refused(messaging: Messaging, said: dict[str, Any]) -> None:
    with pytest.raises(InvalidMeaningError):
        await messaging.send(ANN, BOB, **said)


async def test_who_never_signed_in_gets_nothing_and_nothing_is_kept(place: Place, messaging: Messaging) -> None:
    sent = await messaging.send(ANN, NOBODY, text="hello?", idempotency_key="12345678")

    assert sent["status"] == "user_not_registered"
    assert "seq" not in sent
    assert await kept(place) == 0
    assert place.told == []


async def test_a_blocked_sender_is_refused_and_nothing_is_kept(place: Place, messaging: Messaging) -> None:
    await place.people.block(BOB, ANN)

    with pytest.raises(BlockedError):
        await messaging.send(ANN, BOB, text="hello?")

    assert await kept(place) == 0
    await place.people.unblock(BOB, ANN)
    assert (await messaging.send(ANN, BOB, text="hello"))["status"] == "delivered"


async def test_a_block_hides_nothing_that_came_before(place: Place, messaging: Messaging) -> None:
    await messaging.send(ANN, BOB, text="before")

    await place.people.block(BOB, ANN)

    assert len((await messaging.read(BOB, CONV))["messages"]) == 1
    assert len((await messaging.conversations(BOB))["conversations"]) == 1


async def test_who_takes_nothing_refuses_everyone(place: Place, messaging: Messaging) -> None:
    await place.people.set_policy(BOB, "nobody")

    with pytest.raises(PolicyBlockedError):
        await messaging.send(ANN, BOB, text="hello?")

    assert await kept(place) == 0


async def test_the_same_key_and_content_sends_once(place: Place, messaging: Messaging) -> None:
    first = await messaging.send(ANN, BOB, text="once", idempotency_key="key-0001")
    await messaging.send(ANN, BOB, text="between")
    again = await messaging.send(ANN, BOB, text="once", idempotency_key="key-0001")

    assert again == first
    assert await contents(messaging) == [(1, "once"), (2, "between")]
    await messaging.close()
    assert len(place.told) == 2


async def test_a_first_result_stands_whatever_happened_since(place: Place, messaging: Messaging) -> None:
    first = await messaging.send(ANN, BOB, text="once", idempotency_key="key-0001")
    await place.people.block(BOB, ANN)

    assert await messaging.send(ANN, BOB, text="once", idempotency_key="key-0001") == first


@pytest.mark.parametrize(
    ("to", "said"),
    [
        (BOB, {"text": "other"}),
        (CARL, {"text": "once"}),
        (BOB, {"blocks": [{"type": "paragraph", "runs": [{"t": "once"}]}]}),
    ],
)
async def test_the_same_key_for_something_else_is_a_conflict(messaging: Messaging, to: Any, said: Any) -> None:
    await messaging.send(ANN, BOB, text="once", idempotency_key="key-0001")

    with pytest.raises(ConflictError):
        await messaging.send(ANN, to, **said, idempotency_key="key-0001")

    assert await contents(messaging) == [(1, "once")]


async def test_keys_are_each_senders_own(messaging: Messaging) -> None:
    await messaging.send(ANN, BOB, text="from Ann", idempotency_key="key-0001")
    await messaging.send(BOB, ANN, text="from Bob", idempotency_key="key-0001")

    assert await contents(messaging) == [(1, "from Ann"), (2, "from Bob")]


async def test_without_a_key_every_call_sends_and_names_its_own(messaging: Messaging) -> None:
    sent = [await messaging.send(ANN, BOB, text="same") for _ in range(2)]

    assert [each["seq"] for each in sent] == [1, 2]
    assert sent[0]["clientMsgId"] != sent[1]["clientMsgId"]


async def test_blocks_are_kept_with_their_plain_text(messaging: Messaging) -> None:
    blocks = [{"type": "heading", "level": 2, "runs": [{"t": "News", "bold": True}]}, {"type": "divider"}]

    await messaging.send(ANN, BOB, blocks=blocks)

    (message,) = (await messaging.read(BOB, CONV))["messages"]
    assert message["blocks"] == blocks
    assert message["content"] == "## News\n\n---"


async def test_malformed_blocks_are_refused_and_nothing_is_kept(place: Place, messaging: Messaging) -> None:
    with pytest.raises(RichContentInvalidError) as refusal:
        await messaging.send(ANN, BOB, blocks=[{"type": "heading", "level": 4, "runs": [{"t": "x"}]}])

    assert [(issue["path"], issue["code"]) for issue in refusal.value.issues] == [("blocks[0].level", "too_big")]
    assert await kept(place) == 0


async def test_an_agents_messages_say_that_an_agent_wrote_them(place: Place, messaging: Messaging) -> None:
    await messaging.send(ANN, BOB, text="as a user")
    await place.store.write(lambda connection: set_role(connection, ANN, "agent"))
    await messaging.send(ANN, BOB, text="as an agent")

    page = await messaging.read(BOB, CONV)
    assert [message["sourceType"] for message in page["messages"]] == ["agent", "user"]


async def test_the_recipient_is_told_once_the_message_is_kept(place: Place, messaging: Messaging) -> None:
    await messaging.send(ANN, BOB, text="x" * 150)
    await messaging.send(BOB, ANN, text="y")
    await messaging.close()

    at = "2027-01-15T08:00:00.000Z"
    assert place.told == [
        (
            BOB,
            {
                "convId": CONV,
                "sender": ANN,
                "preview": "x" * 100,
                "seq": 1,
                "isNewConversation": True,
                "timestamp": at,
            },
        ),
        (ANN, {"convId": CONV, "sender": BOB, "preview": "y", "seq": 2, "isNewConversation": False, "timestamp": at}),
    ]


async def test_a_failing_push_fails_no_send(place: Place) -> None:
    async def broken(*_: object) -> None:
        raise ConnectionError

    messaging = Messaging(place.store, clock=place.clock, tell=broken)

    assert (await messaging.send(ANN, BOB, text="hello"))["status"] == "delivered"
    await messaging.close()


@pytest.mark.parametrize("refusal", [BlockedError, PolicyBlockedError])
async def test_refused_sends_count_for_no_limit(place: Place, refusal: type[ToolError]) -> None:
    messaging = place.messaging(sends_per_hour=1)
    if refusal is BlockedError:
        await place.people.block(BOB, ANN)
    else:
        await place.people.set_policy(BOB, "nobody")
    for _ in range(3):
        with pytest.raises(refusal):
            await messaging.send(ANN, BOB, text="hello?")

    assert (await messaging.send(ANN, CARL, text="hello"))["status"] == "delivered"
