"""The global limits: one for the bot, one for everybody else whose token its client sends, none for paths with a token.

Source: https://discord.com/developers/docs/topics/rate-limits#global-rate-limit
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from accord.discord.rest.limits.cooldown import Cooldown
from accord.discord.rest.limits.shelf import Shelf
from accord.discord.rest.limits.window import Window
from accord.discord.rest.routes import carries_credential

if TYPE_CHECKING:
    from collections.abc import Callable

    from accord.discord.rest.exchange import HttpRequest
    from accord.discord.rest.limits.turnstile import Turnstile

__all__ = ["GlobalLimit", "Overall"]

MOST_OTHERS = 1024

GlobalLimit: TypeAlias = "Turnstile[Cooldown]"


class Overall:
    """The global limit of each request; `requests_per_second` is that of one token, 0 for none."""

    def __init__(self, requests_per_second: int, turnstile: Callable[[Cooldown], GlobalLimit]) -> None:
        self._requests_per_second = requests_per_second
        self._turnstile = turnstile
        self._bot = self._new()
        self._exempt = turnstile(Cooldown(scope="global"))
        self._others: Shelf[str, Cooldown] = Shelf(MOST_OTHERS)

    def limit_of(self, request: HttpRequest, now: float) -> GlobalLimit:
        """Return the limit that the request falls under.

        A path's own token stands for no bot, so that the bot's limit is not for it.
        """
        if carries_credential(request.template):
            return self._exempt
        if request.identity is None:
            return self._bot
        return self._others.get(request.identity) or self._others.put(request.identity, self._new(), now)

    def close(self, limit: GlobalLimit, until: float) -> None:
        """Let nobody pass the limit until then; that of the bot and that of paths with a token close together."""
        own = (self._bot, self._exempt)
        for closing in own if limit in own else (limit,):
            closing.close(until, "global")

    def _new(self) -> GlobalLimit:
        most = self._requests_per_second
        return self._turnstile(Window(most) if most else Cooldown(scope="global"))
