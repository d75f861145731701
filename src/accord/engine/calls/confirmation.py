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

ASK_A_PERSON = (
    "Have a person approve it: in the client, or with `discord-mcp approvals approve {id}` where the server runs. "
    "Then repeat the same call; no argument releases it."
)
DENIED = "A person denied this call. Do not repeat it as it is."


async def _arguments(call: Call) -> Mapping[str, Json]:
    return call.preview()


def why_gated(call: Call, *, extra: bool = True) -> str | None:
    """Say why the call needs a confirmation; None where it needs none. With `extra`, some do by their arguments."""
    if call.tool.confirms:
        return "it destroys something"
    return call.tool.condition(call.arguments) if extra and call.tool.condition else None


def is_gated(call: Call, *, extra: bool = True) -> bool:
    """Whether the call needs a confirmation."""
    return why_gated(call, extra=extra) is not None


def binding_of(call: Call, bot: str | None = None) -> Binding:
    """Return what a confirmation of the call is bound to: its caller, its tool and its arguments, all of them."""
    whole = orjson.dumps(as_sent(call.arguments), option=orjson.OPT_SORT_KEYS)
    payload = hashlib.sha256(whole).hexdigest()
    return Binding(tool=call.tool.name, target="", payload_hash=payload, caller=call.caller.id, bot=bot)


def confirm(
    *,
    armed: bool,
    extra: bool = True,
    shown: Preview = _arguments,
    person: Person | None = None,
    bot: str | None = None,
) -> Gate:
    """Let a gated call through only where it was confirmed.

    Args:
        armed: Show gated calls, whatever confirms them.
        extra: Whether calls are gated by their arguments too, not only by their tool.
        shown: Makes the preview.
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
        if not await person.releases(call, binding_of(call, bot), preview):
            raise await _waiting(call, binding_of(call, bot), preview, why, person)
        return await following(call)

    return confirmation


async def _waiting(
    call: Call, binding: Binding, preview: Mapping[str, Json], why: str, person: Person
) -> DryRunPreview:
    approval_id = await person.wait_for(call, binding, preview)
    hint = DENIED if approval_id is None else ASK_A_PERSON.format(id=approval_id)
    return DryRunPreview(
        tool=call.tool.name,
        preview=dict(preview),
        because=why,
        approval="person",
        approval_id=approval_id,
        recovery_hint=hint,
    )
