"""Agents are published, taken back, found and imported, on both databases."""

from __future__ import annotations

import asyncio

import orjson
import pytest
import sqlalchemy as sa
from tests.clock import Clock
from tests.deside.wallets import wallet

from accord.deside.errors import ConflictError, InvalidInputError, NotFoundError
from accord.deside.identity import Identities, Imported, import_agents
from accord.deside.identity.importing import MOST_ENTRIES
from accord.deside.identity.registry import MOST_OWN_AGENTS
from accord.deside.models.identity import AgentList
from accord.deside.people import register
from accord.deside.store.tables.people import WALLETS
from accord.engine import Database

ANN, BOB, EVE = wallet(1), wallet(2), wallet(5)
CLIENT = "client"


async def found(identities: Identities, **query: object) -> AgentList:
    asked: dict[str, object] = {"name": None, "wallet": None, "limit": 10, "offset": 0, **query}
    return await identities.search(**asked)  # type: ignore[arg-type] # the test's own arguments


async def taken_in(identities: Identities, clock: Clock, *entries: object) -> Imported:
    """Import what a file with these entries holds."""
    return await import_agents(identities.registry, orjson.loads(orjson.dumps(entries)), clock)


def names(page: AgentList) -> list[str]:
    return [agent["name"] for agent in page["agents"]]


async def test_a_published_agent_is_in_the_directory_with_all_that_was_said_of_it(identities: Identities) -> None:
    published = await identities.publish(
        ANN,
        {
            "name": "Trading Bot",
            "source": "sati",
            "description": "trades",
            "avatar": "https://a.example/a.png",
            "website": "https://a.example",
            "category": "trading",
            "capabilities": ["dm", "trading"],
        },
    )

    (agent,) = (await found(identities))["agents"]
    assert agent == {name: value for name, value in published.items() if name != "status"}
    assert published["status"] == "published"
    assert published == {
        "status": "published",
        "catalogId": published["catalogId"],
        "slug": "trading-bot",
        "name": "Trading Bot",
        "wallet": ANN,
        "ownerWallet": ANN,
        "agentWallet": ANN,
        "description": "trades",
        "avatar": "https://a.example/a.png",
        "website": "https://a.example",
        "category": "trading",
        "capabilities": ["dm", "trading"],
        "primarySource": "sati",
        "primarySourceEntryId": f"{ANN}:trading-bot",
        "sourceEntries": [{"source": "sati", "sourceEntryId": f"{ANN}:trading-bot"}],
        "registryPresence": {"registries": ["sati"], "primarySource": "sati"},
        "createdAt": "2027-01-15T08:00:00.000Z",
        "updatedAt": "2027-01-15T08:00:00.000Z",
    }


async def test_the_source_is_mip14_where_none_is_named(identities: Identities) -> None:
    assert (await identities.publish(ANN, {"name": "Bot"}))["primarySource"] == "mip14"


async def test_publishing_again_changes_the_agent_and_keeps_its_id(identities: Identities, clock: Clock) -> None:
    first = await identities.publish(ANN, {"name": "Bot", "description": "old", "category": "trading"})
    clock.now += 60

    second = await identities.publish(ANN, {"name": "Better Bot", "slug": "bot"})

    assert second["catalogId"] == first["catalogId"]
    assert (second["name"], second["description"], second["category"]) == ("Better Bot", None, None)
    assert (second["createdAt"], second["updatedAt"]) == (first["createdAt"], "2027-01-15T08:01:00.000Z")
    assert (await found(identities))["total"] == 1


async def test_two_wallets_and_two_sources_have_agents_of_one_name_side_by_side(identities: Identities) -> None:
    ids = {
        (await identities.publish(ANN, {"name": "Bot"}))["catalogId"],
        (await identities.publish(ANN, {"name": "Bot", "source": "said"}))["catalogId"],
        (await identities.publish(BOB, {"name": "Bot"}))["catalogId"],
    }

    assert len(ids) == 3
    assert (await found(identities, name="bot"))["total"] == 3


