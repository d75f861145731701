"""Consent to direct messages: a recipient is approved of, each time, before the bot turns to them.

A caller's approval is of the recipient. A person sees the whole call, and decides about that.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import orjson

from accord.discord.gates.approvals import PAYLOAD_TOOLS
from accord.discord.gates.content import content_of
from accord.discord.links import guild_of
from accord.discord.models.values import Wire
from accord.discord.rest.errors import DmConsentRejectedError, DmConsentRequiredError, DmOutcomeUnknownError
from accord.engine import (
    Approval,
    Binding,
    Call,
    Ledger,
    Next,
    Person,
    Reply,
    ToolError,
    Verdict,
    binding_of,
    fingerprint,
    is_gated,
)

__all__ = ["CONSENT", "DM_TOOLS", "DmConsent", "dm_outcome"]

Json: TypeAlias = Any

CONSENT: Final[Mapping[str, Json]] = {
    "__consent": {"type": "boolean", "description": "true with hash and id of the refusal"},
    "__consent_hash": {"type": "string"},
    "__consent_id": {"type": "string"},
}
"""The reserved arguments of tools that can reach somebody by direct message."""

OPENING: Final[Mapping[str, tuple[str, str | None]]] = {
    "users_create_dm": ("recipient_id", None),
    "members_ban": ("user_id", "notify"),
}
"""Tools that open a direct message: with whom, and with which argument alone they do."""

SPEAKING: Final = PAYLOAD_TOOLS | {
    "channels_modify",
    "channels_trigger_typing",
    "messages_edit",
    "messages_pin",
    "messages_send",
    "polls_end",
    "reactions_create",
}
"""Tools that turn to whoever is in a channel. What takes something back turns to nobody."""

DM_TOOLS: Final = SPEAKING | OPENING.keys()

ASK_A_PERSON: Final = (
    "Have a person approve this recipient: in the client, or with `discord-mcp approvals approve {id}` where the "
    "server runs. Then repeat the same call; no argument releases it."
)
DENIED: Final = "A person did not consent to this direct message. Do not repeat it."


class DmConsent:
    """The gates of direct messages: `ask` wants the recipient approved, `use` takes the approval, once.

    They are two so that whatever refuses a call for another reason stands between them and uses nothing up. Where a
    person decides anyway about the whole call, its recipient is part of that.
    """

    def __init__(
        self,
        ledger: Ledger,
        *,
        required: bool,
        extra: bool = True,
        bot: str | None = None,
        person: Person | None = None,
    ) -> None:
        self._ledger = ledger
        self._required = required
        self._extra = extra
        self._bot = bot
        self._person = person

    async def ask(self, call: Call, following: Next) -> Reply:
        """Refuse a direct message to somebody who was not approved of.

        Raises:
            DmConsentRequiredError: There is no approval; it carries a fresh one.
            DmConsentRejectedError: The one that came does not fit, or is not good any more.
        """
        recipient = await _recipient_of(call) if self._required and call.tool.name in DM_TOOLS else None
        if recipient is not None:
            call.facts["recipient"] = recipient
            if self._person is None:
                binding = call.facts["consent_to"] = self._binding(call, recipient)
                await self._check(call, recipient, binding)
            elif not (is_gated(call, extra=self._extra) or call.tool.name in PAYLOAD_TOOLS):
                await self._release(call, recipient, self._person)
        return await following(call)

    async def use(self, call: Call, following: Next) -> Reply:
        """Use the approval up; what Discord answers afterwards does not bring it back."""
        binding = call.facts.get("consent_to")
        if binding is not None:
            verdict = await self._ledger.consume(str(call.reserved["__consent_id"]), binding)
            _refuse(call, verdict)
            _note(call, "used")
        return await following(call)

    def _binding(self, call: Call, recipient: str) -> Binding:
        target = {"recipient_id": recipient}
        return Binding(
            tool=call.tool.name,
            target=orjson.dumps(target).decode(),
            payload_hash=fingerprint(target),
            caller=call.caller.id,
            bot=self._bot,
        )

    async def _check(self, call: Call, recipient: str, binding: Binding) -> None:
        given, approval_id = call.reserved.get("__consent_hash"), call.reserved.get("__consent_id")
        if given and given != binding.payload_hash:
            _refuse(call, "mismatch")
        if call.reserved.get("__consent") is not True or not given or not approval_id:
            approval = await self._ledger.issue(binding)
            _note(call, "issued", approval)
            raise _required(call, recipient, binding, approval)
        _refuse(call, await self._ledger.check(approval_id, binding))

    async def _release(self, call: Call, recipient: str, person: Person) -> None:
        """Ask a person, who sees what would be said: the decision is for exactly that, to exactly them."""
        target = {"recipient_id": recipient, "content": await content_of(call)}
        binding = binding_of(call, self._bot, orjson.dumps(target).decode())
        shown = {"recipient_id": recipient, **call.preview()}
        if await person.releases(call, binding, shown):
            return
        approval_id = await person.wait_for(call, binding, shown)
        raise DmConsentRequiredError(
            tool=call.tool.name,
            recipient_id=recipient,
            consent_hash=binding.payload_hash,
            consent_id=approval_id or "",
            consent_expires_at="",
            approval="person",
            recovery_hint=DENIED if approval_id is None else ASK_A_PERSON.format(id=approval_id),
        )


async def _recipient_of(call: Call) -> str | None:
    """Return whom the call turns to by direct message; None for nobody."""
    if call.tool.name in OPENING:
        who, only_with = OPENING[call.tool.name]
        return None if only_with and not call.arguments.get(only_with) else str(call.arguments[who])
    discord, channel_id = call.client, call.arguments["channel_id"]
    if await guild_of(discord, channel_id) is not None:
        return None
    found = await discord.get("/channels/{}", channel_id, into=Wire)
    return ",".join(sorted(one["id"] for one in found.get("recipients", ()))) or str(channel_id)


def _required(call: Call, recipient: str, binding: Binding, approval: Approval) -> DmConsentRequiredError:
    return DmConsentRequiredError(
        tool=call.tool.name,
        recipient_id=recipient,
        consent_hash=binding.payload_hash,
        consent_id=approval.id,
        consent_expires_at=approval.expires,
    )


def _refuse(call: Call, verdict: Verdict) -> None:
    if verdict != "ok":
        _note(call, verdict)
        raise DmConsentRejectedError(tool=call.tool.name, reason=verdict)


def _note(call: Call, event: str, approval: Approval | None = None) -> None:
    """Leave what happened for the call's record, with a hash of the approval's id, from which nobody can use it."""
    known = approval.id if approval else str(call.reserved.get("__consent_id") or "")
    handle = hashlib.sha256(known.encode(errors="surrogatepass")).hexdigest()[:12]
    call.facts["consent"] = {"event": event, "handle": handle}


async def dm_outcome(call: Call, following: Next) -> Reply:
    """Say of a direct message whose answer was lost that it may have been opened.

    Raises:
        DmOutcomeUnknownError: The answer was lost.
        ToolError: Any other failure, as it came.
    """
    try:
        return await following(call)
    except ToolError as error:
        if error.outcome is None:
            raise
        raise DmOutcomeUnknownError(recipient_id=str(call.arguments["recipient_id"])) from error
