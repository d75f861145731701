"""The bot's own application: named by the call, or asked for once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.discord.tools.asked import asked
from tests.served import environment

from accord.discord import load_config
from accord.discord.app import build_rest
from accord.discord.application_lookup import application_of
from accord.discord.models.ids import ApplicationId
from accord.discord.sandbox import demo

if TYPE_CHECKING:
    from accord.discord.sandbox import Sandbox


async def test_the_application_is_asked_for_once_and_not_taken_from_the_bots_id(sandbox: Sandbox) -> None:
    rest = build_rest(load_config(environment(sandbox)))

    found = [await application_of(rest), await application_of(rest.until(float("inf")))]
    await rest.aclose()

    assert found == [demo.APPLICATION] * 2
    assert rest.bot_id != demo.APPLICATION
    assert asked(sandbox) == ["GET /applications/@me"]


async def test_an_application_that_is_named_is_not_asked_for(sandbox: Sandbox) -> None:
    rest = build_rest(load_config(environment(sandbox)))

    assert await application_of(rest, ApplicationId(demo.GUILD)) == demo.GUILD
    assert asked(sandbox) == []
