"""The sign-in page: what it may do, and what people see and do on it, in a real browser with a test wallet."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import orjson
import pytest
from tests.clock import Clock
from tests.deside.oauth.serving import REDIRECT, STATE, VERIFIER, Answer, Flow, Json, served
from tests.discord.cli import shell
from tests.npm import node_with

from accord.deside.oauth.codes import challenge_of
from accord.engine import Database

FOLDER: Final = Path(__file__).parent / "browser"
HTML = "text/html,application/xhtml+xml"


async def page_of(flow: Flow, **other: str | None) -> Answer:
    """Return the page, as a browser gets it."""
    return await flow.get((await flow.authorize(**other)).location, accept=HTML)


def policy_of(answer: Answer) -> dict[str, str]:
    """Return the directives of the page's policy."""
    directives = answer.headers["content-security-policy"].split("; ")
    return {name: value for name, _, value in (directive.partition(" ") for directive in directives)}


# --- What it is, and may do -----------------------------------------------------------------------------------------


async def test_a_browser_gets_a_page_and_everybody_else_json(client: Flow) -> None:
    link = (await client.authorize()).location

    page, json = await client.get(link, accept=HTML), await client.get(link, accept="*/*")

    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert json.headers["content-type"] == "application/json"


async def test_the_page_may_run_its_own_script_and_style_and_nothing_else(client: Flow) -> None:
    page = await page_of(client)
    text = page.body.decode()

    def hashed(tag: str) -> str:
        [inside] = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        return f"'sha256-{base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()}'"

    assert policy_of(page) == {
        "default-src": "'none'",
        "script-src": hashed("script"),
        "style-src": hashed("style"),
        "img-src": "data:",
        "form-action": "'self' https: http:",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
    }
    assert not re.search(r"\son\w+=|\sstyle=|https?://(?!127\.0\.0\.1)", text)


async def test_a_client_on_the_web_is_gone_back_to_over_https_alone(client: Flow) -> None:
    await client.register(redirect_uris=["https://app.example/cb"])

    assert policy_of(await page_of(client, redirect_uri="https://app.example/cb"))["form-action"] == "'self' https:"


async def test_the_page_is_kept_nowhere_and_tells_nobody_where_one_was(client: Flow) -> None:
    headers = (await page_of(client)).headers

    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize("name", ["<b>Bold</b>", '"><script>alert(1)</script>', "$client ${script} &amp; 'x'"])
async def test_what_a_client_calls_itself_is_text(client: Flow, name: str) -> None:
    await client.register(client_name=name, redirect_uris=[REDIRECT])

    text = (await page_of(client, state=name)).body.decode()

    assert name not in text
    assert text.count("<script>") == 1


async def test_a_person_whose_sign_in_is_over_reads_what_to_do(client: Flow) -> None:
    page = await client.get("/oauth/wallet-challenge?state=unknown", accept=HTML)

    assert page.status == 400
    assert "start again" in page.body.decode()
    assert "invalid_grant" in page.body.decode()
    assert policy_of(page)["form-action"] == "'none'"


# --- In a browser ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Browser:
    """Chromium, and what drives it. `pictures` is where pictures of the page go, if somebody wants to see them."""

    node: str
    chromium: str
    pictures: Path | None

    async def drive(self, flow: Flow, *steps: str, picture: str = "", **other: Json) -> Json:
        """Let a browser take these steps, and return what happened."""
        plan = {
            "base": flow.base,
            "chromium": self.chromium,
            "name": "Deep Thought",
            "scope": "dm:read dm:write",
            "state": STATE,
            "challenge": challenge_of(VERIFIER),
            "wallet": "standard",
            "steps": steps,
            "picture": str(self.pictures / f"{picture}.png") if self.pictures and picture else None,
            **other,
        }
        async with shell.started(str(FOLDER / "drive.mjs"), program=self.node) as running:
            out, err = await running.process.communicate(orjson.dumps(plan))
        assert running.process.returncode == 0, err.decode()
        seen = orjson.loads(out)
        assert (seen["elsewhere"], seen["dialogs"]) == ([], [])
        return seen


