"""discord-mcp's own gates: a file each, and the preconditions that a tool can name."""

from __future__ import annotations

from accord.discord.gates.approvals import APPROVED_PAYLOAD, PAYLOAD_TOOLS, PayloadApprovals
from accord.discord.gates.consent import CONSENT, DM_TOOLS, DmConsent, dm_outcome
from accord.discord.gates.content import content_of, send_as_decided
from accord.discord.gates.guild_scope import within_scope
from accord.discord.gates.guilds import (
    PRECONDITIONS,
    aimed,
    default_guild,
    takes_default_guild,
    wants_explicit_guild,
)
from accord.discord.gates.identity import prove_identity
from accord.discord.gates.nonces import own_nonce
from accord.discord.gates.reasons import sign_reason
from accord.discord.gates.runtime_access import runtime_access
from accord.discord.gates.scope import Scope, barred

__all__ = [
    "APPROVED_PAYLOAD",
    "CONSENT",
    "DM_TOOLS",
    "PAYLOAD_TOOLS",
    "PRECONDITIONS",
    "DmConsent",
    "PayloadApprovals",
    "Scope",
    "aimed",
    "barred",
    "content_of",
    "default_guild",
    "dm_outcome",
    "own_nonce",
    "prove_identity",
    "runtime_access",
    "send_as_decided",
    "sign_reason",
    "takes_default_guild",
    "wants_explicit_guild",
    "within_scope",
]
