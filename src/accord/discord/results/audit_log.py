"""The audit log as our tools show it."""

from __future__ import annotations

from accord.discord.models.audit_log import ACTION_NAMES, AuditLog, Entry, HookNamed
from accord.discord.models.ids import moment_of
from accord.discord.models.users import Account
from accord.discord.models.values import Page, Wire
from accord.discord.results.picking import each_picked, picked

__all__ = ["audit_log"]


def audit_log(sent: Wire, onward: Page) -> AuditLog:
    """Return a page of the log, with the names of those whom it speaks of."""
    entries = [_entry(one) for one in sent["audit_log_entries"]]
    return {
        "entries": entries,
        "count": len(entries),
        "users": each_picked(Account, sent.get("users") or ()),
        "webhooks": each_picked(HookNamed, sent.get("webhooks") or ()),
        **onward,
    }


def _entry(sent: Wire) -> Entry:
    """Return one entry; an action that is newer than our names has its number for one."""
    kind = sent["action_type"]
    return picked(Entry, sent, at=moment_of(sent["id"]), action=ACTION_NAMES.get(kind, str(kind)))
