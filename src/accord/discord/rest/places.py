"""Where things belong, as far as answers have told: ids never move, so what was learnt stays true."""

from __future__ import annotations

from collections import OrderedDict

__all__ = ["Places"]

MOST_CHANNELS = 1024


class Places:
    """The guilds of channels, of which the longest unused are forgotten, and the bot's application once it is known."""

    def __init__(self, most: int = MOST_CHANNELS) -> None:
        self._most = most
        self.application_id: str | None = None
        self._guilds: OrderedDict[str, str | None] = OrderedDict()

    def learn(self, channel_id: str, guild_id: str | None) -> None:
        """Remember a channel's guild; None for a DM."""
        self._guilds[channel_id] = guild_id
        self._guilds.move_to_end(channel_id)
        if len(self._guilds) > self._most:
            self._guilds.popitem(last=False)

    def __contains__(self, channel_id: str) -> bool:
        return channel_id in self._guilds

    def guild_of(self, channel_id: str) -> str | None:
        """Return the guild of a channel that is known.

        Raises:
            KeyError: Nothing was learnt of it.
        """
        self._guilds.move_to_end(channel_id)
        return self._guilds[channel_id]
