"""Codes and tokens on both databases: one use, families, and who a bearer token speaks for."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest
import sqlalchemy as sa
from tests.clock import Clock
from tests.deside.oauth.granting import ACCESS_MS, CLIENT, WALLET, coded, issued, presented

from accord.deside.oauth import Bearer, Bearers
from accord.deside.oauth.bearers import REMEMBERED_MOST, REMEMBERED_SECONDS
from accord.deside.oauth.codes import exchange
from accord.deside.oauth.families import Issued, revoke_token, rotate
from accord.deside.oauth.lifetimes import CODE_MS, REFRESH_MS
from accord.deside.oauth.refusals import OAuthError
from accord.deside.store.metadata import METADATA
from accord.engine import Database, Secret

NOW_MS = 1_800_000_000_000


async def exchanged(store: Database, code: str, *, now_ms: int = NOW_MS, **other: str) -> Issued | None:
    return await store.write(lambda connection: exchange(connection, presented(code, **other), now_ms, ACCESS_MS))


async def rotated(
    store: Database, token: Secret, *, client: str | None = CLIENT, scope: str = "", now_ms: int = NOW_MS
) -> Issued | None:
    work = partial(rotate, presented=token.reveal(), client_id=client, scope=scope, now_ms=now_ms, access_ms=ACCESS_MS)
    return await store.write(work)


async def revoked(store: Database, token: Secret, client: str | None = None) -> None:
    await store.write(partial(revoke_token, presented=token.reveal(), client_id=client, now_ms=NOW_MS))


async def speaks(store: Database, token: Secret, clock: Clock | None = None) -> bool:
    return await Bearers(store, clock or Clock()).find(token.reveal()) is not None


# --- Codes ----------------------------------------------------------------------------------------------------------


async def test_a_code_gives_tokens_once_and_its_replay_takes_them_back(store: Database) -> None:
    code = await coded(store, NOW_MS)
    first = await exchanged(store, code)
    assert first is not None
    assert await speaks(store, first.access_token)

    assert await exchanged(store, code) is None

    assert not await speaks(store, first.access_token)
    assert await rotated(store, first.refresh_token) is None


async def test_a_code_runs_out_after_a_minute(store: Database) -> None:
    code = await coded(store, NOW_MS)

    assert await exchanged(store, code, now_ms=NOW_MS + CODE_MS) is None
    assert await exchanged(store, code, now_ms=NOW_MS + CODE_MS - 1) is not None


@pytest.mark.parametrize("other", ["client_id", "redirect_uri", "code_verifier"])
async def test_a_code_is_not_taken_from_its_client_by_who_cannot_prove_to_be_it(store: Database, other: str) -> None:
    code = await coded(store, NOW_MS)

    work = partial(exchange, presented=presented(code, **{other: "w" * 43}), now_ms=NOW_MS, access_ms=ACCESS_MS)
    assert await store.write(work) is None
    assert await exchanged(store, code) is not None


@pytest.mark.parametrize("verifier", ["", "v" * 42, "v" * 129, "v" * 42 + "+", "v" * 43 + "\n", "ü" * 43])
async def test_what_is_no_verifier_proves_nothing(small_store: Database, verifier: str) -> None:
    code = await coded(small_store, NOW_MS)

    assert await exchanged(small_store, code, code_verifier=verifier) is None


async def test_of_many_that_race_with_one_code_exactly_one_gets_tokens(store: Database) -> None:
    code = await coded(store, NOW_MS)

    outcomes = await asyncio.gather(*(exchanged(store, code) for _ in range(8)))

    assert len([tokens for tokens in outcomes if tokens is not None]) == 1


# --- Refreshing -----------------------------------------------------------------------------------------------------


async def test_a_refresh_token_is_replaced_at_each_use(store: Database) -> None:
    first = await issued(store, NOW_MS)

    second = await rotated(store, first.refresh_token)
    assert second is not None
    third = await rotated(store, second.refresh_token)
    assert third is not None

    assert len({one.refresh_token for one in (first, second, third)}) == 3
    for tokens in (first, second, third):
        assert await speaks(store, tokens.access_token)


async def test_reusing_a_rotated_refresh_token_revokes_its_family_and_no_other(store: Database) -> None:
    other = await issued(store, NOW_MS)
    first = await issued(store, NOW_MS)
    second = await rotated(store, first.refresh_token)
    assert second is not None

    assert await rotated(store, first.refresh_token) is None

    assert await rotated(store, second.refresh_token) is None
    assert not await speaks(store, first.access_token)
    assert not await speaks(store, second.access_token)
    assert await speaks(store, other.access_token)
    assert await rotated(store, other.refresh_token) is not None


async def test_of_many_refreshes_that_race_exactly_one_gets_tokens(store: Database) -> None:
    first = await issued(store, NOW_MS)

    outcomes = await asyncio.gather(*(rotated(store, first.refresh_token) for _ in range(8)))

    assert len([tokens for tokens in outcomes if tokens is not None]) == 1


async def test_a_refresh_token_runs_out_after_seven_days_and_rotation_starts_them_anew(store: Database) -> None:
    first = await issued(store, NOW_MS)

    second = await rotated(store, first.refresh_token, now_ms=NOW_MS + REFRESH_MS - 1)
    assert second is not None
    assert await rotated(store, second.refresh_token, now_ms=NOW_MS + 2 * REFRESH_MS - 2) is not None

    late = await issued(store, NOW_MS)
    assert await rotated(store, late.refresh_token, now_ms=NOW_MS + REFRESH_MS) is None


async def test_another_client_cannot_refresh_and_does_no_harm(store: Database) -> None:
    first = await issued(store, NOW_MS)

    assert await rotated(store, first.refresh_token, client="client-2") is None
    assert await rotated(store, first.refresh_token, client=None) is not None


async def test_a_refresh_may_narrow_the_scope_of_its_access_token_alone(store: Database) -> None:
    first = await issued(store, NOW_MS)

    narrow = await rotated(store, first.refresh_token, scope="dm:read")
    assert narrow is not None
    wide = await rotated(store, narrow.refresh_token)
    assert wide is not None

    bearers = Bearers(store, Clock())
    scopes = [bearer.scopes for one in (narrow, wide) if (bearer := await bearers.find(one.access_token.reveal()))]
    assert scopes == [{"dm:read"}, {"dm:read", "dm:write"}]


async def test_a_refresh_cannot_widen_the_scope_and_the_token_stays_good(store: Database) -> None:
    first = await issued(store, NOW_MS, scope="dm:read")

    with pytest.raises(OAuthError, match="invalid_scope"):
        await rotated(store, first.refresh_token, scope="dm:read dm:write")

    assert await rotated(store, first.refresh_token) is not None


# --- Revoking -------------------------------------------------------------------------------------------------------


async def test_revoking_a_refresh_token_revokes_its_family(store: Database) -> None:
    first = await issued(store, NOW_MS)

    await revoked(store, first.refresh_token)

    assert not await speaks(store, first.access_token)
    assert await rotated(store, first.refresh_token) is None


async def test_revoking_an_access_token_leaves_the_refresh_token(store: Database) -> None:
    first = await issued(store, NOW_MS)

    await revoked(store, first.access_token)

    assert not await speaks(store, first.access_token)
    assert await rotated(store, first.refresh_token) is not None


async def test_a_client_cannot_revoke_what_is_not_its_own(store: Database) -> None:
    first = await issued(store, NOW_MS)

    await revoked(store, first.access_token, client="client-2")
    await revoked(store, first.refresh_token, client="client-2")

    assert await speaks(store, first.access_token)


# --- Bearers --------------------------------------------------------------------------------------------------------


async def test_an_access_token_tells_wallet_client_scopes_and_end(store: Database, clock: Clock) -> None:
    tokens = await issued(store, NOW_MS)

    bearer = await Bearers(store, clock).find(tokens.access_token.reveal())

    assert bearer is not None
    scopes = frozenset({"dm:read", "dm:write"})
    assert bearer == Bearer(wallet=WALLET, client_id=CLIENT, scopes=scopes, expires_ms=NOW_MS + ACCESS_MS)


@pytest.mark.parametrize("token", ["", "x", "deside_at_" + "A" * 43, "\ud800", "ü"])
async def test_what_is_no_token_speaks_for_nobody(small_store: Database, token: str) -> None:
    assert await Bearers(small_store, Clock()).find(token) is None


async def test_a_refresh_token_is_no_access_token(small_store: Database) -> None:
    tokens = await issued(small_store, NOW_MS)

    assert not await speaks(small_store, tokens.refresh_token)


async def test_an_access_token_runs_out_even_while_it_is_remembered(small_store: Database, clock: Clock) -> None:
    tokens = await issued(small_store, NOW_MS)
    bearers = Bearers(small_store, clock)

    clock.now += ACCESS_MS / 1000 - 0.001
    assert await bearers.find(tokens.access_token.reveal()) is not None
    clock.now += 0.001
    assert await bearers.find(tokens.access_token.reveal()) is None


async def test_a_revocation_in_another_process_bites_within_seconds(store: Database, clock: Clock) -> None:
    tokens = await issued(store, NOW_MS)
    bearers = Bearers(store, clock)
    assert await bearers.find(tokens.access_token.reveal()) is not None
    await revoked(store, tokens.access_token)

    clock.now += REMEMBERED_SECONDS

    assert REMEMBERED_SECONDS <= 5
    assert await bearers.find(tokens.access_token.reveal()) is None


async def test_a_revocation_in_this_process_bites_at_once(small_store: Database, clock: Clock) -> None:
    tokens = await issued(small_store, NOW_MS)
    bearers = Bearers(small_store, clock)
    assert await bearers.find(tokens.access_token.reveal()) is not None

    await revoked(small_store, tokens.access_token)
    bearers.forget()

    assert await bearers.find(tokens.access_token.reveal()) is None


async def test_a_remembered_token_is_not_read_again(small_store: Database, clock: Clock) -> None:
    tokens = await issued(small_store, NOW_MS)
    bearers = Bearers(small_store, clock)
    before = await bearers.find(tokens.access_token.reveal())
    await revoked(small_store, tokens.access_token)

    assert await bearers.find(tokens.access_token.reveal()) is before


async def test_only_so_many_tokens_are_remembered(small_store: Database, clock: Clock) -> None:
    bearers = Bearers(small_store, clock)
    bearer = await bearers.find((await issued(small_store, NOW_MS)).access_token.reveal())

    for number in range(REMEMBERED_MOST + 3):
        bearers._remember(str(number), clock(), bearer)

    assert len(bearers._remembered) == REMEMBERED_MOST


# --- What is kept ---------------------------------------------------------------------------------------------------


async def test_no_secret_is_kept(store: Database) -> None:
    code = await coded(store, NOW_MS)
    tokens = await exchanged(store, code)
    assert tokens is not None
    secrets = (code, tokens.access_token.reveal(), tokens.refresh_token.reveal())

    def everything(connection: sa.Connection) -> str:
        return str([connection.execute(sa.select(table)).all() for table in METADATA.sorted_tables])

    kept = await store.read(everything)

    assert WALLET in kept
    assert not any(secret in kept for secret in secrets)
