"""Where the gateway is and how often a bot may connect to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accord.discord.sandbox.wire import Call, Route

if TYPE_CHECKING:
    from accord.discord.sandbox.world import JsonObject

GATEWAY = {"url": "wss://gateway.discord.gg"}
DAY_MS = 24 * 60 * 60 * 1000


def get_gateway(_call: Call) -> JsonObject:
    """The gateway's address."""
    return dict(GATEWAY)


def get_gateway_bot(_call: Call) -> JsonObject:
    """The gateway's address with the session limits of a small bot."""
    limit = {"total": 1000, "remaining": 999, "reset_after": DAY_MS, "max_concurrency": 1}
    return GATEWAY | {"shards": 1, "session_start_limit": limit}


def get_public_keys(_call: Call) -> JsonObject:
    """The keys with which identity tokens are signed."""
    key = {"kty": "RSA", "use": "sig", "kid": "sandbox", "n": "w7Zdfmece8iaB0kiTY8p", "e": "AQAB", "alg": "RS256"}
    return {"keys": [key]}


ROUTES = (
    Route("GET", "/gateway", get_gateway, auth="anybody"),
    Route("GET", "/gateway/bot", get_gateway_bot),
    Route("GET", "/oauth2/keys", get_public_keys, auth="anybody"),
)
