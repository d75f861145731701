"""Redirect URIs: which may be registered, which was registered, and a URI with more in its query."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from ipaddress import ip_address
from typing import Any, Final, TypeAlias
from urllib.parse import SplitResult, urlencode, urlsplit, urlunsplit

from accord.deside.oauth.hosts import is_loopback
from accord.deside.oauth.refusals import OAuthError

__all__ = ["MOST_CHARACTERS", "MOST_URIS", "check_redirect_uri", "is_registered", "redirect_uris", "with_query"]

Json: TypeAlias = Any

MOST_CHARACTERS: Final = 2048
MOST_URIS: Final = 16
"""Ours: anybody may register, so what is kept has an end."""

_CHARACTERS: Final = re.compile(r"[!$-;=?-Z\[\]_a-z~]+")
"""What a URI may hold (RFC 3986, 2), without `#`: browsers read some of the others in other ways than Python does."""

_HOST: Final = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?\.?|[0-9a-f:.]+")

_NUMBER: Final = re.compile(r"(.*\.)?([0-9]+|0x[0-9a-f]*)\.?", re.IGNORECASE)
"""What browsers take for an IPv4 address, in whatever way it is written (https://url.spec.whatwg.org/#ends-in-a-number)."""


def redirect_uris(value: Json, *, production: bool) -> tuple[str, ...]:
    """Return the redirect URIs of a registration.

    Raises:
        OAuthError: invalid_redirect_uri for none, too many, one twice, or one that may not be registered.
    """
    if not isinstance(value, list) or not 1 <= len(value) <= MOST_URIS:
        raise _refused(f"redirect_uris is a list of 1 to {MOST_URIS} URIs")
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
        usable = parts.scheme in {"http", "https"} and "@" not in parts.netloc and parts.port != 0
    except ValueError:
        return None
    return parts if usable and _is_host(parts.hostname or "") else None


def _is_host(host: str) -> bool:
    if not _HOST.fullmatch(host):
        return False
    if ":" not in host and not _NUMBER.fullmatch(host):
        return True
    try:
        return bool(ip_address(host))
    except ValueError:
        return False


def _without_port(uri: str) -> str | None:
    parts = _parts(uri)
    if parts is None or parts.port is None or parts.hostname not in {"127.0.0.1", "::1"}:
        return None
    return urlunsplit(parts._replace(netloc=parts.netloc.removesuffix(f":{parts.port}")))


def _refused(description: str) -> OAuthError:
    return OAuthError("invalid_redirect_uri", description)