@pytest.mark.parametrize(
    ("name", "slug"),
    [("Ünï  Bot!", "uni-bot"), ("-- A --", "a"), ("x" * 63 + " y", "x" * 63), ("機械", "agent-81c946ea")],
)
async def test_a_slug_is_made_of_the_name(identities: Identities, name: str, slug: str) -> None:
    assert (await identities.publish(ANN, {"name": name}))["slug"] == slug


async def test_a_taken_back_agent_is_found_no_more_and_comes_back_under_its_id(identities: Identities) -> None:
    agent = await identities.publish(ANN, {"name": "Bot"})

    gone = await identities.unpublish(ANN, CLIENT, agent["catalogId"])

    assert gone == {"catalogId": agent["catalogId"], "status": "unpublished", "agentContext": {"status": "none"}}
    assert await found(identities) == {"agents": [], "total": 0, "hasMore": False}
    assert (await identities.publish(ANN, {"name": "Bot"}))["catalogId"] == agent["catalogId"]
    assert (await found(identities))["total"] == 1


async def test_taking_back_twice_is_taking_back_once(identities: Identities) -> None:
    await identities.publish(ANN, {"name": "Bot"})

    assert await identities.unpublish(ANN, CLIENT, "bot") == await identities.unpublish(ANN, CLIENT, "bot")


async def test_nobody_takes_back_anothers_agent(identities: Identities) -> None:
    agent = await identities.publish(ANN, {"name": "Bot"})

    for ref in (agent["catalogId"], "bot", agent["primarySourceEntryId"], "what is not there"):
        with pytest.raises(NotFoundError):
            await identities.unpublish(BOB, CLIENT, ref)
    assert (await found(identities))["total"] == 1


async def test_a_slug_in_two_sources_does_not_say_which_agent_is_taken_back(identities: Identities) -> None:
    await identities.publish(ANN, {"name": "Bot"})
    await identities.publish(ANN, {"name": "Bot", "source": "sap"})

    with pytest.raises(ConflictError):
        await identities.unpublish(ANN, CLIENT, "bot")


async def test_a_wallet_publishes_so_many_agents_and_no_more_even_at_once(identities: Identities) -> None:
    tried = [identities.publish(ANN, {"name": f"Bot {number}"}) for number in range(MOST_OWN_AGENTS + 5)]

    ended = await asyncio.gather(*tried, return_exceptions=True)

    assert sum(isinstance(each, ConflictError) for each in ended) == 5
    assert (await found(identities))["total"] == MOST_OWN_AGENTS
    await identities.publish(BOB, {"name": "Bot"})


async def test_taken_back_agents_count_and_their_slugs_can_be_used_again(identities: Identities) -> None:
    for number in range(MOST_OWN_AGENTS):
        await identities.publish(ANN, {"name": f"Bot {number}"})
    await identities.unpublish(ANN, CLIENT, "bot-0")

    with pytest.raises(ConflictError):
        await identities.publish(ANN, {"name": "One more"})
    await identities.publish(ANN, {"name": "One more", "slug": "bot-0"})


# --- Searching --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("asked", ["ÄRGER", "ärger", "är", "A\u0308RGER", "ger b"])
async def test_a_part_of_a_name_is_found_in_any_case(identities: Identities, asked: str) -> None:
    await identities.publish(ANN, {"name": "Der Ärger Bot"})
    await identities.publish(ANN, {"name": "Other"})

    assert names(await found(identities, name=asked)) == ["Der Ärger Bot"]


@pytest.mark.parametrize("asked", ["100%", "a_b", "c\\d", "e/f", "'; --"])
async def test_what_means_something_to_a_database_is_a_letter_like_others(identities: Identities, asked: str) -> None:
    await identities.publish(ANN, {"name": f"x{asked}x", "slug": "it"})
    await identities.publish(ANN, {"name": "x100x axb cxd exf", "slug": "other"})

    assert names(await found(identities, name=asked)) == [f"x{asked}x"]


async def test_an_exact_name_comes_first_then_who_was_there_first(identities: Identities, clock: Clock) -> None:
    for name in ("Bots", "Robot", "Bot"):
        clock.now += 1
        await identities.publish(ANN, {"name": name})

    assert names(await found(identities, name="bot")) == ["Bot", "Bots", "Robot"]


