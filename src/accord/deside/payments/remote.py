"""Somebody else's facilitator, over HTTP (https://github.com/coinbase/x402, specs/x402-specification-v2.md, 7)."""

from __future__ import annotations

from typing import Any, Final, TypeAlias, TypeVar

import aiohttp
import orjson
from pydantic import BaseModel
from x402.schemas import SettleResponse, SupportedResponse, VerifyResponse

from accord.deside.payments.bodies import whole_body
from accord.deside.payments.checking import Checked, RefusedPaymentError
from accord.deside.payments.facilitator import UnreachableError

__all__ = ["RemoteFacilitator"]

Json: TypeAlias = Any
Answer = TypeVar("Answer", bound=BaseModel)

VERSION: Final = 2
REQUEST_SECONDS: Final = 35
"""A facilitator answers a settlement once it is confirmed; x402's own waits for that up to 30 seconds."""

MOST_BYTES: Final = 262_144
SETTLEMENT_PENDING: Final = "settlement_pending"
FEE_PAYER_NOT_MANAGED: Final = "fee_payer_not_managed_by_facilitator"


class RemoteFacilitator:
    """A facilitator behind a URL. What it says of an arrival is not relied on: the chain is asked."""

    def __init__(self, url: str, network: str) -> None:
        self._url = url.rstrip("/")
        self._network = network
        self._fee_payer: str | None = None
        self._session: aiohttp.ClientSession | None = None

    async def fee_payer(self) -> str:
        """Return the address that it names for this network; it is asked again once it changed it."""
        if self._fee_payer is None:
            self._fee_payer = self._named(await self._ask("GET", "/supported", SupportedResponse))
        return self._fee_payer

    async def verify(self, payment: Checked) -> None:
        """Ask it."""
        verdict = await self._ask("POST", "/verify", VerifyResponse, payment)
        if verdict.invalid_reason == FEE_PAYER_NOT_MANAGED:
            self._fee_payer = None
        if not verdict.is_valid:
            raise RefusedPaymentError(verdict.invalid_reason or "invalid_payload")

    def signature_of(self, payment: Checked) -> None:
        """Foretell nothing: the key is not here."""

    async def send(self, payment: Checked) -> str:
        """Let it settle."""
        settled = await self._ask("POST", "/settle", SettleResponse, payment)
        if settled.success or (settled.error_reason == SETTLEMENT_PENDING and settled.transaction):
            return settled.transaction
        raise RefusedPaymentError(settled.error_reason or "transaction_failed")

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()

    def _named(self, supported: SupportedResponse) -> str:
        for kind in supported.kinds:
            ours = (kind.x402_version, kind.scheme, kind.network) == (VERSION, "exact", self._network)
            if ours and kind.extra and "feePayer" in kind.extra:
                return str(kind.extra["feePayer"])
        raise UnreachableError(f"the facilitator does not serve {self._network}")

    async def _ask(self, method: str, path: str, into: type[Answer], payment: Checked | None = None) -> Answer:
        body = None if payment is None else orjson.dumps(_body(payment))
        try:
            async with self._opened().request(method, self._url + path, data=body, allow_redirects=False) as response:
                answer = await whole_body(response, MOST_BYTES)
                if response.status == 200:  # noqa: PLR2004 - OK
                    return into.model_validate_json(answer)
        except (OSError, TimeoutError, aiohttp.ClientError, ValueError) as error:
            raise UnreachableError(f"the facilitator: {type(error).__name__}") from None
        raise UnreachableError(f"the facilitator answered {response.status}")

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                timeout=aiohttp.ClientTimeout(total=REQUEST_SECONDS), headers={"content-type": "application/json"}
            )
        return self._session


def _body(payment: Checked) -> Json:
    return {
        "x402Version": VERSION,
        "paymentPayload": payment.payload,
        "paymentRequirements": payment.requirements,
    }
