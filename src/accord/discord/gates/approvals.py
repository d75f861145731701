"""What is confirmed payload by payload: an approval of exactly this layout, or of exactly this recipient."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, TypeAlias

import orjson

from accord.discord.components.arguments import tree_of
from accord.discord.components.review import review_of, risks_of
from accord.discord.gates.content import files_of, holding
from accord.engine import (
    Binding,
    Call,
    Ledger,
    Next,
    PayloadApprovalExpiredError,
    PayloadApprovalMismatchError,
    PayloadApprovalMissingError,
    PayloadApprovalReplayedError,
    PayloadConfirmationMismatchError,
    PayloadConfirmationRequiredError,
    Person,
    Reply,
    ToolError,
    Verdict,
    fingerprint,
)

__all__ = ["APPROVED_PAYLOAD", "PAYLOAD_TOOLS", "PayloadApprovals"]

Json: TypeAlias = Any

APPROVED_PAYLOAD: Final[Mapping[str, Json]] = {
    "__confirm": {"type": "boolean", "description": "true with hash and id of the preview sends it"},
    "__confirm_hash": {"type": "string", "pattern": "^[a-f0-9]{64}$"},
    "__confirm_id": {"type": "string"},
}
"""The reserved arguments of tools whose payload is approved."""

PAYLOAD_TOOLS: Final = frozenset({"components_v2_send", "components_v2_edit", "components_v2_send_from_template"})

TARGETS: Final = ("channel_id", "message_id")

REJECTED: Final[Mapping[str, type[ToolError]]] = {
    "missing": PayloadApprovalMissingError,
    "expired": PayloadApprovalExpiredError,
    "replayed": PayloadApprovalReplayedError,
    "mismatch": PayloadApprovalMismatchError,
}

ASK_A_PERSON: Final = (
    "Have a person approve it: in the client, or with `discord-mcp approvals approve {id}` where the server runs. "
    "Then repeat the same call; no argument releases it."
)
DENIED: Final = "A person denied this message. Do not send it as it is."


@dataclass(frozen=True)
class Planned:
    """What a call would send, and how it is known by; what is only shown is worked out when it is."""

    call: Call
    tree: Sequence[Mapping[str, Json]]
    target: Mapping[str, str]
    binding: Binding
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def payload_hash(self) -> str:
        """The fingerprint of all that decides what is sent."""
        return self.binding.payload_hash

    @cached_property
    def risks(self) -> list[str]:
        """What it could do besides being read."""
        return risks_of(self.tree, self.call.arguments, edits="message_id" in self.target)

    @cached_property
    def shown(self) -> dict[str, Json]:
        """What whoever approves it sees."""
        return {
            "tool": self.call.tool.name,
            "target": self.target,
            "component_count": len(self.tree),
            "risk_flags": self.risks,
            "component_review": review_of(self.tree),
            "payload_hash": self.payload_hash,
            "payload": self.call.preview(),
        }


class PayloadApprovals:
    """The gates of tools whose payload is approved: `ask` shows and issues, `use` takes the approval, once.

    They are two so that whatever refuses a call for another reason stands between them and uses nothing up.
    """

    def __init__(self, ledger: Ledger, *, armed: bool, bot: str | None = None, person: Person | None = None) -> None:
        self._ledger = ledger
        self._armed = armed
        self._bot = bot
        self._person = person

    async def ask(self, call: Call, following: Next) -> Reply:
        """Answer a payload that is not approved with its preview."""
        if call.tool.name not in PAYLOAD_TOOLS:
            return await following(call)
        planned = await self._planned(call)
        if self._person is not None and not self._armed:
            await self._release(call, planned, self._person)
        else:
            await self._check(call, planned)
        return await following(call)

    async def use(self, call: Call, following: Next) -> Reply:
        """Use the approval up; what Discord answers afterwards does not bring it back.

        Raises:
            PayloadConfirmationMismatchError: A file changed since it was approved.
        """
        if call.tool.name not in PAYLOAD_TOOLS:
            return await following(call)
        planned = await self._planned(call)
        if self._person is None:
            await self._consume(call, planned)
        try:
            return await following(holding(call, planned.files) if planned.files else call)
        except PayloadApprovalMismatchError:
            raise await self._changed(call, planned) from None

    async def _consume(self, call: Call, planned: Planned) -> None:
        approval_id = str(call.reserved["__confirm_id"])
        verdict = await self._ledger.consume(approval_id, planned.binding)
        call.facts["approval"] = {"event": "used", **_known_as(approval_id)}
        _refuse(call, approval_id, verdict)

    async def _changed(self, call: Call, approved: Planned) -> ToolError:
        del call.facts["planned"]
        now = await self._planned(call)
        if self._person is None:
            return await self._mismatch(call, now, approved.payload_hash)
        approval_id = await self._person.wait_for(call, now.binding, now.shown) or ""
        return PayloadConfirmationMismatchError(
            tool=call.tool.name,
            payload_hash=now.payload_hash,
            received_hash=approved.payload_hash,
            risk_flags=now.risks,
            approval_id=approval_id,
            approval_expires_at="",
            preview=now.shown,
            recovery_hint=ASK_A_PERSON.format(id=approval_id),
        )

    async def _check(self, call: Call, planned: Planned) -> None:
        given = call.reserved.get("__confirm_hash")
        if self._armed or not call.confirmed or not given:
            raise await self._required(call, planned)
        if given != planned.payload_hash:
            raise await self._mismatch(call, planned, given)
        approval_id = call.reserved.get("__confirm_id")
        if not approval_id:
            raise await self._required(call, planned)
        # Known before anything is used up, this approval or another one of the same call.
        _refuse(call, approval_id, await self._ledger.check(approval_id, planned.binding))

    async def _required(self, call: Call, planned: Planned) -> ToolError:
        return await self._issued(call, planned, PayloadConfirmationRequiredError)

    async def _mismatch(self, call: Call, planned: Planned, given: str) -> ToolError:
        known = len(given) == len(planned.payload_hash) and set(given) <= set("0123456789abcdef")
        received = given if known else "[invalid]"
        return await self._issued(call, planned, PayloadConfirmationMismatchError, received_hash=received)

    async def _issued(self, call: Call, planned: Planned, row: type[ToolError], **facts: Json) -> ToolError:
        approval = await self._ledger.issue(planned.binding)
        call.facts["approval"] = {"event": "issued", **_known_as(approval.id)}
        dated = {"approval_id": approval.id, "approval_expires_at": approval.expires}
        return row(
            tool=call.tool.name,
            payload_hash=planned.payload_hash,
            risk_flags=planned.risks,
            preview={**planned.shown, **dated},
            **dated,
            **facts,
        )

    async def _release(self, call: Call, planned: Planned, person: Person) -> None:
        if await person.releases(call, planned.binding, planned.shown):
            return
        approval_id = await person.wait_for(call, planned.binding, planned.shown)
        raise PayloadConfirmationRequiredError(
            tool=call.tool.name,
            payload_hash=planned.payload_hash,
            risk_flags=planned.risks,
            approval="person",
            approval_id=approval_id or "",
            approval_expires_at="",
            preview=planned.shown,
            recovery_hint=DENIED if approval_id is None else ASK_A_PERSON.format(id=approval_id),
        )

    async def _planned(self, call: Call) -> Planned:
        """Work out what the call would send; its checked arguments are whole, so there is a tree."""
        known: Planned | None = call.facts.get("planned")
        if known is None:
            recipient = None if self._person is None else call.facts.get("recipient")
            known = call.facts["planned"] = await _plan(call, self._bot, recipient)
        return known


async def _plan(call: Call, bot: str | None, recipient: str | None) -> Planned:
    """Work out what the call would send; a person who decides about it decides about its `recipient` too."""
    tree = tree_of(call.arguments)
    target: dict[str, str] = {name: str(call.arguments[name]) for name in TARGETS if name in call.arguments}
    target |= {"recipient_id": recipient} if recipient else {}
    files = await files_of(call.client, call.arguments)
    binding = Binding(
        tool=call.tool.name,
        target=orjson.dumps(target).decode(),
        payload_hash=fingerprint(_payload(call, tree, files)),
        caller=call.caller.id,
        bot=bot,
    )
    return Planned(call, tree, target, binding, files)


def _payload(call: Call, tree: Sequence[Mapping[str, Json]], hashes: Mapping[str, str]) -> dict[str, Json]:
    """Return all that decides what is sent: of a template what it became, of a file its bytes' hash."""
    aside = {"template", "vars"}
    payload = {name: value for name, value in call.arguments.items() if name not in aside}
    payload["components"] = tree
    if files := call.arguments.get("files"):
        payload["files"] = [{**one, "sha256": hashes[one["file"]]} if "file" in one else one for one in files]
    return payload


def _refuse(call: Call, approval_id: str, verdict: Verdict) -> None:
    if verdict != "ok":
        call.facts["approval"] = {"event": verdict, **_known_as(approval_id)}
        raise REJECTED[verdict](tool=call.tool.name, approval_id=approval_id)


def _known_as(approval_id: str) -> dict[str, str]:
    """Return how a record names an approval: by a hash, from which nobody can use it."""
    return {"handle": hashlib.sha256(approval_id.encode(errors="surrogatepass")).hexdigest()[:12]}
