"""Owners sign that their agents belong together, on both databases."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import sqlalchemy as sa
from tests.clock import Clock
from tests.deside.wallets import signature, wallet

from accord.deside.errors import ConflictError, InvalidMeaningError, NotFoundError
from accord.deside.identity import Identities
from accord.deside.identity.links import MOST_ACTIVE_LINKS, MOST_WAITING_LINKS
from accord.deside.models.identity import LinkFields, LinkToSign, SignedLink
from accord.deside.store.tables.identity import LINKS
from accord.engine import Database

ANN, BOB = wallet(1), wallet(2)
CLIENT = "client"


@pytest.fixture
async def fields(identities: Identities) -> LinkFields:
    """Ann's two agents, to be linked."""
    a = (await identities.publish(ANN, {"name": "A"}))["catalogId"]
    b = (await identities.publish(ANN, {"name": "B"}))["catalogId"]
    return {"label": "Trading", "primary_agent_catalog_id": b, "agent_catalog_ids": [a, b]}


def signed(fields: LinkFields, prepared: LinkToSign, by: int = 1) -> SignedLink:
    message = prepared["message"]
    return {**fields, "signed_message": message, "signature": signature(by, message)}


async def linked(identities: Identities, fields: LinkFields) -> str:
    prepared = await identities.prepare_link(ANN, fields)
    return (await identities.create_link(ANN, signed(fields, prepared)))["linkId"]


def refused(error: pytest.ExceptionInfo[InvalidMeaningError]) -> list[tuple[str, str]]:
    return [(issue["path"], issue["code"]) for issue in error.value.issues]


async def test_what_is_to_be_signed_says_all_of_the_link(identities: Identities, fields: LinkFields) -> None:
    prepared = await identities.prepare_link(ANN, fields)

    a, b = fields["agent_catalog_ids"]
    nonce = prepared["nonce"]
    assert len(nonce) == 32
    assert prepared == {
        "domain": "deside.example",
        "ownerWallet": ANN,
        "primaryAgentCatalogId": b,
        "agentCatalogIds": [a, b],
        "label": "Trading",
        "nonce": nonce,
        "issuedAt": "2027-01-15T08:00:00.000Z",
        "expiresAt": "2027-01-15T08:10:00.000Z",
        "message": "\n".join(
            (
                "Deside Agent Identity Link",
                "These agents are mine and belong together.",
                "Domain: deside.example",
                f"Owner wallet: {ANN}",
                "Label: Trading",
                f"Primary agent: {b}",
                f"Agents: {a}, {b}",
                f"Nonce: {nonce}",
                "Issued at: 2027-01-15T08:00:00.000Z",
                "Expires at: 2027-01-15T08:10:00.000Z",
            )
        ),
    }


async def test_a_signed_link_is_active_and_listed(identities: Identities, fields: LinkFields) -> None:
    prepared = await identities.prepare_link(ANN, fields)

    link = await identities.create_link(ANN, signed(fields, prepared))

    assert link == {
        "linkId": link["linkId"],
        "ownerWallet": ANN,
        "label": "Trading",
        "status": "active",
        "primaryAgentCatalogId": fields["primary_agent_catalog_id"],
        "agentCatalogIds": fields["agent_catalog_ids"],
        "claimLevel": "owner_signed",
        "signedAt": "2027-01-15T08:00:00.000Z",
        "revokedAt": None,
    }
    assert (await identities.list(ANN, CLIENT))["links"] == [link]
    assert (await identities.list(BOB, CLIENT))["links"] == []


async def test_preparing_links_nothing(identities: Identities, fields: LinkFields) -> None:
    await identities.prepare_link(ANN, fields)

    assert (await identities.list(ANN, CLIENT))["links"] == []


async def test_the_message_and_its_signature_are_kept(
    identities: Identities, fields: LinkFields, store: Database
) -> None:
    prepared = await identities.prepare_link(ANN, fields)
    brought = signed(fields, prepared)
    await identities.create_link(ANN, brought)

    row = await store.read(lambda connection: connection.execute(sa.select(LINKS)).one())

    assert ANN.signed(row.message, row.signature)


async def test_of_several_that_bring_one_signature_one_makes_the_link(
    identities: Identities, fields: LinkFields
) -> None:
    prepared = await identities.prepare_link(ANN, fields)
    brought = signed(fields, prepared)

    ended = await asyncio.gather(*(identities.create_link(ANN, brought) for _ in range(8)), return_exceptions=True)

    assert sum(isinstance(each, InvalidMeaningError) for each in ended) == 7
    assert len((await identities.list(ANN, CLIENT))["links"]) == 1


async def test_a_signature_makes_one_link_even_after_that_is_revoked(
    identities: Identities, fields: LinkFields
) -> None:
    prepared = await identities.prepare_link(ANN, fields)
    link = await identities.create_link(ANN, signed(fields, prepared))
    await identities.revoke_link(ANN, CLIENT, link["linkId"])

    with pytest.raises(InvalidMeaningError) as error:
        await identities.create_link(ANN, signed(fields, prepared))

    assert refused(error) == [("signed_message", "not_prepared")]


