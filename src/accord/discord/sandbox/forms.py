"""Checks a request's fields as Discord does and reports every fault in its 50035 error tree."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias
from urllib.parse import SplitResult, urlsplit

from accord.discord.sandbox.codes import INVALID_FORM, Refused
from accord.discord.sandbox.snowflakes import iso

SNOWFLAKE = re.compile(r"0|[1-9][0-9]{0,19}")


class Complaints:
    """What is wrong with a form so far; `at` gives the same list for a place further inside."""

    def __init__(
        self, found: list[tuple[tuple[str, ...], str, str]] | None = None, place: tuple[str, ...] = ()
    ) -> None:
        """Begin an empty list, unless one is handed on."""
        self._found = [] if found is None else found
        self._place = place

    def at(self, step: str | int) -> Complaints:
        """The same list, one field or one index further in."""
        return Complaints(self._found, (*self._place, str(step)))

    def say(self, code: str, message: str) -> None:
        """Add one fault at this place."""
        self._found.append((self._place, code, message))

    def settle(self) -> None:
        """Refuse the request if anything was said."""
        if self._found:
            raise Refused(INVALID_FORM, self._tree())

    def _tree(self) -> dict[str, Any]:
        tree: dict[str, Any] = {}
        for place, code, message in self._found:
            node = tree
            for step in place:
                node = node.setdefault(step, {})
            node.setdefault("_errors", []).append({"code": code, "message": message})
        return tree


Check: TypeAlias = Callable[[Any, Complaints], Any]


def read(check: Check, body: Any) -> Any:
    """The checked value of a whole body; raises Refused 50035 with every fault in it."""
    complaints = Complaints()
    value = check(body, complaints)
    complaints.settle()
    return value


def form(fields: Mapping[str, Check], *, required: tuple[str, ...] = ()) -> Check:
    """An object; keys that Discord does not know are dropped, null stays null in an optional field."""

    def check(value: Any, complaints: Complaints) -> dict[str, Any]:
        if not isinstance(value, dict):
            complaints.say("DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
            return {}
        for name in required:
            if value.get(name) is None:
                complaints.at(name).say("BASE_TYPE_REQUIRED", "This field is required")
        return {
            name: None if value[name] is None else field(value[name], complaints.at(name))
            for name, field in fields.items()
            if name in value
        }

    return check


def listed(item: Check, *, most: int, least: int = 0) -> Check:
    """A list of at least `least` and at most `most` items."""

    def check(value: Any, complaints: Complaints) -> list[Any]:
        if not isinstance(value, list):
            complaints.say("LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
            return []
        _check_length(len(value), least, most, complaints)
        return [item(each, complaints.at(index)) for index, each in enumerate(value)]

    return check


def text(most: int, *, least: int = 0) -> Check:
    """A string of so many characters."""

    def check(value: Any, complaints: Complaints) -> str:
        if not isinstance(value, str):
            complaints.say("STRING_TYPE_CONVERT", f'Could not interpret "{value}" as string.')
            return ""
        _check_length(len(value), least, most, complaints)
        return value

    return check


def _check_length(length: int, least: int, most: int, complaints: Complaints) -> None:
    if least <= length <= most:
        return
    if least > 1:
        complaints.say("BASE_TYPE_BAD_LENGTH", f"Must be between {least} and {most} in length.")
    elif length > most:
        complaints.say("BASE_TYPE_MAX_LENGTH", f"Must be {most} or fewer in length.")
    else:
        complaints.say("BASE_TYPE_REQUIRED", "This field is required")


def integer(least: int, most: int) -> Check:
    """A whole number, also as a string of digits, as in a query."""

    def check(value: Any, complaints: Complaints) -> int:
        number = _whole(value)
        if number is None:
            complaints.say("NUMBER_TYPE_COERCE", f'Value "{value}" is not int.')
            return least
        if number > most:
            complaints.say("NUMBER_TYPE_MAX", f"int value should be less than or equal to {most}.")
        if number < least:
            complaints.say("NUMBER_TYPE_MIN", f"int value should be greater than or equal to {least}.")
        return number

    return check


def between(least: float, most: float) -> Check:
    """A number, whole or not."""

    def check(value: Any, complaints: Complaints) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            complaints.say("NUMBER_TYPE_COERCE", f'Value "{value}" is not double.')
            return least
        if value > most:
            complaints.say("NUMBER_TYPE_MAX", f"double value should be less than or equal to {most}.")
        if value < least:
            complaints.say("NUMBER_TYPE_MIN", f"double value should be greater than or equal to {least}.")
        return float(value)

    return check


def _whole(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    return int(value) if re.fullmatch(r"-?[0-9]{1,20}", str(value)) else None


def one_of(*choices: int | str) -> Check:
    """One of a few values."""

    def check(value: Any, complaints: Complaints) -> Any:
        if value not in choices or isinstance(value, bool):
            listing = ", ".join(repr(choice) for choice in choices)
            complaints.say("BASE_TYPE_CHOICES", f"Value must be one of ({listing}).")
            return choices[0]
        return value

    return check


def snowflake(value: Any, complaints: Complaints) -> str:
    """An id, which Discord takes as a string or as a number."""
    if isinstance(value, bool) or not SNOWFLAKE.fullmatch(str(value)):
        complaints.say("NUMBER_TYPE_COERCE", f'Value "{value}" is not snowflake.')
        return "0"
    return str(value)


def truth(value: Any, complaints: Complaints) -> bool:
    """A boolean, also as the words of a query."""
    known = {True: True, False: False, "true": True, "false": False, "1": True, "0": False}
    if not isinstance(value, bool | str) or value not in known:
        complaints.say("BOOLEAN_TYPE_CONVERT", "Must be either true or false.")
        return False
    return known[value]


def moment(value: Any, complaints: Complaints) -> str:
    """A time in ISO 8601, given back in UTC; one without an offset is read as UTC."""
    try:
        parsed = datetime.fromisoformat(value)
        return iso((parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp())
    except (TypeError, ValueError, OverflowError):
        complaints.say("DATE_TIME_TYPE_PARSE", f"Could not parse {value}. Should be ISO8601.")
        return ""


def web_address(*schemes: str, most: int = 2048) -> Check:
    """A URL of one of these schemes."""
    length = text(most)

    def check(value: Any, complaints: Complaints) -> str:
        address: str = length(value, complaints)
        parts = _split(address)
        if parts is None:
            complaints.say("URL_TYPE_INVALID_URL", "Not a well formed URL.")
        elif parts.scheme not in schemes:
            wanted = ", ".join(repr(scheme) for scheme in schemes)
            complaints.say(
                "URL_TYPE_INVALID_SCHEME",
                f'Scheme "{parts.scheme}" is not supported. Scheme must be one of ({wanted}).',
            )
        elif not parts.netloc:
            complaints.say("URL_TYPE_INVALID_URL", "Not a well formed URL.")
        return address

    return check


def _split(address: str) -> SplitResult | None:
    try:
        return urlsplit(address)
    except ValueError:
        return None


def anything(value: Any, _complaints: Complaints) -> Any:
    """A value that is looked at further on."""
    return value
