"""Redirect URIs: which may be registered, which was registered, and a URI with more in its query."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from ipaddress import IPv4Address, IPv6Address
from typing import Any, Final, TypeAlias
from urllib.parse import SplitResult, urlencode, urlsplit, urlunsplit

from accord.deside.oauth.hosts import is_loopback
from accord.deside.oauth.refusals import OAuthError

__all__ = [
    "MOST_CHARACTERS",
    "MOST_TOGETHER",
    "MOST_URIS",
    "check_redirect_uri",
    "is_registered",
    "redirect_uris",
    "with_query",
]

Json: TypeAlias = Any

MOST_CHARACTERS: Final = 2048
MOST_URIS: Final = 16
MOST_TOGETHER: Final = 8192
"""Ours: anybody may register, so what is kept has an end; the last is of the characters of all URIs of a client."""

_CHARACTERS: Final = re.compile(r"[!$-;=?-Z\[\]_a-z~]+")
"""What a URI may hold (RFC 3986, 2), without `#`: browsers read some of the others in other ways than Python does."""

_AUTHORITY: Final = re.compile(
    r"(\[(?P<v6>[0-9A-Fa-f:.]+)\]|(?P<name>[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?\.?))(:[0-9]{1,5})?"
)
"""A name or an address, and perhaps a port; no credentials."""

_NUMBER: Final = re.compile(r"(.*\.)?([0-9]+|0x[0-9a-f]*)\.?", re.IGNORECASE)
"""What browsers take for an IPv4 address, in whatever way it is written (https://url.spec.whatwg.org/#ends-in-a-number)."""


def redirect_uris(value: Json, *, production: bool) -> tuple[str, ...]:
    """Return the redirect URIs of a registration.

    Raises:
        OAuthError: invalid_redirect_uri for none, too many, too long ones, one twice, or one that is not allowed.
    """
    if not isinstance(value, list) or not 1 <= len(value) <= MOST_URIS:
        raise _refused(f"redirect_uris is a list of 1 to {MOST_URIS} URIs")
    if sum(len(uri) for uri in value if isinstance(uri, str)) > MOST_TOGETHER:
        raise _refused(f"the redirect URIs of a client have at most {MOST_TOGETHER} characters together")
    uris = tuple(check_redirect_uri(uri, production=production) for uri in value)
    if len(set(uris)) < len(uris):
        raise _refused("a redirect URI is given twice")
    return uris


def check_redirect_uri(uri: Json, *, production: bool) -> str:
    """Return a URI to which codes may be sent: https, or http on this machine outside of production.

    Raises:
        OAuthError: invalid_redirect_uri for any other.
    """
    if not isinstance(uri, str) or len(uri) > MOST_CHARACTERS:
        raise _refused(f"a redirect URI has at most {MOST_CHARACTERS} characters")
    parts = _parts(uri)
    host = parts.hostname if parts else None
    if parts is None or not host:
        raise _refused("a redirect URI is a whole http or https URL without credentials and fragment")
    if production and (parts.scheme != "https" or is_loopback(host)):
        raise _refused("in production a redirect URI is https, and not on localhost")
    if parts.scheme != "https" and not is_loopback(host):
        raise _refused("a redirect URI is https, or http on localhost")
    return uri


def is_registered(uri: str, registered: Collection[str]) -> bool:
    """Whether a URI is one of these, character by character.

    One of a loopback address without a port stands for every port: a native client does not know beforehand which it
    will get (RFC 8252, 7.3).
    """
    return uri in registered or _without_port(uri) in registered


def with_query(uri: str, more: Mapping[str, str]) -> str:
    """Return the URI with more in its query; what is there stays."""
    joint = "" if uri.endswith(("?", "&")) else "&" if "?" in uri else "?"
    return f"{uri}{joint}{urlencode(more)}"


def _parts(uri: str) -> SplitResult | None:
    """Take a URI apart, if everybody takes it apart in the same way."""
    if not _CHARACTERS.fullmatch(uri):
        return None
    try:
        parts = urlsplit(uri)
        usable = parts.scheme in {"http", "https"} and parts.port != 0 and _is_authority(parts.netloc)
    except ValueError:
        return None
    return parts if usable else None


def _is_authority(netloc: str) -> bool:
    """Whether this is a host, written in the way that has one meaning; ValueError for some that are not."""
    match = _AUTHORITY.fullmatch(netloc)
    if match is None:
        return False
    if match["v6"] is not None:
        return bool(IPv6Address(match["v6"]))
    return not _NUMBER.fullmatch(match["name"]) or bool(IPv4Address(match["name"]))


def _without_port(uri: str) -> str | None:
    parts = _parts(uri)
    if parts is None or parts.port is None or parts.hostname not in {"127.0.0.1", "::1"}:
        return None
    return urlunsplit(parts._replace(netloc=parts.netloc.removesuffix(f":{parts.port}")))


def _refused(description: str) -> OAuthError:
    return OAuthError("invalid_redirect_uri", description)