async def test_pages_hold_every_agent_once_though_all_are_of_one_instant(identities: Identities) -> None:
    for number in range(7):
        await identities.publish(ANN, {"name": f"Bot {number}"})

    pages = [await found(identities, limit=3, offset=offset) for offset in (0, 3, 6, 9)]

    assert sorted(name for page in pages for name in names(page)) == [f"Bot {number}" for number in range(7)]
    assert [page["total"] for page in pages] == [7, 7, 7, 7]
    assert [page["hasMore"] for page in pages] == [True, True, False, False]


async def test_a_wallet_finds_what_it_owns_and_who_speaks_from_it(identities: Identities, clock: Clock) -> None:
    await identities.publish(ANN, {"name": "Own"})
    entry = {"source": "sati", "sourceEntryId": "7", "ownerWallet": BOB, "agentWallet": ANN, "name": "Speaks"}
    await taken_in(identities, clock, entry)
    await identities.publish(BOB, {"name": "Other"})

    assert sorted(names(await found(identities, wallet=ANN))) == ["Own", "Speaks"]
    assert names(await found(identities, wallet=ANN, name="speak")) == ["Speaks"]
    assert names(await found(identities, wallet="not even an address")) == []


# --- Importing --------------------------------------------------------------------------------------------------------

ENTRY = {"source": "8004solana", "sourceEntryId": "asset-1", "ownerWallet": ANN, "name": "Imported"}


async def test_an_imported_agent_is_its_owners(identities: Identities, clock: Clock) -> None:
    assert await taken_in(identities, clock, ENTRY) == (1, 0)

    (agent,) = (await found(identities))["agents"]
    assert (agent["ownerWallet"], agent["agentWallet"], agent["wallet"]) == (ANN, None, ANN)
    assert agent["sourceEntries"] == [{"source": "8004solana", "sourceEntryId": "asset-1"}]
    assert (await identities.mine(ANN, CLIENT))["agentContext"]["status"] == "selected"


async def test_an_import_replaces_the_one_before_and_keeps_ids(identities: Identities, clock: Clock) -> None:
    await taken_in(identities, clock, ENTRY, {**ENTRY, "sourceEntryId": "asset-2"})
    before = (await found(identities))["agents"]

    clock.now += 1
    moved = {**ENTRY, "name": "Renamed", "ownerWallet": BOB}
    hidden = {**ENTRY, "sourceEntryId": "asset-2", "published": False}
    assert await taken_in(identities, clock, moved, hidden) == (1, 1)

    (agent,) = (await found(identities))["agents"]
    assert (agent["name"], agent["ownerWallet"]) == ("Renamed", BOB)
    assert agent["catalogId"] in {each["catalogId"] for each in before}
    assert agent["createdAt"] == before[0]["createdAt"]


async def roles(store: Database) -> dict[str, str]:
    """Return what is written down of Ann, Bob and whoever else has signed in."""
    rows = await store.read(lambda connection: connection.execute(sa.select(WALLETS.c.wallet, WALLETS.c.role)).all())
    return {row.wallet: row.role for row in rows}


async def test_an_import_says_who_is_an_agents_wallet_now_and_who_is_no_more(
    store: Database, identities: Identities, clock: Clock
) -> None:
    await taken_in(identities, clock, ENTRY)
    assert await roles(store) == {ANN: "agent", BOB: "user"}

    await taken_in(identities, clock, {**ENTRY, "published": False})
    assert await roles(store) == {ANN: "user", BOB: "user"}

    await taken_in(identities, clock, ENTRY)
    await taken_in(identities, clock, {**ENTRY, "ownerWallet": BOB})
    assert await roles(store) == {ANN: "user", BOB: "agent"}

    await taken_in(identities, clock, {**ENTRY, "sourceEntryId": "asset-2"})
    await taken_in(identities, clock, {**ENTRY, "sourceEntryId": "asset-3"})
    await taken_in(identities, clock, {**ENTRY, "sourceEntryId": "asset-2", "published": False})
    assert await roles(store) == {ANN: "agent", BOB: "agent"}


