"""Errors as rows: code, category, retriable, hint and message in the class, the facts as fields.

    ToolError
    ├─ ClientError      what was asked for cannot be done as it was asked
    └─ ServerError      what was asked for could not be done this time

A row is a class: `class QuotaSpentError(ClientError, code="QUOTA_SPENT", hint="wait")` with its message as docstring
and its facts as annotated fields. `{field}` in the message or in the hint is filled from the facts.
"""

from __future__ import annotations

import inspect
from typing import Any, ClassVar, Literal, NotRequired, Self, TypedDict, dataclass_transform

__all__ = [
    "AuditUnavailableError",
    "BulkheadFullError",
    "CancelledError",
    "Category",
    "CircuitOpenError",
    "ClientError",
    "DispatchModeError",
    "DryRunPreview",
    "InternalError",
    "Issue",
    "Outcome",
    "PayloadApprovalExpiredError",
    "PayloadApprovalMismatchError",
    "PayloadApprovalMissingError",
    "PayloadApprovalReplayedError",
    "PayloadConfirmationMismatchError",
    "PayloadConfirmationRequiredError",
    "QuotaExceededError",
    "ScopeRejectedError",
    "ServerError",
    "ToolError",
    "ToolNotAvailableError",
    "ValidationError",
    "WritePreview",
    "rows",
]

Category = Literal["client", "server"]
Outcome = Literal["unknown", "partial"]
"""What became of a write that failed, where it is not plainly undone: nobody knows, or a part of it was carried out."""


class Issue(TypedDict):
    """One thing that is wrong with the arguments.

    `path` is dotted, with list positions in brackets (`embeds[0].title`), `code` is stable and `message` is for
    reading.
    """

    path: str
    message: str
    code: str
    expected: NotRequired[str]


@dataclass_transform(kw_only_default=True, eq_default=False)
class _Row(Exception):  # noqa: N818 - a form, not a failure
    """A class whose annotated fields are the keywords of its constructor."""


class ToolError(_Row):
    """The call failed."""

    code: ClassVar[str] = "TOOL_ERROR"
    category: ClassVar[Category] = "client"
    hint: ClassVar[str] = "Read the message and change the call."
    http_status: ClassVar[int] = 400
    fields: ClassVar[tuple[str, ...]] = ()

    recovery_hint: str | None = None
    retriable: bool = False
    outcome: Outcome | None = None
    nonce: str | None = None
    done: list[str] | None = None
    trace_id: str | None = None

    def __init_subclass__(
        cls,
        *,
        code: str | None = None,
        hint: str | None = None,
        retriable: bool | None = None,
        status: int | None = None,
    ) -> None:
        super().__init_subclass__()
        stated = {"code": code, "hint": hint, "retriable": retriable, "http_status": status}
        for name, value in stated.items():
            if value is not None:
                setattr(cls, name, value)
        cls.fields = _fields_of(cls)

    def __init__(self, **facts: Any) -> None:
        super().__init__()
        self._check(facts)
        for name, value in facts.items():
            setattr(self, name, value)

    def _check(self, facts: dict[str, Any]) -> None:
        known = {*self.fields, *_COMMON}
        if unknown := facts.keys() - known:
            raise TypeError(f"{type(self).__name__} has no field {min(unknown)!r}")
        if missing := [name for name in self.fields if name not in facts and not hasattr(type(self), name)]:
            raise TypeError(f"{type(self).__name__} needs the field {missing[0]!r}")

    @property
    def facts(self) -> dict[str, Any]:
        """The fields of this row that have a value, and the common ones that were given."""
        names = (*self.fields, "outcome", "done", "nonce", "trace_id")
        return {name: value for name in names if (value := getattr(self, name)) is not None}

    @property
    def message(self) -> str:
        """What happened, in one sentence."""
        return _filled((type(self).__doc__ or self.code).strip().split("\n\n")[0], self)

    @property
    def next_step(self) -> str:
        """What to do now: this failure's own hint, else its row's."""
        return self.recovery_hint or _filled(self.hint, self)

    def left_open(self, hint: str, *, nonce: str | None = None, retriable: bool = False) -> Self:
        """Return the same for a write that may have been carried out; of one done in part that is still said.

        Args:
            hint: What to read before anything else.
            nonce: What the write can be known by, where the service heeds such a thing.
            retriable: Whether the same call does nothing twice.
        """
        known = {"outcome": self.outcome or "unknown", "nonce": nonce, "retriable": retriable, "recovery_hint": hint}
        return type(self)(**(self.facts | known))

    def left_partial(self, hint: str, done: list[str], *, nonce: str | None = None) -> Self:
        """Return the same for a write that was carried out in part, and failed then.

        Args:
            hint: How to do the rest without doing the part again.
            done: The ids of what was made.
            nonce: What the whole write can be known by, where the service heeds such a thing.
        """
        known = {"outcome": self.outcome or "partial", "done": done, "nonce": nonce, "recovery_hint": hint}
        return type(self)(**(self.facts | known), retriable=False)

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (type(self), dict(self.__dict__))


