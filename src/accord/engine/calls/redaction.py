"""What may be told of a call: what an argument is decides it, not what it is called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Literal, TypeAlias, get_args
from urllib.parse import quote

from accord.engine.errors import ToolError
from accord.engine.nouns import Call, Tool
from accord.engine.tools.check import is_sendable
from accord.engine.tools.marks import Shaped
from accord.engine.tools.schema import Slot, origin_of, unwrapped
from accord.engine.tools.secrecy import secrets_in

__all__ = ["hush", "redacted", "without_secrets"]

Json: TypeAlias = Any


def redacted(tool: Tool, arguments: Mapping[str, Json]) -> dict[str, Json]:
    """Return arguments with everything hidden that is not an id, a number, a boolean or one of a fixed list.

    Text keeps its length (`[REDACTED:12ch]`); what is not an argument of the tool loses its name as well.
    """
    slots = tool.shape.slots
    shown = {name: _shown(slots[name], value) for name, value in arguments.items() if name in slots}
    unknown = len(arguments) - len(shown)
    return shown | ({"[UNKNOWN]": unknown} if unknown else {})


def without_secrets(text: str, call: Call) -> str:
    """Return text, such as a traceback's, without the secrets that the call was given."""
    told: str = _without(text, {*_credentials_of(call), *_releases_of(call)})
    return told


def hush(error: ToolError, call: Call) -> None:
    """Take out of an error the credentials that the call was given: a service may have repeated one."""
    if secrets := _credentials_of(call):
        for name, value in vars(error).items():
            setattr(error, name, _without(value, secrets))


def _credentials_of(call: Call) -> set[str]:
    slots, found = call.tool.shape.slots, set[str]()
    for name, value in call.arguments.items():
        with suppress(RecursionError):  # of what no validation lets through
            found.update(secrets_in(slots[name].hint, value) if name in slots else ())
    return found


def _releases_of(call: Call) -> set[str]:
    """Return what releases a call that waits for an approval."""
    return {value for value in call.reserved.values() if isinstance(value, str) and value}


def _without(value: Json, secrets: Iterable[str]) -> Json:
    if isinstance(value, Mapping):
        return {name: _without(member, secrets) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_without(item, secrets) for item in value]
    if isinstance(value, str):
        for secret in secrets:
            for form in (secret, quote(secret, safe=""), quote(secret)):  # as it is, and as a path has it
                value = value.replace(form, "[SECRET]")
    return value


def _shown(slot: Slot, value: Json) -> Json:
    bare, mark = unwrapped(slot.hint)
    if not mark.secret and _is_plain(bare, value):
        return value
    if isinstance(value, str):
        return f"[REDACTED:{len(value)}ch]"
    return "[REDACTED:value]"


def _is_plain(bare: Any, value: Json) -> bool:
    if origin_of(bare) is list and isinstance(value, list):
        item, mark = unwrapped(get_args(bare)[0])
        return not mark.secret and all(_is_plain(item, one) for one in value)
    if isinstance(bare, type) and issubclass(bare, Shaped) and isinstance(value, str):
        return _has_form(bare, value)
    if origin_of(bare) is Literal:
        return value in get_args(bare)
    # A number beyond JSON's would keep the record from being written.
    is_number = isinstance(bare, type) and issubclass(bare, int | float)
    return is_number and isinstance(value, int | float) and is_sendable(value)


def _has_form(kind: type[Shaped], value: str) -> bool:
    # An invalid call is recorded too, and what stands where an id should be may be anything.
    try:
        kind.parse(value)
    except ValueError:
        return False
    return True