async def test_an_owner_becomes_an_agents_wallet_when_the_wallet_behind_the_agent_signs_in(
    store: Database, identities: Identities, clock: Clock
) -> None:
    await taken_in(identities, clock, {**ENTRY, "agentWallet": EVE})
    assert (await roles(store))[ANN] == "user"

    await store.write(lambda connection: register(connection, EVE, 1))
    await identities.recognise(EVE)

    assert await roles(store) == {ANN: "agent", BOB: "user", EVE: "user"}


async def test_a_large_import_is_taken_in(identities: Identities, clock: Clock) -> None:
    many = [{**ENTRY, "sourceEntryId": f"asset-{number}", "name": f"Bot {number}"} for number in range(1200)]

    assert await taken_in(identities, clock, *many) == (1200, 0)

    assert (await found(identities))["total"] == 1200


async def test_an_empty_import_changes_nothing(identities: Identities, clock: Clock) -> None:
    assert await taken_in(identities, clock) == (0, 0)


@pytest.mark.parametrize(
    ("entry", "path"),
    [
        ("text", "[1].source"),
        ({**ENTRY, "source": "unknown"}, "[1].source"),
        ({**ENTRY, "ownerWallet": "1" * 31}, "[1].ownerWallet"),
        ({**ENTRY, "ownerWallet": "1" * 40}, "[1].ownerWallet"),
        ({**ENTRY, "name": "two\nlines"}, "[1].name"),
        ({**ENTRY, "website": "http://plain.example"}, "[1].website"),
        ({**ENTRY, "sourceEntryId": "asset-0"}, "[1].sourceEntryId"),
        ({"source": "sati"}, "[1].sourceEntryId"),
        ({**ENTRY, "color": "red"}, "[1].color"),
    ],
)
async def test_an_import_with_one_bad_entry_changes_nothing_and_says_which(
    identities: Identities, clock: Clock, entry: object, path: str
) -> None:
    with pytest.raises(InvalidInputError) as refused:
        await taken_in(identities, clock, {**ENTRY, "sourceEntryId": "asset-0"}, entry)

    assert refused.value.issues[0]["path"] == path
    assert (await found(identities))["total"] == 0


async def test_an_import_that_would_keep_others_waiting_is_refused(identities: Identities, clock: Clock) -> None:
    with pytest.raises(InvalidInputError):
        await taken_in(identities, clock, *([ENTRY] * (MOST_ENTRIES + 1)))


async def test_what_is_no_list_is_no_import(identities: Identities, clock: Clock) -> None:
    with pytest.raises(InvalidInputError):
        await import_agents(identities.registry, {"agents": []}, clock)


async def test_an_import_takes_nothing_from_who_published_here(identities: Identities, clock: Clock) -> None:
    agent = await identities.publish(ANN, {"name": "Bot"})
    stolen = {"source": "mip14", "sourceEntryId": agent["primarySourceEntryId"], "ownerWallet": BOB, "name": "Mine"}

    with pytest.raises(InvalidInputError) as refused:
        await taken_in(identities, clock, ENTRY, stolen)

    assert [issue["path"] for issue in refused.value.issues] == ["[1].sourceEntryId"]
    assert names(await found(identities)) == ["Bot"]


async def test_nobody_publishes_over_what_was_imported_for_another(identities: Identities, clock: Clock) -> None:
    entry = {"source": "mip14", "sourceEntryId": f"{ANN}:bot", "ownerWallet": BOB, "name": "Bob's"}
    await taken_in(identities, clock, entry)

    with pytest.raises(ConflictError):
        await identities.publish(ANN, {"name": "Bot"})

    assert names(await found(identities)) == ["Bob's"]


async def test_an_imported_agent_is_taken_back_where_it_is_registered(identities: Identities, clock: Clock) -> None:
    await taken_in(identities, clock, {**ENTRY, "slug": "imported"})

    with pytest.raises(ConflictError):
        await identities.unpublish(ANN, CLIENT, "imported")

    assert (await found(identities))["total"] == 1


async def test_what_one_service_published_another_on_the_same_database_finds(
    identities: Identities, store: Database, clock: Clock
) -> None:
    await identities.publish(ANN, {"name": "Bot"})

    assert names(await found(Identities(store, domain="other.example", clock=clock))) == ["Bot"]
