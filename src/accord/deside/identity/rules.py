"""Which agent a client acts as: decided from a wallet's agents and what was selected before (spec/deside.md 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from accord.deside.identity.agents import AgentRecord, summary
from accord.deside.models.identity import AgentContext

__all__ = ["Choice", "context_of", "is_ambiguous"]


@dataclass(frozen=True, slots=True)
class Choice:
    """What was selected and still stands: an agent, by itself or by a link."""

    agent: AgentRecord
    link_id: str | None = None


def context_of(agents: Sequence[AgentRecord], choice: Choice | None) -> AgentContext:
    """Return the context: the one agent, else the selected one, else none; two in one source must be selected from.

    Args:
        agents: The wallet's backed agents.
        choice: What the client selected, as far as it still stands.
    """
    if len(agents) == 1:
        return {"status": "selected", "selectedBy": "single", "agent": summary(agents[0])}
    if choice is not None:
        return _chosen(choice)
    return {"status": "selection_required" if is_ambiguous(agents) else "none"}


def _chosen(choice: Choice) -> AgentContext:
    if choice.link_id is None:
        return {"status": "selected", "selectedBy": "remembered_agent", "agent": summary(choice.agent)}
    return {
        "status": "selected",
        "selectedBy": "remembered_link",
        "agent": summary(choice.agent),
        "linkId": choice.link_id,
    }


def is_ambiguous(agents: Sequence[AgentRecord]) -> bool:
    """Whether a source has two or more of them, so that nobody can say which is meant."""
    return any(count > 1 for count in Counter(agent.source for agent in agents).values())
