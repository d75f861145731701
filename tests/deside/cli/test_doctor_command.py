"""`deside-mcp doctor`: a line for each thing that has to be right, and what to do where one is not."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

from tests.deside.cli.command import ran
from tests.deside.process import served

CHECKS = ["wallet", "wallet file", "server", "clock", "database", "sign-in", "token", "session"]


async def outcomes(home: Path, *words: str, **variables: str) -> tuple[int, dict[str, Any]]:
    """Run it, and return its exit code and each check's finding."""
    done = await ran("doctor", "--json", *words, home=home, **variables)
    return done.code, {finding["check"]: finding for finding in done.json}


async def test_where_all_is_right_it_says_so(tmp_path: Path) -> None:
    async with served(tmp_path) as server:
        await ran("wallet", "new", home=tmp_path)
        await ran("login", "--url", server.url, home=tmp_path)

        code, found = await outcomes(tmp_path)
        words = await ran("doctor", home=tmp_path)

    assert {name: finding["outcome"] for name, finding in found.items()} == dict.fromkeys(CHECKS, "ok")
    assert (code, words.code) == (0, 0)
    assert [line.split()[0] for line in words.out.splitlines() if not line.startswith(" ")] == ["ok"] * len(CHECKS)


async def test_before_anything_was_done_it_says_what_to_do_first(tmp_path: Path) -> None:
    async with served(tmp_path / "server") as server:
        code, found = await outcomes(tmp_path / "new", "--url", server.url)

    wrong = {name: finding["advice"] for name, finding in found.items() if finding["outcome"] == "wrong"}
    assert code == 3
    assert wrong == {"wallet": "`deside-mcp wallet new` makes a wallet; --wallet names another file"}
    assert [name for name, finding in found.items() if finding["outcome"] == "ok"] == ["server", "clock", "sign-in"]


async def test_a_wallet_that_others_can_read_is_wrong(tmp_path: Path) -> None:
    async with served(tmp_path) as server:
        await ran("wallet", "new", home=tmp_path)
        file = tmp_path / "deside-mcp" / "wallet.json"
        file.chmod(0o644)

        code, found = await outcomes(tmp_path, "--url", server.url)

    assert code == 3
    assert found["wallet file"] == {
        "check": "wallet file",
        "outcome": "wrong",
        "found": f"{file} can be read by others (mode 0644)",
        "advice": f"chmod 600 {file}",
    }
    assert found["token"]["advice"] == "`deside-mcp login` signs in"


async def test_a_server_that_is_gone_is_wrong_and_its_database_is_looked_at_all_the_same(tmp_path: Path) -> None:
    async with served(tmp_path) as server:
        await ran("wallet", "new", home=tmp_path)
        await ran("login", "--url", server.url, home=tmp_path)
        await server.stop(signal.SIGTERM)

        code, found = await outcomes(tmp_path)

    assert code == 3
    assert {name for name, finding in found.items() if finding["outcome"] == "wrong"} >= {
        "server",
        "sign-in",
        "session",
    }
    assert found["server"]["found"] == f"{server.url} cannot be reached: Connection refused"
    assert found["database"]["outcome"] == "ok"


async def test_an_environment_in_which_no_server_would_start_is_wrong(tmp_path: Path) -> None:
    _, found = await outcomes(tmp_path, DESIDE_SESSION_MODE="lax")

    assert found["database"]["outcome"] == "wrong"
    assert "DESIDE_SESSION_MODE" in found["database"]["found"]
    assert found["database"]["advice"] == "correct the environment of `deside-mcp serve`"
