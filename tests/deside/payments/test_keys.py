"""The key pair that pays fees is read from a private file or from text, and is never quoted."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest
from solders.keypair import Keypair

from accord.deside.payments.keys import key_of, read_key
from accord.engine import Secret

KEY = Keypair.from_seed(bytes(range(32)))
ARRAY = orjson.dumps(list(bytes(KEY))).decode()


def private(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o600)
    return path


@pytest.mark.parametrize("text", [ARRAY, str(KEY), f"  {KEY}\n"], ids=["array", "base58", "with space around it"])
def test_a_key_pair_is_read_in_either_form(tmp_path: Path, text: str) -> None:
    assert read_key(private(tmp_path / "key", text)) == KEY


@pytest.mark.parametrize("text", [ARRAY, str(KEY)], ids=["array", "base58"])
def test_a_key_pair_is_read_from_a_variable(text: str) -> None:
    assert key_of(Secret(text)) == KEY


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o660])
def test_a_file_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    path = private(tmp_path / "key", ARRAY)
    path.chmod(mode)

    with pytest.raises(ValueError, match="can be read by others"):
        read_key(path)


@pytest.mark.parametrize(
    "text", ["", "canary", "canary0OIl", "[1, 2]", "[", '{"canary": 1}', ARRAY[:-4] + "999]", str(KEY)[:-1] + "canary"]
)
def test_what_is_no_key_pair_is_refused_and_not_quoted(tmp_path: Path, text: str) -> None:
    with pytest.raises(ValueError, match="does not hold a key pair") as refused:
        read_key(private(tmp_path / "key", text))

    assert "canary" not in str(refused.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="missing: No such file"):
        read_key(tmp_path / "missing")
