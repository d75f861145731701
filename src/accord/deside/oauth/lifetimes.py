"""How long things live, in milliseconds: the contract's numbers, and ours. The access token's is configured."""

from __future__ import annotations

from typing import Final

__all__ = ["CHALLENGE_MS", "CODE_MS", "REFRESH_MS", "REQUEST_MS", "UNUSED_CLIENT_MS", "USED_CLIENT_MS"]

CHALLENGE_MS: Final = 60_000
CODE_MS: Final = 60_000
REFRESH_MS: Final = 7 * 24 * 3_600_000

REQUEST_MS: Final = 10 * 60_000
"""Ours: how long a person may take from authorize to the signature, over as many challenges as that takes."""

UNUSED_CLIENT_MS: Final = 7 * 24 * 3_600_000
"""Ours: how long a client is kept through which no wallet has signed in. Anybody may register, however often."""

USED_CLIENT_MS: Final = 30 * 24 * 3_600_000
"""Ours: how long a client is kept after a wallet last signed in through it, where no grant of it lives any more."""
