"""A provider that speaks OpenAI's chat completions: asked rightly, and every way to fail named as the contract does."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web
from tests.deside.completions.upstream import Manner, Upstream, answered, failing, upstream

from accord.deside.completions import Prompt, ProviderFailed
from accord.deside.completions.compatible import Compatible
from accord.deside.models.completions import Message
from accord.engine import Secret

CANARY = "canary-prompt-5b1f"
PROMPT = Prompt(messages=[Message(role="user", content=CANARY)], max_tokens=64, temperature=0.5)


@pytest.fixture
async def model() -> AsyncIterator[Upstream]:
    async with upstream() as running:
        yield running


@pytest.fixture
async def provider(model: Upstream) -> AsyncIterator[Compatible]:
    made = Compatible.at(model.url, "tiny-1", Secret("sk-test"))
    yield made
    await made.close()


async def test_a_model_is_asked_once_for_what_the_caller_wants(provider: Compatible, model: Upstream) -> None:
    answer = await provider.complete(PROMPT)

    assert (answer.text, answer.input_tokens, answer.output_tokens, answer.finish_reason) == ("Four.", 7, 2, "stop")
    assert model.bodies == [
        {
            "model": "tiny-1",
            "messages": [{"role": "user", "content": CANARY}],
            "max_tokens": 64,
            "temperature": 0.5,
        }
    ]
    assert model.headers[0]["Authorization"] == "Bearer sk-test"


async def test_nothing_of_the_environments_openai_account_goes_to_a_provider(
    model: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(variable, "canary-account")
    provider = Compatible.at(model.url, "tiny-1", None)

    await provider.complete(PROMPT)
    await provider.close()

    assert "canary-account" not in str(model.headers)


async def test_openais_own_host_gets_the_name_of_the_limit_that_its_newer_models_insist_on() -> None:
    provider = Compatible.at("https://api.openai.com/v1", "any", None)

    assert provider._limit == "max_completion_tokens"
    await provider.close()


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("content_filter", "content_filter"),
        ("tool_calls", "other"),
        (7, "other"),
    ],
)
async def test_why_an_answer_ended_is_one_of_a_few_words(
    provider: Compatible, model: Upstream, said: Any, shown: str
) -> None:
    model.manner = answered(finish_reason=said)

    assert (await provider.complete(PROMPT)).finish_reason == shown


async def test_tokens_that_a_provider_does_not_count_are_not_made_up(provider: Compatible, model: Upstream) -> None:
    model.manner = answered(usage=None)

    answer = await provider.complete(PROMPT)

    assert (answer.input_tokens, answer.output_tokens) == (None, None)


@pytest.mark.parametrize("count", [-1, 2**53, 99999999999999999999999, 2.5])
async def test_what_is_no_count_of_tokens_counts_as_none(provider: Compatible, model: Upstream, count: Any) -> None:
    model.manner = answered(usage={"prompt_tokens": count, "completion_tokens": 2**53 - 1, "total_tokens": 9})

    answer = await provider.complete(PROMPT)

    assert (answer.input_tokens, answer.output_tokens) == (None, 2**53 - 1)


async def html(_request: web.Request, _body: Any) -> web.Response:
    return web.Response(text="<html>Bad gateway</html>", content_type="text/html")


async def html_called_json(_request: web.Request, _body: Any) -> web.Response:
    return web.Response(text="<html>Bad gateway</html>", content_type="application/json")


async def no_choices(_request: web.Request, _body: Any) -> web.Response:
    return web.json_response({"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": []})


async def null_choices(_request: web.Request, _body: Any) -> web.Response:
    return web.json_response({"choices": None})


async def a_list(_request: web.Request, _body: Any) -> web.Response:
    return web.json_response([1, 2])


async def hung_up(request: web.Request, _body: Any) -> web.Response:
    assert request.transport is not None
    request.transport.close()
    return web.Response()


async def half_a_body(request: web.Request, _body: Any) -> web.StreamResponse:
    response = web.StreamResponse(headers={"content-type": "application/json", "content-length": "500"})
    await response.prepare(request)
    await response.write(b'{"choices": [')
    assert request.transport is not None
    request.transport.close()
    return response


async def elsewhere(_request: web.Request, _body: Any) -> web.Response:
    return web.Response(status=307, headers={"location": "/v1/elsewhere"})


FAILURES: list[tuple[str, Manner, str]] = [
    ("400", failing(400, "context_length_exceeded"), "MODEL_UNAVAILABLE"),
    ("401", failing(401), "MODEL_UNAVAILABLE"),
    ("403", failing(403), "MODEL_UNAVAILABLE"),
    ("404", failing(404), "MODEL_UNAVAILABLE"),
    ("422", failing(422), "MODEL_UNAVAILABLE"),
    ("408", failing(408), "PROVIDER_TIMEOUT"),
    ("504", failing(504), "PROVIDER_TIMEOUT"),
    ("409", failing(409), "PROVIDER_ERROR"),
    ("429", failing(429, headers={"retry-after": "1"}), "PROVIDER_ERROR"),
    ("500", failing(500), "PROVIDER_ERROR"),
    ("502", failing(502), "PROVIDER_ERROR"),
    ("503", failing(503), "PROVIDER_ERROR"),
    ("529", failing(529), "PROVIDER_ERROR"),
    ("HTML with 200", html, "PROVIDER_ERROR"),
    ("HTML with 200, called JSON", html_called_json, "PROVIDER_ERROR"),
    ("no choices", no_choices, "PROVIDER_ERROR"),
    ("null for choices", null_choices, "PROVIDER_ERROR"),
    ("a list", a_list, "PROVIDER_ERROR"),
    ("an empty text", answered(""), "PROVIDER_ERROR"),
    ("a blank text", answered(" \n "), "PROVIDER_ERROR"),
    ("half a character", answered("Smile \ud83d"), "PROVIDER_ERROR"),
    ("no text", answered(None), "PROVIDER_ERROR"),
    ("a text that is a list", answered([{"type": "text", "text": "hi"}]), "PROVIDER_ERROR"),
    ("hung up", hung_up, "PROVIDER_ERROR"),
    ("half a body", half_a_body, "PROVIDER_ERROR"),
    ("a redirect", elsewhere, "PROVIDER_ERROR"),
]


@pytest.mark.parametrize(("manner", "code"), [row[1:] for row in FAILURES], ids=[row[0] for row in FAILURES])
async def test_a_failure_is_asked_for_once_named_and_says_nothing_of_the_prompt(
    provider: Compatible, model: Upstream, caplog: pytest.LogCaptureFixture, manner: Manner, code: str
) -> None:
    caplog.set_level(1)
    model.manner = manner

    with pytest.raises(ProviderFailed) as failed:
        await provider.complete(PROMPT)

    assert (failed.value.row.code, failed.value.reached) == (code, True)
    assert len(model.bodies) == 1
    assert CANARY not in f"{failed.value!r} {failed.value.row.message} {failed.value.row.facts} {caplog.text}"


async def test_a_provider_that_is_not_there_was_not_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    provider = Compatible.at(f"http://127.0.0.1:{port}/v1", "tiny-1", None)

    with pytest.raises(ProviderFailed) as failed:
        await provider.complete(PROMPT)
    await provider.close()

    assert (failed.value.row.code, failed.value.reached) == ("PROVIDER_ERROR", False)


async def test_the_sdk_logs_no_prompt_even_where_its_own_switch_is_on(
    provider: Compatible, caplog: pytest.LogCaptureFixture
) -> None:
    logging.getLogger().setLevel(1)
    try:
        await provider.complete(PROMPT)
    finally:
        logging.getLogger().setLevel(logging.WARNING)

    assert CANARY not in caplog.text


async def test_a_provider_can_be_given_up_at_any_moment(provider: Compatible, model: Upstream) -> None:
    async def never(_request: web.Request, _body: Any) -> web.Response:
        await asyncio.Event().wait()
        return web.Response()

    model.manner = never

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await provider.complete(PROMPT)
