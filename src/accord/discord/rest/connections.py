"""How connections to Discord are opened and read from: the pool, the proxy, and what aiohttp is kept from."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from aiohttp import ClientHandlerType, ClientRequest, ClientResponse, ClientSession

__all__ = ["body_of", "opened"]

MOST_ANSWER_BYTES = 32 * 1024 * 1024
"""Far above Discord's largest answer. A longer one is cut, which makes its JSON unreadable."""

KEEPALIVE_SECONDS = 15.0
"""Shorter than Discord's edge keeps an idle connection, so that a write does not meet one that is being closed."""
DNS_CACHE_SECONDS = 300


def opened(root: str) -> ClientSession:
    """Open a session: no cookies, no time-out but the policy's, and the system's proxy.

    The proxy is looked up once: aiohttp's own `trust_env` asks two threads at each request, and puts the password
    that a netrc file holds for Discord in the way of the bot's token.
    """
    import aiohttp  # noqa: PLC0415 - costs more than all the rest of a start, and only what talks to Discord needs it

    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(
            limit=0,  # the bulkhead counts: who waited here would use up the time of an attempt that was never sent
            ttl_dns_cache=DNS_CACHE_SECONDS,
            keepalive_timeout=KEEPALIVE_SECONDS,
        ),
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=None),
        proxy=proxy_for(root),
        middlewares=(sent_once,),
    )


async def sent_once(request: ClientRequest, following: ClientHandlerType) -> ClientResponse:
    """Keep aiohttp from two habits.

    It sends a request again by itself after a lost connection of its own kind (3.14, `ClientSession._request`), which
    nobody would count or bound. And it writes the URL, which may hold a token, into the errors of a body that could
    not be sent, of an answer that is no HTTP, and of a proxy's no.
    """
    import aiohttp  # noqa: PLC0415 - loaded by then

    try:
        return await following(request)
    except aiohttp.ClientConnectorError:
        raise
    except aiohttp.ClientHttpProxyError:
        refusal = ConnectionRefusedError("refused by the proxy")
        raise aiohttp.ClientProxyConnectionError(request.connection_key, refusal) from None
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError):
        raise ConnectionResetError("connection lost") from None
    except aiohttp.ClientResponseError:
        raise ConnectionResetError("answer is no HTTP") from None


def proxy_for(root: str) -> str | None:
    """Return the proxy that the environment or the system names for the URL, None for what is on this machine."""
    from urllib.request import getproxies, proxy_bypass  # noqa: PLC0415 - as heavy as aiohttp, and as late

    url = urlsplit(root)
    host = url.hostname or ""
    if is_loopback(host) or proxy_bypass(host):
        return None
    proxies = getproxies()
    return proxies.get(url.scheme) or proxies.get("all")


def is_loopback(host: str) -> bool:
    """Whether the host is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


async def body_of(response: ClientResponse) -> bytes:
    """Read the answer, as far as MOST_ANSWER_BYTES."""
    pieces, size = [], 0
    async for piece in response.content.iter_any():
        pieces.append(piece)
        size += len(piece)
        if size > MOST_ANSWER_BYTES:
            break
    return b"".join(pieces)
