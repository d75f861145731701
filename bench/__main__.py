"""`python -m bench`: measure, print, keep, and end with 1 where a ratio does not hold."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from bench.measuring import FULL, QUICK, Measured, Plan, measure
from bench.report import as_json, as_markdown, setting
from bench.verdicts import verdicts

LONGEST_SECONDS = 180
"""A full run takes about two thirds of it."""

RESULTS = Path(__file__).with_name("results")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure discord-mcp over stdio.")
    parser.add_argument("--quick", action="store_true", help="about 20 seconds, too few slices to be kept")
    quick: bool = parser.parse_args().quick
    where = setting()
    run = asyncio.run(bounded(QUICK if quick else FULL))
    shown = as_markdown(run, where)
    print(shown)
    if not quick:
        keep(as_json(run, where), shown)
    return 0 if all(verdict.holds for verdict in verdicts(run)) else 1


async def bounded(plan: Plan) -> Measured:
    """Measure; end in a sentence where it takes too long or a contender does not do what is asked."""
    try:
        async with asyncio.timeout(LONGEST_SECONDS):
            return await measure(plan)
    except TimeoutError:
        sys.exit(f"bench: no end after {LONGEST_SECONDS} s, or an answer that did not come")
    except (RuntimeError, ValueError) as error:
        sys.exit(f"bench: {error}")


def keep(line: bytes, shown: str) -> None:
    """Add the run to the results."""
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / "runs.jsonl").open("ab") as file:
        file.write(line)
    with (RESULTS / "runs.md").open("a", encoding="utf-8") as file:
        file.write(shown + "\n")


if __name__ == "__main__":
    sys.exit(main())
