"""What one wallet sends another, and how much of it may be sent."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, TypeAlias

import orjson

from accord.deside.messaging.pairs import Pair

__all__ = ["HELD_MOST", "HOUR_MS", "REQUEST_AGAIN_MS", "WINDOW_MS", "Letter", "Limits"]

Json: TypeAlias = Any

HOUR_MS = 3_600_000
"""The window of a wallet's limit (spec: 200 send_dm an hour)."""

WINDOW_MS = 10_000
"""The window of the limit to one recipient (DESIDE_BURST_PER_RECIPIENT)."""

HELD_MOST = 5
"""Messages that may wait for the answer to one contact request."""

REQUEST_AGAIN_MS = 24 * HOUR_MS
"""How long a declined contact request cannot be made again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much a wallet may send: within any hour, and to one recipient within any ten seconds (0: no limit)."""

    sends_per_hour: int = 200
    burst_per_recipient: int = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """One message that is about to be sent; `own` of the pair is its sender, `blocks` is JSON."""

    pair: Pair
    client_msg_id: str
    content: str
    blocks: str | None
    at_ms: int

    @property
    def fingerprint(self) -> bytes:
        """What tells whether two letters say the same to the same wallet: SHA-256 of it."""
        said = self.content if self.blocks is None else self.blocks
        return hashlib.sha256(orjson.dumps([self.pair.peer, self.blocks is None, said])).digest()

    def bound(self, limits: Limits) -> dict[str, Json]:
        """Return the values of the statements that send it."""
        return {
            "sender": self.pair.own,
            "recipient": self.pair.peer,
            "conv_id": self.pair.conv_id,
            "client_msg_id": self.client_msg_id,
            "fingerprint": self.fingerprint,
            "content": self.content,
            "blocks": self.blocks,
            "at_ms": self.at_ms,
            "hour_ago": self.at_ms - HOUR_MS,
            "window_ago": self.at_ms - WINDOW_MS,
            "again_before": self.at_ms - REQUEST_AGAIN_MS,
            "per_hour": limits.sends_per_hour,
            "burst": limits.burst_per_recipient,
            "count": 1,
        }
