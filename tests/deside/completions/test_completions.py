"""The order of a call's checks, and that nobody pays without an answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import pytest
from tests.clock import Clock
from tests.deside.completions.selling import PAYER, Stall
from tests.deside.wallets import wallet

from accord.deside.completions import (
    Answer,
    Asked,
    Budgets,
    Completions,
    Digests,
    Echo,
    PaidBudget,
    Prompt,
    ProviderFailed,
    Tier,
)
from accord.deside.errors import (
    BudgetExceededError,
    InputTooLargeError,
    ModelUnavailableError,
    PaymentFailedError,
    PaymentInvalidError,
    PaymentRequiredError,
    ProviderError,
    ProviderTimeoutError,
    RateLimitedError,
)
from accord.deside.models.completions import Message, TierName
from accord.deside.store import open_store
from accord.deside.times import ms_of
from accord.engine import Database, Hear, open_state

ANN, BOB = wallet(1), wallet(2)
HI = [Message(role="user", content="hi there")]


@dataclass
class Model:
    """A provider that does what a test tells it."""

    failure: ProviderFailed | None = None
    prompts: list[Prompt] = field(default_factory=list)
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    silent: bool = False
    closed: bool = False

    async def complete(self, prompt: Prompt) -> Answer:
        self.prompts.append(prompt)
        self.asked.set()
        if self.silent:
            await asyncio.Event().wait()
        if self.failure is not None:
            raise self.failure
        return await Echo().complete(prompt)

    async def close(self) -> None:
        self.closed = True


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def stall() -> Stall:
    return Stall()


@pytest.fixture
async def database() -> AsyncIterator[Database]:
    opened = open_store("sqlite://")
    yield opened
    await opened.close()


@pytest.fixture
def budgets(database: Database, clock: Clock) -> Budgets:
    return Budgets(database, clock=clock)


@pytest.fixture
def serve(database: Database, model: Model, stall: Stall, budgets: Budgets) -> Callable[..., Completions]:
    """Make the service; the clock of its windows is the event loop's own, that of its budgets stands still."""

    def made(*, seller: Stall | None = stall, provider_seconds: float = 40.0, most_tokens: int = 1024) -> Completions:
        return Completions(
            {
                "free": Tier(name="free", price=0, most_tokens=1024, provider=model),
                "cheap": Tier(name="cheap", price=2_000, most_tokens=most_tokens, provider=model),
                "strong": Tier(name="strong", price=50_000, most_tokens=4096, provider=model),
            },
            state=open_state(None),
            budgets=budgets,
            digests=Digests(database),
            seller=seller,
            provider_seconds=provider_seconds,
        )

    return made


@pytest.fixture
def completions(serve: Callable[..., Completions]) -> Completions:
    return serve()


def asked(tier: TierName = "free", payment: str | None = None, **options: object) -> Asked:
    return Asked(**{"messages": HI, "tier": tier, "payment": payment, **options})  # type: ignore[arg-type] # one table of them


async def quoted(completions: Completions, tier: TierName = "cheap") -> str:
    """Ask for a quote and return a payment for it."""
    with pytest.raises(PaymentRequiredError) as required:
        await completions.complete(ANN, asked(tier))
    return f"pays:{required.value.data['accepts'][0]['extra']['memo']}"


# --- What is answered -------------------------------------------------------------------------------------------------


async def test_a_free_completion_is_answered_at_once(completions: Completions, stall: Stall) -> None:
    result = await completions.complete(ANN, asked())

    assert result.pop("requestId").startswith("llm_")  # type: ignore[misc] # the rest is compared whole
    assert result == {
        "text": "hi there",
        "model": "free",
        "usage": {"inputTokens": 2, "outputTokens": 2},
        "cost": 0.0,
        "currency": "USDC",
        "paymentReceipt": None,
        "finishReason": "stop",
    }
    assert stall.steps == []


async def test_a_paid_completion_is_quoted_paid_and_answered_with_its_receipt(
    completions: Completions, stall: Stall
) -> None:
    payment = await quoted(completions, "strong")

    result = await completions.complete(ANN, asked("strong", payment))

    assert (result["text"], result["model"], result["cost"]) == ("hi there", "strong", 0.05)
    assert result["paymentReceipt"] == {
        "success": True,
        "transaction": "sig",
        "network": "net",
        "payer": PAYER,
        "amount": "50000",
    }
    assert stall.steps == ["quote", "present", "settle", "deliver"]
    assert stall.treasury == 50_000


