"""Hatches servers: each line of stdin is {"port", "environment"}, answered with the process id of a `deside-mcp serve`.

Everything is loaded once, and each server is a fork, which is up in a fraction of the time. The next line is read when
that process has ended; "ended" says so.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import orjson

from accord.deside import app  # noqa: F401 - loaded here, and not in each server
from accord.deside.cli.serving import serve
from accord.terminal.listening import Address


def hatched(job: dict[str, Any]) -> int:
    """Start a server; its ends of our pipes are nobody's."""
    process = os.fork()
    if process:
        return process
    os.environ.update(job["environment"])
    os.dup2(os.open(os.devnull, os.O_RDWR), sys.stdin.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    os._exit(serve(Address(port=job["port"])))


if __name__ == "__main__":
    print("ready", flush=True)  # noqa: T201 - how the test hears of it
    for line in sys.stdin:
        number = hatched(orjson.loads(line))
        print(number, flush=True)  # noqa: T201 - as above
        os.waitpid(number, 0)
        print("ended", flush=True)  # noqa: T201 - as above
