"""The environment as one frozen record of settings, whose class body is the table that defaults, checks and a page use.

A product writes a subclass of `Settings`, a field a variable, and reads it with `read_settings`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeAlias, TypeVar, get_args, get_origin

from annotated_types import Ge, Le
from pydantic import BeforeValidator, Field, ValidationError
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from accord.engine.secrets import Secret

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

__all__ = [
    "HOST",
    "ORIGIN",
    "AnyCase",
    "Clash",
    "ConfigError",
    "Flag",
    "Form",
    "Gap",
    "HostNames",
    "LogLevel",
    "Origins",
    "Settings",
    "SettingsRules",
    "Whole",
    "edits",
    "entries",
    "read_settings",
    "refusal",
    "setting_rows",
]

TYPO_MAX_EDITS = 2

FLAGS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


class ConfigError(ValueError):
    """The environment cannot be used; the text names every variable at fault and never shows a value."""

    def __init__(self, issues: Mapping[str, str]) -> None:
        lines = [f"  - {name}: {message}" for name, message in sorted(issues.items())]
        super().__init__("\n".join(["Invalid configuration:", *lines]))


# How each kind of value is read. Any error of a parser or the library is worded as "must be <form>", because their
# own text may quote the value; only a refusal keeps its words.


class Form(NamedTuple):
    """What a value looks like, in words that fit after "must be" and in a table; and whether it is a credential."""

    text: str
    secret: bool = False


def refusal(message: str) -> PydanticCustomError:
    """Make an error whose words reach the person, so they must not quote the value."""
    return PydanticCustomError("refused", "{message}", {"message": message})


def _flag(text: str) -> bool:
    if text.lower() not in FLAGS:
        raise ValueError
    return FLAGS[text.lower()]


def _whole(text: str) -> int:
    # int() alone would also take 1_000, +5 and other scripts' digits.
    if not re.fullmatch(r"[0-9]{1,18}", text):
        raise ValueError
    return int(text)


def entries(text: str) -> tuple[str, ...]:
    """Part a list at its commas."""
    return tuple(entry.strip() for entry in text.split(","))


HOST = r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9_.:-]+)"
ORIGIN = r"[A-Za-z][A-Za-z0-9+.-]*://[^/*\s]+/?"

Flag = Annotated[bool, BeforeValidator(_flag), Form("true or false")]
Whole = Annotated[int, BeforeValidator(_whole), Form("a whole number")]
AnyCase = BeforeValidator(lambda text: text.lower())
HostNames = Annotated[
    Annotated[tuple[Annotated[str, Field(pattern=f"^{HOST}$")], ...], BeforeValidator(entries)] | None,
    Form("host names without scheme or path, separated by commas"),
]
Origins = Annotated[
    Annotated[tuple[Annotated[str, Field(pattern=f"^{ORIGIN}$")], ...], BeforeValidator(entries)] | None,
    Form("origins like https://app.example.test, separated by commas"),
]
LogLevel: TypeAlias = Annotated[Literal["fatal", "error", "warn", "info", "debug", "trace"], AnyCase]


class Settings(BaseSettings):
    """Every setting, checked, under its variable's name; made by `read_settings`."""

    model_config = SettingsConfigDict(frozen=True, case_sensitive=True, validate_default=False)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 -- the library's signature
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003 -- the library's signature
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 -- the library's signature
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 -- the library's signature
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Take what `read_settings` was given, never more of the process's own environment."""
        return (init_settings,)


Read = TypeVar("Read", bound=Settings)


class Gap(NamedTuple):
    """Where no feature stands behind a variable that is set, and how that is said in an error and in the table."""

    covers: Callable[[Any], bool]
    message: str
    supported: str


class Clash(NamedTuple):
    """Settings that are each right and wrong together; blamed on the first of them."""

    name: str
    happens: Callable[[Any], bool]
    message: str


@dataclass(frozen=True, kw_only=True)
class SettingsRules:
    """What holds beside the single values.

    Args:
        guarded: A near miss of a known name that begins so is an error: a typo must not leave a gate open.
        refused_empty: Set but empty is a mistake where "unset" would open a gate or drop a credential.
        unsupported: Variables with no feature behind them: a value that would be ignored refuses to start.
        clashes: What is wrong between them.
    """

    guarded: tuple[str, ...]
    refused_empty: frozenset[str] = frozenset()
    unsupported: Mapping[str, Gap] = field(default_factory=dict)
    clashes: tuple[Clash, ...] = ()


