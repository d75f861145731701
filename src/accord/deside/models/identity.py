"""Agent identities: what tools take and give. Names and descriptions are their owners' words."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, Required, TypeAlias, TypedDict

from accord.deside.models.addresses import Address
from accord.deside.models.people import Role, UserProfile, VisibleProfile
from accord.engine import Field, Untrusted

__all__ = [
    "MOST_CAPABILITIES",
    "MOST_LINKED_AGENTS",
    "AgentContext",
    "AgentIdentities",
    "AgentIdentity",
    "AgentList",
    "AgentProfile",
    "AgentRef",
    "AgentSummary",
    "CatalogAgent",
    "CatalogId",
    "ContextStatus",
    "DirectoryName",
    "DirectoryOffset",
    "DirectorySize",
    "Drift",
    "DriftReason",
    "ImportedAgent",
    "Label",
    "Link",
    "LinkFields",
    "LinkId",
    "LinkRevoked",
    "LinkToSign",
    "MyIdentity",
    "NewAgent",
    "Principal",
    "Published",
    "Selected",
    "SignedLink",
    "Slug",
    "Source",
    "SourceEntry",
    "Unpublished",
]

Json: TypeAlias = Any

# --- What is said of one agent ----------------------------------------------------------------------------------------

Source: TypeAlias = Literal["mip14", "8004solana", "sati", "said", "sap"]
"""Where an agent is registered; the order is the one in which a wallet's agents are preferred."""

ContextStatus: TypeAlias = Literal["none", "selected", "selection_required"]

# A line of text that a person signs or reads: no character in it ends the line, hides or turns what follows, and
# there is something to see.
_HIDDEN = r"\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
_ONE_LINE = rf"^[^{_HIDDEN}]*[^\s{_HIDDEN}][^{_HIDDEN}]*$"
_HTTPS = r"^https://[^\s/?#@\\]+(?:[/?#][^\s\\]*)?$"

MOST_CAPABILITIES = 16
MOST_LINKED_AGENTS = 10

# PostgreSQL keeps no text with a zero character, and nothing here has one.
_TEXT = r"^[^\u0000]*$"

CatalogId = Annotated[str, Field(min_length=1, max_length=128, pattern=_TEXT, description="an agent's `catalogId`")]
AgentRef = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200,
        pattern=_TEXT,
        description="an own agent's `catalogId`, `slug` or `sourceEntryId`",
    ),
]
LinkId = Annotated[str, Field(min_length=1, max_length=128, pattern=_TEXT, description="a link's `linkId`")]
Slug = Annotated[
    str,
    Field(
        pattern=r"^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$",
        description="what you tell your agents apart by; made of the name if left out",
    ),
]
HttpsUrl = Annotated[str, Field(max_length=512, pattern=_HTTPS, description="https")]
Capability = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,47}$")]


AgentName = Annotated[str, Field(min_length=1, max_length=64, pattern=_ONE_LINE)]
Description = Annotated[str, Field(max_length=1000, pattern=_TEXT)]
Category = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$", description="one word, such as trading")]
Capabilities = Annotated[list[Capability], Field(max_items=MOST_CAPABILITIES, description="such as dm, trading")]


class NewAgent(TypedDict, total=False):
    """What a wallet says of its own agent."""

    name: Required[AgentName]
    source: Annotated[Source, Field(description="default mip14")]
    slug: Slug
    description: Description
    avatar: HttpsUrl
    website: HttpsUrl
    category: Category
    capabilities: Capabilities


class ImportedAgent(TypedDict, total=False):
    """An agent of another registry, as a file for `deside-mcp agents import` has it; `published: false` hides it."""

    source: Required[Source]
    sourceEntryId: Required[Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9:._/-]{0,127}$")]]
    ownerWallet: Required[Address]
    agentWallet: Address
    name: Required[AgentName]
    slug: Slug
    description: Description
    avatar: HttpsUrl
    website: HttpsUrl
    category: Category
    capabilities: Capabilities
    published: bool


class SourceEntry(TypedDict):
    """Where an agent is registered, and under which id."""

    source: Source
    sourceEntryId: Untrusted


class RegistryPresence(TypedDict):
    """The sources that have an agent."""

    registries: list[Source]
    primarySource: Source


class AgentSummary(TypedDict):
    """As much of an agent as tells which it is."""

    catalogId: str
    slug: Untrusted
    name: Untrusted
    primarySource: Source


class AgentIdentity(AgentSummary):
    """An agent of the caller's own wallet. `backedByUser`: `backingUserWallet` has signed in here."""

    ownerWallet: str
    agentWallet: str | None
    primarySourceEntryId: Untrusted
    sourceEntries: list[SourceEntry]
    backedByUser: bool
    backingUserWallet: str


class CatalogAgent(AgentSummary):
    """An agent as the directory shows it to everybody."""

    wallet: str
    ownerWallet: str
    agentWallet: str | None
    description: Untrusted | None
    avatar: Untrusted | None
    category: Untrusted | None
    website: Untrusted | None
    capabilities: list[Untrusted]
    primarySourceEntryId: Untrusted
    sourceEntries: list[SourceEntry]
    registryPresence: RegistryPresence
    createdAt: str
    updatedAt: str