async def test_a_quote_names_what_is_sold(completions: Completions) -> None:
    with pytest.raises(PaymentRequiredError) as required:
        await completions.complete(ANN, asked("strong"))

    assert required.value.data["resource"] == {
        "url": "mcp://deside/llm_complete/strong",
        "description": "One completion by the tier strong, at most 4096 tokens",
        "mimeType": "application/json",
    }


@pytest.mark.parametrize(("wanted", "given"), [(None, 4096), (10, 10), (4096, 4096), (10**9, 4096)])
async def test_an_answer_is_as_long_as_its_tier_allows(
    completions: Completions, model: Model, wanted: int | None, given: int
) -> None:
    order = asked("strong", max_tokens=wanted)
    with pytest.raises(PaymentRequiredError) as required:
        await completions.complete(ANN, order)
    nonce = required.value.data["accepts"][0]["extra"]["memo"]

    await completions.complete(ANN, asked("strong", f"pays:{nonce}", max_tokens=wanted))

    assert [prompt.max_tokens for prompt in model.prompts] == [given]


# --- The order of the checks ------------------------------------------------------------------------------------------


async def test_a_tier_that_is_not_configured_is_unavailable_before_anything_else(
    completions: Completions, stall: Stall
) -> None:
    too_much = [Message(role="user", content="x" * 32_001)]

    with pytest.raises(ModelUnavailableError):
        await completions.complete(ANN, asked("balanced", messages=too_much))


async def test_without_a_seller_no_paid_tier_is_served(serve: Callable[..., Completions], model: Model) -> None:
    completions = serve(seller=None)

    with pytest.raises(ModelUnavailableError):
        await completions.complete(ANN, asked("cheap"))
    assert (await completions.complete(ANN, asked("free")))["text"] == "hi there"


@pytest.mark.parametrize(
    ("messages", "fits"),
    [
        ([Message(role="user", content="x")] * 50, True),
        ([Message(role="user", content="x")] * 51, False),
        ([Message(role="user", content="x" * 32_000)], True),
        ([Message(role="user", content="x" * 32_001)], False),
        ([Message(role="user", content="x" * 16_000), Message(role="assistant", content="é" * 16_000)], True),
        ([Message(role="user", content="x" * 16_000), Message(role="assistant", content="é" * 16_001)], False),
    ],
    ids=["50 messages", "51 messages", "32000 characters", "32001 characters", "32000 in two", "32001 in two"],
)
async def test_fifty_messages_and_32000_characters_fit(
    completions: Completions, messages: list[Message], fits: bool
) -> None:
    if fits:
        await completions.complete(ANN, asked(messages=messages))
        return
    with pytest.raises(InputTooLargeError):
        await completions.complete(ANN, asked(messages=messages))


async def test_input_that_is_too_large_counts_in_no_window(completions: Completions) -> None:
    for _ in range(6):
        with pytest.raises(InputTooLargeError):
            await completions.complete(ANN, asked(messages=HI * 51))

    await completions.complete(ANN, asked())


async def test_five_free_calls_a_minute(completions: Completions, model: Model) -> None:
    for _ in range(5):
        await completions.complete(ANN, asked())

    with pytest.raises(RateLimitedError) as refused:
        await completions.complete(ANN, asked())
    assert 55_000 < refused.value.retry_after_ms <= 60_000
    assert len(model.prompts) == 5
    await completions.complete(BOB, asked())


async def test_twenty_paid_calls_a_minute_apart_from_the_free_ones(completions: Completions, stall: Stall) -> None:
    for _ in range(20):
        await quoted(completions)

    with pytest.raises(RateLimitedError):
        await completions.complete(ANN, asked("cheap"))
    assert stall.steps == ["quote"] * 20
    await completions.complete(ANN, asked("free"))


async def test_no_quote_beyond_the_days_budget(
    completions: Completions, stall: Stall, database: Database, clock: Clock
) -> None:
    await database.write(lambda c: PaidBudget().count(c, ANN, 4_960_000, ms_of(clock)))

    with pytest.raises(BudgetExceededError):
        await completions.complete(ANN, asked("strong"))
    assert stall.steps == []
    await quoted(completions, "cheap")


