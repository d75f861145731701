"""Registered wallets, their profiles and blocks, on both databases."""

from __future__ import annotations

from functools import partial

import pytest
import sqlalchemy as sa
from tests.clock import Clock
from tests.deside.wallets import wallet

from accord.deside.errors import InvalidMeaningError, NotFoundError
from accord.deside.people import People, register, set_role
from accord.deside.people.profiles import AgentProfile
from accord.deside.store.tables.people import BLOCKS, WALLETS
from accord.deside.wallets import Wallet
from accord.engine import Database

ANN, BOB = wallet(1), wallet(2)


@pytest.fixture
async def people(store: Database, clock: Clock) -> People:
    await store.write(partial(register, wallet=ANN, at_ms=5))
    return People(store, clock=clock)


async def test_a_wallet_that_signs_in_again_keeps_its_profile(people: People, store: Database) -> None:
    await people.update_profile(ANN, {"nickname": "Ann"})
    await people.set_policy(ANN, "nobody")

    await store.write(partial(register, wallet=ANN, at_ms=99))

    row = await store.read(lambda connection: connection.execute(sa.select(WALLETS)).mappings().one())
    assert (row["nickname"], row["policy"], row["registered_at_ms"]) == ("Ann", "nobody", 5)


async def test_of_a_wallet_that_never_signed_in_only_that_is_said(people: People) -> None:
    assert await people.info(BOB) == {
        "wallet": BOB,
        "registered": False,
        "role": "user",
        "visibleProfile": None,
        "userProfile": None,
        "agentProfile": None,
        "social": {"x": None, "website": None},
    }


async def test_a_user_without_a_name_shows_its_address_shortened(people: People) -> None:
    info = await people.info(ANN)

    assert info["registered"]
    assert info["visibleProfile"] == {
        "kind": "user",
        "displayName": f"{ANN[:5]}...{ANN[-3:]}",
        "displayAvatar": None,
        "description": None,
        "source": None,
    }


async def test_what_is_left_out_of_a_change_stays_and_an_empty_text_removes(people: People) -> None:
    await people.update_profile(ANN, {"nickname": "Ann", "about": "hm", "x": "@ann", "website": "https://ann.example"})

    changed = await people.update_profile(ANN, {"about": "", "x": "@anna"})

    assert changed["changed"] == ["about", "x"]
    info = await people.info(ANN)
    assert info["userProfile"] == {
        "nickname": "Ann",
        "avatar": None,
        "social": {"x": "@anna", "website": "https://ann.example"},
    }
    assert info["social"] == {"x": "@anna", "website": "https://ann.example"}
    assert info["visibleProfile"] is not None
    assert info["visibleProfile"]["description"] is None


async def test_an_agents_profile_is_what_is_visible(store: Database, people: People) -> None:
    resolved = {
        "displayName": "Bot",
        "displayAvatar": None,
        "description": "trades",
        "source": "sati",
        "resolvedAt": "2026-01-01T00:00:00.000Z",
    }

    async def agent_of(_: Wallet) -> AgentProfile | None:
        return {"resolved": resolved}

    info = await People(store, agent_of=agent_of).info(ANN)

    assert info["role"] == "agent"
    assert info["agentProfile"] == {"resolved": resolved}
    assert info["visibleProfile"] == {
        "kind": "agent",
        "displayName": "Bot",
        "displayAvatar": None,
        "description": "trades",
        "source": "sati",
    }


async def test_a_wallets_role_is_shown(store: Database, people: People) -> None:
    await store.write(partial(set_role, wallet=ANN, role="agent"))

    info = await people.info(ANN)

    assert info["role"] == "agent"
    assert info["visibleProfile"] is not None
    assert info["visibleProfile"]["kind"] == "agent"


async def test_blocking_twice_and_unblocking_twice_says_what_changed(people: People, store: Database) -> None:
    assert await people.block(ANN, BOB) == {"wallet": BOB, "blocked": True, "changed": True}
    assert await people.block(ANN, BOB) == {"wallet": BOB, "blocked": True, "changed": False}
    rows = await store.read(lambda connection: connection.execute(sa.select(BLOCKS.c.owner, BLOCKS.c.blocked)).all())
    assert [tuple(row) for row in rows] == [(ANN, BOB)]
    assert await people.unblock(ANN, BOB) == {"wallet": BOB, "blocked": False, "changed": True}
    assert await people.unblock(ANN, BOB) == {"wallet": BOB, "blocked": False, "changed": False}


async def test_nobody_blocks_itself(people: People) -> None:
    with pytest.raises(InvalidMeaningError):
        await people.block(ANN, ANN)


async def test_a_wallet_that_is_not_registered_has_no_profile_to_change(people: People) -> None:
    with pytest.raises(NotFoundError):
        await people.update_profile(BOB, {"nickname": "Bob"})
