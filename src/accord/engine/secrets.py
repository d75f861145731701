"""A credential that cannot be printed, logged, serialised or compared slowly by accident."""

from __future__ import annotations

from hmac import compare_digest
from typing import Never

__all__ = ["Secret"]


class Secret:
    """Text that leaves only through `reveal`.

    It is neither a str nor a dataclass, so that no formatter, logger or JSON encoder looks inside.
    """

    __slots__ = ("_text",)

    _text: str

    def __init__(self, text: str) -> None:
        object.__setattr__(self, "_text", text)

    def reveal(self) -> str:
        """Give the text itself, for the one place that sends or checks it."""
        return self._text

    def __repr__(self) -> str:
        return "Secret(…)"

    def __str__(self) -> str:
        return "[secret]"

    def __format__(self, spec: str) -> str:
        return "[secret]"

    def __eq__(self, other: object) -> bool:
        """Compare in a time that does not tell how much of a guess was right."""
        if not isinstance(other, Secret):
            return NotImplemented
        # The environment may hold bytes that are no UTF-8; Python reads those as lone surrogates.
        return compare_digest(
            self._text.encode(errors="surrogatepass"),
            other._text.encode(errors="surrogatepass"),
        )

    def __hash__(self) -> int:
        return hash((Secret, self._text))

    def __setattr__(self, name: str, value: object) -> Never:
        raise AttributeError("a secret cannot be changed")

    def __delattr__(self, name: str) -> Never:
        raise AttributeError("a secret cannot be changed")

    def __reduce__(self) -> Never:
        raise TypeError("a secret cannot be pickled or copied")