def _remade(row: type[ToolError], facts: dict[str, Any]) -> ToolError:
    """Make a copied or unpickled row: exceptions are remade from positional arguments, which rows have none of."""
    error = row(**{name: value for name, value in facts.items() if name != "__notes__"})
    for note in facts.get("__notes__", ()):
        error.add_note(note)
    return error


_COMMON = ("recovery_hint", "retriable", "outcome", "done", "nonce", "trace_id")


def _fields_of(cls: type[ToolError]) -> tuple[str, ...]:
    """The fields that a row's classes annotate, the oldest class first."""
    named: dict[str, None] = {}
    for base in reversed(cls.__mro__):
        if issubclass(base, ToolError) and base is not ToolError:
            named |= dict.fromkeys(name for name in inspect.get_annotations(base) if name not in _COMMON)
    return tuple(named)


def _filled(words: str, error: ToolError) -> str:
    if "{" not in words:
        return words
    return words.format_map({name: getattr(error, name, None) for name in (*error.fields, *_COMMON)})


class ClientError(ToolError):
    """The call cannot be done as it was asked."""

    category = "client"


class ServerError(
    ToolError,
    code="SERVER_ERROR",
    hint="Wait a moment, then try again; if it goes on, look at the service's status page.",
    retriable=True,
    status=502,
):
    """The service behind this tool failed."""

    category = "server"


class ValidationError(
    ClientError, code="VALIDATION_FAILED", hint="Correct the arguments named in `issues`.", status=422
):
    """The arguments are not valid."""

    issues: list[Issue]


class ToolNotAvailableError(
    ClientError, code="TOOL_NOT_AVAILABLE", hint="Call tools/list and use one of its names.", status=404
):
    """There is no tool `{tool}` here."""

    tool: str
    nearest: list[str] | None = None


class DispatchModeError(
    ClientError, code="DISPATCH_MODE_MISMATCH", hint="Call `{tool}` through `{dispatcher}`.", status=400
):
    """`{tool}` cannot be called through this dispatcher."""

    tool: str
    dispatcher: str


class ScopeRejectedError(
    ClientError,
    code="SCOPE_REJECTED",
    hint="Use a tool of an enabled category, or ask the owner to add this one to MCP_CATEGORIES.",
    status=403,
):
    """`{tool}` belongs to the category `{required}`, which is not enabled here."""

    tool: str
    required: str
    granted: list[str]


class QuotaExceededError(
    ClientError,
    code="QUOTA_EXCEEDED",
    hint="Make no such write before {resets_at}: until then each is refused.",
    retriable=True,
    status=429,
):
    """The quota of {quota} is used up, so `{tool}` was not run. No action was taken."""

    tool: str
    quota: str
    retry_after_ms: int
    resets_at: str


class AuditUnavailableError(
    ServerError,
    code="AUDIT_UNAVAILABLE",
    hint="Have the owner look at MCP_AUDIT_SINK: with MCP_AUDIT_REQUIRED nothing is written that cannot be recorded.",
    status=503,
):
    """`{tool}` could not be recorded beforehand, so it was not run. No action was taken."""

    tool: str


