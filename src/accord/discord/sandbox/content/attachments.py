"""Stores uploaded files and describes them as attachments; their addresses lead back to the sandbox."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from accord.discord.sandbox.forms import Complaints, form, listed, snowflake, text, truth
from accord.discord.sandbox.pictures import png_size

if TYPE_CHECKING:
    from collections.abc import Mapping

    from accord.discord.sandbox.world import JsonObject, Upload, World

MOST_ATTACHMENTS = 10
SPOILER = "SPOILER_"
ATTACHMENTS = listed(
    form(
        {
            "id": snowflake,
            "filename": text(1024, least=1),
            "description": text(1024),
            "title": text(1024),
            "is_spoiler": truth,
        },
        required=("id",),
    ),
    most=MOST_ATTACHMENTS,
)


def attached(
    world: World,
    channel_id: str,
    listing: list[JsonObject] | None,
    files: Mapping[str, Upload],
    kept: list[JsonObject],
) -> list[JsonObject]:
    """The attachments of a message: those of `kept` that are listed (all without a listing), then every upload."""
    rows: dict[str, JsonObject] = {row["id"]: row for row in listing or ()}
    _check_listing(rows, files, kept)
    staying = [each | _described(rows.get(each["id"], {})) for each in kept if listing is None or each["id"] in rows]
    return staying + [store(world, channel_id, upload, rows.get(number, {})) for number, upload in files.items()]


def _check_listing(rows: Mapping[str, JsonObject], files: Mapping[str, Upload], kept: list[JsonObject]) -> None:
    """Each row must speak of a file that came along or of an attachment that is there."""
    complaints = Complaints()
    known = files.keys() | {each["id"] for each in kept}
    for index, number in enumerate(rows):
        if number not in known:
            complaints.at("attachments").at(index).say(
                "ATTACHMENT_NOT_FOUND", f"Referenced attachment {number} not found."
            )
    complaints.settle()


def store(world: World, channel_id: str, upload: Upload, row: JsonObject) -> JsonObject:
    """Keep one file, and give its attachment object; `row` is what the request said of it."""
    attachment_id = world.new_id()
    filename = _safe_name(row.get("filename") or upload.filename, spoiler=bool(row.get("is_spoiler")))
    world.files[attachment_id] = upload
    address = f"{world.origin}/attachments/{channel_id}/{attachment_id}/{quote(filename)}"
    return {
        "id": attachment_id,
        "filename": filename,
        "size": len(upload.content),
        "url": address,
        "proxy_url": address,
        "content_type": upload.content_type,
        **_measured(upload.content),
    } | _described(row)


def _measured(content: bytes) -> dict[str, int]:
    size = png_size(content)
    return {"width": size[0], "height": size[1]} if size else {}


def _safe_name(filename: str, *, spoiler: bool) -> str:
    name = re.sub(r"[^\w.\-]+", "_", filename)
    return SPOILER + name if spoiler and not name.startswith(SPOILER) else name


def _described(row: JsonObject) -> dict[str, Any]:
    return {name: row[name] for name in ("description", "title") if row.get(name)}
