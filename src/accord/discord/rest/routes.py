"""A route is a literal template and its values: how the two become a path, and what the template alone tells."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import quote, urlencode

from accord.engine import Secret

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["Value", "carries_credential", "collection_of", "path_of", "query_of"]

Value: TypeAlias = str | int | Secret

OWN_CREDENTIAL = ("/webhooks/{}/{}", "/interactions/{}/{}")
"""Routes whose second value is a token: Discord asks for no other (docs, resources/webhook, interactions/receiving)."""


def path_of(template: str, values: tuple[Value, ...]) -> str:
    """Put the values, each percent-encoded as one path segment, where the template says `{}`.

    Raises:
        ValueError: There are too few or too many values, or one is empty or made of dots only, which servers and
            proxies read as a step to another path.
    """
    first, *rest = pieces(template)
    if len(values) != len(rest):
        raise ValueError(f"{template} takes {len(rest)} values, not {len(values)}")
    return first + "".join([segment(value) + piece for value, piece in zip(values, rest, strict=True)])


@lru_cache(maxsize=1024)
def pieces(template: str) -> tuple[str, ...]:
    """Return what stands around the template's values."""
    return tuple(template.split("{}"))


def segment(value: Value) -> str:
    """Percent-encode one path segment."""
    text = value.reveal() if isinstance(value, Secret) else str(value)
    if text.isdigit() and text.isascii():
        return text
    if not text.strip("."):
        raise ValueError("a path segment cannot be empty or made of dots only")
    return quote(text, safe="")


def carries_credential(template: str) -> bool:
    """Whether the path itself holds the token that the request needs, so that the bot's stays out of it."""
    return template.startswith(OWN_CREDENTIAL)


def collection_of(template: str) -> str:
    """Return what the template's last value is one of, as in `messages` for `/channels/{}/messages/{}`."""
    return next((part for part in reversed(template.split("/")) if part and not part.startswith(("{", "@"))), "")


def query_of(query: Mapping[str, object] | None) -> str:
    """Return the query with its question mark, empty where there is nothing to ask.

    None is left out, booleans are `true` and `false`, and a list repeats its name.
    """
    pairs = [*_pairs(query)] if query else []
    return "?" + urlencode(pairs, quote_via=quote) if pairs else ""


def _pairs(query: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for name, value in query.items():
        for item in value if isinstance(value, list | tuple) else (value,):
            if item is not None:
                yield name, str(item).lower() if isinstance(item, bool) else str(item)
