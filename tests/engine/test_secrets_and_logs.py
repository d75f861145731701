"""A secret cannot be printed, and a log is a JSON line on stderr."""

from __future__ import annotations

import copy
import logging
import pickle
from typing import TYPE_CHECKING

import orjson
import pytest

from accord.engine import Credential, Secret, configure_logs, logger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TEXT = "canary-e4da3b7fbbce"


class Key(Credential):
    __slots__ = ()
    pattern = "^canary-[a-z0-9]+$"
    wants = "a key"


@pytest.mark.parametrize("made", [Secret(TEXT), Key.parse(TEXT)], ids=["secret", "credential"])
def test_a_secret_leaves_only_when_it_is_revealed(made: Secret) -> None:
    assert TEXT not in f"{made} {made!r} {made!s} {made:>40} {[made]} {made}"
    assert made.reveal() == TEXT


@pytest.mark.parametrize("leak", [copy.copy, copy.deepcopy, pickle.dumps, orjson.dumps, vars, str.encode])
def test_a_secret_is_not_copied_or_serialised(leak: Callable[[Secret], object]) -> None:
    with pytest.raises(TypeError):
        leak(Secret(TEXT))


def test_a_secret_does_not_change() -> None:
    secret = Secret(TEXT)

    with pytest.raises(AttributeError):
        secret.text = "other"
    with pytest.raises(AttributeError):
        del secret._text


def test_secrets_are_equal_by_their_text_and_to_secrets_only() -> None:
    assert Secret(TEXT) == Secret(TEXT)
    assert hash(Secret(TEXT)) == hash(Secret(TEXT))
    assert Secret(TEXT) != Secret("other")
    assert Secret(TEXT) != TEXT
    assert Secret("\udcff") != Secret("\udcfe")


@pytest.mark.parametrize("value", ["wrong form", f"{TEXT}\n", "", 5, None])
def test_a_credential_of_the_wrong_form_is_not_repeated(value: object) -> None:
    with pytest.raises(ValueError, match="must be a key") as refused:
        Key.parse(value)

    assert str(value) not in str(refused.value) or not value


@pytest.fixture
def logging_as_it_was() -> Iterator[None]:
    """Leave Python's logging as it was found."""
    root, ours = logging.getLogger(), logging.getLogger("accord")
    handlers, level, our_level = root.handlers[:], root.level, ours.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    ours.setLevel(our_level)


@pytest.mark.usefixtures("logging_as_it_was")
def test_every_log_is_a_json_line_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("info")

    logger("accord.tests").info("hello", tool="x")
    logger("accord.tests").debug("unheard")
    logging.getLogger("library").warning("careful %s", "now")
    logging.getLogger("library").info("unheard")
    logger("accord.tests").error("failed", secret=Secret(TEXT), exc_info=RuntimeError("broken"))

    said = capsys.readouterr()
    lines = [orjson.loads(line) for line in said.err.splitlines()]
    assert said.out == ""
    assert [line["event"] for line in lines] == ["hello", "careful now", "failed"]
    assert (lines[0]["tool"], lines[0]["level"]) == ("x", "info")
    assert lines[1]["logger"] == "library"
    assert "RuntimeError: broken" in lines[2]["exception"]
    assert TEXT not in said.err


@pytest.mark.usefixtures("logging_as_it_was")
def test_a_quiet_level_says_only_what_is_fatal(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs("fatal")

    logger("accord.tests").error("unheard")
    logger("accord.tests").critical("heard")

    assert len(capsys.readouterr().err.splitlines()) == 1
