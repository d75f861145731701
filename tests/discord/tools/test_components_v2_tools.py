"""components_v2: what is sent for a layout, what is refused before, and what an edit leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest
from tests.discord.tools.asked import asked, bodies, only
from tests.discord.tools.usual.calling import own_message
from tests.discord.tools.usual_calls import example
from tests.served import desk

from accord.discord.sandbox import demo

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

LOUD: dict[str, Any] = {"type": 10, "content": f"@everyone <@{demo.THEO}>"}
SILENT: dict[str, Any] = {"parse": [], "replied_user": False}
FILE: dict[str, Any] = {"type": 17, "components": [{"type": 13, "file": {"url": "attachment://log.txt"}}]}
PREMIUM: dict[str, Any] = {"type": 1, "components": [{"type": 2, "style": 6, "sku_id": demo.GUILD}]}


async def test_a_layout_goes_out_whole_and_pings_nobody(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        sent = await served.call("components_v2_send", channel_id=demo.GENERAL, components=[LOUD, PREMIUM])

    (body,) = bodies(sandbox)
    del body["nonce"]
    assert body == {
        "components": [LOUD, PREMIUM],
        "flags": 32768,
        "allowed_mentions": SILENT,
        "enforce_nonce": True,
    }
    stored = sandbox.world.channels[demo.GENERAL].messages[sent.structured["message_id"]]
    assert [one["type"] for one in stored.components] == [10, 1]
    assert sent.structured["component_count"] == 2
    assert sent.structured["pinged"] == {"everyone": False, "users": [], "roles": []}


async def test_a_layout_takes_what_other_messages_take(sandbox: Sandbox) -> None:
    answered = demo.message_with(sandbox.world, demo.GENERAL, "Six works")
    more = {
        "reply_to": answered.id,
        "nonce": "mine",
        "flags": 4096,
        "allowed_mentions": {"users": [demo.THEO]},
        "files": [{"text": "all is well", "filename": "log.txt"}],
    }

    async with desk(sandbox) as served:
        sent = await served.call("components_v2_send", channel_id=demo.GENERAL, components=[LOUD, FILE], **more)

    assert (sent.structured["reply_to"], sent.structured["nonce"]) == (answered.id, "mine")
    assert sent.structured["pinged"]["users"] == [demo.THEO]
    stored = sandbox.world.channels[demo.GENERAL].messages[sent.structured["message_id"]]
    assert stored.flags == 32768 | 4096
    assert stored.components[1]["components"][0]["file"]["url"] == stored.attachments[0]["url"]


@pytest.mark.parametrize("tool", ["components_v2_send", "components_v2_edit"])
async def test_a_layout_with_a_fault_is_refused_before_anything_is_asked(sandbox: Sandbox, tool: str) -> None:
    wrong = [{"type": 10, "content": "x", "color": 1}, {"type": 11, "media": {"url": "https://x.example"}}]

    async with desk(sandbox) as served:
        refused = await served.call(tool, example(sandbox, tool) | {"components": wrong})

    assert refused.code == "VALIDATION_FAILED"
    assert [(issue["path"], issue["code"]) for issue in refused.structured["issues"]] == [
        ("components[0].color", "SCHEMA_UNRECOGNIZED_KEY"),
        ("components[1]", "THUMBNAIL_STANDALONE"),
    ]
    assert asked(sandbox) == []


async def test_a_file_that_is_shown_and_not_sent_is_refused(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("components_v2_send", channel_id=demo.GENERAL, components=[FILE])

    assert [issue["code"] for issue in refused.structured["issues"]] == ["FILE_NOT_SENT"]
    assert asked(sandbox) == []


async def test_a_plain_message_that_is_laid_out_loses_its_text_and_embeds(sandbox: Sandbox) -> None:
    own = own_message(sandbox, embeds=[{"type": "rich", "title": "x"}])

    async with desk(sandbox) as served:
        edited = await served.call("components_v2_edit", own, components=[LOUD])
        again = await served.call("components_v2_edit", own, components=[LOUD])

    assert bodies(sandbox)[0] == {
        "content": "",
        "embeds": [],
        "components": [LOUD],
        "flags": 32768,
        "allowed_mentions": SILENT,
    }
    stored = sandbox.world.channels[demo.GENERAL].messages[own["message_id"]]
    assert (stored.content, stored.embeds, stored.flags) == ("", [], 32768)
    assert (stored.mentions, stored.mention_everyone) == ([], False)
    assert edited.structured["changed"] == ["components"]
    assert not again.failed


async def test_an_edit_with_files_says_which_stay(sandbox: Sandbox) -> None:
    kept = {"id": "1196726786458015990", "filename": "a.txt", "size": 1, "url": "https://x.example", "proxy_url": "x"}
    gone = {**kept, "id": "1196726786458015991"}
    own = own_message(sandbox, attachments=[kept, gone])
    new = {"components": [FILE], "files": [{"text": "x", "filename": "log.txt"}]}

    async with desk(sandbox) as served:
        edited = await served.call("components_v2_edit", own, **new, attachments=[{"id": kept["id"]}])

    stored = sandbox.world.channels[demo.GENERAL].messages[own["message_id"]]
    assert [one["filename"] for one in stored.attachments] == ["a.txt", "log.txt"]
    assert edited.structured["changed"] == ["attachments", "components"]


async def test_an_edit_cannot_show_a_file_that_the_message_does_not_have(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("components_v2_edit", own_message(sandbox), components=[FILE])

    assert refused.failed
    assert [issue["path"] for issue in refused.structured["issues"]] == ["components"]


async def test_a_template_goes_out_filled_in(sandbox: Sandbox) -> None:
    news = example(sandbox, "components_v2_send_from_template")

    async with desk(sandbox) as served:
        sent = await served.call("components_v2_send_from_template", news)

    body = orjson.loads(only(sandbox, "POST").request_body)
    texts = [part["content"] for part in body["components"][0]["components"] if part["type"] == 10]
    assert texts == ["## Lanterns", "Six works."]
    assert (body["flags"], body["allowed_mentions"]) == (32768, SILENT)
    assert sent.structured["template"] == "announcement"


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ({"title": "x", "body": "x", "cta_label": "x"}, "vars.cta_url"),
        ({"title": "x", "body": "x", "cta_label": "x", "cta_url": "https://x.example", "footer": "x"}, "vars.footer"),
        ({"title": 1, "body": "x", "cta_label": "x", "cta_url": "https://x.example"}, "vars.title"),
        ({"title": "x", "body": "x" * 4001, "cta_label": "x", "cta_url": "https://x.example"}, "vars.body"),
    ],
)
async def test_a_template_with_a_wrong_variable_is_not_sent(
    sandbox: Sandbox, values: dict[str, Any], path: str
) -> None:
    async with desk(sandbox) as served:
        refused = await served.call(
            "components_v2_send_from_template", channel_id=demo.GENERAL, template="announcement", vars=values
        )

    assert refused.code == "VALIDATION_FAILED"
    assert path in {issue["path"] for issue in refused.structured["issues"]}
    assert asked(sandbox) == []


@pytest.mark.parametrize(
    ("tool", "given", "component"),
    [
        (
            "build_container",
            {"components": [{**LOUD, "id": None}] * 40, "accent_color": "blurple"},
            {"type": 17, "accent_color": 0x5865F2, "components": [LOUD] * 40},
        ),
        (
            "build_section",
            {"text": ["a", "b"], "accessory": PREMIUM["components"][0]},
            {
                "type": 9,
                "components": [{"type": 10, "content": "a"}, {"type": 10, "content": "b"}],
                "accessory": PREMIUM["components"][0],
            },
        ),
        (
            "build_media_gallery",
            {"items": [{"url": "attachment://a.png", "description": "a map", "spoiler": True}]},
            {
                "type": 12,
                "items": [{"media": {"url": "attachment://a.png"}, "description": "a map", "spoiler": True}],
            },
        ),
    ],
)
async def test_a_built_component_is_ready_to_be_sent(
    sandbox: Sandbox, tool: str, given: dict[str, Any], component: dict[str, Any]
) -> None:
    async with desk(sandbox) as served:
        built = await served.call(f"components_v2_{tool}", given)

    assert built.structured == {"component": component}


@pytest.mark.parametrize(
    ("tool", "given", "path"),
    [
        ("build_container", {"components": [{"type": 17, "components": [LOUD]}]}, "components[0]"),
        ("build_section", {"text": ["x"], "accessory": {"type": 2, "style": 1, "label": "x"}}, "accessory"),
        ("build_section", {"text": ["x" * 3000] * 2, "accessory": PREMIUM["components"][0]}, "text"),
        ("build_media_gallery", {"items": [{"url": "x"}]}, "items[0].url"),
    ],
)
async def test_what_could_not_be_sent_is_not_built(
    sandbox: Sandbox, tool: str, given: dict[str, Any], path: str
) -> None:
    async with desk(sandbox) as served:
        refused = await served.call(f"components_v2_{tool}", given)

    assert refused.code == "VALIDATION_FAILED"
    assert [issue["path"] for issue in refused.structured["issues"]] == [path]


async def test_a_check_tells_faults_as_a_result(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        right = await served.call("components_v2_validate", components=[FILE, PREMIUM])
        wrong = await served.call("components_v2_validate", components=[{"type": 99}] * 41)

    assert right.structured == {"valid": True, "issues": [], "component_count": 4}
    assert not wrong.failed
    assert {one["code"] for one in wrong.structured["issues"]} == {"UNKNOWN_TYPE", "OVER_40"}
    assert all(one.keys() == {"code", "path", "message", "fix"} for one in wrong.structured["issues"])
