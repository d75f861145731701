"""The methods of Solana's JSON-RPC that paying takes, as a table (https://solana.com/docs/rpc)."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from accord.deside.chain.chain import BLOCKHASH_BLOCKS, Chain, Landed, decoded
from accord.deside.chain.faults import RefusedError
from accord.deside.usdc import DECIMALS

__all__ = ["METHODS", "answered"]

Json: TypeAlias = Any
Method: TypeAlias = Callable[[Chain, list[Json]], Json]

METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
NODE_VERSION = "2.2.0"


def answered(chain: Chain, request: Json) -> Json:
    """Answer a request of JSON-RPC.

    Raises:
        NoAnswerError: A fault wants it so.
    """
    head = {"jsonrpc": "2.0", "id": request.get("id")}
    try:
        return head | {"result": _result(chain, request["method"], request.get("params") or [])}
    except RefusedError as refused:
        data = {} if refused.data is None else {"data": refused.data}
        return head | {"error": {"code": refused.code, "message": str(refused), **data}}


def _result(chain: Chain, method: str, params: list[Json]) -> Json:
    chain.faults.before(method)
    if method not in METHODS:
        raise RefusedError(METHOD_NOT_FOUND, "Method not found")
    try:
        result = METHODS[method](chain, params)
    except (ValueError, LookupError, TypeError) as error:
        raise RefusedError(INVALID_PARAMS, f"Invalid params: {error}") from error
    chain.faults.after(method)
    return result


def _latest_blockhash(chain: Chain, _: list[Json]) -> Json:
    last = chain.height + BLOCKHASH_BLOCKS
    return _in_context(chain, {"blockhash": chain.blockhash, "lastValidBlockHeight": last})


def _blockhash_valid(chain: Chain, params: list[Json]) -> Json:
    return _in_context(chain, params[0] == chain.blockhash)


def _account_info(chain: Chain, params: list[Json]) -> Json:
    account = chain.account(params[0])
    if account is None:
        return _in_context(chain, None)
    return _in_context(
        chain,
        {
            "data": [base64.b64encode(account.data).decode(), "base64"],
            "executable": account.executable,
            "lamports": account.lamports,
            "owner": str(account.owner),
            "rentEpoch": account.rent_epoch,
            "space": len(account.data),
        },
    )


def _balance(chain: Chain, params: list[Json]) -> Json:
    return _in_context(chain, chain.lamports(params[0]))


def _token_balance(chain: Chain, params: list[Json]) -> Json:
    account = chain.account(params[0])
    if account is None:
        raise RefusedError(INVALID_PARAMS, "Invalid param: could not find account")
    amount = int.from_bytes(account.data[64:72], "little")
    in_usdc = f"{amount / 10**DECIMALS:g}"
    shown = {"amount": str(amount), "decimals": DECIMALS, "uiAmount": amount / 10**DECIMALS, "uiAmountString": in_usdc}
    return _in_context(chain, shown)


def _simulate(chain: Chain, params: list[Json]) -> Json:
    error = chain.simulate(decoded(params[0]))
    shown = {"err": error, "logs": [], "accounts": None, "unitsConsumed": 0, "returnData": None}
    return _in_context(chain, shown)


def _send(chain: Chain, params: list[Json]) -> Json:
    options = params[1] if len(params) > 1 else {}
    return chain.send(decoded(params[0]), preflight=not options.get("skipPreflight", False))


def _statuses(chain: Chain, params: list[Json]) -> Json:
    return _in_context(chain, [_status(chain.ask_status(signature)) for signature in params[0]])


def _status(landed: Landed | None) -> Json:
    if landed is None:
        return None
    outcome = {"Ok": None} if landed.error is None else {"Err": landed.error}
    return {
        "slot": landed.slot,
        "confirmations": None,
        "status": outcome,
        "err": landed.error,
        "confirmationStatus": "finalized",
    }


def _history(chain: Chain, params: list[Json]) -> Json:
    options = params[1] if len(params) > 1 else {}
    before = options.get("before")
    landed = chain.history(params[0])
    start = 0 if before is None else [one.signature for one in landed].index(before) + 1
    return [
        {
            "signature": one.signature,
            "slot": one.slot,
            "err": one.error,
            "memo": one.memo,
            "blockTime": None,
            "confirmationStatus": "finalized",
        }
        for one in landed[start : start + options.get("limit", 1000)]
    ]


def _transaction(chain: Chain, params: list[Json]) -> Json:
    landed = chain.landed(params[0])
    if landed is None:
        return None
    whole = [base64.b64encode(bytes(landed.transaction)).decode(), "base64"]
    meta = {"err": landed.error}
    return {"slot": landed.slot, "transaction": whole, "meta": meta, "blockTime": None, "version": 0}


def _in_context(chain: Chain, value: Json) -> Json:
    return {"context": {"slot": chain.height, "apiVersion": NODE_VERSION}, "value": value}


METHODS: Final[Mapping[str, Method]] = {
    "getAccountInfo": _account_info,
    "getBalance": _balance,
    "getBlockHeight": lambda chain, _: chain.height,
    "getGenesisHash": lambda chain, _: chain.network.genesis,
    "getHealth": lambda _, __: "ok",
    "getLatestBlockhash": _latest_blockhash,
    "getMinimumBalanceForRentExemption": lambda chain, params: chain.rent(params[0]),
    "getSignatureStatuses": _statuses,
    "getSignaturesForAddress": _history,
    "getSlot": lambda chain, _: chain.height,
    "getTokenAccountBalance": _token_balance,
    "getTransaction": _transaction,
    "getVersion": lambda _, __: {"solana-core": NODE_VERSION, "feature-set": 0},
    "isBlockhashValid": _blockhash_valid,
    "sendTransaction": _send,
    "simulateTransaction": _simulate,
}
