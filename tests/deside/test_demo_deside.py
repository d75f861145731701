"""The demo of the wallet service comes out as it says, and ends what it started."""

from __future__ import annotations

import re
import socket
import sys
from pathlib import Path

import pytest
from tests.discord.cli import shell

DEMO = Path(__file__).parents[2] / "examples" / "demo_deside" / "conversation.py"


async def test_it_comes_out_as_it_should_and_leaves_no_server_behind() -> None:
    shown = await shell.ran(str(DEMO), program=sys.executable)

    assert shown.code == 0, shown.out + shown.err
    assert shown.out.count("✓") == 10
    assert "✗" not in shown.out
    where = re.search(r"Server at http://127\.0\.0\.1:(\d+)", shown.out)
    assert where is not None
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", int(where[1])))
