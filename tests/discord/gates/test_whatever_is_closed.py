"""Whatever gates are closed together, and whatever Discord answers: a refused call writes and uses up nothing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.discord.tools.usual.calling import MISSING
from tests.discord.tools.usual_calls import WRITES, example
from tests.served import Called, Desk, approval_of, desk

from accord.discord.gates import PAYLOAD_TOOLS
from accord.discord.sandbox import Sandbox
from accord.engine import State, open_state

CLOSED: Mapping[str, Mapping[str, str]] = {
    "the categories": {"MCP_CATEGORIES": "polls"},
    "the write mode": {"MCP_WRITE_MODE": "preview"},
    "a dry run": {"MCP_DRY_RUN": "true"},
    "the guilds": {"ALLOWED_GUILDS": MISSING},
    "the bot's access": {"MCP_ACCESS_MODE": "enforce"},
    "the recipient's consent": {"MCP_DM_CONSENT_MODE": "require"},
    "a person": {"MCP_APPROVAL_MODE": "person"},
    "the record": {"MCP_AUDIT_SINK": "file", "MCP_AUDIT_REQUIRED": "true"},  # in a file that is a folder
}

FAULTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "none": ("no_limit_headers", {}),
    "401": ("unauthorized", {}),
    "403": ("status", {"status": 403, "code": 50013, "message": "Missing Permissions"}),
    "404": ("status", {"status": 404, "code": 10003, "message": "Unknown Channel"}),
    "429": ("rate_limited", {"retry_after": 3600}),
    "500": ("status", {"status": 500}),
    "a lost answer": ("drop", {}),
    "half an answer": ("malformed_json", {}),
}

REFUSALS = frozenset(
    {
        "AUDIT_UNAVAILABLE", "BOT_SCOPE_UNRESOLVED", "DM_CONSENT_REJECTED", "DM_CONSENT_REQUIRED", "DRY_RUN_PREVIEW",
        "GUILD_NOT_ALLOWED", "GUILD_SCOPE_UNRESOLVED", "PAYLOAD_CONFIRMATION_APPROVAL_EXPIRED",
        "PAYLOAD_CONFIRMATION_APPROVAL_MISMATCH", "PAYLOAD_CONFIRMATION_APPROVAL_MISSING",
        "PAYLOAD_CONFIRMATION_APPROVAL_REPLAYED", "PAYLOAD_CONFIRMATION_MISMATCH", "PAYLOAD_CONFIRMATION_REQUIRED",
        "QUOTA_EXCEEDED", "RUNTIME_ACCESS_DENIED", "RUNTIME_ACCESS_UNKNOWN", "SCOPE_REJECTED", "WRITE_PREVIEW",
    }
)  # fmt: skip
"""The codes of gates; each says that no action was taken."""

ISSUING = frozenset({"DM_CONSENT_REQUIRED", "PAYLOAD_CONFIRMATION_MISMATCH", "PAYLOAD_CONFIRMATION_REQUIRED"})

CASES = st.fixed_dictionaries(
    {
        "tool": st.sampled_from(WRITES) | st.sampled_from([*sorted(PAYLOAD_TOOLS), "users_create_dm"]),
        "closed": st.sampled_from(sorted(CLOSED)).map(lambda gate: {gate}) | st.sets(st.sampled_from(sorted(CLOSED))),
        "fault": st.sampled_from(sorted(FAULTS)),
        "confirmed": st.sampled_from([True, True, False]),
        "valid": st.sampled_from([True, True, True, False]),
    }
)


@settings(max_examples=200, suppress_health_check=list(HealthCheck))
@given(case=CASES)
async def test_a_refused_call_writes_nothing_and_neither_issues_nor_uses_an_approval(case: Mapping[str, Any]) -> None:
    state = open_state("sqlite://")
    async with Sandbox.start(limits=False) as sandbox:
        told, writes, before, after = await made(sandbox, state, **case)
    await state.close()

    new, used = (
        {key for key in after - before if key.startswith(prefix)} for prefix in ("approval:", "approval-used:")
    )
    if was_refused(told):
        assert writes == []
        assert used == set()
    if told.code not in ISSUING:
        assert new == set()
    if told.structured.get("approval") != "person":
        assert not any(key.startswith("person:") for key in after)


async def made(
    sandbox: Sandbox, state: State, *, tool: str, closed: set[str], fault: str, confirmed: bool, valid: bool
) -> tuple[Called, list[str], set[str], set[str]]:
    """Make one call; return its answer, the writes that it made, and what approvals there were before and after."""
    arguments = example(sandbox, tool)
    async with desk(sandbox, state=state, approves=False) as open_one:
        arguments |= await approval_for(open_one, tool, arguments)
    arguments = arguments if valid else arguments | {"no_argument_of_it": 1}
    kind, options = FAULTS[fault]
    with TemporaryDirectory() as folder:
        variables = {name: value for gate in sorted(closed) for name, value in CLOSED[gate].items()}
        env: Any = {"MCP_RETRY_ENABLED": "false", "MCP_AUDIT_FILE": str(Path(folder)), **variables}
        async with desk(sandbox, state=state, approves=False, **env) as served:
            sandbox.fail("*", kind, times=None, **options)
            known, asked = await approvals_in(state), len(served.writes)
            told = await served.call(tool, arguments | ({"__confirm": True} if confirmed else {}))
            return told, served.writes[asked:], known, await approvals_in(state)


async def approval_for(served: Desk, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return an approval that is good, where the tool takes one; the blocked call brings it along."""
    if tool not in PAYLOAD_TOOLS:
        return {}
    return approval_of((await served.call(tool, arguments)).structured)


async def approvals_in(state: State) -> set[str]:
    return {key for prefix in ("approval:", "approval-used:", "person:") for key in await state.keys(prefix)}


def was_refused(told: Called) -> bool:
    """Whether a gate answered, and neither Discord nor the tool."""
    by_arguments = told.code == "VALIDATION_FAILED" and any(
        issue["code"] == "unrecognized_key" for issue in told.structured["issues"]
    )
    return told.code in REFUSALS or by_arguments


@pytest.mark.parametrize(
    ("gate", "tool", "code"),
    [
        ("the categories", "messages_send", "SCOPE_REJECTED"),
        ("the write mode", "messages_send", "WRITE_PREVIEW"),
        ("a dry run", "messages_delete", "DRY_RUN_PREVIEW"),
        ("the guilds", "messages_send", "GUILD_NOT_ALLOWED"),
        ("the bot's access", "messages_send", "RUNTIME_ACCESS_UNKNOWN"),
        ("the recipient's consent", "users_create_dm", "DM_CONSENT_REQUIRED"),
        ("a person", "messages_delete", "DRY_RUN_PREVIEW"),
        ("the record", "messages_send", "AUDIT_UNAVAILABLE"),
    ],
)
async def test_each_of_these_gates_is_closed(gate: str, tool: str, code: str) -> None:
    state = open_state("sqlite://")
    fault = "500" if code == "RUNTIME_ACCESS_UNKNOWN" else "none"
    async with Sandbox.start(limits=False) as sandbox:
        told, writes, *_ = await made(sandbox, state, tool=tool, closed={gate}, fault=fault, confirmed=True, valid=True)
    await state.close()

    assert (told.code, writes) == (code, [])
