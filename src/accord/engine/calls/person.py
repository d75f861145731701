"""A person decides: asked through the client, or in a terminal by whoever owns the state; never the caller."""

from __future__ import annotations

import hashlib
import secrets
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

import orjson

from accord.engine.calls.approvals import Binding
from accord.engine.errors import PayloadApprovalReplayedError, QuotaExceededError
from accord.engine.nouns import Call, Gate, Next, Question, Reply, State
from accord.engine.tools.fence import visible

__all__ = ["Decision", "Pending", "Pendings", "Person", "use_decision"]

Json: TypeAlias = Any
Decision: TypeAlias = Literal["approved", "denied"]

DECISION_SECONDS = 10 * 60
"""How long a question stands, and how long a decision is good."""

PREFIX = "person:"

HANDLE_BYTES = 6
"""A name that a person types. It is drawn, so that no caller can work towards one."""

MOST_PENDING = 64
"""How many questions one caller may put within a lifetime."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A call that waits for a person: who asked for what, until when, and what was decided by whom.

    `handle` is what the person names it by, and no more than a name; `binding` is the whole hash of what is decided.
    Times are in seconds since the epoch.
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

    @property
    def id(self) -> str:
        """What its caller knows it by."""
        return _id_of(self.binding)


class Pendings:
    """The calls that wait for a person, in the state, so that a terminal beside the server sees them."""

    def __init__(self, state: State, *, clock: Callable[[], float] = time.time) -> None:
        self._state = state
        self._clock = clock

    async def ask(self, call: Call, binding: Binding, shown: Mapping[str, Json]) -> Pending:
        """Put the question, once for one binding; until it is decided it shows what was said last.

        Raises:
            QuotaExceededError: As many questions of this caller wait as may.
        """
        known = await self.about(binding)
        if known is None:
            await self._count(call)
            now = self._clock()
            asked = Pending(
                handle=secrets.token_hex(HANDLE_BYTES),
                binding=_hash_of(binding),
                tool=call.tool.name,
                caller=call.caller.id,
                shown=shown,
                asked_at=now,
                expires_at=now + DECISION_SECONDS,
            )
        else:
            asked = replace(known, shown=shown) if known.decision is None else known
        if asked != known:
            await self._put(asked)
        return asked

    async def about(self, binding: Binding) -> Pending | None:
        """Return the question about exactly this; None where none stands."""
        held = await self._state.get(PREFIX + _hash_of(binding))
        found = None if held is None else _read(held)
        return None if found is None or found.expires_at <= self._clock() else found

    async def use(self, decided: Pending) -> bool:
        """Use a decision up; False where another call did, or another decision stands."""
        held = await self._state.take_once(PREFIX + decided.binding)
        return held is not None and _read(held) == decided

    async def find(self, name: str) -> Pending | None:
        """Return the question of this handle, or of this caller's id; None where there is none, or more than one."""
        found = [one for one in await self.all() if name in {one.handle, one.id}]
        return found[0] if len(found) == 1 else None

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
        await self._state.put(PREFIX + pending.binding, orjson.dumps(asdict(pending)), lifetime_seconds=left)


class Person:
    """Releases gated calls that a person approves: in a terminal, and through the client where that `may_ask`."""

    def __init__(self, pendings: Pendings, *, may_ask: bool = True) -> None:
        self._pendings = pendings
        self._may_ask = may_ask

    async def releases(self, call: Call, binding: Binding, shown: Mapping[str, Json]) -> bool:
        """Whether a person approved exactly this call; `use` takes what was approved in a terminal, once.

        What was decided is in the call's facts, for its record.

        Raises:
            InputRequired: The client has to ask its person first.
        """
        known = await self._pendings.about(binding)
        if known is not None and known.decision is not None:
            return await self._decided(call, known)
        if not self._may_ask:
            return False
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
        asked = await self._pendings.ask(call, binding, shown)
        call.facts["approval"] = {"event": "issued", "handle": asked.handle}
        return asked.id

    async def use(self, call: Call, following: Next) -> Reply:
        """Use up what was decided in a terminal.

        Raises:
            PayloadApprovalReplayedError: Another call used it in the meantime.
        """
        decided: Pending | None = call.facts.pop("decided", None)
        if decided is not None:
            if not await self._pendings.use(decided):
                call.facts["approval"] = {"event": "replayed", "handle": decided.handle}
                raise PayloadApprovalReplayedError(tool=call.tool.name, approval_id=decided.id)
            _noted(call, "used", _by(decided))
        return await following(call)

    async def _decided(self, call: Call, known: Pending) -> bool:
        if known.decision == "denied":
            await self._pendings.use(known)
            return _noted(call, "denied", _by(known))
        call.facts["decided"] = known
        call.facts["approval"] = {"event": "approved", "by": _by(known)}
        return True


def use_decision(person: Person | None) -> Gate:
    """Use a person's decision up where one released the call; without a person nothing is decided."""

    async def used(call: Call, following: Next) -> Reply:
        """Let the call through with its decision used up."""
        return await following(call)

    return used if person is None else person.use


def _by(decided: Pending) -> str:
    return f"{decided.decided_by}, in a terminal"


def _noted(call: Call, event: str, by: str) -> bool:
    call.facts["approval"] = {"event": event, "by": by}
    return event == "used"


def _question(call: Call, binding: Binding, shown: Mapping[str, Json]) -> Question:
    details = visible(orjson.dumps(shown, option=orjson.OPT_INDENT_2).decode())
    return Question(
        key=f"approve-{_hash_of(binding)}",  # one call may need two decisions
        message=f"{call.caller.id} wants to run {call.tool.name}:\n{details}",
        schema={
            "type": "object",
            "properties": {"approve": {"type": "boolean", "title": "Approve", "description": "true runs it, once"}},
            "required": ["approve"],
        },
    )


def _id_of(binding_hash: str) -> str:
    """Return the one id of a binding: asked again, the question is the same one."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, binding_hash))


def _hash_of(binding: Binding) -> str:
    return hashlib.sha256(orjson.dumps(asdict(binding), option=orjson.OPT_SORT_KEYS)).hexdigest()


def _read(held: bytes) -> Pending:
    return Pending(**orjson.loads(held))


def instant(seconds: float) -> str:
    """Return a moment in ISO 8601, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
