"""What a command's exit code says."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["Exit"]


class Exit(IntEnum):
    """0 done, 2 the command line was wrong, 3 the call or check failed, 4 refused to start."""

    DONE = 0
    USAGE = 2
    FAILED = 3
    REFUSED = 4
