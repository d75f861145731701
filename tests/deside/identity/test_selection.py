"""Which agent a client acts as for a wallet, on both databases."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace

import pytest
from solders.pubkey import Pubkey
from tests.clock import Clock
from tests.deside.wallets import wallet
from tests.engine.small_server import events

from accord.deside.errors import ConflictError, NotFoundError
from accord.deside.identity import AgentRecord, Identities
from accord.deside.models.identity import NewAgent, Source
from accord.deside.people import People, register
from accord.deside.wallets import Wallet
from accord.engine import Database

ANN, BOB, EVE = wallet(1), wallet(2), wallet(5)
CLIENT, OTHER = "client", "other client"
DERIVED = str(Pubkey.find_program_address([b"agent"], Pubkey.default())[0])
"""An address off the curve, as programs derive them: nobody can sign in with it."""


async def published(identities: Identities, name: str, source: Source = "mip14", owner: Wallet = ANN) -> str:
    return (await identities.publish(owner, NewAgent(name=name, source=source)))["catalogId"]


async def status(identities: Identities, client: str = CLIENT) -> str:
    return (await identities.mine(ANN, client))["agentContext"]["status"]


def record(name: str, source: str = "said", **facts: object) -> AgentRecord:
    known: dict[str, object] = {"owner_wallet": ANN, "entry_id": name, "slug": name, "created_ms": 1, "updated_ms": 1}
    return AgentRecord(name=name, **(known | {"source": source} | facts))  # type: ignore[arg-type] # the test's own


class Elsewhere:
    """A resolver that knows these agents, or is in some trouble."""

    name = "elsewhere"

    def __init__(self, *agents: AgentRecord, fails: bool = False, hangs: bool = False, lies: bool = False) -> None:
        self.agents = list(agents)
        self.fails = fails
        self.hangs = hangs
        self.lies = lies

    async def resolve(self, _wallet: Wallet) -> list[AgentRecord]:
        if self.hangs:
            await asyncio.Event().wait()
        if self.fails:
            raise RuntimeError("secret detail")
        return ["no agent"] if self.lies else self.agents  # type: ignore[list-item] # a resolver may be anybody's


# --- The rules --------------------------------------------------------------------------------------------------------


async def test_without_agents_a_wallet_is_a_user(identities: Identities) -> None:
    assert await identities.mine(ANN, CLIENT) == {
        "wallet": ANN,
        "recognized": False,
        "role": "user",
        "visibleProfile": {
            "kind": "user",
            "displayName": f"{ANN[:5]}...{ANN[-3:]}",
            "displayAvatar": None,
            "description": None,
            "source": None,
        },
        "userProfile": {"nickname": None, "avatar": None, "social": {"x": None, "website": None}},
        "agentProfile": None,
        "reputation": None,
        "agentContext": {"status": "none"},
    }


async def test_the_only_agent_is_selected_by_itself(identities: Identities) -> None:
    agent = await identities.publish(ANN, {"name": "Bot", "source": "sati", "description": "trades"})

    mine = await identities.mine(ANN, CLIENT)

    assert (mine["recognized"], mine["role"]) == (True, "agent")
    assert mine["agentContext"] == {
        "status": "selected",
        "selectedBy": "single",
        "agent": {"catalogId": agent["catalogId"], "slug": "bot", "name": "Bot", "primarySource": "sati"},
    }
    assert mine["agentProfile"] == {
        "resolved": {
            "displayName": "Bot",
            "displayAvatar": None,
            "description": "trades",
            "source": "sati",
            "catalogId": agent["catalogId"],
            "resolvedAt": "2027-01-15T08:00:00.000Z",
        }
    }
    assert mine["visibleProfile"] == {
        "kind": "agent",
        "displayName": "Bot",
        "displayAvatar": None,
        "description": "trades",
        "source": "sati",
    }


async def test_of_one_agent_a_source_none_is_selected_and_none_has_to_be(identities: Identities) -> None:
    await published(identities, "A", "sap")
    await published(identities, "B", "mip14")

    mine = await identities.mine(ANN, CLIENT)

    assert mine["agentContext"] == {"status": "none"}
    assert mine["recognized"]
    assert mine["visibleProfile"] is not None
    assert mine["visibleProfile"]["source"] == "mip14"  # the preferred one


async def test_two_agents_of_one_source_have_to_be_selected_from(identities: Identities) -> None:
    await published(identities, "A")
    await published(identities, "B")
    await published(identities, "C", "sap")

    mine = await identities.mine(ANN, CLIENT)

    assert mine["agentContext"] == {"status": "selection_required"}
    assert mine["recognized"]


@pytest.mark.parametrize("ref", ["catalogId", "slug", "primarySourceEntryId"])
async def test_an_agent_is_selected_by_any_of_its_ids(identities: Identities, ref: str) -> None:
    await published(identities, "A")
    agent = dict(await identities.publish(ANN, {"name": "B", "description": "second"}))

    selected = await identities.select_agent(ANN, CLIENT, str(agent[ref]))

    assert selected == {
        "principal": {"wallet": ANN},
        "agentContext": {
            "status": "selected",
            "selectedBy": "remembered_agent",
            "agent": {"catalogId": agent["catalogId"], "slug": "b", "name": "B", "primarySource": "mip14"},
        },
    }
    mine = await identities.mine(ANN, CLIENT)
    assert mine["agentContext"] == selected["agentContext"]
    assert mine["visibleProfile"] is not None
    assert mine["visibleProfile"]["description"] == "second"


async def test_a_selection_is_the_clients_and_the_wallets_own(identities: Identities) -> None:
    for owner in (ANN, BOB):
        await published(identities, "A", owner=owner)
        await published(identities, "B", owner=owner)

    await identities.select_agent(ANN, CLIENT, "a")

    assert await status(identities, CLIENT) == "selected"
    assert await status(identities, OTHER) == "selection_required"
    assert (await identities.mine(BOB, CLIENT))["agentContext"]["status"] == "selection_required"


async def test_a_later_selection_takes_the_place_of_an_earlier_one(identities: Identities) -> None:
    await published(identities, "A")
    second = await published(identities, "B")
    await identities.select_agent(ANN, CLIENT, "a")
    await identities.select_agent(ANN, CLIENT, "b")

    context = (await identities.mine(ANN, CLIENT))["agentContext"]

    assert context["agent"]["catalogId"] == second


async def test_others_see_the_same_agent_whatever_a_client_selected(
    identities: Identities, store: Database, clock: Clock
) -> None:
    first = await published(identities, "A")
    clock.now += 1
    await published(identities, "B")
    await identities.select_agent(ANN, CLIENT, "b")
    people = People(store, clock=clock, agent_of=identities.agent_profile)

    info = await people.info(ANN)

    assert info["role"] == "agent"
    assert info["agentProfile"] is not None
    assert info["agentProfile"]["resolved"]["catalogId"] == first
    assert await identities.agent_profile(BOB) is None


async def test_only_own_agents_can_be_selected(identities: Identities) -> None:
    theirs = await published(identities, "Bobs", owner=BOB)

    for ref in (theirs, "bobs", "nothing"):
        with pytest.raises(NotFoundError):
            await identities.select_agent(ANN, CLIENT, ref)


async def test_a_slug_in_two_sources_does_not_say_which_agent_is_meant(identities: Identities) -> None:
    await published(identities, "A")
    await published(identities, "A", "sap")

    with pytest.raises(ConflictError):
        await identities.select_agent(ANN, CLIENT, "a")


# --- What is gone -----------------------------------------------------------------------------------------------------


async def test_a_selection_whose_agent_is_gone_is_dropped_and_told(identities: Identities) -> None:
    gone = await published(identities, "A")
    await published(identities, "B")
    await published(identities, "C")
    await identities.select_agent(ANN, CLIENT, "a")

    answer = await identities.unpublish(ANN, CLIENT, "a")

    assert answer["agentContext"] == {"status": "selection_required"}
    told = {"reason": "selected_agent_gone", "catalogId": gone}
    assert (await identities.list(ANN, CLIENT))["drift"] == [told]
    assert (await identities.list(ANN, OTHER))["drift"] == []


async def test_a_dropped_selection_does_not_come_back_with_its_agent(identities: Identities) -> None:
    await published(identities, "A")
    await published(identities, "B")
    await identities.select_agent(ANN, CLIENT, "a")
    await identities.unpublish(ANN, CLIENT, "a")

    await published(identities, "A")

    assert await status(identities) == "selection_required"
    await identities.select_agent(ANN, CLIENT, "b")
    assert (await identities.list(ANN, CLIENT))["drift"] == []


async def test_the_role_follows_the_agents(identities: Identities, store: Database, clock: Clock) -> None:
    people = People(store, clock=clock)
    await published(identities, "A")
    assert (await people.info(ANN))["role"] == "agent"

    await identities.unpublish(ANN, CLIENT, "a")

    assert (await people.info(ANN))["role"] == "user"


# --- Backing ----------------------------------------------------------------------------------------------------------


async def test_an_agent_whose_own_wallet_never_signed_in_is_drift_and_cannot_be_selected(
    store: Database, identities: Identities, clock: Clock
) -> None:
    agent = record("bot", agent_wallet=str(EVE))
    identities = Identities(store, domain="deside.example", clock=clock, resolvers=[Elsewhere(agent)])

    listed = await identities.list(ANN, CLIENT)

    assert listed["agents"] == []
    assert listed["drift"] == [
        {
            "reason": "not_backed",
            "catalogId": agent.catalog_id,
            "slug": "bot",
            "name": "bot",
            "primarySource": "said",
            "ownerWallet": ANN,
            "agentWallet": EVE,
            "primarySourceEntryId": "bot",
            "sourceEntries": [{"source": "said", "sourceEntryId": "bot"}],
            "backedByUser": False,
            "backingUserWallet": EVE,
        }
    ]
    assert not (await identities.mine(ANN, CLIENT))["recognized"]
    with pytest.raises(ConflictError):
        await identities.select_agent(ANN, CLIENT, "bot")

    await store.write(lambda connection: register(connection, EVE, 2))

    assert (await identities.list(ANN, CLIENT))["agents"][0]["backedByUser"]
    assert await status(identities) == "selected"


async def test_an_agent_with_an_address_that_nobody_can_sign_for_is_backed_by_its_owner(
    store: Database, identities: Identities, clock: Clock
) -> None:
    identities = Identities(
        store, domain="deside.example", clock=clock, resolvers=[Elsewhere(record("bot", agent_wallet=DERIVED))]
    )

    (agent,) = (await identities.list(ANN, CLIENT))["agents"]

    assert (agent["agentWallet"], agent["backingUserWallet"]) == (DERIVED, ANN)


# --- Resolvers --------------------------------------------------------------------------------------------------------


async def test_agents_of_all_resolvers_are_seen_the_preferred_source_first(
    store: Database, identities: Identities, clock: Clock
) -> None:
    await published(identities, "Here", "sap")
    elsewhere = Elsewhere(
        record("there", "8004solana"), record("anothers", owner_wallet=BOB), record("unknown", source="unheard of")
    )
    identities = Identities(store, domain="deside.example", clock=clock, resolvers=[elsewhere])

    assert [agent["name"] for agent in (await identities.list(ANN, CLIENT))["agents"]] == ["there", "Here"]


async def test_an_entry_that_two_resolvers_know_is_one_agent(
    store: Database, identities: Identities, clock: Clock
) -> None:
    elsewhere = [Elsewhere(record("bot")), Elsewhere(replace(record("bot"), name="Bot of a mirror"))]
    identities = Identities(store, domain="deside.example", clock=clock, resolvers=elsewhere)

    assert [agent["name"] for agent in (await identities.list(ANN, CLIENT))["agents"]] == ["bot"]


@pytest.mark.parametrize("trouble", ["fails", "hangs", "lies"])
async def test_a_resolver_in_trouble_fails_no_call_and_is_told_without_details(
    store: Database,
    identities: Identities,
    clock: Clock,
    caplog: pytest.LogCaptureFixture,
    trouble: str,
) -> None:
    caplog.set_level(logging.WARNING)
    await published(identities, "Here")
    identities = Identities(
        store, domain="deside.example", clock=clock, resolvers=[Elsewhere(**{trouble: True})], seconds=0.01
    )

    listed = await identities.list(ANN, CLIENT)

    assert [agent["name"] for agent in listed["agents"]] == ["Here"]
    assert listed["drift"] == [{"reason": "source_unavailable", "resolver": "elsewhere"}]
    assert await status(identities) == "selected"
    (event, *_) = events(caplog)
    assert (event["event"], event["resolver"]) == ("resolver did not answer", "elsewhere")
    assert "secret detail" not in caplog.text


async def test_while_a_resolver_is_silent_its_selected_agent_is_neither_dropped_nor_replaced(
    store: Database, identities: Identities, clock: Clock
) -> None:
    await published(identities, "Here")
    elsewhere = Elsewhere(record("there"))
    identities = Identities(store, domain="deside.example", clock=clock, resolvers=[elsewhere], seconds=0.01)
    await identities.select_agent(ANN, CLIENT, "there")

    elsewhere.fails = True
    assert (await identities.mine(ANN, CLIENT))["agentContext"] == {"status": "none"}

    elsewhere.fails = False
    assert (await identities.mine(ANN, CLIENT))["agentContext"]["agent"]["name"] == "there"


async def test_while_a_resolver_is_silent_its_agents_wallet_stays_an_agents(
    store: Database, identities: Identities, clock: Clock
) -> None:
    elsewhere = Elsewhere(record("there"))
    identities = Identities(store, domain="deside.example", clock=clock, resolvers=[elsewhere], seconds=0.01)
    people = People(store, clock=clock)
    await identities.recognise(ANN)
    elsewhere.fails = True

    await identities.recognise(ANN)
    assert (await people.info(ANN))["role"] == "agent"

    elsewhere.fails = False
    elsewhere.agents = []
    await identities.recognise(ANN)
    assert (await people.info(ANN))["role"] == "user"