@pytest.fixture(scope="session")
def browser() -> Browser:
    """A browser of this system's packages, and Node with what drives it."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("the sign-in page in a browser: Chromium is needed, and is not installed")
    folder = os.environ.get("SIGN_IN_PICTURES")
    return Browser(node_with(FOLDER, "the sign-in page in a browser"), found, Path(folder) if folder else None)


@pytest.mark.parametrize(
    ("wallet", "how", "dark"), [("standard", "press enter", False), ("injected", "click sign in", True)]
)
async def test_a_person_signs_in(browser: Browser, client: Flow, wallet: str, how: str, dark: bool) -> None:
    seen = await browser.drive(client, "look", how, "see the end", wallet=wallet, dark=dark, picture=wallet)

    assert seen["said"] == []
    [call] = seen["calls"]
    assert (call["state"], call["referrer"]) == (STATE, None)
    [message] = seen["asked"]
    assert message.startswith(f"Domain: {client.base.removeprefix('http://')}\nNonce: ")
    ends = {"client_id": seen["client_id"], "redirect_uri": seen["redirect_uri"]}
    tokens = await client.exchange(call["code"], **ends)
    bearer = await client.bearers.find(tokens.json["access_token"])
    assert bearer is not None
    assert bearer.wallet == seen["address"]


async def test_the_page_says_who_asks_for_what_and_where_one_goes_back(browser: Browser, client: Flow) -> None:
    name, scope = '<img src=x onerror="alert(1)">', "dm:read dm:write llm:invoke webhook:manage"
    shown = {"name": name, "scope": scope, "width": 390, "height": 900}

    seen = await browser.drive(client, "open the details", "look", picture="everything", **shown)

    [text] = seen["texts"]
    assert seen["said"] == []
    for part in (name, client.base.removeprefix("http://"), "read your messages", "send messages", "completions"):
        assert part in text
    assert "127.0.0.1:" in text.partition("go back to")[2]
    assert "Nonce: " in text


async def test_who_declines_reads_so_and_goes_back_without_signing_in(browser: Browser, client: Flow) -> None:
    steps = ("click sign in", "see declined", "look", "click cancel", "see the end")

    seen = await browser.drive(client, *steps, wallet="declining", picture="declined")

    assert "You declined in your wallet, so nothing was signed." in seen["texts"][0]
    [call] = seen["calls"]
    assert (call["error"], call["state"], call["iss"]) == ("access_denied", STATE, client.base)


async def test_who_has_no_wallet_reads_what_to_do(browser: Browser, client: Flow) -> None:
    seen = await browser.drive(client, "see no wallet", "look", wallet="none", picture="none")

    assert "No Solana wallet was found" in seen["texts"][0]
    assert "Look again" in seen["texts"][0]


async def test_who_waits_too_long_takes_a_new_challenge(browser: Browser, client: Flow) -> None:
    waiting = ("wait a minute", "see it run out", "look", "click again", "see it good")

    seen = await browser.drive(client, *waiting, "click sign in", "see the end", picture="over")

    assert "This challenge has run out." in seen["texts"][0]
    assert "Sign in with Test Wallet" not in seen["texts"][0]
    assert "code" in seen["calls"][0]


async def test_a_browser_with_a_link_that_is_over_shows_a_page(browser: Browser, client: Flow) -> None:
    link = f"{client.base}/oauth/wallet-challenge?state=unknown"

    seen = await browser.drive(client, "look", link=link, picture="refused")

    assert seen["status"] == 400
    assert "You are not signed in" in seen["texts"][0]


async def test_who_signs_in_too_often_is_sent_back_with_a_reason(
    browser: Browser, small_store: Database, clock: Clock
) -> None:
    async with served(small_store, clock, OAUTH_CHALLENGES_PER_MIN="1") as flow:
        await flow.register()
        await flow.challenge()

        seen = await browser.drive(flow, "see the end")

    assert [call["error"] for call in seen["calls"]] == ["temporarily_unavailable"]
