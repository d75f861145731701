"""Membership applications: what people answer who ask to join a guild, and what became of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, NotRequired, TypeAlias, TypedDict

from accord.discord.models.values import Page, Timestamp
from accord.engine import Field, Issue, Untrusted

__all__ = ["FormAnswer", "JoinRequest", "JoinRequests", "RejectionReason", "RequestStatus", "reason_is_for_rejecting"]

RequestStatus: TypeAlias = Literal["STARTED", "SUBMITTED", "REJECTED", "APPROVED"]

RejectionReason = Annotated[str, Field(min_length=1, max_length=160, description="shown to the applicant")]


class FormAnswer(TypedDict):
    """One field of the guild's form; `response` is the answer in words, or whether the rules were accepted."""

    field_type: str
    label: Untrusted | None
    response: Annotated[Any, Field(untrusted=True)]


class JoinRequest(TypedDict):
    """Somebody's application to join."""

    id: str
    guild_id: str
    user_id: str
    username: Untrusted | None
    application_status: str | None
    created_at: Timestamp
    reviewed_at: Timestamp | None
    reviewed_by: str | None
    rejection_reason: NotRequired[Untrusted | None]
    form_responses: list[FormAnswer]


class JoinRequests(Page):
    """A page of applications; `total` counts all of that status."""

    items: list[JoinRequest]
    count: int
    total: int | None


def reason_is_for_rejecting(arguments: Mapping[str, Any]) -> Iterator[Issue]:
    """Refuse a reason for a rejection that goes with an approval."""
    if "rejection_reason" in arguments and arguments["action"] != "REJECTED":
        yield Issue(path="rejection_reason", message="goes with the action REJECTED only", code="conflict")
