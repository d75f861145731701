"""What is known of an agent: one entry of one source, under a catalog id that never changes."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from typing import Final, get_args

from accord.deside.models.identity import (
    AgentIdentity,
    AgentProfile,
    AgentSummary,
    CatalogAgent,
    Source,
    SourceEntry,
)
from accord.deside.times import iso
from accord.deside.wallets import Wallet

__all__ = [
    "SOURCES",
    "AgentRecord",
    "backing_of",
    "catalog_id",
    "folded",
    "identity_of",
    "listed",
    "profile_of",
    "slug_of",
    "summary",
]

SOURCES: Final[tuple[Source, ...]] = get_args(Source)
"""The sources, the one that is preferred first: mip14 is the passports' anchor (spec/deside.md 4)."""

MOST_SLUG_CHARACTERS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRecord:
    """One agent, as its source tells it. The owner's wallet controls it; the agent's own is only what the source says.

    Texts are the owner's words. `entry_id` is the source's own id.
    """

    source: Source
    entry_id: str
    owner_wallet: Wallet
    agent_wallet: str | None = None
    slug: str
    name: str
    description: str | None = None
    avatar: str | None = None
    website: str | None = None
    category: str | None = None
    capabilities: tuple[str, ...] = ()
    created_ms: int
    updated_ms: int

    @property
    def catalog_id(self) -> str:
        """The id under which everybody here knows it, whichever resolver brought it."""
        return catalog_id(self.source, self.entry_id)

    @property
    def backing_wallet(self) -> Wallet:
        """The wallet that has to have signed in here for the agent to be one that can act."""
        return backing_of(self.owner_wallet, self.agent_wallet)

    def is_called(self, ref: str) -> bool:
        """Whether its owner may call it so."""
        return ref in {self.catalog_id, self.slug, self.entry_id}


def catalog_id(source: Source, entry_id: str) -> str:
    """Return the id of a source's entry: the same for the same entry, always."""
    return "agt_" + hashlib.sha256(f"{source}\n{entry_id}".encode()).hexdigest()[:32]


def folded(name: str) -> str:
    """Return the form in which names are compared: without case, and without other ways to write the same letters."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def backing_of(owner: Wallet, agent_wallet: str | None) -> Wallet:
    """Return the wallet that has to have signed in here for an agent to be one that can act.

    That is the agent's own, unless it has none or one that can never sign, such as an address that a program derived
    from an asset.
    """
    try:
        return Wallet.parse(agent_wallet or owner)
    except ValueError:
        return owner


def slug_of(name: str) -> str:
    """Return a slug for a name; one without Latin letters or digits gets a part of its hash."""
    latin = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", latin)[:MOST_SLUG_CHARACTERS].strip("-")
    return slug or "agent-" + hashlib.sha256(name.encode()).hexdigest()[:8]


# --- As it is shown -----------------------------------------------------------------------------------------------


def summary(agent: AgentRecord) -> AgentSummary:
    """Return which agent it is."""
    return {
        "catalogId": agent.catalog_id,
        "slug": agent.slug,
        "name": agent.name,
        "primarySource": agent.source,
    }


def identity_of(agent: AgentRecord, *, backed: bool) -> AgentIdentity:
    """Return an agent as its owner sees it."""
    return {
        **summary(agent),
        "ownerWallet": str(agent.owner_wallet),
        "agentWallet": agent.agent_wallet,
        "primarySourceEntryId": agent.entry_id,
        "sourceEntries": _entries(agent),
        "backedByUser": backed,
        "backingUserWallet": str(agent.backing_wallet),
    }


def listed(agent: AgentRecord) -> CatalogAgent:
    """Return an agent as everybody sees it."""
    return {
        **summary(agent),
        "wallet": str(agent.backing_wallet),
        "ownerWallet": str(agent.owner_wallet),
        "agentWallet": agent.agent_wallet,
        "description": agent.description,
        "avatar": agent.avatar,
        "category": agent.category,
        "website": agent.website,
        "capabilities": list(agent.capabilities),
        "primarySourceEntryId": agent.entry_id,
        "sourceEntries": _entries(agent),
        "registryPresence": {"registries": [agent.source], "primarySource": agent.source},
        "createdAt": iso(agent.created_ms),
        "updatedAt": iso(agent.updated_ms),
    }


def profile_of(agent: AgentRecord, now_ms: int) -> AgentProfile:
    """Return the agent's side of a wallet, resolved at this time."""
    return {
        "resolved": {
            "displayName": agent.name,
            "displayAvatar": agent.avatar,
            "description": agent.description,
            "source": agent.source,
            "catalogId": agent.catalog_id,
            "resolvedAt": iso(now_ms),
        }
    }


def _entries(agent: AgentRecord) -> list[SourceEntry]:
    return [{"source": agent.source, "sourceEntryId": agent.entry_id}]