class DryRunPreview(  # noqa: N818 - the contract's name
    ClientError,
    code="DRY_RUN_PREVIEW",
    hint="Review the preview. To run it, repeat the call with `__confirm: true` on a server with MCP_DRY_RUN=false.",
    status=409,
):
    """`{tool}` was previewed. No action was taken."""

    tool: str
    preview: dict[str, Any]
    because: str | None = None
    approval: str | None = None
    approval_id: str | None = None


class WritePreview(  # noqa: N818 - as its sister
    ClientError, code="WRITE_PREVIEW", hint="Ask the owner to allow writes with MCP_WRITE_MODE=allow.", status=409
):
    """`{tool}` would write, and this server only previews writes. No action was taken."""

    tool: str
    preview: dict[str, Any]


class PayloadConfirmationRequiredError(
    ClientError,
    code="PAYLOAD_CONFIRMATION_REQUIRED",
    hint=(
        "After a review repeat the call before {approval_expires_at} with `__confirm: true`, "
        "`__confirm_hash: {payload_hash}` and `__confirm_id: {approval_id}`."
    ),
    status=409,
):
    """`{tool}` needs an approval of exactly this payload. No action was taken."""

    tool: str
    payload_hash: str
    risk_flags: list[str]
    approval_id: str
    approval_expires_at: str
    preview: dict[str, Any]
    approval: str | None = None


class PayloadConfirmationMismatchError(
    ClientError,
    code="PAYLOAD_CONFIRMATION_MISMATCH",
    hint="Review the new preview and approve that: the payload is not the one that was approved.",
    status=409,
):
    """The approval's hash does not match this payload of `{tool}`. No action was taken."""

    tool: str
    payload_hash: str
    received_hash: str
    risk_flags: list[str]
    approval_id: str
    approval_expires_at: str
    preview: dict[str, Any]


class _PayloadApprovalError(ClientError, status=409):
    """The approval `{approval_id}` cannot be used."""

    tool: str
    approval_id: str


class PayloadApprovalMissingError(
    _PayloadApprovalError,
    code="PAYLOAD_CONFIRMATION_APPROVAL_MISSING",
    hint="See first whether the change was already made, then ask for a fresh preview.",
):
    """The approval `{approval_id}` is not known here."""


class PayloadApprovalExpiredError(
    _PayloadApprovalError,
    code="PAYLOAD_CONFIRMATION_APPROVAL_EXPIRED",
    hint="Ask for a fresh preview and approve it in time.",
):
    """The approval `{approval_id}` ran out before it was used."""


class PayloadApprovalReplayedError(
    _PayloadApprovalError,
    code="PAYLOAD_CONFIRMATION_APPROVAL_REPLAYED",
    hint="See first whether the change was already made, then ask for a fresh preview.",
):
    """The approval `{approval_id}` was used before."""


class PayloadApprovalMismatchError(
    _PayloadApprovalError,
    code="PAYLOAD_CONFIRMATION_APPROVAL_MISMATCH",
    hint="Use the approval for the bot, tool, target and payload it was given for, or ask for a fresh preview.",
):
    """The approval `{approval_id}` is for another bot, tool, target or payload."""


class CancelledError(ClientError, code="CANCELLED", hint="Call again if the result is still wanted.", status=499):
    """The call was cancelled."""


class CircuitOpenError(
    ServerError,
    code="CIRCUIT_OPEN",
    hint="Wait for `retry_after_ms`, then try once.",
    status=503,
):
    """Calls of this route fail so often that it is left alone for a while."""

    retry_after_ms: int | None = None


class BulkheadFullError(
    ServerError,
    code="BULKHEAD_FULL",
    hint="Make fewer calls at the same time, then try again.",
    status=503,
):
    """Too many requests are under way."""


class InternalError(
    ServerError,
    code="INTERNAL_ERROR",
    hint="Try again; if it goes on, its owner finds the cause in the server's log under `trace_id`.",
    status=500,
):
    """Something unexpected went wrong inside this server."""

    reason: str | None = None
    timeout_ms: int | None = None


def rows(root: type[ToolError] = ToolError) -> list[type[ToolError]]:
    """Every row below `root` that can be served, in the order of definition."""
    found = [] if root in {ToolError, ClientError, ServerError} or root.__name__.startswith("_") else [root]
    for child in root.__subclasses__():
        found += rows(child)
    return found
