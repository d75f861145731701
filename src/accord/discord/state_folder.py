"""State that outlives the process: in the database of MCP_STATE_URL, else in the user's own state folder.

Approvals lie there too, or apart from the rest in the folder of MCP_APPROVAL_STATE_DIR.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from accord.discord.config import Config, ConfigError
from accord.engine import SealedState, State, open_state, state_folder

__all__ = ["configured_approvals", "configured_state", "kept_approvals", "kept_state"]

PROGRAM = "discord-mcp"


@asynccontextmanager
async def kept_state(config: Config, env: Mapping[str, str]) -> AsyncIterator[State]:
    """Lend the state, which is closed with the context.

    Raises:
        ConfigError: It cannot be opened.
    """
    state = _open(config, env)
    try:
        yield state
    finally:
        await state.close()


@asynccontextmanager
async def kept_approvals(config: Config, env: Mapping[str, str]) -> AsyncIterator[State]:
    """Lend the state that approvals are kept in, which is closed with the context.

    Raises:
        ConfigError: It cannot be opened.
    """
    apart = configured_approvals(config)
    if apart is None:
        async with kept_state(config, env) as state:
            yield state
        return
    try:
        yield apart
    finally:
        await apart.close()


def configured_approvals(config: Config) -> State | None:
    """Open the file of approvals in MCP_APPROVAL_STATE_DIR, sealed with its key; None where they lie with the rest.

    Raises:
        ConfigError: It cannot be opened.
    """
    folder, key = config.MCP_APPROVAL_STATE_DIR, config.MCP_APPROVAL_HMAC_KEY
    if folder is None or key is None:
        return None
    try:
        return SealedState(open_state(f"sqlite:///{Path(folder).expanduser() / 'approvals.db'}"), key)
    except (ValueError, RuntimeError) as error:
        reason = error.__cause__ or error
        raise ConfigError({"MCP_APPROVAL_STATE_DIR": f"is no folder for approvals ({reason})"}) from None


def _open(config: Config, env: Mapping[str, str]) -> State:
    if config.MCP_STATE_URL is not None:
        return configured_state(config)
    try:
        return open_state(f"sqlite:///{state_folder(PROGRAM, env) / 'state.db'}")
    except (ValueError, RuntimeError) as error:
        raise _no_place(error) from None


def configured_state(config: Config) -> State:
    """Open the state of MCP_STATE_URL; without it, one of this process alone.

    Where a person decides beside the server, approvals have to be seen by both: with no place of their own, they lie
    in the user's folder, with all the rest.

    Raises:
        ConfigError: It cannot be opened.
    """
    shares = config.MCP_APPROVAL_MODE == "person" and config.MCP_APPROVAL_STATE_DIR is None
    if config.MCP_STATE_URL is None and shares:
        return _open(config, os.environ)
    try:
        return open_state(None if config.MCP_STATE_URL is None else config.MCP_STATE_URL.reveal())
    except ValueError as error:
        raise _no_place(error) from None


def _no_place(error: Exception) -> ConfigError:
    reason = error.__cause__ or error
    return ConfigError({"MCP_STATE_URL": f"names no place for state ({reason}); use sqlite:///path"})
