"""How often one address may sign in, ask for challenges, and register clients."""

from __future__ import annotations

import math
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Final

from accord.deside.oauth.refusals import Name, OAuthError
from accord.engine import State

__all__ = ["SignInLimits", "counted_as"]

FIVE_MINUTES: Final = 5 * 60
ONE_MINUTE: Final = 60

SUBSCRIBER_BITS: Final = 64
"""The part of an IPv6 address that one subscriber has to itself is 64 bits or more (RFC 6177)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInLimits:
    """Counts in the server's state, so that replicas count together. A limit of 0 is none."""

    state: State
    sign_ins_per_5_min: int
    challenges_per_min: int
    registrations_per_5_min: int

    async def count_sign_in(self, address: str) -> None:
        """Count an attempt to sign in.

        Raises:
            OAuthError: temporarily_unavailable.
        """
        await self._count("sign-in", address, FIVE_MINUTES, self.sign_ins_per_5_min)

    async def count_request(self, address: str) -> None:
        """Count what may lead to a challenge.

        Raises:
            OAuthError: temporarily_unavailable.
        """
        await self._count("request", address, ONE_MINUTE, self.challenges_per_min)

    async def count_challenge(self, address: str) -> None:
        """Count a challenge.

        Raises:
            OAuthError: temporarily_unavailable.
        """
        await self._count("challenge", address, ONE_MINUTE, self.challenges_per_min)

    async def count_registration(self, address: str) -> None:
        """Count the registration of a client.

        Raises:
            OAuthError: too_many_requests.
        """
        await self._count("registration", address, FIVE_MINUTES, self.registrations_per_5_min, "too_many_requests")

    async def _count(
        self, what: str, address: str, window_seconds: float, limit: int, name: Name = "temporarily_unavailable"
    ) -> None:
        if limit == 0:
            return
        key = f"oauth:{what}:{counted_as(address)}"
        wait_seconds = await self.state.count_in_window(key, window_seconds=window_seconds, limit=limit)
        if wait_seconds > 0:
            after = f"try again in {math.ceil(wait_seconds)} seconds"
            subject = "registrations" if what == "registration" else "sign-ins"
            raise OAuthError(name, f"too many {subject} from this address, {after}")


def counted_as(address: str) -> str:
    """Return what an address is counted as: an IPv6 address as its network, of which one subscriber has them all."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(IPv6Address(int(parsed) >> SUBSCRIBER_BITS << SUBSCRIBER_BITS)) + f"/{SUBSCRIBER_BITS}"