class ResolvedAgent(TypedDict):
    """The agent that a wallet is known as."""

    displayName: Untrusted
    displayAvatar: Untrusted | None
    description: Untrusted | None
    source: Source
    catalogId: str
    resolvedAt: str


class AgentProfile(TypedDict):
    """The agent's side of a wallet."""

    resolved: ResolvedAgent


# --- Which agent a caller acts as -------------------------------------------------------------------------------------


class AgentContext(TypedDict):
    """The agent that this client acts as for this wallet. All but `status` is there where one is selected.

    `selectedBy`: `single` (there is one), `remembered_agent` or `remembered_link` (it was selected).
    """

    status: ContextStatus
    selectedBy: NotRequired[Literal["single", "remembered_agent", "remembered_link"]]
    agent: NotRequired[AgentSummary]
    linkId: NotRequired[str]


DriftReason: TypeAlias = Literal[
    "not_backed", "selected_agent_gone", "selected_link_gone", "linked_agent_gone", "source_unavailable"
]


class Drift(TypedDict, total=False):
    """Something that no longer is, or is not yet, as it should be.

    `not_backed` has an agent's fields: its wallet has not signed in here, so it cannot be selected. `selected_…_gone`
    is a selection that was dropped. `source_unavailable` names a resolver that did not answer: its agents are missing.
    """

    reason: Required[DriftReason]
    catalogId: str
    slug: Untrusted
    name: Untrusted
    primarySource: Source
    ownerWallet: str
    agentWallet: str | None
    primarySourceEntryId: Untrusted
    sourceEntries: list[SourceEntry]
    backedByUser: bool
    backingUserWallet: str
    linkId: str
    resolver: str


class Principal(TypedDict):
    """Who is signed in."""

    wallet: str


class Selected(TypedDict):
    """Which agent this client acts as from now on."""

    principal: Principal
    agentContext: AgentContext


class MyIdentity(TypedDict):
    """Who the caller's wallet is. `recognized`: it is an agent's. No reputation is known here, so it is null."""

    wallet: str
    recognized: bool
    role: Role
    visibleProfile: VisibleProfile | None
    userProfile: UserProfile | None
    agentProfile: dict[str, Json] | None
    reputation: dict[str, Json] | None
    agentContext: AgentContext


# --- Links ------------------------------------------------------------------------------------------------------------

Label = Annotated[
    str, Field(min_length=1, max_length=120, pattern=_ONE_LINE, description="what the link is to be called, one line")
]


class LinkFields(TypedDict):
    """Which agents an owner declares to belong together."""

    label: Label
    primary_agent_catalog_id: Annotated[CatalogId, Field(description="the one of them that stands for all")]
    agent_catalog_ids: Annotated[
        list[CatalogId],
        Field(min_items=2, max_items=MOST_LINKED_AGENTS, description="all of them, the primary one too"),
    ]


class SignedLink(LinkFields):
    """The same, signed."""

    signed_message: Annotated[
        str,
        Field(
            min_length=1,
            max_length=4000,
            pattern=_TEXT,
            description="`message` of prepare_agent_identity_link, unchanged",
        ),
    ]
    signature: Annotated[
        str,
        Field(pattern=r"^[1-9A-HJ-NP-Za-km-z]{64,88}$", description="of your wallet for that message, in base58"),
    ]


class LinkToSign(TypedDict):
    """A link that waits for its signature. `message` is what the owner's wallet signs, byte for byte."""

    domain: str
    ownerWallet: str
    primaryAgentCatalogId: str
    agentCatalogIds: list[str]
    label: str
    nonce: str
    issuedAt: str
    expiresAt: str
    message: str


class Link(TypedDict):
    """An owner's signed word that these agents belong together."""

    linkId: str
    ownerWallet: str
    label: Untrusted
    status: Literal["active", "revoked"]
    primaryAgentCatalogId: str
    agentCatalogIds: list[str]
    claimLevel: Literal["owner_signed"]
    signedAt: str
    revokedAt: str | None


class LinkRevoked(Link):
    """A link that no longer holds; its history is kept."""

    agentContext: AgentContext


class AgentIdentities(TypedDict):
    """A wallet's agents that can be selected, its active links, and what does not hold."""

    principal: Principal
    ownerWallet: str
    agents: list[AgentIdentity]
    links: list[Link]
    drift: list[Drift]


# --- The directory ----------------------------------------------------------------------------------------------------

DirectoryName = Annotated[
    str, Field(min_length=1, max_length=64, pattern=_TEXT, description="a part of the name, in any case")
]
DirectorySize = Annotated[int, Field(minimum=1, maximum=50)]
DirectoryOffset = Annotated[int, Field(minimum=0, maximum=1_000_000)]


class AgentList(TypedDict):
    """A page of the directory. `total` counts all that were found."""

    agents: list[CatalogAgent]
    total: int
    hasMore: bool


class Published(CatalogAgent):
    """An agent that the directory shows now."""

    status: Literal["published"]


class Unpublished(TypedDict):
    """An agent that the directory shows no more."""

    catalogId: str
    status: Literal["unpublished"]
    agentContext: AgentContext
