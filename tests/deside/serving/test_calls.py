"""What stands before every tool: a wallet, a scope, valid arguments; and how each refusal is worded over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.deside.served import EVERY_SCOPE, Service, body_of, served
from tests.deside.serving.tools import BROKEN, TOOLS
from tests.deside.wallets import wallet
from tests.loopback import Answer

ALICE = wallet(1)
PUBLIC = "https://dm.example.com"
METADATA = f"{PUBLIC}/.well-known/oauth-protected-resource/mcp"


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    """A service that knows its public URL."""
    url = f"sqlite:///{tmp_path / 'deside.db'}"
    async with served(url, toolsets=[TOOLS, BROKEN], DESIDE_PUBLIC_URL=PUBLIC) as running:
        yield running


async def called(client: Service, tool: str, **arguments: Any) -> Answer:
    """Call a tool in a session of its own."""
    return await client.call(tool, arguments, mcp_session_id=await client.greet())


def failure(answer: Answer) -> dict[str, Any]:
    """Return what a failed tool said, which its text repeats."""
    result = answer.json["result"]
    assert result["isError"]
    body: dict[str, Any] = result["structuredContent"]
    assert [orjson.loads(block["text"]) for block in result["content"]] == [body]
    assert isinstance(body.pop("message"), str)
    return body


async def test_a_scope_that_was_not_granted_is_named_in_an_answer_of_http_200(service: Service) -> None:
    answer = await called(await service.signed_in(ALICE, "dm:read"), "act", number=1)

    assert answer.status == 200
    assert failure(answer) == {
        "error": "insufficient_scope",
        "status": 403,
        "requiredScope": "dm:write",
        "wwwAuthenticate": f'Bearer error="insufficient_scope", scope="dm:write", resource_metadata="{METADATA}"',
    }


async def test_without_a_public_url_the_scope_is_named_alone(tmp_path: Path) -> None:
    async with served(f"sqlite:///{tmp_path / 'deside.db'}", toolsets=[TOOLS]) as service:
        answer = await called(await service.signed_in(ALICE, "dm:read"), "act", number=1)

    assert failure(answer)["wwwAuthenticate"] == 'Bearer error="insufficient_scope", scope="dm:write"'


@pytest.mark.parametrize(
    ("scope", "tool", "required"),
    [
        ("dm:read", "look", None),
        ("dm:write", "look", "dm:read"),
        ("dm:read", "mark_dm_read", None),
        ("dm:write", "mark_dm_read", None),
        ("llm:invoke", "mark_dm_read", "dm:read"),
        (EVERY_SCOPE, "mark_dm_read", None),
    ],
)
async def test_a_scope_lets_do_what_it_says(service: Service, scope: str, tool: str, required: str | None) -> None:
    answer = await called(await service.signed_in(ALICE, scope), tool)
    body = answer.json["result"]["structuredContent"]

    assert body.get("requiredScope") == required
    assert answer.json["result"]["isError"] is (required is not None)


async def test_arguments_of_the_wrong_form_are_named(service: Service) -> None:
    answer = await called(await service.signed_in(ALICE), "act", number="many", more=1)
    body = failure(answer)

    assert answer.status == 200
    assert (body["error"], body["status"]) == ("INVALID_INPUT", 400)
    assert {issue["path"]: issue["code"] for issue in body["issues"]} == {
        "number": "invalid_type",
        "more": "unrecognized_key",
    }


async def test_who_is_not_signed_in_or_lacks_the_scope_hears_that_first(service: Service) -> None:
    nobody = await called(service, "act", number="many")
    reader = await called(await service.signed_in(ALICE, "dm:read"), "act", number="many")

    assert (nobody.status, failure(nobody)["error"]) == (401, "AUTH_REQUIRED")
    assert (reader.status, failure(reader)["error"]) == (200, "insufficient_scope")


async def test_an_unknown_tool_is_not_found(service: Service) -> None:
    body = failure(await called(await service.signed_in(ALICE), "send_fax"))
    nobody = await called(service, "send_fax")

    assert (body["error"], body["status"]) == ("NOT_FOUND", 404)
    assert (nobody.status, failure(nobody)["error"]) == (401, "AUTH_REQUIRED")


async def test_a_bug_is_unknown_and_nothing_of_it_gets_out(service: Service) -> None:
    answer = await called(await service.signed_in(ALICE), "fail")

    assert b"secret" not in answer.body
    assert b"Traceback" not in answer.body
    body = failure(answer)
    assert (body["error"], body["status"]) == ("UNKNOWN", 500)


@pytest.mark.parametrize("write", ["{}", "bearer {}", "BEARER   {} "])
async def test_the_scheme_may_be_written_in_any_case(service: Service, write: str) -> None:
    token = await service.token(ALICE)
    session = await service.greet()
    answer = await service.call("look", mcp_session_id=session, authorization=write.format(token))

    # Without a scheme it is none.
    assert answer.status == (401 if write == "{}" else 200)


async def test_a_challenge_names_the_public_url(service: Service) -> None:
    answer = await called(service, "look")

    assert answer.headers["www-authenticate"] == f'Bearer resource_metadata="{METADATA}"'


async def test_readiness_is_whether_the_database_answers(service: Service) -> None:
    good = await service.send("GET", "/readyz")
    await service.app.store.close()
    bad = await service.send("GET", "/readyz")
    alive = await service.send("GET", "/healthz")

    assert [(answer.status, answer.json["status"]) for answer in (good, bad, alive)] == [
        (200, "ready"),
        (503, "not ready"),
        (200, "ok"),
    ]


async def test_a_result_is_structured_and_names_the_tokens_own_wallet(service: Service) -> None:
    answer = await called(await service.signed_in(ALICE), "look")

    assert body_of(answer) == {"wallet": ALICE, "client": "client"}
