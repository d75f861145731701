"""Who the bot is: told by its token mostly, else asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.discord.tools.asked import asked
from tests.served import environment

from accord.discord import load_config
from accord.discord.app import build_rest
from accord.discord.links import own_id
from accord.discord.sandbox import demo

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox


@pytest.mark.parametrize(("told", "requests"), [(demo.BOT, []), (None, ["GET /users/@me"])])
async def test_discord_is_asked_only_where_the_token_does_not_tell(
    sandbox: Sandbox, told: str | None, requests: list[str]
) -> None:
    rest = build_rest(load_config(environment(sandbox)))
    rest.bot_id = told

    found = await own_id(rest)
    await rest.aclose()

    assert found == demo.BOT
    assert asked(sandbox) == requests
