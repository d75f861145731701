"""Tokens: which of them goes along with a request, as long as Discord takes it, and what it tells by itself."""

from __future__ import annotations

import base64
import binascii
import re
from hashlib import blake2b
from typing import TYPE_CHECKING, Literal, TypeAlias

from accord.discord.rest.errors import DiscordAuthError
from accord.engine import Secret

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["NOBODY", "Credential", "bot_id_of", "identity_of"]

Scheme: TypeAlias = Literal["Bot", "Bearer"]

HINTS: Mapping[Scheme, str | None] = {
    "Bot": None,
    "Bearer": "Have the user authorize the application again: this OAuth2 token is wrong, revoked or has run out.",
}
"""What to do about a token that Discord refuses; None for the error's own hint."""

NOBODY = "nobody"
"""For whom Discord counts a request without any token: this address."""


class Credential:
    """A token that goes along with requests until Discord refuses it; `taken_at` is when it last took it.

    Times are of `time.monotonic`, in seconds.
    """

    def __init__(self, scheme: Scheme, token: Secret | None) -> None:
        self._scheme = scheme
        self._token = None if token is None else Secret(token.reveal().removeprefix(f"{scheme} "))
        self.hint = HINTS[scheme]
        self.untried = True
        self.taken_at: float | None = None

    def authorization(self) -> str:
        """Return the header's value.

        Raises:
            DiscordAuthError: There is no token that may still be good.
        """
        if self._token is None:
            raise DiscordAuthError(recovery_hint=self.hint)
        return f"{self._scheme} {self._token.reveal()}"

    def die(self) -> None:
        """Never go along again: further requests would be answered alike, and count towards a ban of this address."""
        self._token = None


def identity_of(token: Secret) -> str:
    """Return what tells the limits of one token from those of another: a hash, from which it cannot be read."""
    return blake2b(token.reveal().encode(errors="surrogatepass"), digest_size=16).hexdigest()


def bot_id_of(token: Secret | None) -> str | None:
    """Return the bot's user id, or None for a token that does not tell it.

    It says whose messages are our own; who the bot really is, Discord alone can say.
    """
    if token is None:
        return None
    first = token.reveal().partition(".")[0]
    try:
        told = base64.urlsafe_b64decode(first + "=" * (-len(first) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
    return told if re.fullmatch(r"[0-9]{17,20}", told) else None
