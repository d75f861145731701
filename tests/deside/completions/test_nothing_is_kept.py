"""Nothing of a prompt or an answer is in the database or in a log line, however a call goes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from aiohttp import web
from tests.deside.completions.node import node
from tests.deside.completions.process import asked, process
from tests.deside.completions.upstream import Manner, Upstream, answered, failing, upstream

from accord.deside.client import Client

PROMPT, ANSWER, MADE_UP = "canary-prompt-7d1c", "canary-answer-e02a", "canary-role-11f9"
HI = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": PROMPT}]


async def page(_request: web.Request, _body: Any) -> web.Response:
    return web.Response(text=f"<html>{PROMPT} {ANSWER}</html>", content_type="text/html")


async def too_deep(_request: web.Request, _body: Any) -> web.Response:
    return web.json_response({"choices": [{"message": {"content": [ANSWER]}, "finish_reason": PROMPT}]})


async def cut_off(request: web.Request, _body: Any) -> web.StreamResponse:
    response = web.StreamResponse(headers={"content-type": "application/json", "content-length": "900"})
    await response.prepare(request)
    await response.write(f'{{"choices": [{{"message": {{"content": "{ANSWER}"'.encode())
    assert request.transport is not None
    request.transport.close()
    return response


MANNERS: list[tuple[Manner, str | None]] = [
    (answered(ANSWER), None),
    (failing(500), "PROVIDER_ERROR"),
    (failing(400), "MODEL_UNAVAILABLE"),
    (failing(504), "PROVIDER_TIMEOUT"),
    (page, "PROVIDER_ERROR"),
    (too_deep, "PROVIDER_ERROR"),
    (cut_off, "PROVIDER_ERROR"),
]

Step = Callable[[Client], Awaitable[Any]]


async def paid(client: Client, buyer: Any, model: Upstream, manner: Manner) -> Any:
    """Pay for a completion, which the provider answers in this manner."""
    model.manner = manner
    required = await asked(client, messages=HI, model="cheap")
    assert required["error"] == "PAYMENT_REQUIRED"
    return await asked(client, messages=HI, model="cheap", payment=await buyer.pay(required["data"]))


async def test_no_prompt_and_no_answer_is_in_any_file_or_any_log_line(tmp_path: Path) -> None:
    async with upstream() as model, node() as chain:
        tiers = {
            f"DESIDE_LLM_{tier}_{what}": value
            for tier in ("FREE", "CHEAP")
            for what, value in (("BASE_URL", model.url), ("MODEL", "m"))
        }
        # The loudest that it can be made: the SDK's own switch is on as well.
        loud = {"LOG_LEVEL": "trace", "OPENAI_LOG": "debug"}
        async with process(tmp_path, **tiers, **chain.settings, **loud) as server:
            async with server.client() as client:
                outcomes = [await paid(client, chain.buyer, model, manner) for manner, _ in MANNERS]
                refused = [
                    await asked(client, messages=HI, model=PROMPT),
                    await asked(client, messages=[{"role": MADE_UP, "content": PROMPT}]),
                    await asked(client, messages=HI * 30),
                    await asked(client, messages=HI, payment="bm90aGluZw=="),
                    *[await asked(client, messages=HI, model="free") for _ in range(6)],
                ]
            ran = await server.end()

    assert [outcome.get("error") for outcome in outcomes] == [code for _, code in MANNERS]
    assert outcomes[0]["text"] == ANSWER
    codes = [outcome.get("error") for outcome in refused]
    assert codes[:4] == ["INVALID_INPUT", "INVALID_INPUT", "INPUT_TOO_LARGE", "PAYMENT_INVALID"]
    assert codes[-1] == "RATE_LIMITED"
    assert chain.earned == 2_000
    assert ran.code == 0
    assert '"event":"completion"' in ran.err
    assert '"event":"provider failed"' in ran.err
    for canary in (PROMPT, ANSWER, MADE_UP):
        assert canary not in ran.out + ran.err
        assert holding(tmp_path, canary.encode()) == []
    assert holding(tmp_path, b"completion_budgets")


def holding(folder: Path, text: bytes) -> list[Path]:
    """Return the files in a folder that hold a text: the database's own are among them."""
    return [path for path in folder.rglob("*") if path.is_file() and text in path.read_bytes()]
