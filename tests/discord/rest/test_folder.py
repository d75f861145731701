"""The upload folder: what is in it can be sent, and nothing else on the machine."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from accord.discord.rest.folder import UploadFolder
from accord.engine import ValidationError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with a file, a folder with a file, and a secret beside it."""
    folder = tmp_path / "uploads"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.txt").write_bytes(b"inside")
    (folder / "deep" / "b.txt").write_bytes(b"deeper")
    (folder / "empty.txt").touch()
    (tmp_path / "secret.txt").write_bytes(b"outside")
    (tmp_path / "uploads-too").mkdir()
    (tmp_path / "uploads-too" / "c.txt").write_bytes(b"outside")
    return folder


async def code_of(folder: UploadFolder, name: str) -> str:
    with pytest.raises(ValidationError) as refused:
        await folder.read(name, path="file")
    (issue,) = refused.value.facts["issues"]
    assert issue["path"] == "file"
    return str(issue["code"])


@pytest.mark.parametrize(
    ("name", "content"), [("a.txt", b"inside"), ("deep/b.txt", b"deeper"), ("deep/../a.txt", b"inside")]
)
async def test_a_file_of_the_folder_is_read(root: Path, name: str, content: bytes) -> None:
    assert await UploadFolder(root).read(name, path="file") == content


@pytest.mark.parametrize(
    "name",
    [
        "missing.txt",
        "../secret.txt",
        "../uploads-too/c.txt",
        "deep",
        ".",
        "/",
        "/etc/passwd",
        "/proc/self/environ",
        "C:\\Users\\x\\.ssh\\id",
        "\\\\server\\share\\f",
        "a.txt\0",
        "a" * 1024,
    ],
)
async def test_whatever_lies_elsewhere_is_as_missing_as_what_is_not_there(root: Path, name: str) -> None:
    assert await code_of(UploadFolder(root), name) == "unknown_file"


async def test_a_link_may_lead_about_in_the_folder_and_not_out_of_it(root: Path) -> None:
    (root / "in.txt").symlink_to(root / "a.txt")
    (root / "out.txt").symlink_to(root.parent / "secret.txt")
    (root / "way").symlink_to(root.parent)
    (root / "loop").symlink_to(root / "loop")
    folder = UploadFolder(root)

    assert await folder.read("in.txt", path="file") == b"inside"
    assert [await code_of(folder, name) for name in ("out.txt", "way/secret.txt", "loop")] == ["unknown_file"] * 3


async def test_a_pipe_is_no_file_and_holds_nobody_up(root: Path) -> None:
    os.mkfifo(root / "pipe")

    assert await code_of(UploadFolder(root), "pipe") == "unknown_file"


async def test_size_is_checked_before_anything_is_sent(root: Path) -> None:
    assert await code_of(UploadFolder(root, most_bytes=5), "a.txt") == "too_big"
    assert await code_of(UploadFolder(root), "empty.txt") == "too_small"


async def test_without_a_folder_no_file_can_be_sent() -> None:
    assert await code_of(UploadFolder(), "a.txt") == "uploads_disabled"
