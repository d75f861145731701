"""Membership applications as our tools show them."""

from __future__ import annotations

from typing import Any, TypeAlias

from accord.discord.models.join_requests import FormAnswer, JoinRequest, JoinRequests
from accord.discord.models.values import Page, Wire
from accord.discord.results.picking import picked

__all__ = ["join_request", "join_requests"]

Json: TypeAlias = Any


def join_requests(sent: Wire, onward: Page) -> JoinRequests:
    """Return a page of applications."""
    items = [join_request(one) for one in sent["guild_join_requests"]]
    return {"items": items, "count": len(items), "total": sent.get("total"), **onward}


def join_request(sent: Wire) -> JoinRequest:
    """Return one application, with its answers in words."""
    return picked(
        JoinRequest,
        sent,
        username=(sent.get("user") or {}).get("username"),
        reviewed_by=(sent.get("actioned_by_user") or {}).get("id"),
        form_responses=[picked(FormAnswer, one, response=_answer(one)) for one in sent.get("form_responses") or ()],
    )


def _answer(field: Wire) -> Json:
    """Return the words of the choice that was made: Discord sends its index."""
    choices, response = field.get("choices"), field.get("response")
    return choices[response] if choices and response in range(len(choices)) else response
