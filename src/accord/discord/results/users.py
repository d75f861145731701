"""Users as our tools show them."""

from __future__ import annotations

from accord.discord.models.users import CurrentUser, DirectChannel, FoundUser
from accord.discord.models.values import Wire
from accord.discord.results.picking import picked

__all__ = ["current_user", "direct_channel", "found_user", "names_of"]


def current_user(sent: Wire) -> CurrentUser:
    """Return the bot's own account."""
    return picked(CurrentUser, sent, bot=sent.get("bot", False))


def found_user(sent: Wire) -> FoundUser:
    """Return any user."""
    return picked(FoundUser, sent, bot=sent.get("bot", False), untrusted_text=names_of(sent))


def names_of(user: Wire) -> str:
    """Return what a user is called, the name that people see first: `Lena (lena.w)`."""
    shown, name = user.get("global_name"), user["username"]
    return f"{shown} ({name})" if shown else name


def direct_channel(sent: Wire) -> DirectChannel:
    """Return the channel of the bot's direct messages with a user."""
    recipients = [one["id"] for one in sent.get("recipients") or ()]
    return {"channel_id": sent["id"], "type": sent["type"], "recipient_ids": recipients}