async def test_no_fresh_quote_beyond_the_days_budget_either(
    completions: Completions, database: Database, clock: Clock
) -> None:
    payment = await quoted(completions, "strong")
    await database.write(lambda c: PaidBudget().count(c, ANN, 4_960_000, ms_of(clock)))

    with pytest.raises(BudgetExceededError):
        await completions.complete(ANN, asked("strong", payment, temperature=0.1))


async def test_a_payment_that_was_settled_is_answered_for_even_when_the_budget_is_spent(
    completions: Completions, database: Database, clock: Clock
) -> None:
    payment = await quoted(completions)
    await completions.complete(ANN, asked("cheap", payment))
    await database.write(lambda c: PaidBudget().count(c, ANN, 5_000_000, ms_of(clock)))

    assert (await completions.complete(ANN, asked("cheap", payment)))["finishReason"] == "already_answered"


async def test_a_payment_is_good_for_the_request_that_it_was_quoted_for(completions: Completions) -> None:
    payment = await quoted(completions, "cheap")

    for other in (
        asked("strong", payment),
        asked("cheap", payment, temperature=0.5),
        asked("cheap", payment, max_tokens=5),
        asked("cheap", payment, messages=[*HI, *HI]),
    ):
        with pytest.raises(PaymentRequiredError):
            await completions.complete(ANN, other)
    with pytest.raises(PaymentRequiredError):
        await completions.complete(BOB, asked("cheap", payment))
    assert (await completions.complete(ANN, asked("cheap", payment)))["text"] == "hi there"


# --- What a failure costs ---------------------------------------------------------------------------------------------


FAILURES = [
    ProviderFailed(ProviderError(), reached=True),
    ProviderFailed(ProviderTimeoutError(), reached=True),
    ProviderFailed(ModelUnavailableError(), reached=True),
    ProviderFailed(ProviderError(), reached=False),
]


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: f"{failure.row.code} {failure.reached}")
async def test_a_provider_that_fails_costs_the_payer_nothing(
    completions: Completions, model: Model, stall: Stall, failure: ProviderFailed
) -> None:
    payment = await quoted(completions)
    model.failure = failure

    with pytest.raises(type(failure.row)):
        await completions.complete(ANN, asked("cheap", payment))

    assert stall.steps == ["quote", "present", "release"]
    assert stall.treasury == 0


async def test_a_provider_that_does_not_answer_in_time_costs_nothing_either(
    serve: Callable[..., Completions], model: Model, stall: Stall
) -> None:
    completions = serve(provider_seconds=0.02)
    payment = await quoted(completions)
    model.silent = True

    with pytest.raises(ProviderTimeoutError):
        await completions.complete(ANN, asked("cheap", payment))

    assert (stall.steps, stall.treasury) == (["quote", "present", "release"], 0)


async def test_a_bug_in_a_provider_costs_nothing_either(completions: Completions, model: Model, stall: Stall) -> None:
    payment = await quoted(completions)
    model.failure = RuntimeError("bug")  # type: ignore[assignment] # what a provider must not raise

    with pytest.raises(RuntimeError):
        await completions.complete(ANN, asked("cheap", payment))

    assert stall.steps == ["quote", "present", "release"]


async def test_a_caller_that_gives_up_before_the_answer_pays_nothing(
    completions: Completions, model: Model, stall: Stall
) -> None:
    payment = await quoted(completions)
    model.silent = True
    call = asyncio.create_task(completions.complete(ANN, asked("cheap", payment)))
    await model.asked.wait()

    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await completions.close()

    assert (stall.steps, stall.treasury) == (["quote", "present", "release"], 0)


async def test_a_caller_that_gives_up_while_it_is_charged_is_owed_the_answer(
    completions: Completions, stall: Stall
) -> None:
    payment = await quoted(completions)
    stall.go_on.clear()
    call = asyncio.create_task(completions.complete(ANN, asked("cheap", payment)))
    await stall.settling.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    stall.go_on.set()
    await completions.close()
    assert stall.steps == ["quote", "present", "settle", "release"]

    result = await completions.complete(ANN, asked("cheap", payment))

    assert (result["text"], result["paymentReceipt"]) == ("hi there", stall.receipts["n0"])
    assert stall.treasury == 2_000


@pytest.mark.parametrize("max_tokens", [None, 4000, 100])
async def test_what_is_owed_can_be_fetched_after_the_tier_got_another_limit(
    serve: Callable[..., Completions], stall: Stall, max_tokens: int | None
) -> None:
    for most_tokens in (1024, 2048):
        with pytest.raises(PaymentRequiredError):
            await serve(most_tokens=most_tokens).complete(ANN, asked("cheap", max_tokens=max_tokens))

    first, second = stall.quotes.values()
    assert first.request_hash == second.request_hash


