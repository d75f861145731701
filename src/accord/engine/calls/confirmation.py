"""The confirmation of gated calls: by their caller, after a preview, or by a person apart from it."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

import orjson

from accord.engine.calls.approvals import Binding
from accord.engine.calls.person import Person
from accord.engine.errors import DryRunPreview
from accord.engine.nouns import Call, Gate, Next, Reply
from accord.engine.tools.check import as_sent

__all__ = ["Preview", "binding_of", "confirm", "is_gated", "why_gated"]

Json: TypeAlias = Any
Preview: TypeAlias = Callable[[Call], Awaitable[Mapping[str, Json]]]
"""What a call would do, for whoever confirms it; it may read, and writes nothing."""
Bound: TypeAlias = Callable[[Call], Awaitable[str]]
"""What else than its arguments decides what a call does, as it is now: a person's decision is for that too."""

ASK_A_PERSON = (
    "Have a person approve it: in the client, or with `discord-mcp approvals approve {id}` where the server runs. "
    "Then repeat the same call; no argument releases it."
)
CHANGED = "What it acts on changed while a person looked at it. Repeat the call, which shows it as it is now."
DENIED = "A person denied this call. Do not repeat it as it is."


async def _arguments(call: Call) -> Mapping[str, Json]:
    return call.preview()


async def _nothing_else(_: Call) -> str:
    return ""


def why_gated(call: Call, *, extra: bool = True) -> str | None:
    """Say why the call needs a confirmation; None where it needs none. With `extra`, some do by their arguments."""
    if call.tool.confirms:
        return "it destroys something"
    return call.tool.condition(call.arguments) if extra and call.tool.condition else None


def is_gated(call: Call, *, extra: bool = True) -> bool:
    """Whether the call needs a confirmation."""
    return why_gated(call, extra=extra) is not None


def binding_of(call: Call, bot: str | None = None, target: str = "") -> Binding:
    """Return what a confirmation of the call is bound to: its caller, its tool, its arguments, all of them.

    `target` is what else it is about.
    """
    whole = orjson.dumps(as_sent(call.arguments), option=orjson.OPT_SORT_KEYS)
    payload = hashlib.sha256(whole).hexdigest()
    return Binding(tool=call.tool.name, target=target, payload_hash=payload, caller=call.caller.id, bot=bot)


def confirm(
    *,
    armed: bool,
    extra: bool = True,
    shown: Preview = _arguments,
    bound: Bound = _nothing_else,
    person: Person | None = None,
    bot: str | None = None,
) -> Gate:
    """Let a gated call through only where it was confirmed.

    Args:
        armed: Show gated calls, whatever confirms them.
        extra: Whether calls are gated by their arguments too, not only by their tool.
        shown: Makes the preview.
        bound: Tells what a person's approval is bound to beside the arguments.
        person: Who confirms in place of the caller.
        bot: The bot that a person's approval is bound to.
    """

    async def confirmation(call: Call, following: Next) -> Reply:
        """Answer an unconfirmed gated call with its preview."""
        why = why_gated(call, extra=extra)
        if why is None or (not armed and person is None and call.confirmed):
            return await following(call)
        preview = await shown(call)
        if armed or person is None:
            raise DryRunPreview(tool=call.tool.name, preview=dict(preview), because=why)
        await _released(call, preview, why, person)
        return await following(call)

    async def _released(call: Call, preview: Mapping[str, Json], why: str, person: Person) -> None:
        binding = binding_of(call, bot, await bound(call))
        if not await person.releases(call, binding, preview):
            raise await _waiting(call, binding, preview, why, person)
        if await bound(call) != binding.target:  # somebody took their time
            raise _refused(call, preview, why, None, CHANGED)

    return confirmation


async def _waiting(
    call: Call, binding: Binding, preview: Mapping[str, Json], why: str, person: Person
) -> DryRunPreview:
    approval_id = await person.wait_for(call, binding, preview)
    return _refused(call, preview, why, approval_id, DENIED if approval_id is None else ASK_A_PERSON)


def _refused(call: Call, preview: Mapping[str, Json], why: str, approval_id: str | None, hint: str) -> DryRunPreview:
    return DryRunPreview(
        tool=call.tool.name,
        preview=dict(preview),
        because=why,
        approval="person",
        approval_id=approval_id,
        recovery_hint=hint.format(id=approval_id),
    )
