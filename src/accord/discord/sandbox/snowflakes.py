"""Makes Discord's ids and reads the time out of them."""

from __future__ import annotations

from datetime import UTC, datetime

DISCORD_EPOCH_MS = (
    1_420_070_400_000  # the first second of 2015: https://discord.com/developers/docs/reference#snowflakes
)
SERIAL_BITS = 22


def snowflake_at(seconds: float, serial: int = 0) -> str:
    """The id of something made at this Unix time; `serial` (22 bits) tells things of one millisecond apart."""
    return str(((int(seconds * 1000) - DISCORD_EPOCH_MS) << SERIAL_BITS) + serial)


def created_at(snowflake: str) -> float:
    """The Unix time, in seconds, at which the bearer of this id was made."""
    return ((int(snowflake) >> SERIAL_BITS) + DISCORD_EPOCH_MS) / 1000


def iso(seconds: float) -> str:
    """A Unix time in the one form that Discord writes times in: microseconds and a +00:00."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds")


class Mint:
    """Hands out ids that only ever grow, however close together they are asked for."""

    def __init__(self) -> None:
        """Start below every id of this century."""
        self._last = 0

    def strike(self, seconds: float) -> str:
        """A new id for something made at this Unix time."""
        self._last = max(self._last + 1, int(snowflake_at(seconds)))
        return str(self._last)
