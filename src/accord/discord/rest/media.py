"""Files of messages: fetched from Discord's own hosts alone, without any credential, as far as is asked for."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from accord.discord.rest.answers import error_of, timed_out, unreachable
from accord.discord.rest.connections import is_loopback
from accord.discord.rest.errors import DiscordNotFoundError, DiscordUpstreamError
from accord.discord.rest.resilience.classify import lost_connection

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession
    from yarl import URL

__all__ = ["Media", "fetched"]

CDN_HOSTS: Final = frozenset({"cdn.discordapp.com", "media.discordapp.net"})
"""https://discord.com/developers/docs/reference#image-formatting; files of messages lie on these."""

MOST_SECONDS: Final = 20.0
OK: Final = 200
GONE: Final = frozenset({403, 404, 410})
"""What the CDN answers for a file that is not there, and for a link that has run out."""


@dataclass(frozen=True, slots=True)
class Media:
    """The beginning of a file; `is_cut` says that there is more of it."""

    content: bytes = field(repr=False)
    is_cut: bool


async def fetched(session: ClientSession, address: str, *, root: str, most_bytes: int, seconds: float) -> Media:
    """Fetch a file as far as `most_bytes`, following no redirect.

    Args:
        session: Its requests carry nothing but what is given here.
        address: Where it lies: on Discord's CDN, or on the API's own host where `root` names this machine.
        root: The API's address.
        most_bytes: How much is read; the connection is closed there.
        seconds: How long it may take, at most 20.

    Raises:
        DiscordNotFoundError: It is not there, or its link has run out.
        ToolError: It lies elsewhere, or could not be fetched.
    """
    url = allowed(address, root)
    try:
        async with asyncio.timeout(min(seconds, MOST_SECONDS)), session.get(url, allow_redirects=False) as response:
            _check(response)
            return await _beginning(response, most_bytes)
    except TimeoutError:
        raise timed_out() from None
    except Exception as failure:
        loss = lost_connection(failure)
        if loss is None:
            raise
        raise unreachable(loss.kind) from None


def allowed(address: str, root: str) -> URL:
    """Return the address if files may be fetched from it.

    Raises:
        DiscordUpstreamError: It may lie anywhere.
    """
    from yarl import URL  # noqa: PLC0415 - comes with aiohttp, as late

    try:
        url, own = URL(address), URL(root)
        bare = url.user is None and url.password is None
        on_cdn = url.scheme == "https" and url.host in CDN_HOSTS and url.explicit_port is None
        on_this_machine = is_loopback(own.host or "") and url.origin() == own.origin()
    except ValueError:
        bare = on_cdn = on_this_machine = False
    if not (bare and (on_cdn or (on_this_machine and url.path.startswith("/attachments/")))):
        raise DiscordUpstreamError(
            reason="foreign_link", retriable=False, recovery_hint="Leave it: the file does not lie on Discord's CDN."
        )
    return url


def _check(response: ClientResponse) -> None:
    if response.status in GONE:
        raise DiscordNotFoundError(status=response.status, resource_type="file")
    if response.status != OK:
        raise error_of(response.status, response.headers, None)


async def _beginning(response: ClientResponse, most_bytes: int) -> Media:
    pieces, size = [], 0
    async for piece in response.content.iter_any():
        pieces.append(piece)
        size += len(piece)
        if size > most_bytes:
            break
    return Media(b"".join(pieces)[:most_bytes], is_cut=size > most_bytes)
