"""The chain over HTTP: its JSON-RPC, and for the sandbox a funded wallet's key. For loopback alone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias

import orjson
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from accord.deside.chain.chain import Chain
from accord.deside.chain.faults import NoAnswerError
from accord.deside.chain.methods import answered
from accord.deside.chain.sandbox import ChainSandbox
from accord.deside.loopback import LoopbackOnly

__all__ = ["chain_app", "sandbox_app"]

Json: TypeAlias = Any

MOST_ATOMIC_UNITS: Final = 10**12
"""As much as the sandbox gives at once: a million USDC."""


def chain_app(chain: Chain) -> Starlette:
    """Serve a chain's JSON-RPC at `/`, to this machine alone."""
    return Starlette(routes=[Route("/", _rpc(chain), methods=["POST"])], middleware=[Middleware(LoopbackOnly)])


def sandbox_app(sandbox: ChainSandbox) -> Starlette:
    """Serve a sandbox to this machine alone: `/rpc`, `/wallet` with its key, `/fund`, `/balance/{wallet}`."""

    async def wallet(_: Request) -> Response:
        return JSONResponse({"wallet": sandbox.wallet, "secretKey": sandbox.secret_key})

    async def balance(request: Request) -> Response:
        try:
            usdc = sandbox.balance(request.path_params["wallet"])
        except ValueError as error:
            return JSONResponse({"error": "invalid_request", "message": str(error)}, 400)
        return JSONResponse({"usdc": str(usdc)})

    async def fund(request: Request) -> Response:
        try:
            asked = orjson.loads(await request.body())
            sandbox.fund(asked["wallet"], _amount(asked["usdc"]))
        except (ValueError, TypeError, LookupError) as error:
            return JSONResponse({"error": "invalid_request", "message": str(error)}, 400)
        return JSONResponse({"usdc": str(sandbox.balance(asked["wallet"]))})

    routes = [
        Route("/rpc", _rpc(sandbox.chain), methods=["POST"]),
        Route("/wallet", wallet, methods=["GET"]),
        Route("/balance/{wallet}", balance, methods=["GET"]),
        Route("/fund", fund, methods=["POST"]),
    ]
    return Starlette(routes=routes, middleware=[Middleware(LoopbackOnly)])


def _amount(asked: Json) -> int:
    usdc = int(asked)
    if not 0 < usdc <= MOST_ATOMIC_UNITS:
        raise ValueError(f"usdc is from 1 to {MOST_ATOMIC_UNITS} atomic units")
    return usdc


def _rpc(chain: Chain) -> Callable[[Request], Awaitable[Response]]:
    async def rpc(request: Request) -> Response:
        try:
            asked = orjson.loads(await request.body())
            return JSONResponse(answered(chain, asked))
        except NoAnswerError:
            return Response(status_code=504)
        except (ValueError, LookupError, AttributeError):
            return JSONResponse({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error"}})

    return rpc
