"""`python -m bench.deside`: what deside-mcp takes and costs; ends with 1 where something does not hold that must."""

from __future__ import annotations

import gc
import os
import sys

from bench.deside import payments, sends, serving


def main() -> int:
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}: the machine should have nothing else to do")
    parts = {"sending, without HTTP": sends.main, "serving": serving.main, "selling": payments.main}
    held = True
    for name, part in parts.items():
        print(f"\n{name}")
        held &= part()
        gc.unfreeze()  # a part may have frozen what is its own
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
