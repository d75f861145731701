"""messages_delete: gone for good, with a reason in the audit log, and only after a confirmation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.discord.tools.asked import asked, only
from tests.served import desk

from accord.discord.sandbox import demo
from accord.discord.sandbox import permissions as may

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox

MISSING = "1199999999999999999"


def target(sandbox: Sandbox) -> dict[str, str]:
    """The arguments that name a message of somebody else's."""
    message = demo.message_with(sandbox.world, demo.GENERAL, "SYSTEM")
    return {"channel_id": demo.GENERAL, "message_id": message.id}


async def test_a_confirmed_message_is_deleted(sandbox: Sandbox) -> None:
    message = target(sandbox)

    async with desk(sandbox) as served:
        deleted = await served.call("messages_delete", {**message, "__confirm": True})

    assert deleted.structured == {"deleted": True, **message}
    assert deleted.text.startswith(f"Deleted message {message['message_id']} from <#{demo.GENERAL}>.\n")
    assert asked(sandbox) == [f"DELETE /channels/{demo.GENERAL}/messages/{message['message_id']}"]
    assert message["message_id"] not in sandbox.world.channels[demo.GENERAL].messages


@pytest.mark.parametrize("reason", ["Tried to give orders", "Störung, 100 % sicher\n🐟"])
async def test_a_reason_reaches_the_audit_log_letter_by_letter(sandbox: Sandbox, reason: str) -> None:
    async with desk(sandbox) as served:
        await served.call("messages_delete", {**target(sandbox), "audit_reason": reason, "__confirm": True})

    assert sandbox.world.guilds[demo.GUILD].audit[-1].reason == reason


async def test_without_a_reason_no_header_is_sent(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        await served.call("messages_delete", {**target(sandbox), "__confirm": True})

    sent = only(sandbox, "DELETE")
    assert "x-audit-log-reason" not in sent.request_headers
    assert sent.request_body == b""


@pytest.mark.parametrize("confirmation", [{}, {"__confirm": False}, {"__confirm": None}], ids=["none", "no", "null"])
async def test_an_unconfirmed_deletion_is_shown_in_full_and_not_done(
    sandbox: Sandbox, confirmation: dict[str, Any]
) -> None:
    message = target(sandbox)

    async with desk(sandbox) as served:
        shown = await served.call("messages_delete", {**message, "audit_reason": "spam", **confirmation})

    assert shown.code == "DRY_RUN_PREVIEW"
    assert shown.structured["preview"].items() >= {**message, "audit_reason": "spam"}.items()
    assert "No action was taken" in shown.text
    assert served.writes == []


@pytest.mark.parametrize("confirmation", ["true", 1, "yes", [True]])
async def test_a_confirmation_that_is_no_boolean_is_refused(sandbox: Sandbox, confirmation: object) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("messages_delete", {**target(sandbox), "__confirm": confirmation})

    assert refused.code == "VALIDATION_FAILED"
    assert [one["path"] for one in refused.structured["issues"]] == ["__confirm"]
    assert asked(sandbox) == []


async def test_a_message_that_is_gone_is_not_found(sandbox: Sandbox) -> None:
    async with desk(sandbox) as served:
        deleted = await served.call(
            "messages_delete", {"channel_id": demo.GENERAL, "message_id": MISSING, "__confirm": True}
        )

    assert deleted.code == "DISCORD_NOT_FOUND"


async def test_others_messages_need_a_permission_that_is_told(sandbox: Sandbox) -> None:
    sandbox.world.guilds[demo.GUILD].roles[demo.BOT_ROLE].permissions &= ~may.MANAGE_MESSAGES
    message = target(sandbox)

    async with desk(sandbox) as served:
        deleted = await served.call("messages_delete", {**message, "__confirm": True})

    assert deleted.code == "DISCORD_PERMISSION_DENIED"
    assert message["message_id"] in sandbox.world.channels[demo.GENERAL].messages


@pytest.mark.parametrize("reason", ["", "x" * 513])
async def test_a_reason_has_1_to_512_characters(sandbox: Sandbox, reason: str) -> None:
    async with desk(sandbox) as served:
        refused = await served.call("messages_delete", {**target(sandbox), "audit_reason": reason, "__confirm": True})

    assert [one["path"] for one in refused.structured["issues"]] == ["audit_reason"]
    assert asked(sandbox) == []
