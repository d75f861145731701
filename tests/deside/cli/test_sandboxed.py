"""What `deside-mcp serve --sandbox` makes of a configuration."""

from __future__ import annotations

from accord.deside.cli.sandbox import sandboxed
from accord.deside.config import Config, load_config
from accord.terminal.listening import Address


def test_a_sandbox_counts_nothing_by_address() -> None:
    by_address = {name for name in Config.model_fields if name.endswith(("_PER_MIN", "_PER_5_MIN"))}

    config, _ = sandboxed(load_config({}), Address(host="127.0.0.1", port=0))

    assert len(by_address) == 4
    assert {getattr(config, name) for name in by_address} == {0}
