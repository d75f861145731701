"""A wallet signs in, step by step over HTTP, on both databases; and each thing that is good once."""

from __future__ import annotations

import asyncio
import secrets
from urllib.parse import urlsplit

import pytest
import sqlalchemy as sa
from solders.keypair import Keypair
from tests.clock import Clock
from tests.deside.oauth.serving import REDIRECT, STATE, Flow, Json, served, signed

from accord.deside.config import load_config
from accord.deside.oauth.challenges import Challenge, parse
from accord.deside.oauth.lifetimes import CHALLENGE_MS, REFRESH_MS, REQUEST_MS, UNUSED_CLIENT_MS
from accord.deside.oauth.sweeping import SWEEP_SECONDS
from accord.deside.people.registry import find
from accord.deside.store.metadata import METADATA
from accord.deside.store.tables.oauth import CLIENTS, CODES, FAMILIES, REQUESTS
from accord.deside.wallets import Wallet
from accord.engine import Database


async def rows(store: Database, table: sa.Table) -> int:
    return await store.read(
        lambda connection: connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
    )


# --- From registration to tokens ------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [False, True], ids=["json", "form"])
async def test_a_wallet_signs_in_with_json_or_with_forms(flow: Flow, form: bool) -> None:
    authorized = await flow.authorize()
    assert authorized.status == 302
    assert authorized.location.startswith(f"{flow.base}/oauth/wallet-challenge?")
    assert authorized.query["state"] == STATE
    assert authorized.query["client_id"] == flow.client_id

    challenged = await flow.get(authorized.location)
    assert challenged.status == 200
    challenge = challenged.json
    assert challenge.keys() == {"nonce", "domain", "message_format", "state", "expires_in"}
    assert challenge["message_format"] == "Domain: {domain}\nNonce: {nonce}"
    assert (challenge["state"], challenge["expires_in"]) == (STATE, 60)

    answered = await flow.answer(challenge, form=form)
    assert answered.status == 302
    assert answered.location.startswith(f"{REDIRECT}?code=")
    assert answered.query.keys() == {"code", "state", "iss"}
    assert (answered.query["state"], answered.query["iss"]) == (STATE, flow.base)

    tokens = await flow.exchange(answered.query["code"], form=form)
    assert tokens.status == 200
    assert tokens.json.keys() == {"access_token", "token_type", "expires_in", "refresh_token", "scope"}
    assert (tokens.json["token_type"], tokens.json["expires_in"]) == ("Bearer", 2700)
    assert tokens.json["scope"] == "dm:read dm:write"
    assert tokens.headers["cache-control"] == "no-store"

    bearer = await flow.bearers.find(tokens.json["access_token"])
    assert bearer is not None
    assert (bearer.wallet, bearer.client_id) == (str(flow.keypair.pubkey()), flow.client_id)

    again = await flow.refresh(tokens.json["refresh_token"], form=form)
    assert again.status == 200
    assert again.json["refresh_token"] != tokens.json["refresh_token"]


async def test_a_state_may_be_long(flow: Flow) -> None:
    state = secrets.token_hex(4000)  # no database can index, or press together, that

    answered = await flow.answer(await flow.challenge(state=state))

    assert answered.query["state"] == state


@pytest.mark.parametrize("url", ["http://my_host.example:3100", "https://[2001:db8::1]", "https://DM.example"])
def test_where_a_server_may_be_is_what_a_wallet_can_sign(url: str) -> None:
    configured = load_config({"DESIDE_PUBLIC_URL": url}).DESIDE_PUBLIC_URL
    challenge = Challenge(urlsplit(configured or "").netloc, "nonce")

    assert parse(challenge.message) == challenge


async def test_signing_in_registers_the_wallet(flow: Flow) -> None:
    wallet = Wallet(str(flow.keypair.pubkey()))
    assert await flow.store.read(lambda connection: find(connection, wallet)) is None

    await flow.code()

    assert await flow.store.read(lambda connection: find(connection, wallet)) is not None


