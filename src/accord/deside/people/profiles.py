"""From what is written down of a wallet to what is shown of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias, TypedDict

from accord.deside.models.people import Role, Social, UserInfo, UserProfile, VisibleProfile
from accord.deside.people.registry import Row
from accord.deside.wallets import Wallet

__all__ = ["AgentProfile", "Shown", "shown", "user_info"]

Json: TypeAlias = Any

AgentProfile: TypeAlias = Mapping[str, Json]
"""The agent's side of a wallet: `resolved` has displayName, displayAvatar, description, source and resolvedAt."""

NOBODY = Social(x=None, website=None)


class Shown(TypedDict):
    """What is shown of a registered wallet, of one's own and of others' alike."""

    role: Role
    visibleProfile: VisibleProfile
    userProfile: UserProfile
    agentProfile: dict[str, Json] | None


def shown(row: Row, agent: AgentProfile | None) -> Shown:
    """Return what is shown of a registered wallet, which is an agent's where it has an agent's profile."""
    visible = _visible_user(row) if agent is None else _visible_agent(agent)
    profile = UserProfile(
        nickname=row["nickname"], avatar=row["avatar"], social=Social(x=row["x"], website=row["website"])
    )
    return {
        "role": "agent" if agent is not None else row["role"],
        "visibleProfile": visible,
        "userProfile": profile,
        "agentProfile": None if agent is None else dict(agent),
    }


def user_info(wallet: Wallet, row: Row | None, agent: AgentProfile | None) -> UserInfo:
    """Return all that everybody may know of a wallet."""
    if row is None:
        return {
            "wallet": wallet,
            "registered": False,
            "role": "user",
            "visibleProfile": None,
            "userProfile": None,
            "agentProfile": None,
            "social": NOBODY,
        }
    known = shown(row, agent)
    return {"wallet": wallet, "registered": True, **known, "social": known["userProfile"]["social"]}


def _visible_user(row: Row) -> VisibleProfile:
    return {
        "kind": row["role"],
        "displayName": row["nickname"] or _shortened(row["wallet"]),
        "displayAvatar": row["avatar"],
        "description": row["about"],
        "source": None,
    }


def _visible_agent(agent: AgentProfile) -> VisibleProfile:
    resolved = agent["resolved"]
    return {
        "kind": "agent",
        "displayName": resolved["displayName"],
        "displayAvatar": resolved["displayAvatar"],
        "description": resolved["description"],
        "source": resolved["source"],
    }


def _shortened(address: str) -> str:
    return f"{address[:5]}...{address[-3:]}"
