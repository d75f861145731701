"""Whether the bot may do what a call asks for, found out before it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

from accord.discord.access import access_of
from accord.discord.evidence import Evidence, Unproven
from accord.discord.gates.judging import judged
from accord.discord.gates.scene import Scene
from accord.discord.permissions.verdicts import Verdict
from accord.discord.rest.client import Discord
from accord.discord.rest.errors import RuntimeAccessDeniedError, RuntimeAccessUnknownError
from accord.engine import Call, Gate, Next, Reply, logger

__all__ = ["AccessMode", "runtime_access"]

AccessMode: TypeAlias = Literal["advisory", "warn", "enforce"]

_log = logger("accord.access")


def runtime_access(
    mode: AccessMode,
    evidence: Evidence | None = None,
    *,
    expected_bot_id: str | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Gate:
    """Hold calls that use the bot's token against its permissions, privileged intents and rank, by GETs alone.

    Args:
        mode: `advisory` asks nothing and does nothing; `warn` logs what stands in the way; `enforce` refuses it.
        evidence: What was read for all calls of this bot.
        expected_bot_id: The one bot whose token is accepted.
        now: Against what time-outs are held.
    """
    known = evidence or Evidence()

    async def access(call: Call, following: Next) -> Reply:
        """Judge the call, and forget what was known on both sides of a write."""
        if mode == "advisory":
            return await following(call)
        if is_gated(call):
            verdict = await _verdict(call, known, expected_bot_id, now())
            call.facts["access"] = _facts_of(verdict)
            if verdict.outcome != "allowed":
                _stop(call, verdict) if mode == "enforce" else _warn(call, verdict)
        return await (_writing(call, following, known) if call.tool.effect.writes else following(call))

    return access


def is_gated(call: Call) -> bool:
    """Whether the bot's own rights decide: not for local tools, nor where the route or the call brings a token."""
    tool, auth = call.tool, access_of(call.tool).auth
    if not tool.open_world or tool.category == "meta":  # whose inner calls come here themselves
        return False
    bot_stands_in = auth == "opaque" and bool(access_of(tool).when) and call.arguments.get("token") is None
    return auth == "bot" or bot_stands_in


async def _writing(call: Call, following: Next, known: Evidence) -> Reply:
    known.forget()
    try:
        return await following(call)
    finally:
        known.forget()


async def _verdict(call: Call, known: Evidence, expected: str | None, now: datetime) -> Verdict:
    if "access" not in call.tool.facts:
        return Verdict(unproven="the tool does not say what it needs")
    if not isinstance(call.client, Discord):
        return Verdict(unproven="there is no client for Discord")
    discord = known.reading(call.client)
    try:
        me = (await known.identity(discord))["id"]
    except Unproven as gap:
        return Verdict(unproven=str(gap))
    if expected is not None and me != expected:
        return Verdict(foreign=True, hierarchy="unknown")
    return await judged(Scene(call, known, discord, me, now))


def _facts_of(verdict: Verdict) -> dict[str, Any]:
    facts = {
        "outcome": verdict.outcome,
        "missing_permissions": list(verdict.missing_permissions),
        "missing_intents": list(verdict.missing_intents),
        "hierarchy": verdict.hierarchy,
    }
    return facts | ({"reason": verdict.unproven} if verdict.unproven else {})


def _warn(call: Call, verdict: Verdict) -> None:
    _log.warning("the bot lacks access", tool=call.tool.name, id=call.id, **_facts_of(verdict))


def _stop(call: Call, verdict: Verdict) -> None:
    """Refuse the call.

    Raises:
        RuntimeAccessDeniedError: Something is missing.
        RuntimeAccessUnknownError: Something could not be found out.
    """
    if verdict.outcome == "unknown":
        raise RuntimeAccessUnknownError(tool=call.tool.name, reason=verdict.unproven or "the hierarchy is not known")
    raise RuntimeAccessDeniedError(
        tool=call.tool.name,
        missing_permissions=list(verdict.missing_permissions),
        missing_intents=list(verdict.missing_intents),
        hierarchy=verdict.hierarchy,
    )
