"""Calls that wait for a person: put once, decided once, good once, for a while."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.clock import Clock
from tests.engine.small_server import CALLER, Desk, calls_of, tool_of

from accord.engine import (
    Answer,
    Binding,
    Call,
    Effect,
    NoBackchannel,
    PayloadApprovalReplayedError,
    Pending,
    Pendings,
    Person,
    Question,
    QuotaExceededError,
    Reply,
)
from accord.engine.calls.person import DECISION_SECONDS, MOST_PENDING
from accord.engine.state import MemoryState

BOUND = Binding(tool="delete", target="", payload_hash="0" * 64, caller=CALLER.id)
SHOWN = {"what": "it"}


async def delete(desk: Desk, what: str) -> dict[str, Any]:
    """Delete something."""
    return {"deleted": what}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pendings(clock: Clock) -> Pendings:
    return Pendings(MemoryState(clock=clock), clock=clock)


@pytest.fixture
def call() -> Call:
    tool = tool_of(delete, Effect.DELETE)
    return Call(
        tool=tool, arguments={"what": "it"}, caller=CALLER, client=None, door=calls_of([tool]), id="1", deadline=0.0
    )


async def take(pendings: Pendings, binding: Binding) -> Pending | None:
    """What was decided about the binding, used up; None while nothing was."""
    known = await pendings.about(binding)
    if known is None or known.decision is None:
        return None
    return known if await pendings.use(known) else None


async def test_nothing_is_decided_before_somebody_did(pendings: Pendings, call: Call) -> None:
    await pendings.ask(call, BOUND, SHOWN)

    assert await take(pendings, BOUND) is None


@pytest.mark.parametrize("decision", ["approved", "denied"])
async def test_a_decision_is_taken_once(pendings: Pendings, call: Call, decision: Any) -> None:
    approval_id = (await pendings.ask(call, BOUND, SHOWN)).id

    decided = await pendings.decide(approval_id, decision, by="maya")
    taken = [await take(pendings, BOUND) for _ in range(2)]

    assert decided is not None
    assert taken == [decided, None]
    assert (decided.decision, decided.decided_by, decided.shown) == (decision, "maya", SHOWN)


async def test_the_same_call_is_one_question_however_often_it_is_made(pendings: Pendings, call: Call) -> None:
    ids = {(await pendings.ask(call, BOUND, SHOWN)).id for _ in range(3)}

    assert len(ids) == 1
    assert len(await pendings.all()) == 1


@pytest.mark.parametrize(
    "other", [replace(BOUND, payload_hash="1" * 64), replace(BOUND, caller="other"), replace(BOUND, bot="2")]
)
async def test_a_decision_is_for_one_binding(pendings: Pendings, call: Call, other: Binding) -> None:
    approval_id = (await pendings.ask(call, BOUND, SHOWN)).id
    await pendings.decide(approval_id, "approved", by="maya")

    assert await take(pendings, other) is None
    assert await take(pendings, BOUND) is not None


async def test_a_question_and_its_decision_run_out(pendings: Pendings, call: Call, clock: Clock) -> None:
    approval_id = (await pendings.ask(call, BOUND, SHOWN)).id
    await pendings.decide(approval_id, "approved", by="maya")

    clock.now += DECISION_SECONDS

    assert await take(pendings, BOUND) is None
    assert await pendings.all() == []


async def test_what_is_decided_cannot_be_decided_again(pendings: Pendings, call: Call) -> None:
    approval_id = (await pendings.ask(call, BOUND, SHOWN)).id
    await pendings.decide(approval_id, "denied", by="maya")

    assert await pendings.decide(approval_id, "approved", by="theo") is None
    assert await pendings.decide("none", "approved", by="theo") is None


async def test_a_person_names_it_by_a_handle_that_is_not_the_callers_id(pendings: Pendings, call: Call) -> None:
    approval_id = (await pendings.ask(call, BOUND, SHOWN)).id

    (waiting,) = await pendings.all()

    assert waiting.handle not in approval_id
    assert await pendings.find(waiting.handle) == await pendings.find(approval_id) == waiting


async def test_questions_of_one_handle_are_told_apart_and_none_is_decided_by_it(
    pendings: Pendings, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = replace(BOUND, payload_hash="1" * 64)
    monkeypatch.setattr("accord.engine.calls.person.secrets.token_hex", lambda _: "3f9a1c0b7d2e")
    first, second = [await pendings.ask(call, one, SHOWN) for one in (BOUND, other)]

    ambiguous = await pendings.decide("3f9a1c0b7d2e", "approved", by="maya")
    await pendings.decide(first.id, "approved", by="maya")

    assert ambiguous is None
    assert len({first.id, second.id}) == len(await pendings.all()) == 2
    assert await take(pendings, other) is None
    assert await take(pendings, BOUND) is not None


async def test_a_handle_does_not_follow_from_what_its_caller_said(pendings: Pendings, call: Call) -> None:
    other = Pendings(MemoryState())

    handles = {(await kept.ask(call, BOUND, SHOWN)).handle for kept in (pendings, other)}

    assert len(handles) == 2


async def test_a_question_shows_what_was_said_last_until_it_is_decided(pendings: Pendings, call: Call) -> None:
    asked = await pendings.ask(call, BOUND, SHOWN)
    again = await pendings.ask(call, BOUND, {"what": "another"})
    await pendings.decide(asked.id, "approved", by="maya")
    decided = await pendings.ask(call, BOUND, {"what": "a third"})

    assert replace(again, shown=SHOWN) == asked
    assert (decided.shown, decided.decision) == ({"what": "another"}, "approved")


async def test_a_caller_cannot_put_questions_without_end(pendings: Pendings, call: Call) -> None:
    for number in range(MOST_PENDING):
        await pendings.ask(call, replace(BOUND, target=str(number)), SHOWN)

    with pytest.raises(QuotaExceededError):
        await pendings.ask(call, BOUND, SHOWN)


class Listening(NoBackchannel):
    """A client that is asked, and says nothing."""

    def __init__(self) -> None:
        self.heard: list[Question] = []

    async def ask(self, call: Call, question: Question) -> Answer:
        """Hear the question."""
        self.heard.append(question)
        return Answer("unavailable")


async def test_two_questions_about_one_call_are_two(pendings: Pendings, call: Call) -> None:
    client, person = Listening(), Person(pendings)
    asking = replace(call, backchannel=client)

    for binding in (BOUND, replace(BOUND, target="somebody"), BOUND):
        await person.releases(asking, binding, SHOWN)

    first, second, third = [question.key for question in client.heard]
    assert first == third != second


async def test_what_hides_in_a_name_is_seen_by_who_is_asked(pendings: Pendings, call: Call) -> None:
    client = Listening()

    await Person(pendings).releases(replace(call, backchannel=client), BOUND, {"name": "a\u202eb"})

    assert "a\\u202eb" in client.heard[0].message


async def test_a_client_that_may_not_ask_is_not_asked(pendings: Pendings, call: Call) -> None:
    client, person = Listening(), Person(pendings, may_ask=False)
    asking = replace(call, backchannel=client)
    asked = await pendings.ask(call, BOUND, SHOWN)

    before = await person.releases(asking, BOUND, SHOWN)
    await pendings.decide(asked.id, "approved", by="maya")
    after = await person.releases(asking, BOUND, SHOWN)

    assert (before, after, client.heard) == (False, True, [])


async def nothing(_: Call) -> Reply:
    return Reply(structured={}, text="")


async def test_a_decision_that_released_a_call_is_good_until_it_is_used(pendings: Pendings, call: Call) -> None:
    person = Person(pendings)
    calls = [replace(call, facts={}) for _ in range(3)]
    asked = await pendings.ask(call, BOUND, SHOWN)
    await pendings.decide(asked.id, "approved", by="maya")

    released = [await person.releases(one, BOUND, SHOWN) for one in calls]
    await person.use(calls[0], nothing)
    with pytest.raises(PayloadApprovalReplayedError):
        await person.use(calls[1], nothing)

    assert released == [True] * 3
    assert [one.facts["approval"]["event"] for one in calls] == ["used", "replayed", "approved"]
    assert await person.releases(call, BOUND, SHOWN) is False