async def test_a_form_of_a_browser_has_other_line_ends(client: Flow) -> None:
    challenge = await client.challenge()
    message = signed(client.keypair, challenge)["message"].replace("\n", "\r\n")

    assert (await client.answer(challenge, form=True, message=message)).status == 302


async def test_a_state_that_is_missing_is_made_up(client: Flow) -> None:
    challenge = await client.challenge(state=None)

    answered = await client.answer(challenge)

    assert len(challenge["state"]) >= 32
    assert answered.query["state"] == challenge["state"]


async def test_the_link_may_be_shortened_to_its_state(client: Flow) -> None:
    await client.authorize(state="one")
    await client.authorize(state="two")

    challenge = (await client.get("/oauth/wallet-challenge", {"state": "one"})).json

    assert (await client.answer(challenge)).query["state"] == "one"


async def test_two_sign_ins_with_one_state_end_at_their_own_clients(flow: Flow) -> None:
    first, own_client = await flow.challenge(), flow.client_id
    await flow.register(redirect_uris=["https://other.example/back"])
    second = await flow.challenge(redirect_uri="https://other.example/back")

    ends = [(await flow.answer(challenge)).location for challenge in (first, second)]

    assert own_client != flow.client_id
    assert [end.partition("?")[0] for end in ends] == [REDIRECT, "https://other.example/back"]


# --- Good once ------------------------------------------------------------------------------------------------------


async def test_a_challenge_is_good_for_one_signature(flow: Flow) -> None:
    challenge = await flow.challenge()
    assert "code" in (await flow.answer(challenge)).query

    assert (await flow.answer(challenge)).error == (400, "invalid_grant")


async def test_of_many_answers_that_race_exactly_one_gets_a_code(flow: Flow) -> None:
    challenge = await flow.challenge()

    answers = await asyncio.gather(*(flow.answer(challenge) for _ in range(6)))

    assert sorted(answer.status for answer in answers) == [302, 400, 400, 400, 400, 400]


async def test_of_two_challenges_of_one_sign_in_only_one_gets_a_code(flow: Flow) -> None:
    link = (await flow.authorize()).location
    first, second = (await flow.get(link)).json, (await flow.get(link)).json

    assert "code" in (await flow.answer(second)).query
    assert (await flow.answer(first)).error == (400, "invalid_grant")


async def test_a_signature_that_is_refused_uses_its_challenge_up(flow: Flow) -> None:
    challenge = await flow.challenge()
    assert (await flow.answer(challenge, signature="1" * 88)).error == (302, "access_denied")

    assert (await flow.answer(challenge)).error == (302, "access_denied")
    assert await rows(flow.store, CODES) == 0


async def test_a_challenge_runs_out_and_the_sign_in_takes_a_new_one(flow: Flow, clock: Clock) -> None:
    link = (await flow.authorize()).location
    challenge = (await flow.get(link)).json
    clock.now += CHALLENGE_MS / 1000

    assert (await flow.answer(challenge)).error == (400, "invalid_grant")
    assert "code" in (await flow.answer((await flow.get(link)).json)).query


async def test_a_sign_in_runs_out(flow: Flow, clock: Clock) -> None:
    link = (await flow.authorize()).location
    clock.now += REQUEST_MS / 1000 - 1
    challenge = (await flow.get(link)).json
    clock.now += 1

    assert (await flow.get(link)).error == (400, "invalid_grant")
    assert (await flow.answer(challenge)).error == (400, "invalid_grant")


async def test_a_code_is_good_once_and_its_replay_revokes_what_it_issued(flow: Flow) -> None:
    code = await flow.code()
    tokens = (await flow.exchange(code)).json
    assert await flow.bearers.find(tokens["access_token"]) is not None

    assert (await flow.exchange(code)).error == (400, "invalid_grant")

    assert await flow.bearers.find(tokens["access_token"]) is None
    assert (await flow.refresh(tokens["refresh_token"])).error == (400, "invalid_grant")


