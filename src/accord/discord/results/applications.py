"""Applications as our tools show them."""

from __future__ import annotations

from collections.abc import Sequence

from accord.discord.models.applications import Application, Authorization, MetadataRecords, MetadataRecordShown
from accord.discord.models.values import Wire
from accord.discord.results.picking import WHOLE, each_picked, picked

__all__ = ["application", "authorization", "metadata_records"]


def application(sent: Wire) -> Application:
    """Return an application; of its owner and its team the ids."""
    ids = {f"{name}_id": sent[name]["id"] for name in ("owner", "team") if sent.get(name)}
    return picked(Application, sent, **ids, untrusted_text=sent.get("description") or "")


def authorization(sent: Wire) -> Authorization:
    """Return what a token is good for."""
    own = sent["application"]
    return picked(Authorization, sent, application_id=own["id"], application_name=own["name"])


def metadata_records(sent: Sequence[Wire]) -> MetadataRecords:
    """Return all records of an application."""
    return {"records": each_picked(MetadataRecordShown, sent), "count": len(sent), **WHOLE}