def read_settings(model: type[Read], env: Mapping[str, str], rules: SettingsRules) -> Read:
    """Check the environment and fill in every default.

    Unknown variables are ignored, apart from near misses of a known name.

    Raises:
        ConfigError: It lists everything wrong with single variables or, if nothing is, everything wrong between them.
    """
    given = {name: env[name].strip() for name in model.model_fields if name in env}
    config, malformed = _checked(model, {name: text for name, text in given.items() if text})
    issues = malformed | _left_empty(given, rules) | _misspelt(model, env, rules) | _ignored(config, rules)
    issues = issues or {clash.name: clash.message for clash in rules.clashes if clash.happens(config)}
    if issues:
        raise ConfigError(issues)
    return config


def _checked(model: type[Read], given: Mapping[str, str]) -> tuple[Read, dict[str, str]]:
    """Parse each value; a malformed one becomes an issue and leaves its default in the settings."""
    # Wrapped before the library sees them, so that neither its errors nor its debug log can hold one.
    hidden = {name: Secret(text) if _is_secret(model.model_fields[name]) else text for name, text in given.items()}
    try:
        return model.model_validate(hidden), {}
    except ValidationError as error:
        issues = {str(one["loc"][0]): _worded(model, one["type"], one["msg"], one["loc"][0]) for one in error.errors()}
    return model.model_validate({name: value for name, value in hidden.items() if name not in issues}), issues


def _is_secret(known: FieldInfo) -> bool:
    return any(isinstance(mark, Form) and mark.secret for mark in known.metadata)


def _worded(model: type[Settings], kind: str, message: str, name: int | str) -> str:
    return message if kind == "refused" else f"must be {_form(model.model_fields[str(name)])}"


def _left_empty(given: Mapping[str, str], rules: SettingsRules) -> dict[str, str]:
    return {
        name: "is set but empty; give it a value or unset it"
        for name, text in given.items()
        if not text and name in rules.refused_empty
    }


def _misspelt(model: type[Settings], env: Mapping[str, str], rules: SettingsRules) -> dict[str, str]:
    known = model.model_fields
    unknown = [name for name in env if name not in known and name.upper().startswith(rules.guarded)]
    near = {name: _nearest(name.upper(), known) for name in unknown}
    return {name: f"is not known; did you mean {meant}?" for name, meant in near.items() if meant}


def _nearest(name: str, names: Mapping[str, Any]) -> str | None:
    alike = [known for known in names if abs(len(known) - len(name)) <= TYPO_MAX_EDITS]
    distance, known = min(((edits(name, known), known) for known in alike), default=(TYPO_MAX_EDITS + 1, ""))
    return known if distance <= TYPO_MAX_EDITS else None


def edits(one: str, other: str) -> int:
    """Count the letters to insert, drop or replace to get from one name to the other (Levenshtein)."""
    row = list(range(len(other) + 1))
    for i, mine in enumerate(one, start=1):
        above, row = row, [i]
        for j, theirs in enumerate(other, start=1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (mine != theirs)))
    return row[-1]


def _ignored(config: Settings, rules: SettingsRules) -> dict[str, str]:
    """Find the settings that differ from their default with no feature to heed them."""
    fields = type(config).model_fields
    return {
        name: gap.message
        for name, gap in rules.unsupported.items()
        if getattr(config, name) != fields[name].default and gap.covers(config)
    }


def _form(known: FieldInfo) -> str:
    """Say what a field's values look like."""
    if get_origin(known.annotation) is Literal:
        return f"one of {', '.join(get_args(known.annotation))}"
    (text,) = (mark.text for mark in known.metadata if isinstance(mark, Form))
    low = [mark.ge for mark in known.metadata if isinstance(mark, Ge)]
    high = [mark.le for mark in known.metadata if isinstance(mark, Le)]
    return f"{text} from {low[0]} to {high[0]}" if low and high else text


def setting_rows(model: type[Settings], rules: SettingsRules) -> list[tuple[str, str, str, str, str]]:
    """Return for each variable its name, form, default, whether it is supported, and its meaning, for a page."""
    return [
        (name, _form(known), _shown(known.default), _supported(name, rules), known.description or "")
        for name, known in model.model_fields.items()
    ]


def _supported(name: str, rules: SettingsRules) -> str:
    return rules.unsupported[name].supported if name in rules.unsupported else "yes"


def _shown(default: object) -> str:
    if default is None:
        return "unset"
    return f"`{str(default).lower() if isinstance(default, bool) else default}`"