async def test_a_refresh_token_is_good_once_and_its_reuse_revokes_its_family(flow: Flow) -> None:
    first = await flow.sign_in()
    second = (await flow.refresh(first["refresh_token"])).json
    assert await flow.bearers.find(second["access_token"]) is not None

    assert (await flow.refresh(first["refresh_token"])).error == (400, "invalid_grant")

    assert await flow.bearers.find(second["access_token"]) is None
    assert (await flow.refresh(second["refresh_token"])).error == (400, "invalid_grant")


async def test_of_many_refreshes_that_race_exactly_one_is_answered_with_tokens(flow: Flow) -> None:
    tokens = await flow.sign_in()

    answers = await asyncio.gather(*(flow.refresh(tokens["refresh_token"]) for _ in range(6)))

    assert sorted(answer.status for answer in answers) == [200, 400, 400, 400, 400, 400]


@pytest.mark.parametrize("token", ["access_token", "refresh_token"])
@pytest.mark.parametrize("form", [False, True], ids=["json", "form"])
async def test_a_revoked_token_is_good_no_more(client: Flow, token: str, form: bool) -> None:
    tokens = await client.sign_in()
    assert await client.bearers.find(tokens["access_token"]) is not None

    revoked = await client.post("/oauth/revoke", {"token": tokens[token]}, form=form)

    assert revoked.status == 200
    assert await client.bearers.find(tokens["access_token"]) is None


# --- Who signed -----------------------------------------------------------------------------------------------------


def tampered(challenge: Json, change: str, keypair: Keypair) -> dict[str, str]:
    """Return an answer that something is wrong with."""
    good, other = signed(keypair, challenge), Keypair()
    message = good["message"]
    order = 2**252 + 27742317777372353535851937790883648493
    raw = bytes(keypair.sign_message(message.encode()))
    malleated = raw[:32] + (int.from_bytes(raw[32:], "little") + order).to_bytes(32, "little")
    texts = {
        "another line end": message + "\n",
        "another domain": message.replace("Domain: ", "Domain: evil."),
        "another nonce": message[:-1] + ("A" if message[-1] != "A" else "B"),
        "another format": message.replace("\n", " "),
        "words before": "I agree.\n" + message,
    }
    if change in texts:
        text = texts[change]
        return {**good, "message": text, "signature": str(keypair.sign_message(text.encode()))}
    signatures = {
        "another wallet's": str(other.sign_message(message.encode())),
        "for another text": str(keypair.sign_message(b"Domain: x\nNonce: y")),
        "malleated": base58(malleated),
        "one bit off": base58(bytes([raw[0] ^ 1]) + raw[1:]),
        "cut off": base58(raw[:63]),
        "no base58": "0OIl",
        "not ASCII": "ü" * 88,
    }
    return {**good, "signature": signatures[change]}


