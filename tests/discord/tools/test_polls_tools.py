"""polls: who voted for an answer, and ending one once and for all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked, only
from tests.discord.tools.usual_calls import example
from tests.served import desk

from accord.discord.results.polls import poll_ended
from accord.discord.sandbox import demo

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox
    from accord.discord.sandbox.world import Message


def of(sandbox: Sandbox, place: dict[str, Any]) -> Message:
    return sandbox.world.channels[place["channel_id"]].messages[place["message_id"]]


async def test_voters_are_paged_by_their_ids_under_the_names_that_they_have(sandbox: Sandbox) -> None:
    place = example(sandbox, "polls_get_voters")
    of(sandbox, place).votes[1] = [demo.OMAR, demo.LENA]

    async with desk(sandbox) as served:
        first = (await served.call("polls_get_voters", place, limit=1)).structured
        second = (await served.call("polls_get_voters", place, cursor=first["next_cursor"])).structured

    assert first["voters"] == [{"id": demo.LENA, "username": "lena.w", "global_name": "Lena"}]
    assert [one["id"] for one in second["voters"]] == [demo.OMAR]
    assert (first["has_more"], second["has_more"]) == (True, False)
    assert asked(sandbox)[1].endswith(f"/answers/1?after={demo.LENA}&limit=25")


async def test_an_answer_is_a_number_up_to_ten(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("polls_get_voters", {**example(sandbox, "polls_get_voters"), "answer_id": 11})

    assert (refused.code, asked(sandbox)) == ("VALIDATION_FAILED", [])


async def test_an_ended_poll_tells_how_often_each_answer_was_chosen(sandbox: Sandbox) -> None:
    place = example(sandbox, "polls_end")

    async with desk(sandbox) as served:
        ended = (await served.call("polls_end", place)).structured

    votes = {row["text"]: row["votes"] for row in ended["results"]}
    assert votes == {"The Dispossessed": 1, "Piranesi": 1, "Solaris": 0}
    assert (ended["ended"], ended["finalized"]) == (True, True)
    assert "x-audit-log-reason" not in only(sandbox, "POST").request_headers


async def test_ending_a_poll_twice_is_no_failure(sandbox: Sandbox) -> None:
    place = example(sandbox, "polls_end")

    async with desk(sandbox) as served:
        first = await served.call("polls_end", place)
        second = await served.call("polls_end", place)

    assert second.structured == first.structured


async def test_another_authors_poll_stays_open(sandbox: Sandbox) -> None:
    place = example(sandbox, "polls_end")
    of(sandbox, place).author_id = demo.LENA

    async with desk(sandbox) as served:
        refused = await served.call("polls_end", place)

    assert refused.code == "DISCORD_PERMISSION_DENIED"


async def test_a_message_without_a_poll_is_told_so(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("polls_end", example(sandbox, "messages_edit") | {"content": None})

    assert refused.failed


ANSWER = {"answer_id": 1, "poll_media": {"text": "Tea", "emoji": {"name": "🍵"}}}


@pytest.mark.parametrize(
    ("results", "votes"),
    [
        (None, None),
        ({}, None),
        ({"is_finalized": False, "answer_counts": []}, 0),
        ({"answer_counts": [{"id": 1, "count": 4, "me_voted": False}]}, 4),
    ],
)
def test_results_may_be_missing_in_whole_or_in_part(results: Any, votes: int | None) -> None:
    sent: Any = {"id": "1", "channel_id": "2", "poll": {"answers": [ANSWER], "results": results}}

    shown = poll_ended(sent)

    emoji = {"id": None, "name": "🍵"}
    assert shown["results"] == [{"answer_id": 1, "text": "Tea", "votes": votes, "emoji": emoji}]
    assert (shown["expiry"], shown["finalized"]) == (None, False)
