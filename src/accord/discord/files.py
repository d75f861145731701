"""Files and pictures that go along with a call: named in the upload folder, or given as text or as a data URI."""

from __future__ import annotations

import base64
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePath
from typing import Any

import orjson

from accord.discord.models.files import NewFile, OneFile, filename_of
from accord.discord.rest.client import Discord
from accord.discord.rest.uploads import Upload
from accord.engine import ValidationError

__all__ = [
    "attachments_of",
    "content_of",
    "file_of",
    "image_of",
    "image_type_of",
    "named_upload",
    "upload_of",
    "user_sheet",
    "with_images",
]

DATA_URI = re.compile(r"data:[a-z]+/[a-z0-9.+-]+;base64,[A-Za-z0-9+/]+={0,2}")

SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"OggS", "audio/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"\xff\xf3", "audio/mpeg"),
)
"""What files begin with; a name says little of what is in a file."""

RIFF_KINDS = {b"WEBP": "image/webp", b"WAVE": "audio/wav"}


async def image_of(
    discord: Discord, image: str, *, path: str, kinds: str = "image/", most_bytes: int | None = None
) -> str:
    """Return the data URI of a picture (or a sound, for `kinds` of `audio/`), read where it names a file.

    Raises:
        ValidationError: It is no data URI, no such file can be read, or what it holds is of another kind or larger than
            `most_bytes`.
    """
    if image.startswith("data:"):
        if not DATA_URI.fullmatch(image) or not image.startswith(f"data:{kinds}"):
            raise _wrong(path, f"must be a data URI such as data:{kinds}…;base64,…", "invalid_string")
        if most_bytes is not None and _size_of(image) > most_bytes:
            raise _wrong(path, f"holds {_size_of(image)} bytes; Discord takes at most {most_bytes}", "too_big")
        return image
    content = await discord.uploads.read(image, path=path, most_bytes=most_bytes)
    kind = image_type_of(content)
    if kind is None or not kind.startswith(kinds):
        raise _wrong(path, f"names a file that is none of the kind {kinds}*", "invalid_file")
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


async def content_of(discord: Discord, given: str, *, path: str, kinds: Collection[str], most_bytes: int) -> bytes:
    """Return what a data URI holds, or base64 of one of these media types; else the file of that name.

    Raises:
        ValidationError: It is none of these, of another media type, or larger than `most_bytes`.
    """
    content = _held_in(given, path)
    if content is None:
        content = await discord.uploads.read(given, path=path, most_bytes=most_bytes)
    if len(content) > most_bytes:
        raise _wrong(path, f"holds {len(content)} bytes; Discord takes at most {most_bytes}", "too_big")
    if _type_of(content) not in kinds:
        raise _wrong(path, f"holds none of {', '.join(sorted(kinds))}", "invalid_file")
    return content


def _held_in(given: str, path: str) -> bytes | None:
    """Return what is given right here; None where it can only be a file's name."""
    is_uri = given.startswith("data:")
    content = _decoded(given.partition(",")[2] if is_uri else given)
    if is_uri and (content is None or not DATA_URI.fullmatch(given)):
        raise _wrong(path, "must be a data URI such as data:image/png;base64,…", "invalid_string")
    return content if is_uri or (content is not None and _type_of(content)) else None


def _decoded(encoded: str) -> bytes | None:
    try:
        return base64.b64decode(encoded, validate=True)
    except ValueError:
        return None


def named_upload(stem: str, content: bytes, *, field_name: str) -> Upload:
    """Return the content as a file whose name says what is in it."""
    kind = _type_of(content)
    return Upload(f"{stem}.{(kind or 'x/bin').rpartition('/')[2]}", content, kind, field_name)


def _type_of(content: bytes) -> str | None:
    """Return the media type of a picture, a sound, or an object in JSON, which Lottie's animations are."""
    return image_type_of(content) or ("application/json" if _is_json(content) else None)


def _is_json(content: bytes) -> bool:
    try:
        return isinstance(orjson.loads(content), dict)
    except orjson.JSONDecodeError:
        return False


async def with_images(discord: Discord, body: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return the body with the pictures that it names under these names read; null stays null.

    Raises:
        ValidationError: One is no data URI and no picture that can be read.
    """
    read = {name: await image_of(discord, body[name], path=name) for name in names if body.get(name)}
    return {**body, **read}


async def upload_of(discord: Discord, name: str, *, path: str, field_name: str | None = None) -> Upload:
    """Return a file of the upload folder, ready to go along with a request.

    Raises:
        ValidationError: No such file can be read.
    """
    content = await discord.uploads.read(name, path=path)
    return Upload(PurePath(name).name, content, image_type_of(content), field_name)


async def file_of(
    discord: Discord, file: OneFile, *, path: str, most_bytes: int | None = None, field_name: str | None = None
) -> Upload:
    """Return a file of the upload folder, or a text that becomes one, ready to go along with a request.

    Raises:
        ValidationError: No such file can be read, or it is larger than `most_bytes`.
    """
    if "text" in file:
        return Upload(filename_of(file), file["text"].encode(), "text/plain; charset=utf-8", field_name)
    content = await discord.uploads.read(file["file"], path=path, most_bytes=most_bytes)
    return Upload(filename_of(file), content, None, field_name)


def user_sheet(user_ids: Sequence[str]) -> Upload:
    """Return the CSV file of one column by which an invite is given its users, each of them once."""
    content = "".join(f"{user_id}\n" for user_id in dict.fromkeys(user_ids))
    return Upload("target_users.csv", content.encode(), "text/csv", "target_users_file")


async def attachments_of(
    discord: Discord, files: Sequence[NewFile], *, most_bytes: int | None = None
) -> tuple[list[dict[str, Any]], list[Upload]]:
    """Return what a message says of its files, and the files; both in the order given.

    Raises:
        ValidationError: One of them cannot be read, or is larger than `most_bytes`. None was sent.
    """
    rows, uploads = [], []
    for number, file in enumerate(files):
        upload = await file_of(discord, file, path=f"files[{number}].file", most_bytes=most_bytes)
        rows.append({"id": str(number), "filename": upload.filename, **_said(file)})
        uploads.append(upload)
    return rows, uploads


def _size_of(uri: str) -> int:
    """Return how many bytes a data URI holds: three for each four characters of base64, less its padding."""
    encoded = uri.partition(",")[2]
    return len(encoded) * 3 // 4 - encoded.count("=")


def _said(file: Mapping[str, Any]) -> dict[str, Any]:
    said = {"description": file.get("description"), "is_spoiler": file.get("spoiler")}
    return {name: value for name, value in said.items() if value is not None}


def image_type_of(content: bytes) -> str | None:
    """Return the media type of a picture or a sound by what it begins with; None for anything else."""
    if content[:4] == b"RIFF":
        return RIFF_KINDS.get(content[8:12])
    if content[4:12] in {b"ftypavif", b"ftypavis"}:
        return "image/avif"
    return next((kind for signature, kind in SIGNATURES if content.startswith(signature)), None)


def _wrong(path: str, message: str, code: str) -> ValidationError:
    return ValidationError(issues=[{"path": path, "message": message, "code": code}])
