"""A facilitator for others, over x402's HTTP: GET /supported, POST /verify, POST /settle. For loopback alone.

It is the embedded one, served: a seller in another process uses it as DESIDE_FACILITATOR_URL, without the key for fees.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from x402.mechanisms.svm.settlement_cache import SettlementCache
from x402.schemas import SettleResponse, SupportedKind, SupportedResponse, VerifyRequest, VerifyResponse

from accord.deside.loopback import LoopbackOnly
from accord.deside.payments.checking import Checked, RefusedPaymentError, check
from accord.deside.payments.confirming import Sleep, confirmed
from accord.deside.payments.embedded import EmbeddedFacilitator
from accord.deside.payments.facilitator import UnreachableError
from accord.deside.payments.solana import Solana
from accord.deside.payments.wire import X402_VERSION
from accord.deside.usdc import Network

__all__ = ["facilitator_app"]

UNREACHABLE: Final = "the chain does not answer"


def facilitator_app(
    facilitator: EmbeddedFacilitator, solana: Solana, network: Network, *, sleep: Sleep = asyncio.sleep
) -> Starlette:
    """Serve a facilitator of one network to this machine alone."""
    seen = SettlementCache()

    async def supported(_: Request) -> Response:
        kind = SupportedKind(
            x402_version=X402_VERSION,
            scheme="exact",
            network=network.caip2,
            extra={"feePayer": await facilitator.fee_payer()},
        )
        return _json(SupportedResponse(kinds=[kind]))

    async def verify(payment: Checked) -> Response:
        await facilitator.verify(payment)
        return _json(VerifyResponse(is_valid=True, payer=payment.payer))

    async def settle(payment: Checked) -> Response:
        if seen.is_duplicate(payment.digest):
            return _json(_settled(network, payment, error="duplicate_settlement"))
        try:
            await facilitator.verify(payment)
            signature = await facilitator.send(payment)
        except RefusedPaymentError:
            seen.delete(payment.digest)
            raise
        outcome = await confirmed(solana, signature, sleep)
        errors = {None: "settlement_pending", False: "transaction_failed", True: None}
        error = errors[None if outcome is None else outcome.succeeded]
        return _json(_settled(network, payment, signature=signature, error=error))

    async def refuse_verify(reason: str) -> Response:
        return _json(VerifyResponse(is_valid=False, invalid_reason=reason))

    async def refuse_settle(reason: str) -> Response:
        return _json(SettleResponse(success=False, error_reason=reason, transaction="", network=network.caip2))

    routes = [
        Route("/supported", supported, methods=["GET"]),
        Route("/verify", _answering(verify, refuse_verify), methods=["POST"]),
        Route("/settle", _answering(settle, refuse_settle), methods=["POST"]),
    ]
    return Starlette(routes=routes, middleware=[Middleware(LoopbackOnly)])


def _answering(
    act: Callable[[Checked], Awaitable[Response]], refuse: Callable[[str], Awaitable[Response]]
) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        try:
            asked = VerifyRequest.model_validate_json(await request.body())
        except ValueError:
            return JSONResponse({"error": "invalid_request", "message": "is no request of x402 version 2"}, 400)
        try:
            return await act(check(*_parts(asked)))
        except RefusedPaymentError as refused:
            return await refuse(str(refused))
        except UnreachableError:
            return JSONResponse({"error": "server_error", "message": UNREACHABLE}, 503)

    return answer


def _parts(asked: VerifyRequest) -> tuple[dict[str, object], dict[str, object]]:
    payload, requirements = asked.payment_payload, asked.payment_requirements
    return (
        payload.model_dump(by_alias=True, exclude_none=True),
        requirements.model_dump(by_alias=True, exclude_none=True),
    )


def _settled(network: Network, payment: Checked, *, signature: str = "", error: str | None = None) -> SettleResponse:
    return SettleResponse(
        success=error is None,
        error_reason=error,
        payer=payment.payer,
        transaction=signature,
        network=network.caip2,
        amount=payment.requirements["amount"],
    )


def _json(answer: VerifyResponse | SettleResponse | SupportedResponse) -> Response:
    return JSONResponse(answer.model_dump(by_alias=True, exclude_none=True))
