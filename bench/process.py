"""What Linux says of a process: its processor time and its memory."""

from __future__ import annotations

import time
from pathlib import Path

_CPUCLOCK_SCHED = 2
"""The clock of a process in nanoseconds, as clock_getcpuclockid(3) numbers it; /proc's own count has steps of 10 ms."""


def cpu_seconds(pid: int) -> float:
    """Return the processor time of all of a process's threads so far."""
    return time.clock_gettime((~pid << 3) | _CPUCLOCK_SCHED)


def resident_mb(pid: int) -> float:
    """Return the resident memory (VmRSS), in units of 10^6 bytes."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    kib = next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(kib) * 1024 / 1e6
