"""Agent identities: who a wallet's agents are, which of them a client acts as, and what their owner signed."""

from accord.deside.identity.agents import AgentRecord
from accord.deside.identity.identities import Identities
from accord.deside.identity.importing import Imported, import_agents
from accord.deside.identity.registry import Registry
from accord.deside.identity.resolvers import Resolver

__all__ = ["AgentRecord", "Identities", "Imported", "Registry", "Resolver", "import_agents"]
