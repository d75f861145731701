"""Each code of the contract's page of errors, met by a real client on a real server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import orjson
import pytest
from tests.clock import Clock
from tests.discord.rest.contract import CONTRACT_CODES
from tests.served import Called, Desk, approval_of, desk

from accord.discord.sandbox import Sandbox, demo
from accord.discord.sandbox.world import Overwrite

Scenario: TypeAlias = Callable[[Sandbox], Awaitable[Called]]

GET = "channels_get"
GENERAL: Mapping[str, Any] = MappingProxyType({"channel_id": demo.GENERAL})
MESSAGE: Mapping[str, Any] = MappingProxyType({**GENERAL, "content": "Good evening."})
LAYOUT: Mapping[str, Any] = MappingProxyType({**GENERAL, "components": [{"type": 10, "content": "## Lanterns"}]})
LENA: Mapping[str, Any] = MappingProxyType({"recipient_id": demo.LENA})
NOT_YET = frozenset({"EXTERNAL_SERVICE_UNAVAILABLE", "TOOL_NOT_AVAILABLE", "DISPATCH_MODE_MISMATCH", "CATALOG_ONLY"})
"""Codes of the contract that its page of errors does not list."""

WEEK_SECONDS = 7 * 24 * 60 * 60.0


async def one(
    sandbox: Sandbox, tool: str, arguments: Mapping[str, Any], /, *, approves: bool = True, **environment: Any
) -> Called:
    """Make one call on a server with this environment."""
    async with desk(sandbox, approves=approves, **environment) as served:
        return await served.call(tool, arguments)


def answered(fault: str, tool: str = GET, arguments: Mapping[str, Any] = GENERAL, **options: Any) -> Scenario:
    """A call of which Discord answers every request with one fault."""

    async def scenario(sandbox: Sandbox) -> Called:
        sandbox.fail("*", fault, times=None, **options)
        return await one(sandbox, tool, arguments, MCP_RETRY_ENABLED="false")

    return scenario


def refused(tool: str, arguments: Mapping[str, Any], /, **environment: str | None) -> Scenario:
    """A call that a gate of this environment refuses."""

    async def scenario(sandbox: Sandbox) -> Called:
        return await one(sandbox, tool, arguments, approves=False, **environment)

    return scenario


async def denied(sandbox: Sandbox) -> Called:
    sandbox.world.channels[demo.GENERAL].overwrites[demo.BOT] = Overwrite(demo.BOT, 1, deny=1 << 11)  # SEND_MESSAGES
    return await one(sandbox, "messages_send", MESSAGE, MCP_ACCESS_MODE="enforce")


async def not_found_out(sandbox: Sandbox) -> Called:
    sandbox.fail("GET /guilds/{guild.id}", "status", status=500, times=None)
    return await one(sandbox, "messages_send", MESSAGE, MCP_ACCESS_MODE="enforce", MCP_RETRY_ENABLED="false")


async def circuit_open(sandbox: Sandbox) -> Called:
    sandbox.fail("*", "status", status=500, times=None)
    async with desk(sandbox, MCP_RETRY_ENABLED="false", MCP_CIRCUIT_FAILURE_THRESHOLD="3") as served:
        for _ in range(3):
            await served.call(GET, GENERAL)
        return await served.call(GET, GENERAL)


async def bulkhead_full(sandbox: Sandbox) -> Called:
    sandbox.fail("GET /channels/{channel.id}", "delay", seconds=3)
    async with desk(sandbox, MCP_BULKHEAD_LIMIT="1") as served:
        first = asyncio.create_task(served.call(GET, GENERAL))
        while sandbox._faults._waiting:  # noqa: ASYNC110 - until the first one is met by its fault, and holds the wire
            await asyncio.sleep(0.01)
        served.built.calls._seconds = 0.5  # within which the one place on the wire does not get free
        second = await served.call("guild_get", guild_id=demo.GUILD)
        await first
    return second


async def lost_message(sandbox: Sandbox) -> Called:
    sandbox.fail("POST /users/@me/channels", "drop", after=True, times=None)
    return await one(sandbox, "users_create_dm", LENA, MCP_RETRY_ENABLED="false")


async def rejected(sandbox: Sandbox) -> Called:
    forged = {"__consent": True, "__consent_hash": "a" * 64, "__consent_id": "00000000-0000-4000-8000-000000000000"}
    return await one(sandbox, "users_create_dm", {**LENA, **forged}, MCP_DM_CONSENT_MODE="require")


def approved(use: Callable[[Desk, dict[str, Any], Clock], Awaitable[Called]]) -> Scenario:
    """A layout that was shown and is approved, and what is then done with the approval."""

    async def scenario(sandbox: Sandbox) -> Called:
        clock = Clock()
        async with desk(sandbox, approves=False, clock=clock) as served:
            preview = await served.call("components_v2_send", LAYOUT)
            return await use(served, approval_of(preview.structured), clock)

    return scenario


async def _changed(served: Desk, approval: dict[str, Any], _clock: Clock) -> Called:
    other = [{"type": 10, "content": "## Candles"}]
    return await served.call("components_v2_send", {**LAYOUT, "components": other, **approval})


async def _unknown(served: Desk, approval: dict[str, Any], _clock: Clock) -> Called:
    nobodys = {"__confirm_id": "00000000-0000-4000-8000-000000000000"}
    return await served.call("components_v2_send", {**LAYOUT, **approval, **nobodys})


async def _late(served: Desk, approval: dict[str, Any], clock: Clock) -> Called:
    clock.now += WEEK_SECONDS
    return await served.call("components_v2_send", {**LAYOUT, **approval})


async def _twice(served: Desk, approval: dict[str, Any], _clock: Clock) -> Called:
    await served.call("components_v2_send", {**LAYOUT, **approval})
    return await served.call("components_v2_send", {**LAYOUT, **approval})


async def _elsewhere(served: Desk, approval: dict[str, Any], _clock: Clock) -> Called:
    other = [{"type": 10, "content": "## Candles"}]
    shown = await served.call("components_v2_send", {**LAYOUT, "components": other})
    mixed = {**approval_of(shown.structured), "__confirm_id": approval["__confirm_id"]}
    return await served.call("components_v2_send", {**LAYOUT, "components": other, **mixed})


SCENARIOS: Mapping[str, Scenario] = {
    "DISCORD_PERMISSION_DENIED": answered("status", status=403, code=50001),
    "DISCORD_RATE_LIMITED": answered("rate_limited", retry_after=600),
    "DISCORD_NOT_FOUND": answered("status", status=404, code=10003),
    "VALIDATION_FAILED": refused(GET, {"channel_id": "no id"}),
    "DISCORD_AUTH_INVALID": answered("status", status=401),
    "DISCORD_CLOUDFLARE_BLOCKED": answered("cloudflare_1015"),
    "SCOPE_REJECTED": refused(GET, GENERAL, MCP_CATEGORIES="messages"),
    "GUILD_NOT_ALLOWED": refused("guild_get", {"guild_id": "1199999999999999998"}, ALLOWED_GUILDS=demo.GUILD),
    "GUILD_SCOPE_UNRESOLVED": refused("entitlements_list", {}, ALLOWED_GUILDS=demo.GUILD),
    "BOT_SCOPE_UNRESOLVED": refused(
        "application_modify_current", {"description": "x"}, DISCORD_EXPECTED_BOT_ID=None, MCP_CONFIRM_EXTRA="false"
    ),
    "RUNTIME_ACCESS_DENIED": denied,
    "RUNTIME_ACCESS_UNKNOWN": not_found_out,
    "DRY_RUN_PREVIEW": refused("channels_delete", GENERAL, MCP_DRY_RUN="true"),
    "WRITE_PREVIEW": refused("messages_send", MESSAGE, MCP_WRITE_MODE="preview"),
    "DM_CONSENT_REQUIRED": refused("users_create_dm", LENA, MCP_DM_CONSENT_MODE="require"),
    "DM_CONSENT_REJECTED": rejected,
    "DM_OUTCOME_UNKNOWN": lost_message,
    "PAYLOAD_CONFIRMATION_REQUIRED": refused("components_v2_send", LAYOUT),
    "PAYLOAD_CONFIRMATION_MISMATCH": approved(_changed),
    "PAYLOAD_CONFIRMATION_APPROVAL_MISSING": approved(_unknown),
    "PAYLOAD_CONFIRMATION_APPROVAL_EXPIRED": approved(_late),
    "PAYLOAD_CONFIRMATION_APPROVAL_REPLAYED": approved(_twice),
    "PAYLOAD_CONFIRMATION_APPROVAL_MISMATCH": approved(_elsewhere),
    "DISCORD_SERVER_ERROR": answered("status", status=500),
    "CIRCUIT_OPEN": circuit_open,
    "BULKHEAD_FULL": bulkhead_full,
    "INTERNAL_ERROR": answered("malformed_json"),
}
"""How a client meets each; a cancelled request gets no answer, so that one is told by the record alone."""


def test_every_code_of_the_page_has_a_scenario() -> None:
    assert SCENARIOS.keys() == CONTRACT_CODES - NOT_YET - {"CANCELLED"}


@pytest.mark.usefixtures("answers_of_the_future")  # one of them is no JSON
@pytest.mark.parametrize("code", SCENARIOS)
async def test_a_client_meets_it_with_its_four_fields(sandbox: Sandbox, code: str) -> None:
    met = await SCENARIOS[code](sandbox)

    assert met.code == code
    assert met.failed
    assert {"code", "retriable", "category", "recovery_hint"} <= met.structured.keys()
    assert met.text


async def test_a_cancelled_call_is_on_record_and_gets_no_answer(tmp_path: Path) -> None:
    limited = asyncio.Event()
    record = tmp_path / "audit.jsonl"
    recorded: dict[str, Any] = {"MCP_AUDIT_SINK": "file", "MCP_AUDIT_FILE": str(record)}

    async with Sandbox.start(on_exchange=lambda _: limited.set()) as sandbox, desk(sandbox, **recorded) as served:
        sandbox.fail("*", "rate_limited", retry_after=0.3)
        call = asyncio.create_task(served.call("messages_send", MESSAGE))
        await limited.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await served.call("messages_send", MESSAGE)  # by when the first is on record

    codes = [orjson.loads(line).get("result_code") for line in record.read_bytes().splitlines()]
    assert "CANCELLED" in codes
