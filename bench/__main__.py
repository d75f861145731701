"""`python -m bench`: measure, print, keep, and end with 1 where something does not hold that must."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Iterable
from pathlib import Path

from bench.measuring import FULL, QUICK, Plan
from bench.parts import PARTS, Result, result_of
from bench.report import Setting, as_json, as_markdown, headline, setting

LONGEST_SECONDS = 300
"""For all parts together; a full run takes about three quarters of it."""

RESULTS = Path(__file__).with_name("results")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure discord-mcp.")
    parser.add_argument("part", nargs="?", choices=PARTS, help="one part alone; all, if none is named")
    parser.add_argument("--quick", action="store_true", help="less than a minute, too few slices to be kept")
    given = parser.parse_args()
    where = setting()
    print(headline(where))
    results = asyncio.run(bounded([given.part] if given.part else PARTS, QUICK if given.quick else FULL))
    if not given.quick:
        keep(results, where)
    return 0 if all(verdict.holds for result in results.values() for verdict in result.verdicts) else 1


async def bounded(names: Iterable[str], plan: Plan) -> dict[str, Result]:
    """Measure; end in a sentence where it takes too long or a contender does not do what is asked."""
    try:
        async with asyncio.timeout(LONGEST_SECONDS):
            return {name: await shown(name, plan) for name in names}
    except TimeoutError:
        sys.exit(f"bench: no end after {LONGEST_SECONDS} s, or an answer that did not come")
    except (RuntimeError, ValueError) as error:
        sys.exit(f"bench: {error}")


async def shown(name: str, plan: Plan) -> Result:
    """Run a part and print it."""
    result = await result_of(PARTS[name], plan)
    print(as_markdown(result))
    return result


def keep(results: dict[str, Result], where: Setting) -> None:
    """Add the run to the results."""
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / "runs.jsonl").open("ab") as file:
        file.write(as_json(results, where))
    with (RESULTS / "runs.md").open("a", encoding="utf-8") as file:
        file.write("\n".join([headline(where), *map(as_markdown, results.values())]) + "\n")


if __name__ == "__main__":
    sys.exit(main())