async def test_after_ten_minutes_it_is_too_late_to_sign(
    identities: Identities, fields: LinkFields, clock: Clock
) -> None:
    late = await identities.prepare_link(ANN, fields)
    clock.now += 600
    with pytest.raises(InvalidMeaningError) as error:
        await identities.create_link(ANN, signed(fields, late))
    assert refused(error) == [("signed_message", "not_prepared")]

    in_time = await identities.prepare_link(ANN, fields)
    clock.now += 599.9
    await identities.create_link(ANN, signed(fields, in_time))


async def test_only_the_owners_signature_counts_and_a_wrong_one_uses_nothing_up(
    identities: Identities, fields: LinkFields
) -> None:
    prepared = await identities.prepare_link(ANN, fields)
    good = signed(fields, prepared)

    for bad in (signature(2, prepared["message"]), signature(1, prepared["message"] + " "), "1" * 64, "1" * 88):
        with pytest.raises(InvalidMeaningError) as error:
            await identities.create_link(ANN, {**good, "signature": bad})
        assert refused(error) == [("signature", "bad_signature")]

    await identities.create_link(ANN, good)


async def test_a_message_of_ones_own_making_links_nothing(identities: Identities, fields: LinkFields) -> None:
    prepared = await identities.prepare_link(ANN, fields)
    forged = prepared["message"].replace("Label: Trading", "Label: Trading!")

    with pytest.raises(InvalidMeaningError) as error:
        await identities.create_link(ANN, {**fields, "signed_message": forged, "signature": signature(1, forged)})

    assert refused(error) == [("signed_message", "not_prepared")]


async def test_what_was_prepared_for_one_wallet_another_cannot_use(identities: Identities, fields: LinkFields) -> None:
    await identities.publish(BOB, {"name": "Bobs"})
    prepared = await identities.prepare_link(ANN, fields)

    with pytest.raises(NotFoundError):  # the agents are not Bob's
        await identities.create_link(BOB, signed(fields, prepared, by=2))


@pytest.mark.parametrize(
    ("path", "change"),
    [
        ("label", {"label": "Other"}),
        ("primary_agent_catalog_id", {"primary_agent_catalog_id": "a"}),
        ("agent_catalog_ids", {"agent_catalog_ids": "reversed"}),
        ("agent_catalog_ids", {"agent_catalog_ids": "more"}),
    ],
)
async def test_each_field_must_be_what_was_prepared_and_a_mismatch_uses_nothing_up(
    identities: Identities, fields: LinkFields, path: str, change: dict[str, str]
) -> None:
    c = (await identities.publish(ANN, {"name": "C"}))["catalogId"]
    a, b = fields["agent_catalog_ids"]
    values: dict[str, Any] = {"a": a, "reversed": [b, a], "more": [a, b, c]}
    prepared = await identities.prepare_link(ANN, fields)
    good = signed(fields, prepared)
    bad: Any = {**good, **{name: values.get(value, value) for name, value in change.items()}}

    with pytest.raises(InvalidMeaningError) as error:
        await identities.create_link(ANN, bad)

    assert refused(error) == [(path, "mismatch")]
    await identities.create_link(ANN, good)


async def test_linked_agents_are_several_different_ones_of_ones_own_with_the_primary_among_them(
    identities: Identities, fields: LinkFields
) -> None:
    a, b = fields["agent_catalog_ids"]
    theirs = (await identities.publish(BOB, {"name": "Bobs"}))["catalogId"]
    unfit: list[tuple[Any, str]] = [
        ({**fields, "agent_catalog_ids": [a, a]}, "agent_catalog_ids"),
        ({**fields, "agent_catalog_ids": [a, a, b]}, "agent_catalog_ids"),
        ({**fields, "primary_agent_catalog_id": theirs}, "primary_agent_catalog_id"),
    ]
    for bad, path in unfit:
        with pytest.raises(InvalidMeaningError) as error:
            await identities.prepare_link(ANN, bad)
        assert path in {issue["path"] for issue in error.value.issues}

    for unknown in (theirs, "agt_nothing", "a"):  # a slug is no catalog id
        with pytest.raises(NotFoundError):
            await identities.prepare_link(ANN, {**fields, "agent_catalog_ids": [b, unknown]})


async def test_an_agent_that_is_gone_since_is_linked_no_more(identities: Identities, fields: LinkFields) -> None:
    prepared = await identities.prepare_link(ANN, fields)
    await identities.unpublish(ANN, CLIENT, "a")

    with pytest.raises(NotFoundError):
        await identities.create_link(ANN, signed(fields, prepared))


