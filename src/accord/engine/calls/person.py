"""A person decides: asked through the client, or in a terminal by whoever owns the state; never the caller."""

from __future__ import annotations

import hashlib
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

import orjson

from accord.engine.calls.approvals import Binding
from accord.engine.errors import QuotaExceededError
from accord.engine.nouns import Call, Question, State
from accord.engine.tools.fence import visible

__all__ = ["Decision", "Pending", "Pendings", "Person"]

Json: TypeAlias = Any
Decision: TypeAlias = Literal["approved", "denied"]

DECISION_SECONDS = 10 * 60
"""How long a question stands, and how long a decision is good."""

PREFIX = "person:"

MOST_PENDING = 64
"""How many questions one caller may put within a lifetime."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A call that waits for a person: who asked for what, until when, and what was decided by whom.

    `handle` is what the person names it by; the caller's id of it leads there and cannot be read from it. Times are in
    seconds since the epoch.
    """

    handle: str
    binding: str
    tool: str
    caller: str
    shown: Mapping[str, Json]
    asked_at: float
    expires_at: float
    decision: Decision | None = None
    decided_by: str | None = None


class Pendings:
    """The calls that wait for a person, in the state, so that a terminal beside the server sees them."""

    def __init__(self, state: State, *, clock: Callable[[], float] = time.time) -> None:
        self._state = state
        self._clock = clock

    async def ask(self, call: Call, binding: Binding, shown: Mapping[str, Json]) -> str:
        """Put the question, once for one binding, and return the id that its caller may know it by.

        Raises:
            QuotaExceededError: As many questions of this caller wait as may.
        """
        approval_id = _id_of(binding)
        if await self.find(approval_id) is None:
            await self._count(call)
            now = self._clock()
            await self._put(
                Pending(
                    handle=handle_of(approval_id),
                    binding=_hash_of(binding),
                    tool=call.tool.name,
                    caller=call.caller.id,
                    shown=shown,
                    asked_at=now,
                    expires_at=now + DECISION_SECONDS,
                )
            )
        return approval_id

    async def take(self, binding: Binding) -> Pending | None:
        """Return what was decided about the binding and use it up; None while nothing was."""
        key = PREFIX + handle_of(_id_of(binding))
        held = await self._state.get(key)
        found = None if held is None else _read(held)
        if found is None or found.decision is None or found.expires_at <= self._clock():
            return None
        return found if await self._state.take_once(key) == held else None

    async def find(self, name: str) -> Pending | None:
        """Return the question of this handle, or of this caller's id; None where there is none."""
        for handle in (name, handle_of(name)):
            if held := await self._state.get(PREFIX + handle):
                return _read(held)
        return None

    async def all(self) -> list[Pending]:
        """Return every question that stands, the oldest first."""
        held = [await self._state.get(key) for key in await self._state.keys(PREFIX)]
        return sorted((_read(one) for one in held if one), key=lambda one: one.asked_at)

    async def decide(self, name: str, decision: Decision, *, by: str) -> Pending | None:
        """Decide a question; None where there is none, or where it was decided before."""
        found = await self.find(name)
        if found is None or found.decision is not None or found.expires_at <= self._clock():
            return None
        decided = replace(found, decision=decision, decided_by=by)
        await self._put(decided)
        return decided

    async def _count(self, call: Call) -> None:
        window = f"asks:{call.caller.id}"
        wait = await self._state.count_in_window(window, window_seconds=DECISION_SECONDS, limit=MOST_PENDING)
        if wait > 0:
            raise QuotaExceededError(
                tool=call.tool.name,
                quota=f"{MOST_PENDING} questions that wait for a person",
                retry_after_ms=int(wait * 1000) + 1,
                resets_at=instant(self._clock() + wait + 1),
            )

    async def _put(self, pending: Pending) -> None:
        left = pending.expires_at - self._clock()
        await self._state.put(PREFIX + pending.handle, orjson.dumps(asdict(pending)), lifetime_seconds=left)


class Person:
    """Releases gated calls that a person approves, through the client where it can ask one."""

    def __init__(self, pendings: Pendings) -> None:
        self._pendings = pendings

    async def releases(self, call: Call, binding: Binding, shown: Mapping[str, Json]) -> bool:
        """Whether a person approved exactly this call. What was decided is in the call's facts, for its record.

        Raises:
            InputRequired: The client has to ask its person first.
        """
        decided = await self._pendings.take(binding)
        if decided is not None:
            event = "used" if decided.decision == "approved" else "denied"
            return _noted(call, event, f"{decided.decided_by}, in a terminal")
        answer = await call.ask(_question(call, binding, shown))
        if answer.action == "accept" and answer.content.get("approve") is True:
            return _noted(call, "used", "a person, through the client")
        if answer.action != "unavailable":
            return _noted(call, "denied", "a person, through the client")
        return False

    async def wait_for(self, call: Call, binding: Binding, shown: Mapping[str, Json]) -> str | None:
        """Put the question where a terminal finds it, and return its id; None where a person just said no."""
        if call.facts.get("approval", {}).get("event") == "denied":
            return None
        approval_id = await self._pendings.ask(call, binding, shown)
        call.facts["approval"] = {"event": "issued", "handle": handle_of(approval_id)}
        return approval_id


def _noted(call: Call, event: str, by: str) -> bool:
    call.facts["approval"] = {"event": event, "by": by}
    return event == "used"


def _question(call: Call, binding: Binding, shown: Mapping[str, Json]) -> Question:
    details = visible(orjson.dumps(shown, option=orjson.OPT_INDENT_2).decode())
    return Question(
        key=f"approve-{handle_of(_id_of(binding))}",  # one call may need two decisions
        message=f"{call.caller.id} wants to run {call.tool.name}:\n{details}",
        schema={
            "type": "object",
            "properties": {"approve": {"type": "boolean", "title": "Approve", "description": "true runs it, once"}},
            "required": ["approve"],
        },
    )


def handle_of(approval_id: str) -> str:
    """Return the handle that an id leads to."""
    return hashlib.sha256(approval_id.encode(errors="surrogatepass")).hexdigest()[:12]


def _id_of(binding: Binding) -> str:
    """Return the one id of a binding: asked again, the question is the same one."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, _hash_of(binding)))


def _hash_of(binding: Binding) -> str:
    return hashlib.sha256(orjson.dumps(asdict(binding), option=orjson.OPT_SORT_KEYS)).hexdigest()


def _read(held: bytes) -> Pending:
    return Pending(**orjson.loads(held))


def instant(seconds: float) -> str:
    """Return a moment in ISO 8601, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
