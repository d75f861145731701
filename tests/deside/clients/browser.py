"""A person with a wallet in a browser: is sent to the authorization page, signs, and is sent back with a code."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import aiohttp

from accord.deside.client import LocalWallet

__all__ = ["REDIRECT_URI", "sent_back"]

REDIRECT_URI = "http://127.0.0.1:53682/callback"
"""Where an application would wait for the code; nobody listens there, and nobody has to."""


async def sent_back(authorization_url: str, wallet: LocalWallet) -> dict[str, str]:
    """Answer the challenge, and return what comes back to the application."""
    async with aiohttp.ClientSession() as http:
        async with http.get(authorization_url, allow_redirects=False) as answer:
            assert answer.status == 302, await answer.text()
            page = answer.headers["location"]
        async with http.get(page, headers={"accept": "application/json"}) as answer:
            asked = await answer.json()
        message = f"Domain: {asked['domain']}\nNonce: {asked['nonce']}"
        signed = {"wallet": wallet.address, "signature": wallet.sign(message), "message": message}
        async with http.post(
            page.partition("?")[0], data=signed | {"state": asked["state"]}, allow_redirects=False
        ) as answer:
            assert answer.status == 302, await answer.text()
            back = answer.headers["location"]
    assert back.startswith(f"{REDIRECT_URI}?")
    return {name: values[0] for name, values in parse_qs(urlsplit(back).query).items()}