@dataclass
class Wire:
    """What carries an answer, and tells who hears of it what became of that."""

    hearers: list[Hear] = field(default_factory=list)

    def when_answered(self, hear: Hear) -> bool:
        self.hearers.append(hear)
        return True

    def tell(self, went_out: bool) -> None:
        for hear in self.hearers:
            hear(went_out)


async def test_an_answer_is_owed_until_it_went_out(completions: Completions, stall: Stall) -> None:
    payment, wire = await quoted(completions), Wire()
    await completions.complete(ANN, asked("cheap", payment), wire.when_answered)
    assert (stall.states["n0"], stall.steps[-1]) == ("owed", "settle")

    wire.tell(True)
    again = await completions.complete(ANN, asked("cheap", payment), wire.when_answered)

    assert (stall.states["n0"], again["finishReason"]) == ("settled", "already_answered")


async def test_an_answer_that_did_not_go_out_stays_owed(completions: Completions, stall: Stall) -> None:
    payment, wire = await quoted(completions), Wire()
    await completions.complete(ANN, asked("cheap", payment), wire.when_answered)

    wire.tell(False)
    again = await completions.complete(ANN, asked("cheap", payment))

    assert (again["text"], again["paymentReceipt"]) == ("hi there", stall.receipts["n0"])
    assert (stall.states["n0"], stall.treasury) == ("settled", 2_000)


async def test_an_answer_of_which_nobody_hears_before_the_end_stays_owed(
    completions: Completions, stall: Stall
) -> None:
    payment = await quoted(completions)
    await completions.complete(ANN, asked("cheap", payment), Wire().when_answered)

    await completions.close()

    assert stall.states["n0"] == "owed"


async def test_no_text_without_the_money(completions: Completions, stall: Stall, model: Model) -> None:
    payment = await quoted(completions)
    stall.failure = PaymentFailedError()

    with pytest.raises(PaymentFailedError):
        await completions.complete(ANN, asked("cheap", payment))

    assert stall.steps == ["quote", "present", "settle"]
    assert len(model.prompts) == 1


async def test_an_owed_answer_stays_owed_when_the_provider_fails_again(
    completions: Completions, stall: Stall, model: Model
) -> None:
    payment = await quoted(completions)
    stall.states["n0"] = "owed"
    stall.receipts["n0"] = {"success": True, "transaction": "s", "network": "n", "payer": PAYER, "amount": "2000"}
    model.failure = ProviderFailed(ProviderError(), reached=True)

    with pytest.raises(ProviderError):
        await completions.complete(ANN, asked("cheap", payment))

    assert (stall.states["n0"], stall.steps[-1]) == ("owed", "release")


async def test_a_settled_payment_gives_its_receipt_again_and_asks_no_model(
    completions: Completions, stall: Stall, model: Model
) -> None:
    payment = await quoted(completions)
    first = await completions.complete(ANN, asked("cheap", payment))

    again = await completions.complete(ANN, asked("cheap", payment))

    assert again["paymentReceipt"] == first["paymentReceipt"]
    assert (again["text"], again["finishReason"]) == ("", "already_answered")
    assert (stall.treasury, len(model.prompts)) == (2_000, 1)


async def test_a_payment_that_pays_nothing_reaches_no_model(completions: Completions, model: Model) -> None:
    with pytest.raises(PaymentInvalidError):
        await completions.complete(ANN, asked("cheap", "nonsense"))
    assert model.prompts == []


@pytest.mark.parametrize(("reached", "left"), [(True, 0), (False, 1)])
async def test_a_free_call_counts_once_the_provider_was_reached_whatever_it_answered(
    completions: Completions, model: Model, budgets: Budgets, reached: bool, left: int
) -> None:
    for _ in range(99):
        await budgets.count_free(ANN)
    model.failure = ProviderFailed(ProviderError(), reached=reached)

    with pytest.raises(ProviderError):
        await completions.complete(ANN, asked())

    for _ in range(left):
        await budgets.count_free(ANN)
    with pytest.raises(BudgetExceededError):
        await completions.complete(ANN, asked())


async def test_closing_closes_the_providers(completions: Completions, model: Model) -> None:
    await completions.close()

    assert model.closed
