"""interactions: the first answer, by its type, and the messages after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked, bodies
from tests.discord.tools.usual.calling import own_message
from tests.discord.tools.usual.interactions import answered, fresh, original
from tests.served import desk

from accord.discord.sandbox import demo

if TYPE_CHECKING:
    from pathlib import Path

    from accord.discord.sandbox import Sandbox

EVERYONE = {"parse": [], "replied_user": False}
COMPONENT, TYPING, PURCHASE = 3, 4, 6
HIDDEN, LOADING = 1 << 6, 1 << 7

INPUT = {"type": 4, "custom_id": "why", "style": 1}
LABEL = {"type": 18, "label": "Why?", "component": INPUT}
INPUT_ROW = {"type": 1, "components": [INPUT | {"label": "Why?"}]}
BUTTON_ROW = {"type": 1, "components": [{"type": 2, "style": 1, "label": "Go", "custom_id": "go"}]}
TEXT = {"type": 10, "content": "# Saturday"}
MODAL = {"custom_id": "form", "title": "Tell us", "components": [LABEL]}


# --- The first answer -----------------------------------------------------------------------------------------------


async def test_a_message_answers_and_is_told_with_its_id(sandbox: Sandbox) -> None:
    place = fresh(sandbox)

    async with desk(sandbox) as served:
        told = await served.call("interactions_create_response", place, type=4, data={"content": "Six <@&1> works"})

    (request,) = sandbox.requests
    path = f"/interactions/{place['interaction_id']}/{place['interaction_token']}/callback"
    assert asked(sandbox) == [f"POST {path}?with_response=true"]
    assert "authorization" not in request.request_headers
    assert bodies(sandbox) == [{"type": 4, "data": {"content": "Six <@&1> works", "allowed_mentions": EVERYONE}}]
    assert told.structured["message_id"] in sandbox.world.channels[demo.GENERAL].messages
    assert told.structured["message"]["content"] == "Six <@&1> works"


async def test_without_a_response_only_the_acknowledgement_is_told(sandbox: Sandbox) -> None:
    place = fresh(sandbox)

    async with desk(sandbox) as served:
        told = await served.call(
            "interactions_create_response", place, type=4, data={"content": "x"}, with_response=False
        )

    assert told.structured == {"acknowledged": True, "interaction_id": place["interaction_id"]}


async def test_an_answer_for_one_person_alone_is_not_in_the_channel(sandbox: Sandbox) -> None:
    place = fresh(sandbox)
    own = {"application_id": demo.APPLICATION, "interaction_token": place["interaction_token"]}

    async with desk(sandbox) as served:
        told = await served.call("interactions_create_response", place, type=4, data={"content": "psst", "flags": 64})
        more = await served.call("interactions_create_followup", own, content="psst!", ephemeral=True)
        shown = await served.call("interactions_get_original_response", own)

    assert told.structured["ephemeral"] is True
    assert more.structured["flags"] == HIDDEN
    assert shown.structured["content"] == "psst"
    assert not {told.structured["message_id"], more.structured["message_id"]} & set(
        sandbox.world.channels[demo.GENERAL].messages
    )


async def test_an_answer_that_was_put_off_is_filled_in_later(sandbox: Sandbox) -> None:
    place = fresh(sandbox)
    own = {"application_id": demo.APPLICATION, "interaction_token": place["interaction_token"]}
    poll = {"question": {"text": "When?"}, "answers": [{"poll_media": {"text": "Six"}}]}

    async with desk(sandbox) as served:
        told = await served.call("interactions_create_response", place, type=5)
        edited = await served.call("interactions_edit_original_response", own, content="Here", poll=poll)
        shown = await served.call("interactions_get_original_response", own)

    assert bodies(sandbox)[0] == {"type": 5}
    assert edited.structured["changed"] == ["content", "poll"]
    assert (shown.structured["message_id"], shown.structured["content"]) == (told.structured["message_id"], "Here")
    assert shown.structured["poll"]["question"]["text"] == "When?"
    assert shown.structured["flags"] & LOADING == 0


async def test_the_message_of_a_button_is_changed_in_place(sandbox: Sandbox) -> None:
    origin = own_message(sandbox, components=[BUTTON_ROW | {"id": 1}])["message_id"]
    place = fresh(sandbox, COMPONENT, message={"id": origin})

    async with desk(sandbox) as served:
        told = await served.call(
            "interactions_create_response", place, type=7, data={"content": "Gone", "clear": ["components"]}
        )

    kept = sandbox.world.channels[demo.GENERAL].messages[origin]
    assert told.structured["message_id"] == origin
    assert (kept.content, kept.components) == ("Gone", [])


@pytest.mark.parametrize(
    ("kind", "answer", "sent"),
    [
        (COMPONENT, {"type": 9, "data": MODAL}, MODAL),
        (COMPONENT, {"type": 9, "data": MODAL | {"components": [TEXT, INPUT_ROW]}}, None),
        (TYPING, {"type": 8, "data": {"choices": [{"name": "Six", "value": "6"}]}}, None),
        (TYPING, {"type": 8, "data": {"choices": [{"name": "Six", "value": 6}, {"name": "Half", "value": 6.5}]}}, None),
        (TYPING, {"type": 8, "data": {"choices": []}}, None),
        (PURCHASE, {"type": 13, "data": {"eligible": False, "ineligible_reason": 1}}, None),
        (COMPONENT, {"type": 12}, None),
    ],
    ids=["modal", "modal of rows", "choices of text", "choices of numbers", "no choices", "eligibility", "activity"],
)
async def test_answers_that_are_no_messages_go_out_as_they_are(
    sandbox: Sandbox, kind: int, answer: dict[str, Any], sent: dict[str, Any] | None
) -> None:
    async with desk(sandbox) as served:
        told = await served.call("interactions_create_response", fresh(sandbox, kind), **answer)

    assert not told.failed
    assert bodies(sandbox) == [answer]
    assert sent is None or bodies(sandbox)[0]["data"] == sent
    assert "message_id" not in told.structured


@pytest.mark.parametrize(
    ("answer", "path"),
    [
        ({"type": 10}, "type"),
        ({"type": 4}, "data.content"),
        ({"type": 4, "data": {"content": "x" * 2001}}, "data.content"),
        ({"type": 4, "data": {"content": "x", "flags": LOADING}}, "data.flags"),
        ({"type": 4, "data": {"content": "x", "choices": []}}, "data.choices"),
        ({"type": 4, "data": {"content": "x", "components": [LABEL]}}, "data.components[0]"),
        ({"type": 4, "data": {"content": "x", "components": [TEXT]}}, "data.components[0]"),
        ({"type": 5, "data": {"flags": 4}}, "data.flags"),
        ({"type": 5, "data": {"content": "x"}}, "data.content"),
        ({"type": 6, "data": {"flags": 64}}, "data.flags"),
        ({"type": 7}, "data"),
        ({"type": 7, "data": {"content": "x", "tts": True}}, "data.tts"),
        ({"type": 7, "data": {"files": [{"text": "x"}]}}, "data.attachments"),
        ({"type": 8}, "data.choices"),
        ({"type": 8, "data": {"choices": [{"name": "x", "value": 1}, {"name": "y", "value": "1"}]}}, "data.choices"),
        ({"type": 8, "data": {"choices": [{"name": "x", "value": "x"}] * 26}}, "data.choices"),
        ({"type": 9, "data": {"title": "x", "components": [LABEL]}}, "data.custom_id"),
        ({"type": 9, "data": MODAL | {"components": []}}, "data.components"),
        ({"type": 9, "data": MODAL | {"components": [LABEL] * 6}}, "data.components"),
        ({"type": 9, "data": MODAL | {"components": [BUTTON_ROW]}}, "data.components[0]"),
        ({"type": 9, "data": MODAL | {"title": "x" * 46}}, "data.title"),
        ({"type": 12, "data": {"content": "x"}}, "data.content"),
        ({"type": 13, "data": {}}, "data.eligible"),
    ],
)
async def test_data_that_its_type_cannot_have_is_refused_at_once(
    sandbox: Sandbox, answer: dict[str, Any], path: str
) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("interactions_create_response", fresh(sandbox), **answer)

    assert refused.code == "VALIDATION_FAILED"
    assert [issue["path"] for issue in refused.structured["issues"]] == [path]
    assert asked(sandbox) == []


async def test_a_label_inside_of_a_label_is_refused(sandbox: Sandbox) -> None:
    twice = LABEL | {"component": INPUT | {"label": "Why?"}}

    async with desk(sandbox) as served:
        refused = await served.call(
            "interactions_create_response", fresh(sandbox), type=9, data=MODAL | {"components": [twice]}
        )

    assert [issue["path"] for issue in refused.structured["issues"]] == ["data.components[0]"]


async def test_a_layout_answers_where_its_flag_says_so(sandbox: Sandbox) -> None:
    layout = {"components": [TEXT], "flags": 1 << 15}

    async with desk(sandbox) as served:
        told = await served.call("interactions_create_response", fresh(sandbox), type=4, data=layout)
        mixed = await served.call(
            "interactions_create_response", fresh(sandbox), type=4, data=layout | {"content": "x"}
        )

    kept = sandbox.world.channels[demo.GENERAL].messages[told.structured["message_id"]]
    assert kept.components[0]["content"] == "# Saturday"
    assert [issue["path"] for issue in mixed.structured["issues"]] == ["data.content"]


async def test_there_is_no_second_first_answer(sandbox: Sandbox) -> None:
    place = fresh(sandbox)

    async with desk(sandbox) as served:
        await served.call("interactions_create_response", place, type=5)
        refused = await served.call("interactions_create_response", place, type=5)

    assert refused.structured["discord_code"] == 40060


async def test_an_answer_whose_answer_was_lost_is_never_sent_again(sandbox: Sandbox) -> None:
    sandbox.fail("POST /interactions/{}/{}/callback", "drop", times=None, after=True)

    async with desk(sandbox, MCP_RETRY_BASE_DELAY_MS="50") as served:
        lost = await served.call("interactions_create_response", fresh(sandbox), type=5)

    assert (lost.structured["outcome"], lost.structured["retriable"], len(sandbox.requests)) == ("unknown", False, 1)


async def test_files_go_along_with_an_answer(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "map.png").write_bytes(demo.ONE_PIXEL)
    files = [{"file": "map.png", "description": "Where it rains"}]

    async with desk(sandbox, MCP_UPLOAD_DIR=str(tmp_path)) as served:
        told = await served.call("interactions_create_response", fresh(sandbox), type=4, data={"files": files})

    (sent,) = told.structured["message"]["attachments"]
    assert (sent["filename"], sent["description"]) == ("map.png", "Where it rains")


@pytest.mark.parametrize("length", [60, 100, 213, 2048])
async def test_a_token_may_be_as_long_as_discord_makes_it(sandbox: Sandbox, length: int) -> None:
    place = fresh(sandbox)
    interaction = sandbox.world.interactions.pop(place["interaction_token"])
    token = "t" * length
    sandbox.world.interactions[token] = interaction

    async with desk(sandbox) as served:
        told = await served.call("interactions_create_response", place | {"interaction_token": token}, type=5)

    assert not told.failed
    assert token not in told.text


# --- What follows ---------------------------------------------------------------------------------------------------


async def test_a_followup_has_no_bot_token_and_asks_for_its_message(sandbox: Sandbox) -> None:
    place = answered(sandbox)

    async with desk(sandbox) as served:
        sent = await served.call("interactions_create_followup", place, content="x", components=[BUTTON_ROW])

    (request,) = sandbox.requests
    path = f"/webhooks/{demo.APPLICATION}/{place['interaction_token']}"
    assert asked(sandbox) == [f"POST {path}?wait=true&with_components=true"]
    assert "authorization" not in request.request_headers
    assert sent.structured["message_id"] in sandbox.world.channels[demo.GENERAL].messages


async def test_nothing_follows_an_interaction_that_was_not_answered(sandbox: Sandbox) -> None:
    token = fresh(sandbox)["interaction_token"]

    async with desk(sandbox) as served:
        refused = await served.call(
            "interactions_create_followup", application_id=demo.APPLICATION, interaction_token=token, content="x"
        )

    assert refused.code == "DISCORD_NOT_FOUND"


async def test_only_what_is_given_changes_and_what_is_cleared_is_emptied(sandbox: Sandbox) -> None:
    place = original(sandbox, embeds=[{"type": "rich", "title": "x"}])

    async with desk(sandbox) as served:
        await served.call("interactions_edit_original_response", place, clear=["embeds"], content=None)
        shown = await served.call("interactions_get_original_response", place)

    assert bodies(sandbox) == [{"embeds": [], "allowed_mentions": EVERYONE}]
    assert (shown.structured["content"], shown.structured["embeds"]) == ("before", [])


async def test_a_deleted_answer_is_gone(sandbox: Sandbox) -> None:
    place = original(sandbox)

    async with desk(sandbox) as served:
        deleted = await served.call("interactions_delete_original_response", place, __confirm=True)
        gone = await served.call("interactions_get_original_response", place)

    assert deleted.structured == {"deleted": True}
    assert gone.code == "DISCORD_NOT_FOUND"