async def test_the_same_agents_are_linked_once_at_a_time(identities: Identities, fields: LinkFields) -> None:
    link_id = await linked(identities, fields)
    again: LinkFields = {**fields, "label": "Again", "agent_catalog_ids": fields["agent_catalog_ids"][::-1]}

    with pytest.raises(ConflictError):
        await linked(identities, again)

    await identities.revoke_link(ANN, CLIENT, link_id)
    await linked(identities, again)


async def test_so_many_links_wait_for_a_signature_and_no_more(
    identities: Identities, fields: LinkFields, clock: Clock
) -> None:
    tried = [identities.prepare_link(ANN, fields) for _ in range(MOST_WAITING_LINKS + 3)]

    ended = await asyncio.gather(*tried, return_exceptions=True)

    assert sum(isinstance(each, ConflictError) for each in ended) == 3
    clock.now += 600
    await identities.prepare_link(ANN, fields)  # those that ran out wait no more


async def test_so_many_links_are_active_and_no_more(identities: Identities, clock: Clock) -> None:
    ids = [(await identities.publish(ANN, {"name": f"Bot {number}"}))["catalogId"] for number in range(11)]
    pairs = [[a, b] for place, a in enumerate(ids) for b in ids[place + 1 :]]
    assert len(pairs) > MOST_ACTIVE_LINKS
    for pair in pairs[:MOST_ACTIVE_LINKS]:
        await linked(identities, {"label": "x", "primary_agent_catalog_id": pair[0], "agent_catalog_ids": pair})

    one_more = pairs[MOST_ACTIVE_LINKS]
    with pytest.raises(ConflictError):
        await linked(identities, {"label": "x", "primary_agent_catalog_id": one_more[0], "agent_catalog_ids": one_more})


# --- Acting through a link, and its end -------------------------------------------------------------------------------


async def test_a_selected_link_acts_as_its_primary_agent(identities: Identities, fields: LinkFields) -> None:
    link_id = await linked(identities, fields)

    selected = await identities.select_link(ANN, CLIENT, link_id)

    assert selected["agentContext"] == {
        "status": "selected",
        "selectedBy": "remembered_link",
        "agent": {
            "catalogId": fields["primary_agent_catalog_id"],
            "slug": "b",
            "name": "B",
            "primarySource": "mip14",
        },
        "linkId": link_id,
    }
    assert (await identities.mine(ANN, CLIENT))["agentContext"] == selected["agentContext"]


async def test_a_revoked_link_is_history_and_no_longer_selected(
    identities: Identities, fields: LinkFields, store: Database, clock: Clock
) -> None:
    link_id = await linked(identities, fields)
    await identities.select_link(ANN, CLIENT, link_id)
    clock.now += 60

    revoked = await identities.revoke_link(ANN, CLIENT, link_id)

    assert (revoked["linkId"], revoked["status"]) == (link_id, "revoked")
    assert revoked["revokedAt"] == "2027-01-15T08:01:00.000Z"
    assert revoked["agentContext"] == {"status": "selection_required"}
    listed = await identities.list(ANN, CLIENT)
    assert listed["links"] == []
    assert listed["drift"] == [{"reason": "selected_link_gone", "linkId": link_id}]
    assert await store.read(lambda connection: connection.scalar(sa.select(LINKS.c.link_id))) == link_id
    with pytest.raises(NotFoundError):
        await identities.select_link(ANN, CLIENT, link_id)


async def test_revoking_twice_is_revoking_once(identities: Identities, fields: LinkFields, clock: Clock) -> None:
    link_id = await linked(identities, fields)
    first = await identities.revoke_link(ANN, CLIENT, link_id)
    clock.now += 60

    assert await identities.revoke_link(ANN, CLIENT, link_id) == first


async def test_a_link_is_its_owners_alone(identities: Identities, fields: LinkFields) -> None:
    link_id = await linked(identities, fields)

    with pytest.raises(NotFoundError):
        await identities.revoke_link(BOB, CLIENT, link_id)
    with pytest.raises(NotFoundError):
        await identities.select_link(BOB, CLIENT, link_id)
    assert len((await identities.list(ANN, CLIENT))["links"]) == 1


async def test_a_link_whose_agent_is_gone_is_told_and_cannot_act_without_its_primary(
    identities: Identities, fields: LinkFields
) -> None:
    await identities.publish(ANN, {"name": "C"})
    link_id = await linked(identities, fields)
    await identities.select_link(ANN, CLIENT, link_id)

    await identities.unpublish(ANN, CLIENT, "b")

    drift = (await identities.list(ANN, CLIENT))["drift"]
    gone = fields["primary_agent_catalog_id"]
    assert {"reason": "linked_agent_gone", "catalogId": gone, "linkId": link_id} in drift
    assert {"reason": "selected_link_gone", "linkId": link_id} in drift
    with pytest.raises(ConflictError):
        await identities.select_link(ANN, CLIENT, link_id)
