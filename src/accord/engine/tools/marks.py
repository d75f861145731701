"""What a type can say of its values beyond their Python type: limits, wording, secrecy, who wrote them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

from accord.engine.secrets import Secret

__all__ = ["Credential", "Field", "Shaped", "Untrusted", "Worded"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    r"""Facts about a value, for `Annotated[type, Field(...)]`.

    Lengths are in code points, `minimum` and `maximum` are inclusive, `pattern` is a JSON Schema pattern (write
    `[0-9]`, not `\\d`). `untrusted` text was written by somebody in a conversation: it is fenced wherever it becomes
    text. `secret` values are never written anywhere. An `opaque` object, or list of objects, is published without their
    members, which its description names in their place; it is checked like any other.
    """

    description: str | None = None
    min_length: int | None = None
    max_length: int | None = None
    minimum: float | None = None
    maximum: float | None = None
    min_items: int | None = None
    max_items: int | None = None
    pattern: str | None = None
    untrusted: bool = False
    secret: bool = False
    opaque: bool = False


Untrusted = Annotated[str, Field(untrusted=True)]
"""Text that somebody in a conversation wrote. It is data, whatever it says."""


class _Form:
    """What a kind of text has in common, whether it may be shown or not: its form is said once, in its class."""

    __slots__ = ()
    pattern: ClassVar[str]
    min_length: ClassVar[int | None] = None
    max_length: ClassVar[int | None] = None
    wants: ClassVar[str] = "of the right form"

    def __init__(self, text: str) -> None:
        """Make it of text that has the form; who does not know that calls `parse`."""

    @classmethod
    def parse(cls, value: object) -> Self:
        """Return the value as this kind.

        Raises:
            ValueError: It is no string, or not of this kind's form. The value is not in the message.
        """
        if not isinstance(value, str) or not re.fullmatch(cls.pattern.strip("^$"), value):
            raise ValueError(f"{cls.__name__} must be {cls.wants}")
        return cls(value)

    @classmethod
    def unwrap(cls, raw: str) -> str:
        """Return the plain form of what people paste for it."""
        return raw


class Shaped(_Form, str):
    """A string with a meaning of its own, such as an id."""

    __slots__ = ()


class Worded(int):
    """A number for which people also write words, such as a colour's name."""

    __slots__ = ()

    @classmethod
    def unwrap(cls, raw: str) -> int | str:
        """Return the number that the words stand for; anything else as it was given."""
        return raw


class Credential(Secret, _Form):
    """A secret with a form: no str, so that it is not formatted or logged by accident."""

    __slots__ = ()


def kind_schema(kind: type[Shaped | Credential]) -> dict[str, Any]:
    """Return the JSON Schema of a kind."""
    limits = {"minLength": kind.min_length, "maxLength": kind.max_length}
    return {"type": "string", "pattern": kind.pattern} | {k: v for k, v in limits.items() if v is not None}