def base58(data: bytes) -> str:
    digits, number, text = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", int.from_bytes(data), ""
    while number:
        number, digit = divmod(number, 58)
        text = digits[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


@pytest.mark.parametrize(
    "change",
    [
        "another line end",
        "another domain",
        "another nonce",
        "another format",
        "words before",
        "another wallet's",
        "for another text",
        "malleated",
        "one bit off",
        "cut off",
        "no base58",
        "not ASCII",
    ],
)
async def test_what_is_not_the_wallets_signature_of_the_challenge_is_denied(client: Flow, change: str) -> None:
    challenge = await client.challenge()

    denied = await client.post("/oauth/wallet-challenge", tampered(challenge, change, client.keypair))

    assert denied.error == (302, "access_denied")
    assert denied.location.startswith(f"{REDIRECT}?error=access_denied&")
    assert (denied.query["state"], denied.query["iss"]) == (STATE, client.base)
    assert "code" not in denied.query


async def test_a_key_of_small_order_signs_for_nobody(client: Flow) -> None:
    # For the point of order 1 this signature satisfies the equation with any message.
    identity = base58(bytes([1]) + bytes(31))
    forged = base58(bytes([1]) + bytes(63))

    denied = await client.answer(await client.challenge(), wallet=identity, signature=forged)

    assert denied.status in {302, 400}
    assert "code" not in (denied.query if denied.status == 302 else {})
    assert await rows(client.store, CODES) == 0


@pytest.mark.parametrize(
    "wallet",
    [
        "not-a-wallet",
        "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4",  # cut off
        "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL1",  # too long
        "5ZiE3vAkrdXBgyFL7KqG3RoEGBws4CjRcXVbABDLZTgx",  # derived by a program, so nobody has its key
    ],
)
async def test_what_is_no_wallet_is_refused_and_the_challenge_stays_good(client: Flow, wallet: str) -> None:
    challenge = await client.challenge()

    assert (await client.answer(challenge, wallet=wallet)).error == (400, "invalid_request")
    assert "code" in (await client.answer(challenge)).query


async def test_a_nonce_of_another_state_is_denied(client: Flow) -> None:
    challenge = await client.challenge(state="one")
    await client.authorize(state="two")

    denied = await client.answer(challenge, state="two")

    assert denied.error == (302, "access_denied")
    assert "code" in (await client.answer(challenge)).query


async def test_who_is_denied_is_not_redirected_where_the_state_is_of_several_clients(client: Flow) -> None:
    challenge = await client.challenge()
    await client.authorize()

    assert (await client.answer({**challenge, "nonce": "x" * 43})).error == (400, "access_denied")


# --- What is kept ---------------------------------------------------------------------------------------------------


async def test_no_secret_of_the_whole_way_is_kept(flow: Flow) -> None:
    challenge = await flow.challenge()
    code = (await flow.answer(challenge)).query["code"]
    tokens = (await flow.exchange(code)).json
    await flow.challenge()

    kept = await flow.store.read(
        lambda connection: str([connection.execute(sa.select(table)).all() for table in METADATA.sorted_tables])
    )

    assert flow.client_id in kept
    secrets = (challenge["nonce"], code, tokens["access_token"], tokens["refresh_token"])
    assert not any(secret in kept for secret in secrets)


async def test_what_has_run_out_is_deleted_and_what_is_good_stays(flow: Flow, clock: Clock) -> None:
    await flow.sign_in()
    signed_in_with = flow.client_id
    await flow.register()
    await flow.challenge()
    clock.now += SWEEP_SECONDS
    await flow.register()
    await flow.authorize()
    assert [await rows(flow.store, table) for table in (REQUESTS, CODES, FAMILIES, CLIENTS)] == [1, 1, 1, 3]

    clock.now += (REFRESH_MS + UNUSED_CLIENT_MS) / 1000
    await flow.register()
    await flow.authorize()

    assert [await rows(flow.store, table) for table in (REQUESTS, CODES, FAMILIES, CLIENTS)] == [1, 0, 0, 2]
    assert (await flow.authorize(client_id=signed_in_with)).status == 302


async def test_a_client_is_kept_while_a_grant_of_it_lives_and_a_month_after_its_last_sign_in(
    flow: Flow, clock: Clock
) -> None:
    async def swept() -> int:
        """Begin a sign-in of another client, by which what has run out is deleted, and count the clients."""
        own = flow.client_id
        await flow.register()
        await flow.authorize()
        flow.client_id = own
        return await rows(flow.store, CLIENTS)

    tokens = await flow.sign_in()
    for _ in range(5):
        clock.now += REFRESH_MS / 1000 - 1
        tokens = (await flow.refresh(tokens["refresh_token"])).json
    assert await swept() == 2

    clock.now += REFRESH_MS / 1000
    assert await swept() == 1  # of which one began a sign-in just now
    assert (await flow.authorize()).error == (400, "invalid_client")


async def test_the_lifetime_of_access_tokens_is_configured(small_store: Database, clock: Clock) -> None:
    async with served(small_store, clock, OAUTH_ACCESS_TOKEN_TTL_MS="5000") as flow:
        await flow.register()
        tokens = await flow.sign_in()
        assert tokens["expires_in"] == 5

        clock.now += 5
        assert await flow.bearers.find(tokens["access_token"]) is None
