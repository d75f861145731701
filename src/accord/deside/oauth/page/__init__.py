"""The pages of the authorization server: small, self-contained, and allowed to do next to nothing else."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from string import Template
from typing import Final
from urllib.parse import urlsplit

from starlette.responses import HTMLResponse

from accord.deside.oauth.lifetimes import CHALLENGE_MS
from accord.deside.oauth.refusals import OAuthError
from accord.deside.oauth.scopes import SCOPES

__all__ = ["Asked", "documentation", "refused", "sign_in"]

HEADERS: Final = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a person is shown, and what the page needs to send.

    `cancel` is the redirect URI with an error in it: where the person goes back to without signing in.
    """

    domain: str
    nonce: str
    state: str
    client_name: str
    scope: str
    redirect_uri: str
    cancel: str


def sign_in(asked: Asked) -> HTMLResponse:
    """Return the page that asks a wallet to sign."""
    shown = {
        "domain": asked.domain,
        "nonce": asked.nonce,
        "state": asked.state,
        "client": asked.client_name,
        "back": urlsplit(asked.redirect_uri).netloc,
        "cancel": asked.cancel,
        "seconds": str(CHALLENGE_MS // 1000),
    }
    scopes = "".join(f"<li>{escape(SCOPES[scope])}</li>" for scope in asked.scope.split(" "))
    body = _filled("sign_in.html", shown, scopes=scopes, script=_asset("sign_in.js"))
    return HTMLResponse(body, headers=HEADERS | {"content-security-policy": _policy(asked.redirect_uri)})


def documentation() -> str:
    """Return how to sign in, in words for developers and agents."""
    return _asset("documentation.md")


def refused(error: OAuthError, status: int) -> HTMLResponse:
    """Return the page that says why nobody is signed in."""
    said = error.description[:1].upper() + error.description[1:]
    body = _filled("refused.html", {"error": error.name, "description": said})
    return HTMLResponse(body, status, headers=HEADERS | {"content-security-policy": _policy()})


def _policy(redirect_uri: str | None = None) -> str:
    """Return the Content-Security-Policy: our own script and style by their hashes, and nothing from anywhere.

    Chromium holds against `form-action` the target of a form and every redirect after it: to the client, and to
    wherever the client leads on, which nobody knows beforehand. So it names schemes: http where the client is on this
    machine, which is registered in local mode only.
    """
    schemes = "'none'"
    if redirect_uri is not None:
        schemes = "'self' https:" if redirect_uri.lower().startswith("https:") else "'self' https: http:"
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {_hash('sign_in.js')}",
            f"style-src {_hash('style.css')}",
            "img-src data:",  # wallets show their icons so
            f"form-action {schemes}",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        )
    )


def _filled(name: str, shown: dict[str, str], **own: str) -> str:
    """Return a page with what is shown, escaped, and with our own parts as they are."""
    escaped = {key: escape(value) for key, value in shown.items()}
    return Template(_asset(name)).substitute(escaped, style=_asset("style.css"), **own)


@cache
def _asset(name: str) -> str:
    return files(__name__).joinpath(name).read_text("utf-8")


@cache
def _hash(name: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(_asset(name).encode()).digest()).decode()}'"
